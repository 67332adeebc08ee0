//! Questions for words: each kind of explicit request, refusal and remark leaves every such question open and says so; each
//! plausible answer is taken by every such question.

mod harness;

use harness::TestLane;
use throughline_engine::data::call::{Agent, Risk, Tool};
use throughline_engine::data::card::Card;
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::event::{AssistantPosted, EventKind};
use throughline_engine::data::id::{DraftId, PendingId};
use throughline_engine::data::message::{Message, MessageKind};
use throughline_engine::data::part_state::PartState;
use throughline_engine::data::pending::{PendingClass, PendingKind, PendingState, Slot};
use throughline_engine::data::ticket::{Draft, Part};
use throughline_engine::{Reason, Step, StepInput};
use throughline_language::Expected;

/// Messages that mean something else than an answer to any question for words.
const OTHERS: [&str; 55] = [
    // Work for agents and tools, also for somebody nobody configured.
    "delegate that to writer",
    "do that via sub-agent",
    "@writer summarise the week",
    "could you hand it over to the release bot?",
    "run weather for Swansea",
    "delegiere das an writer",
    "kannst du das an writer delegieren?",
    // Facts.
    "remember that we deploy on Fridays",
    "please remember: the API is frozen",
    "merk dir: wir liefern freitags aus",
    "what do you know about deploys?",
    "was weißt du über Deployments?",
    // Tickets.
    "create a ticket for the export",
    "now create a bug: the export is slow",
    "file a bug about slow search",
    "erstelle ein Ticket für den Export",
    "kannst du ein Ticket für den Export anlegen?",
    "close the ticket",
    "how do I create a ticket?",
    "list my tickets",
    "zeig meine Tickets",
    // Reviews and decisions.
    "review this architecture",
    "please review the design",
    "record the decision: we use Postgres",
    "halte die Entscheidung fest: wir nehmen Postgres",
    // Commands in words.
    "status",
    "what's open?",
    "what is still open here?",
    "was ist offen?",
    "help",
    "hilfe",
    "what can you do?",
    "forget the mode",
    "vergiss den Modus",
    // Small talk and thanks.
    "hello",
    "Hallo!",
    "thanks",
    "danke",
    "ok",
    "Thanks, that's all.",
    // Refusals.
    "not now",
    "jetzt nicht",
    "no idea, sorry",
    "I'd rather not say",
    // Remarks.
    "that's not what I meant",
    "das habe ich nicht gemeint",
    "why do you ask?",
    "warum fragst du?",
    "I already told you",
    "das habe ich schon gesagt",
    "what do you mean?",
    "what?",
    "wie bitte?",
    "what is the weather like in Swansea?",
    "please approve the ticket",
];

/// Messages that leave a part of a draft open on purpose; any other question stays open.
const LEAVE_OPEN: [&str; 6] = ["no", "nein", "skip it", "I don't know", "keine Ahnung", "das weiß ich nicht"];

/// Messages that answer a question for words, though it looks like something else.
const ANSWERS: [&str; 40] = [
    "/etc/hosts",
    "/login",
    "/dashboard shows a blank page",
    "/help is a blank page",
    "https://example.org/login?next=/admin",
    "`rm -rf build && make`",
    "curl -X POST http://localhost:8080/api/login",
    "SELECT * FROM users WHERE id = 5;",
    "C:\\Users\\ana\\report.txt",
    "#4 in the list",
    "v2.3.1",
    "500 Internal Server Error",
    "delete the cookie then log in",
    "Open the page and press save",
    "Assign a role, then reload",
    "open /login with an empty cache",
    "Close the dialog and open it again",
    "Add two items to the cart, remove one",
    "Send it twice",
    "Run the export with 2 GB",
    "Find the second entry and click it",
    "Start the server, stop it, start it again",
    "1. log in\n2. open the report\n3. press export",
    "- open it\n- wait",
    "it does not",
    "it should be blue",
    "nothing happens",
    "an empty page instead of the form",
    "no error is shown",
    "No user can log in",
    "a ticket is created without a title",
    "the review page shows the help of the wrong product",
    "users who may approve see no button",
    "The login, which nobody tested",
    "öffne /login und drücke Speichern",
    "es passiert nichts",
    "Die Seite bleibt leer, es kommt kein Fehler",
    "Lösche das Cookie und melde dich an",
    "kein Fehler wird angezeigt",
    "Ein Ticket ohne Titel wird angelegt",
];

/// Opens a lane in which a question for words waits for Ana: one for each kind of such questions.
fn lanes() -> Vec<(&'static str, TestLane)> {
    let drafts: [(&str, &[&str]); 8] = [
        ("title", &["create a ticket"]),
        ("steps", &["Create a bug: login fails"]),
        ("expected", &["Create a bug: login fails", "Steps: open it"]),
        ("actual", &["Create a bug: the login", "Steps: open it\nExpected: a form"]),
        ("problem", &["Create a ticket for the slow search"]),
        ("acceptance", &["Create a ticket for the slow search", "Problem: it is slow"]),
        ("in German", &["Erstelle einen Bug: Login schlägt fehl"]),
        ("decision", &["record the decision"]),
    ];
    let mut lanes: Vec<(&str, TestLane)> = Vec::new();
    for (name, said) in drafts {
        let mut w = lane();
        for text in said {
            let _ = w.says("ana", text);
        }
        lanes.push((name, w));
    }
    let mut host = lane();
    let posted = AssistantPosted {
        kind: MessageKind::Question,
        task: None,
        text: "How do you get there?".into(),
        expected: Some(Expected::Text),
        asked_of: Some("ana".into()),
        expires: None,
        message_id: None,
    };
    let given = StepInput { now: host.now, ..StepInput::default() };
    let _ = host.event("", EventKind::AssistantPosted(posted), given);
    lanes.push(("a host's", host));
    lanes
}

fn lane() -> TestLane {
    let mut w = TestLane::new();
    w.policy.agents.insert("writer".into(), Agent { risk: Risk::Read, stops: false });
    w.policy.tools.insert("weather".into(), Tool { risk: Risk::Read, args: [].into() });
    w
}

fn question(w: &TestLane) -> PendingState {
    let asked = w.lane.head.pendings.iter().rfind(|p| p.kind.class() == PendingClass::Conversational);
    asked.unwrap_or_else(|| panic!("a question waits: {:?}", w.lane.head.pendings)).clone()
}

/// The draft and the part that a question is about.
fn part(asked: &PendingState) -> Option<(&DraftId, &Part)> {
    match &asked.kind {
        PendingKind::SlotRequest(Slot::Draft { draft, part }) => Some((draft, part)),
        _ => None,
    }
}

fn waits(w: &TestLane, id: &PendingId) -> bool {
    w.lane.head.pendings.iter().any(|pending| pending.id == *id)
}

/// The words that a step says in messages.
fn said(w: &TestLane, step: &Step) -> String {
    let texts = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::Reply { text, .. } => Some(text.clone()),
        EffectBody::CardPost { message, .. } => {
            w.lane.records.get::<Message>(message).map(|m| m.text.clone())
        }
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A question about a draft ends with the card that shows it; one that a host asked has no card.
#[test]
fn a_question_ends_with_the_card_that_it_is_about() {
    for (slot, lane) in lanes() {
        let (mut w, asked) = (lane.clone(), question(&lane));
        let step = w.says("ana", "close the cards");
        assert!(step.decision.applied.is_none(), "{slot}: swallowed");
        let about_a_card = lane.lane.records.all::<Card>().any(|card| card.is_open() && card.is_approval());
        assert_eq!(waits(&w, &asked.id), !about_a_card, "{slot}");
    }
}

#[test]
fn what_means_something_else_leaves_the_question_open_and_says_so() {
    let mut wrong = Vec::new();
    for (slot, lane) in lanes() {
        let asked = question(&lane);
        assert_eq!(asked.expected, Some(Expected::Text), "{slot}");
        let leaving = LEAVE_OPEN.into_iter().filter(|_| part(&asked).is_none());
        for text in OTHERS.into_iter().chain(leaving) {
            let mut w = lane.clone();
            let step = w.says("ana", text);
            let told = said(&w, &step);
            let names = ["Still open: “", "Put aside for now: “", "I asked: “", "I need it in words: “"];
            if step.decision.applied.is_some() {
                wrong.push(format!("{slot}: swallowed: {text}"));
            } else if !waits(&w, &asked.id) {
                wrong.push(format!("{slot}: cleared ({}): {text}", step.decision.reason));
            } else if !names.iter().any(|name| told.contains(name)) {
                wrong.push(format!("{slot}: not said ({}): {text}: {told}", step.decision.reason));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_leaves_a_part_open_becomes_no_words_of_it() {
    for (slot, lane) in lanes() {
        let asked = question(&lane);
        let Some((draft, part)) = part(&asked) else { continue };
        for text in LEAVE_OPEN {
            let mut w = lane.clone();
            let _ = w.says("ana", text);
            let draft = w.lane.records.get::<Draft>(draft).expect("the draft is kept");
            let open = matches!(draft.state(*part), PartState::LeftOpen { by } if by == "ana");
            assert!(open && draft.part(*part).is_empty(), "{slot}: {text}: {:?}", draft.state(*part));
            assert!(!waits(&w, &asked.id), "{slot}: {text}: it is not asked again");
        }
    }
}

#[test]
fn what_may_be_an_answer_is_taken() {
    let mut wrong = Vec::new();
    for (slot, lane) in lanes() {
        let asked = question(&lane);
        for text in ANSWERS {
            let mut w = lane.clone();
            let step = w.says("ana", text);
            let taken = step.decision.applied.as_ref().is_some_and(|applied| applied.pending == asked.id);
            if !taken || step.decision.reason != Reason::PendingApplied {
                wrong.push(format!("{slot}: {} {:?}: {text}", step.decision.reason, step.trace.also));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_question_put_aside_comes_back() {
    let mut w = lane();
    let _ = w.says("ana", "Create a bug: login fails");
    let first = question(&w);
    let step = w.says("ana", "create a ticket for the slow search");
    assert!(said(&w, &step).contains("Put aside for now: “Steps to reproduce?”"), "{}", said(&w, &step));
    assert_ne!(question(&w).id, first.id);
    let step = w.says("ana", "Problem: it is slow\nAcceptance criteria: a second");
    assert!(said(&w, &step).contains("Back to: “Steps to reproduce?”"), "{}", said(&w, &step));
    assert_eq!(question(&w).id, first.id);
    let step = w.says("ana", "open /login");
    assert_eq!(step.decision.applied.unwrap().pending, first.id);
}

#[test]
fn one_persons_request_and_stop_leave_what_another_is_asked() {
    let mut w = lane();
    let _ = w.says("ana", "Create a bug: login fails");
    let hers = question(&w);
    let _ = w.says("bob", "Create a ticket for the slow search");
    assert!(waits(&w, &hers.id));
    let step = w.says("ana", "open /login");
    assert_eq!(step.decision.applied.unwrap().pending, hers.id, "each answers their own");
    let hers = w.lane.head.pendings.iter().find(|p| p.asked_of.as_deref() == Some("ana")).unwrap().clone();
    let step = w.says("bob", "stop");
    assert_eq!(step.decision.reason, Reason::InterruptStop);
    assert!(waits(&w, &hers.id), "what Ana is asked stays");
    assert!(said(&w, &step).contains("Ended: “Problem?”"), "{}", said(&w, &step));
    assert!(said(&w, &step).contains("Left to others: “Expected?”"), "{}", said(&w, &step));
}
