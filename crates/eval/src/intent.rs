//! The `intent` cases: which of the five intents a message has, by rules alone.

use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::data::intent::Intent;
use throughline_engine::{Decision, Reason};
use throughline_language::{Words, is_greeting};

use crate::question::{self, Seen};
use crate::section::grouped;
use crate::subject::{Incoming, USER};
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_testkit::DriverError;

/// Sources whose messages are all explicit requests to a help desk.
const REQUESTS: [&str; 2] = ["luis_itsm", "rasa_helpdesk"];
/// The labels.
const WORDS: [&str; 5] = ["TICKET", "REVIEW", "DISCUSSION", "META", "AMBIGUOUS"];

/// A message, with its right and wrong intents.
#[derive(Clone, Debug, Deserialize)]
pub struct IntentCase {
    id: String,
    source: String,
    #[serde(default)]
    context: Context,
    user_text: String,
    gold_accept: Vec<String>,
    gold_reject: Vec<String>,
    gold_sub: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Context {
    active_review: bool,
}

/// The decision.
#[derive(Clone, Debug)]
pub struct IntentDecision {
    intent: &'static str,
    /// True if no rule decided and the gate was opened.
    gated: bool,
    seen: Seen,
}

impl Task for IntentCase {
    const NAME: &'static str = "intent";
    const MISTAKES: &'static [&'static str] = &["ticket", "rejected", "not-accepted"];
    type Decided = IntentDecision;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let mut gold: Vec<&str> = self.gold_accept.iter().map(String::as_str).collect();
        gold.extend(self.gold_sub.as_deref());
        Labels { source: vec![&self.source], expected: None, gold, text: &self.user_text }
    }

    fn check(&self) -> Result<(), String> {
        let unknown = |word: &&String| !WORDS.contains(&word.as_str());
        match self.gold_accept.iter().chain(&self.gold_reject).find(unknown) {
            Some(word) => Err(format!("unknown intent \"{word}\": known are {}", WORDS.join(", "))),
            None if self.gold_accept.is_empty() => Err("gold_accept is empty".into()),
            None => Ok(()),
        }
    }

    /// Delivers the message to a lane that is empty but for the case's review.
    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        subject.begin(question::moment(None));
        if self.context.active_review {
            let _ = subject.deliver(Incoming::review(USER))?;
        }
        let step = subject.deliver(Incoming::said(USER, &self.user_text))?;
        let gated = step.decision.reason == Reason::GateOpened;
        Ok(IntentDecision { intent: label(&step.decision), gated, seen: Seen::of(&step) })
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        vec![json!({ "id": self.id, "intent": decided.intent })]
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let mistake = if self.rejects(decided.intent) {
            if decided.intent == "TICKET" { "ticket" } else { "rejected" }
        } else if self.accepts(decided.intent) {
            return Vec::new();
        } else {
            "not-accepted"
        };
        vec![Mistake {
            mistake,
            id: self.id.clone(),
            group: format!("{} · {}", self.source, self.sub()),
            asked: self.context.active_review.then(|| "(while a review is open)".into()),
            said: self.user_text.clone(),
            gold: format!("{}, never {}", self.gold_accept.join(" or "), self.gold_reject.join(" or ")),
            decided: decided.intent.into(),
            why: decided.seen.describe(),
        }]
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        let mut table = Table::new(
            "by_source_and_label",
            "By source and label",
            &["source", "label", "cases", "accepted", "rejected label", "TICKET misfire", "gated"],
        );
        for ((source, sub), group) in grouped(ran, |ran| (&ran.case.source, ran.case.sub())) {
            let of = |hit: &dyn Fn(&DecidedCase<Self>) -> bool| -> Rate {
                group.iter().map(|ran| Some(hit(ran))).collect()
            };
            table.rows.push(vec![
                source.as_str().into(),
                sub.into(),
                group.len().into(),
                of(&|ran| ran.case.accepts(ran.decided.intent)).into(),
                of(&|ran| ran.case.rejects(ran.decided.intent)).into(),
                misfires(group.iter().copied()).into(),
                of(&|ran| ran.decided.gated).into(),
            ]);
        }
        section.tables.push(table);
        let disputed = ran.iter().filter(|ran| ran.case.disputes_greetings()).count();
        if disputed > 0 {
            section.notes.push(format!(
                "A greeting is meta, and {disputed} cases that only greet are labelled as talk and nothing \
                 else: they count as not accepted in `intent.accepted`, and are left out of `intent.accepted_but_greetings`."
            ));
        }
        let undisputed = ran.iter().filter(|ran| !ran.case.disputes_greetings());
        let requests = ran.iter().filter(|ran| REQUESTS.contains(&ran.case.source.as_str()));
        let tickets = requests.clone().filter(|ran| ran.case.gold_accept == ["TICKET"]);
        section.figures = vec![
            ("intent.misfire".into(), misfires(ran)),
            ("intent.accepted".into(), accepted(ran)),
            ("intent.accepted_but_greetings".into(), accepted(undisputed)),
            ("intent.requests".into(), accepted(requests)),
            ("intent.ticket_requests".into(), accepted(tickets)),
            ("intent.gated".into(), ran.iter().map(|ran| Some(ran.decided.gated)).collect()),
        ];
        section
    }
}

/// Maps a decision to one of the five labels. A decision without intent counts as discussion for an acknowledgement,
/// and as meta for a command or a stop.
fn label(decision: &Decision) -> &'static str {
    match (decision.intent, decision.reason) {
        (Some(Intent::Ticket), _) | (None, Reason::CommandTicket) => "TICKET",
        (Some(Intent::Review), _) => "REVIEW",
        (None, Reason::ReviewPatched | Reason::ReviewUnchanged | Reason::ReviewComplete) => "REVIEW",
        (Some(Intent::Discussion), _) | (None, Reason::Acknowledged) => "DISCUSSION",
        (Some(Intent::Ambiguous), _) => "AMBIGUOUS",
        (Some(Intent::Meta), _) | (None, _) => "META",
    }
}

impl IntentCase {
    fn sub(&self) -> &str {
        self.gold_sub.as_deref().unwrap_or("None")
    }

    fn accepts(&self, intent: &str) -> bool {
        self.gold_accept.iter().any(|word| word == intent)
    }

    /// Returns true for a greeting in a data set without the meta label.
    fn disputes_greetings(&self) -> bool {
        !self.accepts("META") && is_greeting(&Words::of(&self.user_text))
    }

    fn rejects(&self, intent: &str) -> bool {
        self.gold_reject.iter().any(|word| word == intent)
    }
}

fn accepted<'r>(cases: impl IntoIterator<Item = &'r DecidedCase<IntentCase>>) -> Rate {
    cases.into_iter().map(|ran| Some(ran.case.accepts(ran.decided.intent))).collect()
}

/// Counts messages taken as a ticket that must not be one.
fn misfires<'r>(cases: impl IntoIterator<Item = &'r DecidedCase<IntentCase>>) -> Rate {
    let cases = cases.into_iter().filter(|ran| ran.case.rejects("TICKET"));
    cases.map(|ran| Some(ran.decided.intent == "TICKET")).collect()
}

#[cfg(test)]
mod tests {
    use super::question::fixtures::seen;
    use super::*;

    fn mistake(accept: &[&str], reject: &[&str], intent: &'static str) -> Option<&'static str> {
        let row = json!({ "id": "1", "source": "own", "user_text": "!", "gold_accept": accept, "gold_reject": reject });
        let case: IntentCase = serde_json::from_value(row).unwrap();
        case.check().unwrap();
        let found = case.mistakes(&IntentDecision { intent, gated: false, seen: seen(Reason::GateOpened) });
        found.first().map(|found| found.mistake)
    }

    #[test]
    fn an_unwanted_ticket_is_the_worst_mistake() {
        assert_eq!(mistake(&["TICKET"], &["META"], "TICKET"), None);
        assert_eq!(mistake(&["META"], &["TICKET"], "TICKET"), Some("ticket"));
        assert_eq!(mistake(&["TICKET"], &["META"], "META"), Some("rejected"));
        assert_eq!(mistake(&["TICKET"], &["META"], "REVIEW"), Some("not-accepted"));
    }

    #[test]
    fn a_greeting_is_disputed_only_where_its_label_knows_no_meta() {
        let disputed = |text: &str, accept: &[&str]| {
            let row = json!({ "id": "1", "source": "own", "user_text": text, "gold_accept": accept, "gold_reject": [] });
            serde_json::from_value::<IntentCase>(row).unwrap().disputes_greetings()
        };
        assert!(disputed("good morning", &["DISCUSSION"]));
        assert!(!disputed("good morning", &["DISCUSSION", "META"]));
        assert!(!disputed("good morning, create a ticket", &["TICKET"]));
    }

    #[test]
    fn a_decision_without_an_intent_is_one_of_the_five_too() {
        let mut decision = seen(Reason::GateOpened).decision;
        for (reason, intent) in [
            (Reason::Acknowledged, "DISCUSSION"),
            (Reason::CommandTicket, "TICKET"),
            (Reason::CommandHelp, "META"),
            (Reason::ReviewPatched, "REVIEW"),
            (Reason::InterruptNothing, "META"),
        ] {
            decision.reason = reason;
            assert_eq!(label(&decision), intent, "{reason}");
        }
        assert_eq!(label(&decision.with_intent(Intent::Ambiguous)), "AMBIGUOUS");
    }
}
