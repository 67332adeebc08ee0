//! The `closing` cases: is a message a closing acknowledgement, with nothing left to do?

use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::Reason;

use crate::question::{self, Seen};
use crate::section::grouped;
use crate::subject::{Incoming, USER};
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_testkit::DriverError;

/// The assistant's text, and the person's reply.
#[derive(Clone, Debug, Deserialize)]
pub struct Closing {
    id: String,
    source: String,
    system_text: String,
    user_text: String,
    gold: Gold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Gold {
    /// An end.
    Complete,
    /// Thanks and another task.
    CompletePlusNew,
    NotComplete,
}

impl Gold {
    fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::CompletePlusNew => "complete_plus_new",
            Self::NotComplete => "not_complete",
        }
    }
}

/// The decision.
#[derive(Clone, Debug)]
pub struct ClosingDecision {
    /// True if it is an acknowledgement that needs no answer.
    closing: bool,
    /// True if it completes an open review.
    completed: bool,
    /// True if the turn ended with the question what to do with the message.
    gated: bool,
    seen: Seen,
}

impl Task for Closing {
    const NAME: &'static str = "closing";
    const MISTAKES: &'static [&'static str] = &["closed", "missed"];
    type Decided = ClosingDecision;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let gold = vec![self.gold.as_str()];
        Labels { source: vec![&self.source], expected: None, gold, text: &self.user_text }
    }

    /// Delivers the message after an answer, with no open question, and once more as the first message to an open
    /// review.
    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        subject.begin(question::moment(None));
        let _ = subject.deliver(Incoming::review(USER))?;
        let review = subject.deliver(Incoming::said(USER, &self.user_text))?;
        let completed = review.decision.reason == Reason::ReviewComplete;
        subject.begin(question::moment(None));
        let _ = subject.deliver(Incoming::answered(&self.system_text))?;
        let step = subject.deliver(Incoming::said(USER, &self.user_text))?;
        let closing = step.decision.reason == Reason::Acknowledged;
        let gated = step.decision.reason == Reason::GateOpened;
        Ok(ClosingDecision { closing, completed, gated, seen: Seen::of(&step) })
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        vec![json!({ "id": self.id, "closing": decided.closing })]
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let mistake = match (self.gold, decided.closing) {
            (Gold::Complete, false) => "missed",
            (Gold::CompletePlusNew | Gold::NotComplete, true) => "closed",
            _ => return Vec::new(),
        };
        vec![Mistake {
            mistake,
            id: self.id.clone(),
            group: self.source.clone(),
            asked: Some(self.system_text.clone()),
            said: self.user_text.clone(),
            gold: self.gold.as_str().into(),
            decided: if decided.closing { "closed" } else { "routed" }.into(),
            why: decided.seen.describe(),
        }]
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        let mut table = Table::new(
            "by_label",
            "By source and label",
            &["source", "gold", "cases", "closed", "review completed"],
        );
        for ((source, gold), group) in grouped(ran, |ran| (&ran.case.source, ran.case.gold)) {
            let (closed, completed) = (closed(group.iter().copied()), completed(group));
            table.rows.push(vec![
                source.as_str().into(),
                gold.as_str().into(),
                closed.of.into(),
                closed.into(),
                completed.into(),
            ]);
        }
        for (gold, group) in grouped(ran, |ran| ran.case.gold) {
            section.figures.push((format!("closing.{}", gold.as_str()), closed(group.iter().copied())));
            section.figures.push((format!("review.{}", gold.as_str()), completed(group)));
        }
        let gated: Rate = ran.iter().map(|ran| Some(ran.decided.gated)).collect();
        section.rest.push(("closing.".into(), gated));
        section.figures.push(("closing.gated".into(), gated));
        section.tables.push(table);
        section
    }
}

fn closed<'r>(cases: impl IntoIterator<Item = &'r DecidedCase<Closing>>) -> Rate {
    cases.into_iter().map(|ran| Some(ran.decided.closing)).collect()
}

fn completed<'r>(cases: impl IntoIterator<Item = &'r DecidedCase<Closing>>) -> Rate {
    cases.into_iter().map(|ran| Some(ran.decided.completed)).collect()
}

#[cfg(test)]
mod tests {
    use super::question::fixtures::seen;
    use super::*;

    #[test]
    fn thanks_and_more_must_stay_open() {
        for (gold, closing, mistake) in [
            ("complete", true, None),
            ("complete", false, Some("missed")),
            ("complete_plus_new", true, Some("closed")),
            ("complete_plus_new", false, None),
            ("not_complete", true, Some("closed")),
        ] {
            let row = json!({ "id": "1", "source": "own", "system_text": "", "user_text": "", "gold": gold });
            let case: Closing = serde_json::from_value(row).unwrap();
            let found = case.mistakes(&ClosingDecision {
                closing,
                completed: closing,
                gated: false,
                seen: seen(Reason::GateOpened),
            });
            assert_eq!(found.first().map(|found| found.mistake), mistake, "{gold} {closing}");
        }
    }
}
