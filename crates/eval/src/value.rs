//! The `value` cases: is the value of a typed expression recognised, and is a message without one refused?

use serde::Deserialize;
use serde_json::Value;

use crate::gold::{GoldValue, Taken};
use crate::question::{self, Now, QuestionOutcome};
use crate::section::{Cell, grouped};
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_language::{Languages, Words};
use throughline_testkit::DriverError;

/// An expression, with the type of question it answers.
#[derive(Clone, Debug, Deserialize)]
pub struct ValueCase {
    id: String,
    source: String,
    pending: Asked,
    user_text: String,
    /// The language its writer prefers.
    language: Option<String>,
    gold: Gold,
    gold_value: Option<GoldValue>,
    /// True if the value is the whole message; only then must it be taken.
    full: Option<bool>,
    now: Option<Now>,
}

#[derive(Clone, Debug, Deserialize)]
struct Asked {
    expected_type: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Gold {
    Applies,
    Reject,
}

impl Task for ValueCase {
    const NAME: &'static str = "value";
    const MISTAKES: &'static [&'static str] = &["taken", "wrong-value", "missed", "missed-inside"];
    /// `None` when the engine does not know the expected type.
    type Decided = Option<QuestionOutcome>;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let gold = if self.gold == Gold::Applies { "applies" } else { "reject" };
        let expected = Some(self.pending.expected_type.as_str());
        Labels { source: vec![&self.source], expected, gold: vec![gold], text: &self.user_text }
    }

    fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    fn check(&self) -> Result<(), String> {
        if self.pending.expected_type == "selection" {
            return Err("a selection has no value of its own: use the task `selection`".into());
        }
        question::check_type(&self.pending.expected_type, &[])
    }

    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        let Some(expected) = question::expected(&self.pending.expected_type, &[]) else { return Ok(None) };
        let now = question::moment(self.now.as_ref());
        if self.full == Some(false) {
            return Ok(Some(question::found(
                now,
                &expected,
                &Words::new(&self.user_text, Languages::preferring(self.language().unwrap_or_default())),
            )));
        }
        question::ask(subject, now, &self.asked(), expected, &self.user_text).map(Some)
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        decided.iter().map(|answered| answered.prediction(&self.id)).collect()
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let Some(answered) = decided else { return Vec::new() };
        let mistake = match (self.gold, answered.value.is_some(), self.right(answered)) {
            (Gold::Reject, true, _) => "taken",
            (Gold::Applies, true, Some(false)) => "wrong-value",
            (Gold::Applies, false, _) if self.full == Some(true) => "missed",
            (Gold::Applies, false, Some(false)) => "missed-inside",
            _ => return Vec::new(),
        };
        let expected = question::expected(&self.pending.expected_type, &[]);
        let right = self.gold_value.as_ref().map(GoldValue::describe).unwrap_or_default();
        vec![Mistake {
            mistake,
            id: self.id.clone(),
            group: format!("{} · {}", self.source, self.pending.expected_type),
            asked: None,
            said: self.user_text.clone(),
            gold: if self.gold == Gold::Reject { "no value".into() } else { right },
            decided: answered.describe(),
            why: expected.map(|expected| answered.why(&expected, &self.user_text)).unwrap_or_default(),
        }]
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        let mut table = Table::new(
            "by_source_and_type",
            "By source and type",
            &["source", "type", "whole messages", "accepted", "values", "right", "none", "none accepted"],
        );
        for ((source, expected), group) in
            grouped(ran, |ran| (&ran.case.source, &ran.case.pending.expected_type))
        {
            let applies: Vec<_> =
                group.iter().copied().filter(|ran| ran.case.gold == Gold::Applies).collect();
            let accepted = taken(applies.iter().copied().filter(|ran| ran.case.full == Some(true)));
            let right = right(applies.iter().copied());
            let none = taken(group.iter().copied().filter(|ran| ran.case.gold == Gold::Reject));
            let name = [Cell::name(source), Cell::name(expected)];
            let row = [
                accepted.of.into(),
                accepted.into(),
                right.of.into(),
                right.into(),
                none.of.into(),
                none.into(),
            ];
            table.rows.push(name.into_iter().chain(row).collect());
        }
        for (source, group) in grouped(ran, |ran| &ran.case.source) {
            let moments = group.into_iter().filter(|ran| {
                let expected = ran.case.pending.expected_type.as_str();
                ran.case.gold == Gold::Applies && matches!(expected, "date" | "time")
            });
            section.figures.push((format!("value.{source}.moments"), right(moments)));
        }
        section.tables.push(table);
        section
    }
}

impl ValueCase {
    /// Returns the plainest question of the type.
    fn asked(&self) -> String {
        format!("Which {}?", self.pending.expected_type)
    }

    fn right(&self, answered: &QuestionOutcome) -> Option<bool> {
        self.gold_value.as_ref()?.is(&self.pending.expected_type, answered.taken())
    }
}

fn taken<'r>(cases: impl Iterator<Item = &'r DecidedCase<ValueCase>>) -> Rate {
    cases.map(|ran| ran.decided.as_ref().map(|answered| answered.value.is_some())).collect()
}

/// Counts right values among those taken; a value with nothing to compare is never right.
fn right<'r>(cases: impl Iterator<Item = &'r DecidedCase<ValueCase>>) -> Rate {
    let right = |ran: &DecidedCase<ValueCase>| {
        ran.decided.as_ref().map(|answered| {
            let gold = ran.case.gold_value.as_ref();
            let taken = if answered.value.is_some() { answered.taken() } else { Taken::default() };
            gold.and_then(|gold| gold.is(&ran.case.pending.expected_type, taken)) == Some(true)
        })
    };
    cases.map(right).collect()
}

#[cfg(test)]
mod tests {
    use super::question::fixtures::answered;
    use super::*;
    use serde_json::json;
    use throughline_language::Value as Read;

    fn case(gold: &str, full: bool) -> ValueCase {
        let row = json!({
            "id": "1", "source": "own", "pending": { "expected_type": "number" }, "user_text": "!", "gold": gold,
            "gold_value": { "number": "3" }, "full": full,
        });
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn a_value_inside_a_sentence_need_not_be_taken() {
        let read = |digits: &str| Some(answered(Some(Read::Number(digits.into())), false));
        let nothing = || Some(answered(None, false));
        for (gold, full, decided, mistake) in [
            ("applies", true, read("3"), None),
            ("applies", true, read("4"), Some("wrong-value")),
            ("applies", true, nothing(), Some("missed")),
            ("applies", false, nothing(), Some("missed-inside")),
            ("reject", true, read("3"), Some("taken")),
            ("reject", true, nothing(), None),
            ("applies", true, None, None),
        ] {
            let found = case(gold, full).mistakes(&decided);
            assert_eq!(found.first().map(|found| found.mistake), mistake, "{gold} {full}");
        }
    }

    #[test]
    fn a_choice_has_a_kind_of_its_own() {
        let mut choice = case("applies", true);
        choice.pending.expected_type = "selection".into();
        assert!(choice.check().unwrap_err().contains("task `selection`"));
    }
}
