//! Editing the request of a draft changes what its text changed, and keeps what was edited on the card.

mod harness;

use std::collections::BTreeMap;

use harness::{BATCH, TICKET, TestLane};
use throughline_engine::data::action::Action;
use throughline_engine::data::ask::{Answer, DraftAnswer, Question};
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::EventKind;
use throughline_engine::data::message::{Message, Role};
use throughline_engine::data::record::Record;
use throughline_engine::data::ticket::{Draft, ItemType, Part};
use throughline_engine::{Reason, Step, StepInput, Verdict};

/// Edits Ana's first message.
fn edits(w: &mut TestLane, text: &str) -> Step {
    edits_as(w, "ana", false, text)
}

/// Edits Ana's first message, as this person and in a channel that vouches for edits or does not.
fn edits_as(w: &mut TestLane, actor: &str, vouched: bool, text: &str) -> Step {
    let said = w.lane.records.iter().find_map(|record| match record {
        Record::Message(message) if message.role == Role::User => Some(message.clone()),
        _ => None,
    });
    let anchor: Option<Message> = said;
    let mut given = StepInput { now: w.now, model: w.model.into(), anchor, ..StepInput::default() };
    given.addressing.direct = true;
    given.addressing.vouched = vouched;
    let kind = EventKind::MessageEdited { message: "1".into(), text: text.into(), metadata_only: false };
    w.event(actor, kind, given)
}

/// Returns the drafts of the open card, in order.
fn drafts(w: &TestLane) -> Vec<Draft> {
    let all: BTreeMap<String, Draft> = w
        .lane
        .records
        .iter()
        .filter_map(|record| if let Record::Draft(draft) = record { Some(draft.clone()) } else { None })
        .map(|draft| (draft.id.0.clone(), draft))
        .collect();
    let items = w.items();
    if items.is_empty() {
        all.into_values().collect()
    } else {
        items.iter().map(|id| all[id].clone()).collect()
    }
}

fn titles(w: &TestLane) -> Vec<String> {
    drafts(w).iter().map(|draft| draft.part(Part::Title).to_owned()).collect()
}

fn fills(w: &mut TestLane, item: usize, values: &[(&str, &str)]) {
    let (card, items) = (w.card(), w.items());
    let item = items.get(item).map_or("", String::as_str);
    let action = if items.is_empty() { Action::Edit } else { Action::EditStory };
    let _ = w.submits_item("ana", &card, item, action, values);
}

fn asked(step: &Step) -> (Effect, Question, String) {
    let found = step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::ModelAsk(ask) => Some((effect.clone(), ask.question.clone(), ask.text.clone())),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("nothing was asked: {:?}", step.decision))
}

fn answers(w: &mut TestLane, asked: &Effect, items: &[(ItemType, &str)]) -> Step {
    let fields = |title: &str| {
        let all = [(Part::Title, title), (Part::Problem, "p"), (Part::Acceptance, "a")];
        all.map(|(part, text)| (part, text.to_owned())).into()
    };
    let items =
        items.iter().map(|(item_type, title)| DraftAnswer { item_type: *item_type, fields: fields(title) });
    let answer = Answer::Draft { items: items.collect() };
    w.outcome(asked, Outcome::Done { result: EffectResult::Answered(answer) })
}

#[test]
fn an_edit_counts_from_the_author_or_a_channel_that_vouches() {
    let text = TICKET.replace("a form", "the form");
    for (actor, vouched, counts) in [
        ("ana", false, true),
        ("bob", false, false),
        ("", false, false),
        ("bob", true, true),
        ("", true, true),
    ] {
        let mut w = TestLane::new();
        let _ = w.says("ana", TICKET);
        let reason = if counts { Reason::DraftRemade } else { Reason::MessageNotTheirs };
        assert_eq!(edits_as(&mut w, actor, vouched, &text).decision.reason, reason, "{actor} {vouched}");
        let expected = if counts { "the form" } else { "a form" };
        assert_eq!(drafts(&w)[0].part(Part::Expected), expected, "{actor} {vouched}");
    }
}

#[test]
fn edits_made_on_the_card_stay() {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    fills(&mut w, 0, &[("title", "Nobody can log in"), ("actual", "a white page")]);
    let step = edits(&mut w, &TICKET.replace("a form", "the form"));
    assert_eq!(step.decision.reason, Reason::DraftRemade);
    let draft = &drafts(&w)[0];
    let parts = [Part::Title, Part::Expected, Part::Actual].map(|part| draft.part(part));
    assert_eq!(parts, ["Nobody can log in", "the form", "a white page"]);
}

#[test]
fn text_removed_by_an_edit_leaves_the_draft() {
    let mut w = TestLane::new();
    let _ = w.says("ana", &format!("{TICKET}\nRisks: none"));
    let _ = edits(&mut w, TICKET);
    assert_eq!(drafts(&w)[0].part(Part::Risks), "");
    // A part that the text says no more is a gap again; the title stays.
    let _ = edits(&mut w, "Create a ticket for login bug");
    assert_eq!(drafts(&w)[0].part(Part::Steps), "");
    assert_eq!(drafts(&w)[0].missing(), [Part::Steps, Part::Expected, Part::Actual]);
    let _ = edits(&mut w, "Create a ticket");
    assert_eq!(drafts(&w)[0].part(Part::Title), "login bug");
    let _ = edits(&mut w, "Create a ticket for login bug");
    // Equivalent text makes no new draft.
    let version = w.card().version;
    let step = edits(&mut w, "Please create a ticket for login bug");
    assert_eq!((step.decision.reason, w.card().version), (Reason::MessageEdited, version));
}

#[test]
fn an_item_is_known_by_its_title() {
    let mut w = TestLane::new();
    let _ = w.says("ana", BATCH);
    fills(&mut w, 1, &[("risks", "passwords")]);
    fills(&mut w, 2, &[("title", "Leave")]);
    let turned = "Create an epic with 3 stories for auth\nProblem: nobody gets in\nAcceptance criteria: all are done\n\
        - As a user I want to stay in\n  Acceptance criteria: a tick\n\
        - As a user I want to log out\n  Acceptance criteria: a link\n\
        - As a user I want to log in\n  Acceptance criteria: a form";
    assert_eq!(edits(&mut w, turned).decision.reason, Reason::DraftRemade);
    assert_eq!(titles(&w), ["auth", "log in", "Leave", "stay in"]);
    let now = drafts(&w);
    let said = [(1, Part::Risks), (1, Part::Acceptance), (2, Part::Acceptance), (3, Part::Acceptance)];
    assert_eq!(said.map(|(at, part)| now[at].part(part)), ["passwords", "a form", "a link", "a tick"]);
}

#[test]
fn a_removed_item_stays_away_and_a_new_one_is_added() {
    let mut w = TestLane::new();
    let _ = w.says("ana", BATCH);
    let (card, items) = (w.card(), w.items());
    let _ = w.presses_item("ana", &card, 1, &items[1], Action::RemoveStory);
    let more = format!("{BATCH}\n- As a user I want to be known\n  Acceptance criteria: a name");
    let _ = edits(&mut w, &more.replace("3 stories", "4 stories"));
    assert_eq!(titles(&w), ["auth", "log out", "stay in", "be known"]);
    // A field the person filled in stays where the text still has nothing to say about it.
    let mut w = TestLane::new();
    let _ = w.says("ana", "Create an epic with 2 stories for auth");
    fills(&mut w, 1, &[("title", "Log in")]);
    let _ = edits(&mut w, "Create an epic with 2 stories for auth\n- Log out");
    assert_eq!(titles(&w), ["auth", "Log in", "Log out"]);
}

#[test]
fn a_new_story_goes_under_its_epic() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "Create 2 epics:\n- Auth\n  - Log in\n- Billing\n  - Pay");
    assert_eq!(titles(&w), ["Auth", "Log in", "Billing", "Pay"]);
    let _ = edits(&mut w, "Create 2 epics:\n- Auth\n  - Log in\n  - Log out\n- Billing\n  - Pay");
    assert_eq!(titles(&w), ["Auth", "Log in", "Log out", "Billing", "Pay"]);
    let now = drafts(&w);
    assert_eq!(now[2].under.as_ref(), Some(&now[0].id));
    assert_eq!(now[4].under.as_ref(), Some(&now[3].id));
}

/// The waiting part of a split batch changes too.
#[test]
fn a_later_part_is_changed_before_it_is_shown() {
    let mut w = TestLane::new();
    w.policy.latch.items = 9;
    w.policy.latch.chars = 100;
    let _ = w.says("ana", BATCH);
    let card = w.card();
    let _ = w.presses("ana", &card, 1, Action::Split);
    let _ = edits(&mut w, &BATCH.replace("a tick", "a box"));
    let all = w.lane.records.iter();
    let all = all.filter_map(|record| if let Record::Draft(draft) = record { Some(draft) } else { None });
    let said: Vec<&str> = all.map(|draft| draft.part(Part::Acceptance)).collect();
    assert_eq!(said, ["all are done", "a form", "a button", "a box"]);
    assert!(w.items_of(&w.card()).len() < 4);
}

#[test]
fn an_edit_asks_the_model_again() {
    let mut w = TestLane::new();
    w.model = true;
    let (first, ..) = asked(&w.says("ana", "Create a ticket for login bug"));
    let step = edits(&mut w, "Create a ticket for search bug\nActual: nothing is found");
    assert_eq!((step.decision.outcome, step.decision.reason), (Verdict::Deferred, Reason::DraftRemade));
    let (again, _, text) = asked(&step);
    assert!(step.cancel.contains(&first.id) && text.contains("search bug"), "{text}");
    let late = answers(&mut w, &first, &[(ItemType::Bug, "Login")]);
    assert_eq!(late.decision.reason, Reason::LateAnswer);
    let step = answers(&mut w, &again, &[(ItemType::Task, "Search finds nothing")]);
    assert_eq!(step.decision.reason, Reason::Drafted);
    assert_eq!(drafts(&w)[0].part(Part::Actual), "nothing is found");
    // A request that is now complete needs no model.
    let mut w = TestLane::new();
    w.model = true;
    let _ = w.says("ana", "Create a ticket for login bug");
    let step = edits(&mut w, TICKET);
    assert_eq!((step.decision.outcome, step.decision.reason), (Verdict::Shown, Reason::DraftRemade));
    assert_eq!(w.card().version, 1);
}

#[test]
fn an_edit_of_a_batch_asks_the_model_again() {
    let mut w = TestLane::new();
    w.model = true;
    let _ = w.says("ana", "Create an epic with 1 story for auth");
    let step = edits(&mut w, "Create an epic with 2 stories for sign-in");
    let (again, question, _) = asked(&step);
    assert!(matches!(question, Question::Draft { stories: Some(2), .. }), "{question:?}");
    let (epic, story) = (ItemType::Epic, ItemType::Story);
    let _ = answers(&mut w, &again, &[(epic, "Sign-in"), (story, "Log in"), (story, "Log out")]);
    assert_eq!(titles(&w), ["sign-in", "Log in", "Log out"]);
}
