//! Makes cases from recorded turns, labelled by what happened next.
//!
//! A decision is taken as right unless later turns contradict it, so such cases find what a later version decides
//! otherwise, and where people did not get what they wanted. A turn whose outcome shows nothing makes no case; nor
//! does one whose text was erased. The reader of the lines may correct a label.

use serde_json::{Value as Json, json};
use throughline_engine::data::action::Action;
use throughline_engine::data::event::{AssistantPosted, EventKind, Press};
use throughline_engine::data::intent::Intent;
use throughline_engine::{Reason, Verdict};
use throughline_language::{Expected, Value};

use crate::gold::Taken;
use throughline_testkit::Recorded;

/// The `source` of these cases.
const SOURCE: &str = "lanes";

/// Returns the cases in a lane's turns, as lines of a file, and the number of messages that made none.
#[must_use]
pub fn from_turns(turns: &[Recorded]) -> (Vec<Json>, usize) {
    let (mut cases, mut unlabelled) = (Vec::new(), 0);
    let mut waiting: Option<&AssistantPosted> = None;
    for (n, turn) in turns.iter().enumerate() {
        let after = &turns[n + 1..];
        match &turn.event.kind {
            EventKind::AssistantPosted(posted) if posted.expected.is_some() => waiting = Some(posted),
            // Either may replace the question, and a case about the wrong question is worse than none.
            EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. } => waiting = None,
            EventKind::MessagePosted(posted) if handled(turn) => {
                let answers =
                    !noted(turn, Reason::PendingOtherPerson) && !noted(turn, Reason::PendingOtherAnchor);
                waiting = waiting.filter(|_| !noted(turn, Reason::PendingExpired));
                let case = match waiting.filter(|_| answers) {
                    Some(question) => {
                        waiting = None;
                        pending(question, &posted.text, turn, after)
                    }
                    None => intent(&posted.text, turn, after),
                };
                unlabelled += usize::from(case.is_none());
                cases.extend(case);
            }
            _ => {}
        }
    }
    (cases, unlabelled)
}

fn handled(turn: &Recorded) -> bool {
    !matches!(turn.summary.decision.outcome, Verdict::Ignored | Verdict::Observed)
}

fn noted(turn: &Recorded, reason: Reason) -> bool {
    turn.summary.decision.reason == reason || turn.summary.trace.also.contains(&reason)
}

/// A host's question and the message after it; the label says if the host had to ask again.
fn pending(question: &AssistantPosted, said: &str, turn: &Recorded, after: &[Recorded]) -> Option<Json> {
    let expected = question.expected.as_ref()?;
    let applied = turn.summary.decision.applied.as_ref().map(|applied| &applied.value);
    let (gold, sub) = if asked_again(question, after) {
        ("other", Some("question"))
    } else if applied.is_some() && noted(turn, Reason::PendingAppliedWithRemainder) {
        ("applies_plus", None)
    } else if applied.is_some() {
        ("applies", None)
    } else if noted(turn, Reason::InterruptStop) {
        ("other", Some("cancel"))
    } else {
        match wanted(turn, after)? {
            Some(_) => ("new_task", Some("task")),
            None => ("other", None),
        }
    };
    let value = applied.filter(|_| gold.starts_with("applies")).map(value);
    let (word, options) = match expected {
        Expected::Selection(options) => ("selection".to_owned(), Some(options)),
        other => (other.to_string(), None),
    };
    Some(json!({
        "id": turn.summary.turn, "source": SOURCE, "task": "pending",
        "pending": { "kind": "slot_request", "expected_type": word, "options": options },
        "system_text": question.text, "user_text": said, "gold": gold, "gold_sub": sub, "gold_value": value,
        "now": turn.event.received_at.rfc3339(),
    }))
}

/// Returns true if the question is repeated before another one is asked: the message did not answer it.
pub(crate) fn asked_again(question: &AssistantPosted, after: &[Recorded]) -> bool {
    let next = after.iter().find_map(|turn| match &turn.event.kind {
        EventKind::AssistantPosted(posted) if posted.expected.is_some() => Some(posted),
        _ => None,
    });
    next.is_some_and(|next| next.expected == question.expected && next.text == question.text)
}

fn value(value: &Value) -> Json {
    let taken = Taken::of(value);
    match taken.boolean {
        Some(yes) => json!({ "boolean": yes }),
        None => json!({ "canonical": [taken.text] }),
    }
}

/// A message on its own, labelled by what people did with its card.
fn intent(said: &str, turn: &Recorded, after: &[Recorded]) -> Option<Json> {
    let gated = turn.summary.decision.reason == Reason::GateOpened;
    let (mut accept, reject): (Vec<&str>, &[&str]) = match wanted(turn, after)? {
        Some(Intent::Ticket) => (vec!["TICKET"], &["REVIEW", "META"]),
        Some(Intent::Review) => (vec!["REVIEW"], &["TICKET", "META"]),
        Some(_) => (vec!["META", "DISCUSSION"], &["TICKET", "REVIEW"]),
        None => (vec!["DISCUSSION", "META", "AMBIGUOUS"], &["TICKET", "REVIEW"]),
    };
    // A message that was asked about counts as ambiguous too.
    if gated && !accept.contains(&"AMBIGUOUS") {
        accept.push("AMBIGUOUS");
    }
    Some(json!({
        "id": turn.summary.turn, "source": SOURCE, "task": "intent", "context": {}, "user_text": said,
        "gold_accept": accept, "gold_reject": reject, "gold_sub": if gated { "gated" } else { "decided" },
    }))
}

/// Returns the wanted intent by the card that followed; `Some(None)` if it was none of the offered. The next card of
/// that kind belongs to another message.
pub(crate) fn wanted(turn: &Recorded, after: &[Recorded]) -> Option<Option<Intent>> {
    let asked = |turn: &Recorded| turn.summary.decision.reason == Reason::GateOpened;
    let drafted = |turn: &Recorded| {
        turn.summary.decision.intent == Some(Intent::Ticket)
            && turn.summary.decision.outcome == Verdict::Shown
    };
    match (turn.summary.decision.reason, turn.summary.decision.intent) {
        (Reason::GateOpened, _) => after.iter().take_while(|next| !asked(next)).find_map(chosen),
        (_, Some(Intent::Ticket)) => {
            let approved = after.iter().take_while(|next| !drafted(next)).find_map(pressed)?;
            Some(approved.then_some(Intent::Ticket))
        }
        (Reason::IntentRule | Reason::IntentModel, Some(intent)) => Some(Some(intent)),
        _ => None,
    }
}

/// Returns the choice made on a gate; `Some(None)` for Not now.
fn chosen(turn: &Recorded) -> Option<Option<Intent>> {
    match turn.summary.decision.reason {
        Reason::IntentChosen => Some(turn.summary.decision.intent),
        Reason::GateDismissed => Some(None),
        _ => None,
    }
}

/// Returns true for an approved preview and false for a rejected one.
fn pressed(turn: &Recorded) -> Option<bool> {
    let EventKind::CardPressed { press, .. } = &turn.event.kind else { return None };
    let action = match press {
        Press::Decision { action, .. } => Some(*action),
        Press::Option { .. } => None,
        Press::Token(_) => turn.given.press.as_ref().map(|target| target.action),
    };
    match action.filter(|_| turn.summary.decision.reason == Reason::PressApplied)? {
        Action::Approve => Some(true),
        Action::Reject => Some(false),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use throughline_engine::data::event::{Event, MessagePosted};
    use throughline_engine::data::message::MessageKind;
    use throughline_engine::data::trace::{Trace, TurnSummary};
    use throughline_engine::{CardId, Decision, PendingId, Timestamp, TurnId};

    /// Makes a turn with this event and decision.
    pub(crate) fn turn(kind: EventKind, decision: Decision, also: &[Reason]) -> Recorded {
        let at = Timestamp::parse("2026-01-15T10:00:00Z").unwrap();
        let event = Event { id: "e".into(), received_at: at, actor: "ana".into(), kind };
        let trace = Trace { also: also.into(), ..Trace::default() };
        let summary = TurnSummary {
            turn: TurnId::from("tn_1"),
            at,
            event: event.kind.name().into(),
            decision,
            trace,
            effects: Vec::new(),
        };
        Recorded { revision: 1, event, given: Default::default(), summary, messages: Vec::new() }
    }

    pub(crate) fn decided(outcome: Verdict, reason: Reason) -> Decision {
        Decision::new(outcome, reason)
    }

    fn asks(text: &str) -> Recorded {
        let posted = AssistantPosted {
            kind: MessageKind::Question,
            task: None,
            text: text.into(),
            expected: Some(Expected::Number),
            asked_of: None,
            expires: None,
            message_id: None,
        };
        let decision = decided(Verdict::Recorded, Reason::AssistantPosted);
        turn(EventKind::AssistantPosted(posted), decision, &[])
    }

    pub(crate) fn says(text: &str, decision: Decision, also: &[Reason]) -> Recorded {
        let posted = MessagePosted { text: text.into(), ..MessagePosted::default() };
        turn(EventKind::MessagePosted(posted), decision, also)
    }

    fn applied(reason: Reason) -> Decision {
        let value = Value::Number("3".into());
        let applied = throughline_engine::data::decision::Applied { pending: PendingId::from("pd_1"), value };
        Decision { applied: Some(applied), ..decided(Verdict::Done, reason) }
    }

    pub(crate) fn presses(action: Action, decision: Decision) -> Recorded {
        let press = Press::Decision { card: CardId::from("ap_1"), version: 1, item: String::new(), action };
        turn(EventKind::CardPressed { press, remember: false }, decision, &[])
    }

    pub(crate) fn gate() -> Decision {
        decided(Verdict::Shown, Reason::GateOpened).with_intent(Intent::Ambiguous)
    }

    #[test]
    fn an_answer_counts_unless_the_question_is_repeated() {
        let answer = || says("three", applied(Reason::PendingApplied), &[]);
        let (cases, left) = from_turns(&[asks("How many?"), answer()]);
        assert_eq!((cases.len(), left), (1, 0));
        assert_eq!(
            (&cases[0]["gold"], &cases[0]["gold_value"]),
            (&"applies".into(), &json!({ "canonical": ["3"] }))
        );
        let mut read = crate::Cases::default();
        read.read("lanes", &cases[0].to_string(), &crate::Filter::default()).unwrap();
        assert_eq!(read.len(), 1, "it is a line of a file");
        let again = from_turns(&[asks("How many?"), answer(), asks("How many?")]).0;
        assert_eq!((&again[0]["gold"], &again[0]["gold_value"]), (&"other".into(), &json!(null)));
        let further = from_turns(&[asks("How many?"), answer(), asks("How long?"), asks("How many?")]).0;
        assert_eq!(further[0]["gold"], "applies");
        let rest = says(
            "three, and thanks",
            decided(Verdict::Shown, Reason::GateOpened),
            &[Reason::PendingMismatch],
        );
        assert_eq!(from_turns(&[asks("How many?"), rest]), (Vec::new(), 1), "nothing says what it was");
    }

    #[test]
    fn a_later_choice_corrects_the_intent() {
        let aside = || says("and the doors?", gate(), &[Reason::PendingMismatch]);
        let chose = |reason| decided(Verdict::Done, reason).with_intent(Intent::Ticket);
        for (press, gold) in [
            (presses(Action::SelectTicket, chose(Reason::IntentChosen)), "new_task"),
            (presses(Action::Dismiss, decided(Verdict::Done, Reason::GateDismissed)), "other"),
        ] {
            assert_eq!(from_turns(&[asks("How many?"), aside(), press]).0[0]["gold"], gold);
        }
        let stop = says("stop", decided(Verdict::Answered, Reason::InterruptStop), &[]);
        assert_eq!(from_turns(&[asks("How many?"), stop]).0[0]["gold_sub"], "cancel");
        let other = says("3", gate(), &[Reason::PendingOtherPerson]);
        let answer = says("three", applied(Reason::PendingApplied), &[]);
        let both = from_turns(&[asks("How many?"), other, answer]).0;
        assert_eq!(both.len(), 1, "another person's message leaves the question waiting");
        assert_eq!(both[0]["gold"], "applies");
    }

    #[test]
    fn a_press_shows_the_wanted_intent() {
        let wants = |decision: Decision| says("the lamp flickers", decision, &[]);
        let ticket = || decided(Verdict::Shown, Reason::IntentRule).with_intent(Intent::Ticket);
        let done = || decided(Verdict::Done, Reason::PressApplied);
        let chosen = decided(Verdict::Shown, Reason::IntentChosen).with_intent(Intent::Ticket);
        for (first, next, accept) in [
            (gate(), presses(Action::SelectTicket, chosen.clone()), json!(["TICKET", "AMBIGUOUS"])),
            (
                gate(),
                presses(Action::Dismiss, decided(Verdict::Done, Reason::GateDismissed)),
                json!(["DISCUSSION", "META", "AMBIGUOUS"]),
            ),
            (ticket(), presses(Action::Approve, done()), json!(["TICKET"])),
            (ticket(), presses(Action::Reject, done()), json!(["DISCUSSION", "META", "AMBIGUOUS"])),
        ] {
            assert_eq!(from_turns(&[wants(first), next]).0[0]["gold_accept"], accept);
        }
        let two = [wants(gate()), wants(gate()), presses(Action::SelectTicket, chosen)];
        assert_eq!(from_turns(&two).1, 1, "the choice is about the second message");
        let refused = presses(Action::Approve, decided(Verdict::Refused, Reason::PressForbidden));
        assert_eq!(from_turns(&[wants(ticket()), refused]), (Vec::new(), 1));
        let ignored = wants(decided(Verdict::Ignored, Reason::IgnoredBot));
        assert_eq!(from_turns(&[ignored]), (Vec::new(), 0));
    }
}
