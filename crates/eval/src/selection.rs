//! The `selection` cases: which option is meant, none, or truly any of several? Each case is put four times: as a
//! question with options, and as a host's list that was just shown, that was shown as a question, and that the engine asks about.

use serde::Deserialize;
use serde_json::{Value, json};
use throughline_language::Expected;

use crate::gold::shares;
use crate::guard::{GuardCounter, GuardCounts, TurnOutcome};
use crate::listed::{self, ListOutcome, Standing};
use crate::question::{self, QuestionOutcome};
use crate::section::grouped;
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_testkit::DriverError;

/// The options shown, and the message.
#[derive(Clone, Debug, Deserialize)]
pub struct Selection {
    id: String,
    source: String,
    options: Vec<String>,
    system_text: Option<String>,
    user_text: String,
    /// The language its writer prefers.
    language: Option<String>,
    gold: Gold,
    gold_sub: Option<String>,
    pairing: Option<String>,
}

/// The right choice.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Gold {
    /// One option.
    Index {
        /// Its index, from 0.
        index: usize,
    },
    /// None of them: `{"none": true}`.
    Nothing {
        /// Always true.
        none: bool,
    },
    /// Any of several: asking back is right.
    Ambiguous {
        /// Their indices, from 0.
        ambiguous: Vec<usize>,
    },
}

/// The decisions.
#[derive(Clone, Debug)]
pub struct SelectionDecision {
    /// The option taken as the answer to the question; `None` if the engine asks back or routes on.
    pick: Option<usize>,
    answered: QuestionOutcome,
    /// The outcome with the host's list that the engine asks about.
    listed: ListOutcome,
    /// The outcomes with one just shown, and with one shown as a question.
    shown: ListOutcome,
    put: ListOutcome,
}

impl Task for Selection {
    const NAME: &'static str = "selection";
    const MISTAKES: &'static [&'static str] = &[
        "list-wrong-option",
        "list-picked",
        "shown-wrong-option",
        "shown-picked",
        "wrong-option",
        "picked",
        "missed",
        "list-missed",
        "shown-missed",
    ];
    type Decided = SelectionDecision;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let gold = vec![self.gold_word(), self.gold_sub.as_deref().unwrap_or_default()];
        Labels { source: vec![&self.source], expected: Some("selection"), gold, text: &self.user_text }
    }

    fn language(&self) -> Option<&str> {
        self.language.as_deref()
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
        let mut put = |standing| {
            listed::put(subject, now, (&self.options, self.system_text.as_deref(), standing), &self.user_text)
        };
        let listed = put(Standing::Questioned)?;
        let (shown, put) = (put(Standing::Shown)?, put(Standing::Asked)?);
        Ok(SelectionDecision { pick, answered, listed, shown, put })
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        vec![json!({ "id": self.id, "pick": decided.pick })]
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let SelectionDecision { pick, answered, listed, shown, .. } = decided;
        let asked = self.judge(*pick).map(|n| {
            let why = answered.why(&self.expected(), &self.user_text);
            self.mistake(["wrong-option", "picked", "missed"][n], answered.describe(), why)
        });
        let listed = self.judge(listed.pick).map(|n| {
            let kind = ["list-wrong-option", "list-picked", "list-missed"][n];
            self.mistake(kind, listed.describe(&self.options), listed.seen.describe())
        });
        let shown = self.judge(shown.pick).map(|n| {
            let kind = ["shown-wrong-option", "shown-picked", "shown-missed"][n];
            self.mistake(kind, shown.describe(&self.options), shown.seen.describe())
        });
        asked.into_iter().chain(listed).chain(shown).collect()
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        let all: Vec<&DecidedCase<Self>> = ran.iter().collect();
        let mut rungs = Table::new("by_rung", "By rung", &HEAD_OF_RUNGS);
        let row = |rung: &str, pick| [vec![rung.into()], Figures::of(&all, pick).row()].concat();
        rungs.rows.push(row("6, an asked question", asked));
        rungs.rows.push(row("7, a list just shown", shown));
        rungs.rows.push(row("7, a list shown as a question", put));
        rungs.rows.push(row("7, a list that is asked about", listed));
        let watched = watched(ran);
        let mut groups = Table::new("by_source_and_label", "By source and label, rung 6", &HEAD);
        for ((source, sub), group) in grouped(ran, |ran| (&ran.case.source, ran.case.sub())) {
            groups
                .rows
                .push([vec![source.as_str().into(), sub.into()], Figures::of(&group, asked).row()].concat());
        }
        section.tables = vec![rungs, watched.table("What the guardrails watch, rung 7"), groups];
        section.watched = Some(watched);
        for (kind, group) in grouped(ran, |ran| ran.case.kind()) {
            let open = group.iter().map(|ran| Some(ran.decided.answered.is_open())).collect();
            section.rest.push((format!("selection.{kind}."), open));
            for (name, shared) in [("shared", true), ("synonym", false)] {
                let named: Vec<_> =
                    group.iter().copied().filter(|ran| ran.case.shares() == Some(shared)).collect();
                let right = Figures::of(&named, asked).right;
                section.figures.push((format!("selection.{kind}.right_{name}"), right));
            }
            for (rung, pick) in
                [("selection", asked as Pick), ("list", listed), ("shown", shown), ("put", put)]
            {
                let of = Figures::of(&group, pick);
                let figures = [("right", of.right), ("wrong", of.wrong), ("picked", of.picked)];
                section.figures.extend(figures.map(|(name, rate)| (format!("{rung}.{kind}.{name}"), rate)));
            }
        }
        section
    }
}

const HEAD: [&str; 7] = ["source", "label", "one meant", "right", "wrong option", "none or open", "picked"];
const HEAD_OF_RUNGS: [&str; 6] = ["rung", "one meant", "right", "wrong option", "none or open", "picked"];

/// Reads the choice of one of the two runs.
type Pick = fn(&SelectionDecision) -> Option<usize>;

fn asked(picked: &SelectionDecision) -> Option<usize> {
    picked.pick
}

fn listed(picked: &SelectionDecision) -> Option<usize> {
    picked.listed.pick
}

fn shown(picked: &SelectionDecision) -> Option<usize> {
    picked.shown.pick
}

fn put(picked: &SelectionDecision) -> Option<usize> {
    picked.put.pick
}

/// Counts for the guardrails, over every case as a host's list.
fn watched(ran: &[DecidedCase<Selection>]) -> GuardCounts {
    let mut watch = GuardCounter::default();
    for DecidedCase { case, decided: SelectionDecision { listed, .. } } in ran {
        let to = listed.pick.map(|pick| case.options[pick].as_str());
        let outcome = TurnOutcome { to, asked: listed.asked, left: listed.left };
        watch.count(outcome, listed.took);
        if listed.pick.is_some_and(|pick| case.gold != Gold::Index { index: pick }) {
            watch.was_wrong();
        }
    }
    watch.seen()
}

impl Selection {
    /// Returns the kind of mistake: another option than the one meant, an option although none is meant, or none
    /// although one is.
    fn judge(&self, pick: Option<usize>) -> Option<usize> {
        match (&self.gold, pick) {
            (Gold::Index { index }, Some(pick)) => (pick != *index).then_some(0),
            (Gold::Index { .. }, None) => Some(2),
            (_, Some(_)) => Some(1),
            (_, None) => None,
        }
    }

    /// Returns true if the message shares a word with the option it means; `None` if it means none.
    fn shares(&self) -> Option<bool> {
        match self.gold {
            Gold::Index { index } => Some(shares(&self.options[index], &self.user_text)),
            _ => None,
        }
    }

    fn mistake(&self, mistake: &'static str, decided: String, why: String) -> Mistake {
        Mistake {
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
            decided,
            why,
        }
    }

    fn sub(&self) -> &str {
        self.gold_sub.as_deref().unwrap_or("None")
    }

    /// Returns the group of the goals: descriptions of an option, real offers, or lists made up around real words.
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
    fn of(group: &[&DecidedCase<Selection>], pick: Pick) -> Self {
        let meant = group.iter().filter_map(|ran| match ran.case.gold {
            Gold::Index { index } => Some((pick(&ran.decided), index)),
            _ => None,
        });
        let open = group.iter().filter(|ran| !matches!(ran.case.gold, Gold::Index { .. }));
        Self {
            right: meant.clone().map(|(pick, index)| Some(pick == Some(index))).collect(),
            wrong: meant.map(|(pick, index)| Some(pick.is_some_and(|pick| pick != index))).collect(),
            picked: open.map(|ran| Some(pick(&ran.decided).is_some())).collect(),
        }
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
    use super::question::fixtures::{answered, seen};
    use super::*;
    use throughline_engine::Reason;

    /// Makes a case with its two decisions.
    fn ran(
        gold: &Value,
        (sub, pairing): (Option<&str>, &str),
        pick: Option<usize>,
        (listed, asked, left): (Option<usize>, bool, bool),
    ) -> DecidedCase<Selection> {
        let row = json!({
            "id": "1", "source": "own", "options": ["a", "b"], "user_text": "!", "gold": gold, "gold_sub": sub,
            "pairing": pairing,
        });
        let case: Selection = serde_json::from_value(row).unwrap();
        case.check().unwrap();
        let listed = ListOutcome { pick: listed, asked, left, took: None, seen: seen(Reason::OptionLabel) };
        let (shown, put) = (listed.clone(), listed.clone());
        DecidedCase {
            case,
            decided: SelectionDecision { pick, answered: answered(None, false), listed, shown, put },
        }
    }

    const NATURAL: (Option<&str>, &str) = (None, "natural");

    #[test]
    fn goals_group_cases_by_their_origin() {
        for (sub, pairing, kind) in [
            (None, "natural", "offers"),
            (Some("ordinal"), "constructed_options", "labels"),
            (Some("ordinal"), "upstream_test", "labels"),
            (Some("indirect_books"), "natural", "indirect"),
        ] {
            assert_eq!(
                ran(&json!({ "index": 0 }), (sub, pairing), None, (None, true, false)).case.kind(),
                kind
            );
        }
    }

    #[test]
    fn asking_back_is_right_for_an_ambiguous_message() {
        let mistakes = |gold: Value, pick| {
            let ran = ran(&gold, NATURAL, pick, (pick, false, false));
            ran.case.mistakes(&ran.decided).into_iter().map(|found| found.mistake).collect::<Vec<_>>()
        };
        assert_eq!(mistakes(json!({ "index": 1 }), Some(1)), [""; 0]);
        assert_eq!(
            mistakes(json!({ "index": 1 }), Some(0)),
            ["wrong-option", "list-wrong-option", "shown-wrong-option"]
        );
        assert_eq!(mistakes(json!({ "index": 1 }), None), ["missed", "list-missed", "shown-missed"]);
        for open in [json!({ "none": true }), json!({ "ambiguous": [0, 1] })] {
            assert_eq!(mistakes(open.clone(), None), [""; 0]);
            assert_eq!(mistakes(open, Some(0)), ["picked", "list-picked", "shown-picked"]);
        }
    }

    /// The guardrails count the run with a list: an option that is not the label's, and every question.
    #[test]
    fn wrong_actions_clarifiers_and_passes() {
        let (one, none) = (json!({ "index": 1 }), json!({ "none": true }));
        let all = [
            ran(&one, NATURAL, None, (Some(1), false, false)),
            ran(&one, NATURAL, Some(1), (Some(0), false, false)),
            ran(&none, NATURAL, None, (Some(0), false, false)),
            ran(&none, NATURAL, Some(0), (None, true, false)),
            ran(&none, NATURAL, None, (None, true, true)),
        ];
        let section = Selection::section(&all);
        let watched = section.watched.unwrap();
        assert_eq!((watched.turns, watched.wrong, watched.asked, watched.passed), (5, 2, 2, 1));
        let figure = |key: &str| section.figures.iter().find(|(name, _)| name == key).unwrap().1;
        assert_eq!((figure("selection.offers.right").hits, figure("list.offers.right").hits), (1, 1));
        assert_eq!((figure("selection.offers.wrong").hits, figure("list.offers.wrong").hits), (0, 1));
        assert_eq!((figure("selection.offers.picked").hits, figure("list.offers.picked").hits), (1, 1));
    }
}
