//! The last change of an open preview is taken back, whatever it was.

mod harness;

use harness::TestLane;
use proptest::prelude::*;
use throughline_engine::Reason;
use throughline_engine::data::action::Action;
use throughline_engine::data::policy::drafts::Answerers;
use throughline_engine::data::record::Record;

/// Changes in words of a ticket's preview, and of one of several.
const OF_ONE: [&str; 8] = [
    "change the title to Blank login page",
    "make it urgent",
    "assign it to bob and make it urgent",
    "Problem: nobody can sign in",
    "Acceptance criteria: the form is shown",
    "add an acceptance criterion: it takes a second",
    "make it a bug",
    "labels: login",
];
const OF_SEVERAL: [&str; 8] = [
    "drop story 2",
    "move story 3 to the top",
    "add a story: billing",
    "change the title of story 1 to Sign in",
    "make it urgent",
    "make it urgent and assign it to bob",
    "make story 3 a task",
    "Problem: nobody can sign in",
];

/// The hash of what the open preview would create.
fn payload(w: &TestLane) -> String {
    w.approval_of(&w.card()).payload_sha256.to_string()
}

fn takes_back(w: &mut TestLane, words: &str) {
    let step = w.says("ana", words);
    assert_eq!(step.decision.reason, Reason::DraftEdited, "{words}");
}

proptest! {
    #[test]
    fn each_change_is_taken_back_and_made_again(
        request in prop_oneof![Just(("create a task: the login page", &OF_ONE)), Just(("create an epic with stories: login, search, export", &OF_SEVERAL))],
        changes in proptest::collection::vec(0usize..8, 1..6),
        form in any::<bool>(),
        undo in prop_oneof![Just("undo that"), Just("change it back"), Just("mach das rückgängig"), Just("go back to the previous version")],
    ) {
        let mut w = TestLane::new();
        let _ = w.says("ana", request.0);
        let _ = w.says("ana", "skip the rest");
        let preview = w.card().id;
        for change in changes {
            let before = payload(&w);
            if form && request.1 == &OF_ONE {
                let card = w.card();
                let _ = w.submits("ana", &card, &[("title", "From the form"), ("problem", OF_ONE[change])]);
            } else {
                let _ = w.says("ana", request.1[change]);
            }
            if w.card().id != preview {
                // A part that is written already is not written over by a label; such words are something else.
                break;
            }
            let after = payload(&w);
            if before == after {
                // What changes nothing leaves the last change what it was.
                continue;
            }
            takes_back(&mut w, undo);
            prop_assert_eq!(payload(&w), before, "{:?} was not taken back", request.1[change]);
            takes_back(&mut w, undo);
            prop_assert_eq!(payload(&w), after, "{:?} was not made again", request.1[change]);
        }
    }
}

#[test]
fn what_nobody_changed_has_nothing_to_take_back() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "create a task: the login page");
    let version = w.card().version;
    let _ = w.says("ana", "go back to the previous version");
    assert_eq!(w.card().version, version);
    // "Undo that" then stops what goes on, as it does without a card.
    assert_eq!(w.says("ana", "undo that").decision.reason, Reason::InterruptStop);
}

#[test]
fn what_was_left_open_is_a_gap_again() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "create a task: the login page");
    let _ = w.says("ana", "make it urgent");
    let urgent = payload(&w);
    let _ = w.says("ana", "skip the rest");
    let left_open = |w: &TestLane| {
        let drafts = w.lane.records.iter().filter_map(|record| match record {
            Record::Draft(draft) => Some(draft.left_open().len()),
            _ => None,
        });
        drafts.sum::<usize>()
    };
    assert_eq!(left_open(&w), 2);
    takes_back(&mut w, "undo that");
    assert_eq!(left_open(&w), 0);
    assert_eq!(payload(&w), urgent, "only the last change is taken back");
}

#[test]
fn an_old_version_that_came_back_is_a_new_one() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "create a task: the login page");
    let _ = w.says("ana", "make it urgent");
    let shown = w.card().version;
    let _ = w.says("ana", "undo that");
    let card = w.card();
    assert_eq!(w.presses("bob", &card, shown, Action::Approve).decision.reason, Reason::StaleVersion);
    assert_eq!(card.version, shown + 1);
}

#[test]
fn only_who_may_answer_takes_a_change_back() {
    let mut w = TestLane::new();
    w.policy.drafts.answers = Answerers::Asker;
    let _ = w.says("ana", "create a task: the login page");
    let _ = w.says("ana", "make it urgent");
    let version = w.card().version;
    let _ = w.says("bob", "undo that");
    assert_eq!(w.card().version, version);
}
