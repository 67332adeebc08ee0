//! `selection`: which of the options is meant, or none of them, or is it truly open?

use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::recognize::Expected;

use super::question::{self, Answered};
use super::section::grouped;
use super::{Labels, Mistake, Ran, Rate, Section, Subject, Table, Task};
use crate::driver::DriverError;

/// Options as they were shown, and the message that came.
#[derive(Clone, Debug, Deserialize)]
pub struct Selection {
    id: String,
    source: String,
    options: Vec<String>,
    system_text: Option<String>,
    user_text: String,
    gold: Gold,
    gold_sub: Option<String>,
    pairing: Option<String>,
}

/// What is meant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Gold {
    /// This one.
    Index {
        /// Counted from 0.
        index: usize,
    },
    /// None of them: `{"none": true}`.
    Nothing {
        /// Always true.
        none: bool,
    },
    /// Any of these: asking back is right.
    Ambiguous {
        /// Counted from 0.
        ambiguous: Vec<usize>,
    },
}

/// What was picked.
#[derive(Clone, Debug)]
pub struct Picked {
    /// The option; nothing when the engine asks back or routes on.
    pick: Option<usize>,
    answered: Answered,
}

impl Task for Selection {
    const NAME: &'static str = "selection";
    const MISTAKES: &'static [&'static str] = &["wrong-option", "picked", "missed"];
    /// As an asked question, rung 6.
    type Decided = Picked;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let gold = vec![self.gold_word(), self.gold_sub.as_deref().unwrap_or_default()];
        Labels { source: vec![&self.source], expected: Some("selection"), gold, text: &self.user_text }
    }

    fn check(&self) -> Result<(), String> {
        question::check_type("selection", &self.options)?;
        let among = |index: &usize| *index < self.options.len();
        let fits = match &self.gold {
            Gold::Index { index } => among(index),
            Gold::Ambiguous { ambiguous } => ambiguous.iter().all(among),
            Gold::Nothing { none } => *none,
        };
        if fits { Ok(()) } else { Err("gold names an option that is not there".into()) }
    }

    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        let now = question::moment(None);
        let answered = question::ask(subject, now, &self.asked(), self.expected(), &self.user_text)?;
        let label = answered.taken().text;
        let pick = label.and_then(|label| self.options.iter().position(|option| **option == *label));
        Ok(Picked { pick, answered })
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        vec![json!({ "id": self.id, "pick": decided.pick })]
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let mistake = match (&self.gold, decided.pick) {
            (Gold::Index { index }, Some(pick)) if pick == *index => return Vec::new(),
            (Gold::Index { .. }, Some(_)) => "wrong-option",
            (Gold::Index { .. }, None) => "missed",
            (_, Some(_)) => "picked",
            (_, None) => return Vec::new(),
        };
        vec![Mistake {
            mistake,
            id: self.id.clone(),
            group: format!("{} · {}", self.source, self.gold_sub.as_deref().unwrap_or("–")),
            asked: Some(format!("{} [{}]", self.asked(), self.options.join(" | "))),
            said: self.user_text.clone(),
            gold: match &self.gold {
                Gold::Index { index } => format!("“{}”", self.options[*index]),
                Gold::Nothing { .. } => "none of them".into(),
                Gold::Ambiguous { .. } => "several".into(),
            },
            decided: decided.answered.told(),
            why: decided.answered.why(&self.expected(), &self.user_text),
        }]
    }

    fn section(ran: &[Ran<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        section.notes.push(
            "As a host's option set (rung 7): not yet decided, this version of the engine has no option sets.".into(),
        );
        let all: Vec<&Ran<Self>> = ran.iter().collect();
        let mut rungs = Table::new("by_rung", "By rung", &HEAD_OF_RUNGS);
        let asked = Figures::of(&all);
        rungs.rows.push([vec!["6, an asked question".into()], asked.row()].concat());
        rungs.rows.push([vec!["7, an option set".into()], asked.undecided().row()].concat());
        let mut groups = Table::new("by_source_and_label", "By source and label, rung 6", &HEAD);
        for ((source, sub), group) in grouped(ran, |ran| (&ran.case.source, ran.case.sub())) {
            groups.rows.push([vec![source.as_str().into(), sub.into()], Figures::of(&group).row()].concat());
        }
        section.tables = vec![rungs, groups];
        for (kind, group) in grouped(ran, |ran| ran.case.kind()) {
            let of = Figures::of(&group);
            let figures = [("right", of.right), ("wrong", of.wrong), ("picked", of.picked)];
            section.figures.extend(figures.map(|(name, rate)| (format!("selection.{kind}.{name}"), rate)));
        }
        // What the guardrails of `spec 04 §16` watch: an option that is not the label, and every question asked back.
        let of =
            |hit: &dyn Fn(&Ran<Self>) -> bool| -> Rate { ran.iter().map(|ran| Some(hit(ran))).collect() };
        let wrong =
            of(&|ran| ran.decided.pick.is_some_and(|pick| ran.case.gold != Gold::Index { index: pick }));
        section.figures.push(("selection.wrong_actions".into(), wrong));
        section.figures.push(("selection.clarifiers".into(), of(&|ran| ran.decided.pick.is_none())));
        section
    }
}

const HEAD: [&str; 7] = ["source", "label", "one meant", "right", "wrong option", "none or open", "picked"];
const HEAD_OF_RUNGS: [&str; 6] = ["rung", "one meant", "right", "wrong option", "none or open", "picked"];

impl Selection {
    fn sub(&self) -> &str {
        self.gold_sub.as_deref().unwrap_or("None")
    }

    /// How the goals group cases: descriptions of an option, real offers, and lists made up around real words.
    fn kind(&self) -> &'static str {
        let made = self.pairing.as_deref().is_some_and(|pairing| pairing != "natural");
        match self.gold_sub.as_deref() {
            Some(sub) if sub.starts_with("indirect") => "indirect",
            _ if made => "labels",
            _ => "offers",
        }
    }

    fn gold_word(&self) -> &'static str {
        match self.gold {
            Gold::Index { .. } => "index",
            Gold::Nothing { .. } => "none",
            Gold::Ambiguous { .. } => "ambiguous",
        }
    }

    fn asked(&self) -> String {
        self.system_text.clone().unwrap_or_else(|| "Which one?".into())
    }

    fn expected(&self) -> Expected {
        Expected::Selection(self.options.clone())
    }
}

#[derive(Clone, Copy)]
struct Figures {
    right: Rate,
    wrong: Rate,
    picked: Rate,
}

impl Figures {
    fn of(group: &[&Ran<Selection>]) -> Self {
        let meant = group.iter().filter_map(|ran| match ran.case.gold {
            Gold::Index { index } => Some((ran.decided.pick, index)),
            _ => None,
        });
        let open = group.iter().filter(|ran| !matches!(ran.case.gold, Gold::Index { .. }));
        Self {
            right: meant.clone().map(|(pick, index)| Some(pick == Some(index))).collect(),
            wrong: meant.map(|(pick, index)| Some(pick.is_some_and(|pick| pick != index))).collect(),
            picked: open.map(|ran| Some(ran.decided.pick.is_some())).collect(),
        }
    }

    fn undecided(self) -> Self {
        let none = |rate: Rate| Rate { hits: 0, of: rate.of, undecided: rate.of };
        Self { right: none(self.right), wrong: none(self.wrong), picked: none(self.picked) }
    }

    fn row(&self) -> Vec<super::Cell> {
        vec![
            self.right.of.into(),
            self.right.into(),
            self.wrong.into(),
            self.picked.of.into(),
            self.picked.into(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::question::made::answered;
    use super::*;

    fn ran(gold: Value, sub: Option<&str>, pairing: &str, pick: Option<usize>) -> Ran<Selection> {
        let row = json!({
            "id": "1", "source": "own", "options": ["a", "b"], "user_text": "!", "gold": gold, "gold_sub": sub,
            "pairing": pairing,
        });
        let case: Selection = serde_json::from_value(row).unwrap();
        case.check().unwrap();
        Ran { case, decided: Picked { pick, answered: answered(None, false) } }
    }

    #[test]
    fn goals_group_cases_by_how_they_came_about() {
        for (sub, pairing, kind) in [
            (None, "natural", "offers"),
            (Some("ordinal"), "constructed_options", "labels"),
            (Some("ordinal"), "upstream_test", "labels"),
            (Some("indirect_books"), "natural", "indirect"),
        ] {
            assert_eq!(ran(json!({ "index": 0 }), sub, pairing, None).case.kind(), kind);
        }
    }

    #[test]
    fn asking_back_is_right_where_nothing_is_meant() {
        let mistake = |gold: Value, pick| {
            let ran = ran(gold, None, "natural", pick);
            ran.case.mistakes(&ran.decided).first().map(|found| found.mistake)
        };
        assert_eq!(mistake(json!({ "index": 1 }), Some(1)), None);
        assert_eq!(mistake(json!({ "index": 1 }), Some(0)), Some("wrong-option"));
        assert_eq!(mistake(json!({ "index": 1 }), None), Some("missed"));
        for open in [json!({ "none": true }), json!({ "ambiguous": [0, 1] })] {
            assert_eq!(mistake(open.clone(), None), None);
            assert_eq!(mistake(open, Some(0)), Some("picked"));
        }
    }

    /// The guardrails' two figures are over every case.
    #[test]
    fn wrong_actions_and_clarifiers() {
        let all = [
            ran(json!({ "index": 1 }), None, "natural", Some(1)),
            ran(json!({ "index": 1 }), None, "natural", Some(0)),
            ran(json!({ "none": true }), None, "natural", Some(0)),
            ran(json!({ "none": true }), None, "natural", None),
        ];
        let section = Selection::section(&all);
        let figure = |key: &str| section.figures.iter().find(|(name, _)| name == key).unwrap().1;
        assert_eq!((figure("selection.wrong_actions").hits, figure("selection.wrong_actions").of), (2, 4));
        assert_eq!((figure("selection.clarifiers").hits, figure("selection.clarifiers").of), (1, 4));
    }
}
