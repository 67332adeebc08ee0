//! Files of messages: evidence of the ticket that their message is about, and read by nobody
//! (`docs/design/0094-files-as-evidence.md`).

mod harness;

use harness::TestLane;
use proptest::prelude::*;
use throughline_engine::data::action::Action;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::event::{EventKind, MessagePosted};
use throughline_engine::data::message::Message;
use throughline_engine::data::pending::PendingKind;
use throughline_engine::data::record::Record;
use throughline_engine::data::ticket::{Draft, Part};
use throughline_engine::{Reason, Step};

const REQUEST: &str =
    "Create a bug ticket: the export button does nothing\nSteps: press it\nExpected: a file\nActual: nothing";

fn file(name: &str) -> Attachment {
    Attachment {
        kind: "photo".into(),
        name: Some(name.into()),
        id: Some(format!("file_{name}")),
        url: Some(format!("https://chat.example/files/{name}")),
        ..Attachment::default()
    }
}

fn posts(w: &mut TestLane, who: &str, text: &str, files: &[Attachment]) -> Step {
    let posted = MessagePosted { text: text.into(), files: files.to_vec(), ..MessagePosted::default() };
    let given = w.given(who);
    w.event(who, EventKind::MessagePosted(posted), given)
}

fn drafts(w: &TestLane) -> Vec<Draft> {
    let draft = |record: &Record| match record {
        Record::Draft(draft) => Some(draft.clone()),
        _ => None,
    };
    w.lane.records.iter().filter_map(draft).collect()
}

/// Returns the names of the files in the evidence of the only draft.
fn evidence(w: &TestLane) -> Vec<String> {
    let drafts = drafts(w);
    assert_eq!(drafts.len(), 1);
    let lines = drafts[0].part(Part::Evidence).lines().filter_map(|line| line.split_once(' '));
    lines.map(|(_, name)| name.to_owned()).collect()
}

fn told(step: &Step) -> Vec<&str> {
    step.effects
        .iter()
        .filter_map(|effect| match &effect.body {
            EffectBody::Reply { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn files_of_a_request_are_evidence_of_its_ticket() {
    let mut w = TestLane::new();
    let step = posts(&mut w, "ana", REQUEST, &[file("one.png"), file("two.png")]);
    assert_eq!(evidence(&w), ["one.png", "two.png"]);
    let says =
        "Evidence of the ticket: photo one.png, photo two.png. I read words only and did not look inside.";
    assert!(told(&step).contains(&says), "{:?}", told(&step));
    // What is approved has them.
    w.settle();
    let card = w.card();
    let step = w.presses("ana", &card, card.version, Action::Approve);
    let created = step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::TrackerCreate { item, .. } => Some(item.fields[&Part::Evidence].clone()),
        _ => None,
    });
    assert!(created.unwrap().contains("https://chat.example/files/two.png two.png"));
}

#[test]
fn files_alone_are_of_the_request_that_follows() {
    let mut w = TestLane::new();
    let _ = posts(&mut w, "ana", "hello", &[file("greeting.png")]);
    let _ = posts(&mut w, "bob", "", &[file("bobs.png")]);
    let step = posts(&mut w, "ana", "", &[file("one.png")]);
    assert_eq!(step.decision.reason, Reason::MessageUnread);
    assert_eq!(told(&step), ["Kept: photo one.png. I read words only: write what it is about."]);
    let _ = posts(&mut w, "ana", "", &[file("two.png")]);
    let _ = posts(&mut w, "ana", REQUEST, &[file("three.png")]);
    assert_eq!(evidence(&w), ["one.png", "two.png", "three.png"]);
}

#[test]
fn files_alone_are_of_the_draft_that_is_open() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "Create a bug ticket: the export button does nothing");
    w.settle();
    let (card, asked) = (w.card(), questions(&w));
    assert_eq!(asked.len(), 1);
    let step = posts(&mut w, "ana", "", &[file("one.png")]);
    assert_eq!(step.decision.reason, Reason::EvidenceAdded);
    assert_eq!(evidence(&w), ["one.png"]);
    assert_eq!(w.card().version, card.version + 1);
    assert_eq!(questions(&w), asked, "the question stays open");
    // The version without the file is not what is approved any more.
    let step = w.presses("ana", &card, card.version, Action::Approve);
    assert!(!step.effects.iter().any(|effect| matches!(effect.body, EffectBody::TrackerCreate { .. })));
    // The same file again adds nothing.
    let step = posts(&mut w, "ana", "", &[file("one.png")]);
    assert_eq!((step.decision.reason, evidence(&w).len()), (Reason::MessageUnread, 1));
    // Somebody else's files are of their own.
    let step = posts(&mut w, "bob", "", &[file("bobs.png")]);
    assert_eq!((step.decision.reason, evidence(&w).len()), (Reason::MessageUnread, 1));
}

#[test]
fn files_alone_are_of_no_draft_among_several() {
    let mut w = TestLane::new();
    let _ = w.says("ana", REQUEST);
    let _ = w.says("ana", &REQUEST.replace("export", "import"));
    assert_eq!(drafts(&w).len(), 2);
    let step = posts(&mut w, "ana", "", &[file("one.png")]);
    assert_eq!(step.decision.reason, Reason::MessageUnread);
    assert!(drafts(&w).iter().all(|draft| !draft.part(Part::Evidence).contains("one.png")));
}

/// The one that the question is about is meant.
#[test]
fn files_alone_are_of_the_draft_that_was_asked_about() {
    let mut w = TestLane::new();
    let _ = w.says("ana", REQUEST);
    let _ = w.says("ana", "Create a bug ticket: the import button does nothing");
    assert_eq!(questions(&w).len(), 1);
    let step = posts(&mut w, "ana", "", &[file("one.png")]);
    assert_eq!(step.decision.reason, Reason::EvidenceAdded);
    let has = |draft: &Draft| draft.part(Part::Evidence).contains("one.png");
    assert_eq!(drafts(&w).iter().map(has).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn words_that_only_show_files_answer_no_question() {
    for words in ["here is another picture of it", "screenshot attached", "hier noch ein Bild dazu"] {
        let mut w = TestLane::new();
        let _ = w.says("ana", "Create a bug ticket: the export button does nothing");
        let asked = questions(&w);
        let step = posts(&mut w, "ana", words, &[file("one.png")]);
        assert_eq!(step.decision.reason, Reason::EvidenceAdded, "{words}");
        assert_eq!((evidence(&w), questions(&w)), (vec!["one.png".into()], asked), "{words}");
        // Words about the fault answer, and their file is evidence too.
        let _ = posts(&mut w, "ana", "Open the page, press export", &[file("two.png")]);
        assert_eq!(evidence(&w), ["one.png", "two.png"]);
        assert_eq!(questions(&w).len(), 1);
        assert_eq!(drafts(&w)[0].part(Part::Steps), "Open the page, press export", "{words}");
    }
}

/// Without a draft they are of the request that follows, like those without words.
#[test]
fn words_that_only_show_files_leave_them_to_the_request_that_follows() {
    let mut w = TestLane::new();
    let _ = posts(&mut w, "ana", "here is a screenshot", &[file("one.png")]);
    let _ = posts(&mut w, "bob", "and one more", &[file("bobs.png")]);
    let _ = w.says("ana", REQUEST);
    assert_eq!(evidence(&w), ["one.png"]);
}

/// A file that was posted alone is of one request.
#[test]
fn a_file_of_one_request_is_not_of_the_next() {
    let mut w = TestLane::new();
    let _ = w.says("ana", REQUEST);
    let _ = posts(&mut w, "ana", "", &[file("one.png")]);
    let _ = w.says("ana", &REQUEST.replace("export", "import"));
    let has = |draft: &Draft| draft.part(Part::Evidence).contains("one.png");
    assert_eq!(drafts(&w).iter().map(has).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn the_file_that_is_replied_to_is_evidence() {
    let mut w = TestLane::new();
    let _ = posts(&mut w, "bob", "", &[file("bobs.png")]);
    let anchor = messages(&w)[0].clone();
    let posted = MessagePosted {
        text: "Create a bug ticket: this is how it looks".into(),
        reply_to: Some(anchor.id.0.clone()),
        ..MessagePosted::default()
    };
    let mut given = w.given("ana");
    given.anchor = Some(anchor);
    let _ = w.event("ana", EventKind::MessagePosted(posted), given);
    assert_eq!(evidence(&w), ["bobs.png"]);
}

#[test]
fn a_file_without_an_address_is_only_announced() {
    let mut w = TestLane::new();
    let unread = Attachment { url: None, id: None, ..file("one.png") };
    let step = posts(&mut w, "ana", REQUEST, &[unread]);
    assert_eq!(evidence(&w), Vec::<String>::new());
    let says = "I read the words alone, and did not look at this: photo one.png.";
    assert!(told(&step).contains(&says), "{:?}", told(&step));
}

/// A file that a channel or a host keeps is not kept here, and can still be evidence.
#[test]
fn a_file_that_is_kept_elsewhere_is_not_said_to_be_kept() {
    let mut w = TestLane::new();
    let theirs = Attachment { id: None, ..file("one.png") };
    let step = posts(&mut w, "ana", "", std::slice::from_ref(&theirs));
    let says = "I read words only, so I did not look at this: photo one.png. Write what it is about.";
    assert_eq!(told(&step), [says]);
    let _ = w.says("ana", REQUEST);
    assert_eq!(evidence(&w), ["one.png"]);
}

#[test]
fn a_message_that_is_deleted_has_no_files() {
    let mut w = TestLane::new();
    let posted = MessagePosted {
        text: "hello".into(),
        message_id: Some("c_1".into()),
        files: vec![file("one.png")],
        ..MessagePosted::default()
    };
    let given = w.given("ana");
    let _ = w.event("ana", EventKind::MessagePosted(posted), given);
    let mut given = w.given("ana");
    given.anchor = Some(messages(&w)[0].clone());
    assert_eq!(messages(&w)[0].files.len(), 1);
    let _ = w.event("ana", EventKind::MessageDeleted { message: "c_1".into() }, given);
    assert!(messages(&w).iter().all(|message| message.files.is_empty()));
}

/// Returns the questions about parts of drafts that wait.
fn questions(w: &TestLane) -> Vec<PendingKind> {
    let kinds = w.lane.head.pendings.iter().map(|pending| pending.kind.clone());
    kinds.filter(|kind| matches!(kind, PendingKind::SlotRequest(_))).collect()
}

fn messages(w: &TestLane) -> Vec<Message> {
    let message = |record: &Record| match record {
        Record::Message(message) => Some(message.clone()),
        _ => None,
    };
    w.lane.records.iter().filter_map(message).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever files and words come before: a request has its own files, and those that its author posted right before it,
    /// whatever others said, in their order, once each.
    #[test]
    fn evidence_is_what_was_posted_with_a_request_and_right_before_it(
        before in prop::collection::vec((any::<bool>(), any::<bool>(), 0_u8..4), 0..6),
        own in 0_u8..4,
    ) {
        let mut w = TestLane::new();
        let mut expected: Vec<String> = Vec::new();
        let mut note = |name: String| if !expected.contains(&name) { expected.push(name) };
        for (n, (is_anas, has_words, name)) in before.iter().enumerate() {
            let who = if *is_anas { "ana" } else { "bob" };
            let text = if *has_words { "hello there" } else { "" };
            let _ = posts(&mut w, who, text, &[file(&format!("f{name}.png"))]);
            let since = before[n..].iter().all(|(is_anas, has_words, _)| !is_anas || !has_words);
            if *is_anas && since {
                note(format!("f{name}.png"));
            }
        }
        let _ = posts(&mut w, "ana", REQUEST, &[file(&format!("f{own}.png"))]);
        note(format!("f{own}.png"));
        prop_assert_eq!(evidence(&w), expected);
    }
}
