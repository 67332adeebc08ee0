//! The `pending` cases: does an open question take a message, and with which value?

use serde::Deserialize;
use serde_json::Value;

use crate::gold::{GoldValue, shares};
use crate::question::{self, Now, QuestionOutcome};
use crate::section::{Cell, grouped};
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_testkit::DriverError;

/// An open question, and a message.
#[derive(Clone, Debug, Deserialize)]
pub struct Pending {
    id: String,
    source: String,
    pending: Asked,
    system_text: String,
    user_text: String,
    /// The language its writer prefers.
    language: Option<String>,
    gold: Gold,
    gold_sub: Option<String>,
    gold_value: Option<GoldValue>,
    now: Option<Now>,
    /// The way the question and the message came together: `natural`, `transplant` …
    #[serde(default)]
    pairing: String,
    /// True if the message starts another task and carries a value of the expected type.
    hard_contains_same_type_value: Option<bool>,
}

#[derive(Clone, Debug, Deserialize)]
struct Asked {
    kind: String,
    expected_type: String,
    #[serde(default)]
    options: Option<Vec<String>>,
}

/// The relation of the message to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Gold {
    Applies,
    AppliesPlus,
    Correction,
    NewTask,
    Other,
}

impl Gold {
    fn as_str(self) -> &'static str {
        match self {
            Self::Applies => "applies",
            Self::AppliesPlus => "applies_plus",
            Self::Correction => "correction",
            Self::NewTask => "new_task",
            Self::Other => "other",
        }
    }
}

impl Task for Pending {
    const NAME: &'static str = "pending";
    const MISTAKES: &'static [&'static str] = &[
        "approved",
        "hijacked",
        "wrong-polarity",
        "wrong-value",
        "hijacked-hard",
        "rest-lost",
        "missed",
        "missed-over-informative",
        "missed-dontcare",
    ];
    /// `None` when the engine does not know the expected type.
    type Decided = Option<QuestionOutcome>;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let gold = [Some(self.gold.as_str()), self.gold_sub.as_deref(), Some(self.pending.kind.as_str())];
        Labels {
            source: vec![&self.source],
            expected: Some(&self.pending.expected_type),
            gold: gold.into_iter().flatten().collect(),
            text: &self.user_text,
        }
    }

    fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    fn check(&self) -> Result<(), String> {
        question::check_type(&self.pending.expected_type, self.options())
    }

    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        let Some(expected) = question::expected(&self.pending.expected_type, self.options()) else {
            return Ok(None);
        };
        let now = question::moment(self.now.as_ref());
        question::ask(subject, now, &self.system_text, expected, &self.user_text).map(Some)
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        decided.iter().map(|answered| answered.prediction(&self.id)).collect()
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let Some(answered) = decided else { return Vec::new() };
        let Some(mistake) = self.mistake(answered) else { return Vec::new() };
        let expected = question::expected(&self.pending.expected_type, self.options());
        let right = self.gold_value.as_ref().map(GoldValue::describe).filter(|shown| !shown.is_empty());
        vec![Mistake {
            mistake,
            id: self.id.clone(),
            group: format!("{} · {} {}", self.source, self.pending.kind, self.pending.expected_type),
            asked: Some(match self.options() {
                [] => self.system_text.clone(),
                options => format!("{} [{}]", self.system_text, options.join(" | ")),
            }),
            said: self.user_text.clone(),
            gold: [Some(self.label()), right].into_iter().flatten().collect::<Vec<_>>().join(": "),
            decided: answered.describe(),
            why: expected.map(|expected| answered.why(&expected, &self.user_text)).unwrap_or_default(),
        }]
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        let groups = grouped(ran, |ran| (&ran.case.source, &ran.case.pending.expected_type));
        let mut answers = Table::new(
            "answers",
            "Messages that answer the question",
            &[
                "source",
                "type",
                "cases",
                "recall",
                "plain recall",
                "over informative",
                "dontcare",
                "fill",
                "value",
            ],
        );
        let mut others = Table::new(
            "others",
            "Messages that do not",
            &["source", "type", "cases", "hijack", "hijack easy", "hijack hard", "precision"],
        );
        for ((source, expected), group) in &groups {
            let of = Figures::of(group);
            let name = [Cell::name(*source), Cell::name(*expected)];
            let row = [of.answers.into(), of.recall.into(), of.plain.into(), of.over_informative.into()];
            let more = [of.dontcare.into(), of.fill.into(), of.value.into()];
            answers.rows.push(name.iter().cloned().chain(row).chain(more).collect());
            let row =
                [of.others.into(), of.hijack.into(), of.easy.into(), of.hard.into(), of.precision.into()];
            others.rows.push(name.into_iter().chain(row).collect());
        }
        for (expected, group) in grouped(ran, |ran| &ran.case.pending.expected_type) {
            let of = Figures::of(&group);
            let figures = [
                ("recall", of.recall),
                ("plain_recall", of.plain),
                ("over_informative", of.over_informative),
                ("value", of.value),
                ("hijack", of.hijack),
                ("hijack_easy", of.easy),
                ("hijack_hard", of.hard),
                ("hijack_requests", of.requests),
            ];
            let keyed = figures.map(|(name, rate)| (format!("pending.{expected}.{name}"), rate));
            section.figures.extend(keyed);
            let open = |ran: &&DecidedCase<Self>| ran.decided.as_ref().map(|answered| answered.is_open());
            section.rest.push((format!("pending.{expected}."), group.iter().map(open).collect()));
            if expected == "selection" {
                section.figures.extend(named(&group));
            }
        }
        let (approved, figures) = approvals(ran);
        section.figures.extend(figures);
        section.tables = vec![answers, others, approved, by_gold(ran)];
        section
    }
}

impl Pending {
    fn options(&self) -> &[String] {
        self.pending.options.as_deref().unwrap_or_default()
    }

    fn sub(&self) -> &str {
        self.gold_sub.as_deref().unwrap_or_default()
    }

    fn label(&self) -> String {
        match self.sub() {
            "" => self.gold.as_str().into(),
            sub => format!("{} ({sub})", self.gold.as_str()),
        }
    }

    fn yes(&self) -> Option<bool> {
        self.gold_value.as_ref()?.boolean(&self.pending.expected_type)
    }

    fn boolean(&self) -> bool {
        self.pending.expected_type == "boolean"
    }

    /// Returns true if the message answers the question. `dontcare` is counted apart.
    fn answers(&self) -> bool {
        self.gold == Gold::Applies && self.sub() != "dontcare"
    }

    fn no_answer(&self) -> bool {
        matches!(self.gold, Gold::NewTask | Gold::Other)
    }

    fn hard(&self) -> bool {
        self.hard_contains_same_type_value == Some(true)
    }

    /// Returns true if the message opens another task and comes from another place of the dialogue, or from another one.
    fn transplanted_request(&self) -> bool {
        self.gold == Gold::NewTask && self.pairing.starts_with("transplant")
    }

    /// Returns true if the message was taken although it is no answer. A "no" read from an alternative, a correction
    /// or a cancellation does not count.
    fn hijacked(&self, answered: &QuestionOutcome) -> bool {
        let refusal = matches!(self.sub(), "alternatives" | "correction" | "cancel");
        answered.value.is_some() && !(answered.taken().boolean == Some(false) && refusal && self.boolean())
    }

    fn right(&self, answered: &QuestionOutcome) -> Option<bool> {
        self.gold_value.as_ref()?.is(&self.pending.expected_type, answered.taken())
    }

    fn mistake(&self, answered: &QuestionOutcome) -> Option<&'static str> {
        let taken = answered.taken().boolean;
        let consumed = answered.value.is_some();
        let wrong_yes = taken == Some(true) && self.boolean();
        match self.gold {
            Gold::NewTask | Gold::Other | Gold::Correction if wrong_yes => Some("approved"),
            Gold::Applies | Gold::AppliesPlus if wrong_yes && self.yes() == Some(false) => Some("approved"),
            Gold::NewTask | Gold::Other if !self.hijacked(answered) => None,
            Gold::NewTask | Gold::Other => Some(if self.hard() { "hijacked-hard" } else { "hijacked" }),
            Gold::Correction => None,
            Gold::AppliesPlus if !consumed => None,
            Gold::Applies if !consumed => Some(match self.sub() {
                "over_informative" => "missed-over-informative",
                "dontcare" => "missed-dontcare",
                _ => "missed",
            }),
            Gold::Applies | Gold::AppliesPlus if self.right(answered) == Some(false) => {
                Some(if self.boolean() { "wrong-polarity" } else { "wrong-value" })
            }
            Gold::AppliesPlus => (!answered.rest).then_some("rest-lost"),
            Gold::Applies => None,
        }
    }
}

/// The figures of a group of cases.
struct Figures {
    answers: usize,
    recall: Rate,
    plain: Rate,
    over_informative: Rate,
    dontcare: Rate,
    fill: Rate,
    value: Rate,
    others: usize,
    hijack: Rate,
    easy: Rate,
    hard: Rate,
    requests: Rate,
    precision: Rate,
}

impl Figures {
    fn of(group: &[&DecidedCase<Pending>]) -> Self {
        let among = |fits: &dyn Fn(&Pending) -> bool| -> Vec<&DecidedCase<Pending>> {
            group.iter().copied().filter(|ran| fits(&ran.case)).collect()
        };
        let answers = among(&Pending::answers);
        let others = among(&Pending::no_answer);
        let over = |case: &Pending| case.sub() == "over_informative";
        let recall = consumed(answers.iter().copied());
        let hijack = hijacked(others.iter().copied());
        let undecided = recall.is_undecided() || hijack.is_undecided();
        let taken = recall.hits + hijack.hits;
        Self {
            answers: answers.len(),
            recall,
            plain: consumed(answers.iter().copied().filter(|ran| !over(&ran.case))),
            over_informative: consumed(answers.iter().copied().filter(|ran| over(&ran.case))),
            dontcare: consumed(among(&|case| case.sub() == "dontcare")),
            fill: filled(answers.iter().copied()),
            value: filled(answers.iter().copied().filter(|ran| took(ran) != Some(false))),
            others: others.len(),
            hijack,
            easy: hijacked(others.iter().copied().filter(|ran| !ran.case.hard())),
            hard: hijacked(others.iter().copied().filter(|ran| ran.case.hard())),
            requests: hijacked(others.iter().copied().filter(|ran| ran.case.transplanted_request())),
            // Precision needs at least one message that was taken.
            precision: Rate { hits: recall.hits, of: taken, undecided: if undecided { taken } else { 0 } },
        }
    }
}

/// The recall of choices, by whether the answer shares a word with the option it means or names it by a synonym.
fn named(group: &[&DecidedCase<Pending>]) -> [(String, Rate); 2] {
    let recall = |shared: bool| {
        let fits = |ran: &&DecidedCase<Pending>| {
            let option = ran.case.gold_value.as_ref().and_then(GoldValue::canonical);
            ran.case.answers() && option.is_none_or(|option| shares(&option, &ran.case.user_text)) == shared
        };
        consumed(group.iter().copied().filter(fits))
    };
    [("shared", true), ("synonym", false)]
        .map(|(name, shared)| (format!("pending.selection.recall_{name}"), recall(shared)))
}

fn took(ran: &DecidedCase<Pending>) -> Option<bool> {
    ran.decided.as_ref().map(|answered| answered.value.is_some())
}

fn consumed<'r>(cases: impl IntoIterator<Item = &'r DecidedCase<Pending>>) -> Rate {
    cases.into_iter().map(took).collect()
}

fn hijacked<'r>(cases: impl IntoIterator<Item = &'r DecidedCase<Pending>>) -> Rate {
    let hijacked =
        |ran: &DecidedCase<Pending>| ran.decided.as_ref().map(|answered| ran.case.hijacked(answered));
    cases.into_iter().map(hijacked).collect()
}

/// Counts right values among the messages taken that have one.
fn filled<'r>(cases: impl IntoIterator<Item = &'r DecidedCase<Pending>>) -> Rate {
    let comparable = cases.into_iter().filter(|ran| {
        let gold = ran.case.gold_value.as_ref();
        gold.is_some_and(|gold| {
            gold.is(&ran.case.pending.expected_type, super::gold::Taken::default()).is_some()
        })
    });
    let right = |ran: &DecidedCase<Pending>| {
        ran.decided
            .as_ref()
            .map(|answered| answered.value.is_some() && ran.case.right(answered) == Some(true))
    };
    comparable.map(right).collect()
}

/// Tables of yes where there was none, by the actual answer, and of answers with more in them: the costly mistakes
/// (`docs/design/0032-approvals.md`).
fn approvals(ran: &[DecidedCase<Pending>]) -> (Table, Vec<(String, Rate)>) {
    let rate = |fits: &dyn Fn(&Pending) -> bool, hit: &dyn Fn(&Pending, &QuestionOutcome) -> bool| -> Rate {
        let cases = ran.iter().filter(|ran| ran.case.boolean() && fits(&ran.case));
        cases.map(|ran| ran.decided.as_ref().map(|answered| hit(&ran.case, answered))).collect()
    };
    let yes = |_: &Pending, answered: &QuestionOutcome| answered.taken().boolean == Some(true);
    let refusal = |case: &Pending| matches!(case.sub(), "correction" | "cancel");
    let plus = |case: &Pending| case.gold == Gold::AppliesPlus && case.yes().is_some();
    let right = |case: &Pending, answered: &QuestionOutcome| answered.taken().boolean == case.yes();
    let says_no = rate(&|case| case.gold == Gold::Applies && case.yes() == Some(false), &yes);
    let nothing = rate(&|case| case.no_answer() && !refusal(case), &yes);
    let takes_back = rate(&|case| case.gold == Gold::Correction || refusal(case), &yes);
    let kept = rate(&plus, &|case, answered| right(case, answered) && answered.rest);
    let rows = [
        ("yes", "the answer is no", says_no),
        ("yes", "nothing was answered", nothing),
        ("yes", "a correction or a cancel", takes_back),
        (
            "yes",
            "the answer is yes (wanted)",
            rate(&|case| case.gold == Gold::Applies && case.yes() == Some(true), &yes),
        ),
        ("yes", "yes and more (either is fine)", rate(&|case| plus(case) && case.yes() == Some(true), &yes)),
        ("right polarity", "an answer and more", rate(&plus, &right)),
        ("right polarity, rest routed on", "an answer and more", kept),
        (
            "wrong polarity",
            "an answer and more",
            rate(&plus, &|case, answered| answered.value.is_some() && !right(case, answered)),
        ),
    ];
    let mut table = Table::new(
        "approvals",
        "What yes-or-no questions made of it",
        &["taken as", "when", "cases", "rate"],
    );
    table.rows = rows
        .into_iter()
        .map(|(what, when, rate)| vec![what.into(), when.into(), rate.of.into(), rate.into()])
        .collect();
    let figures = [
        ("approved_no", says_no),
        ("approved_nothing", nothing),
        ("approved_taken_back", takes_back),
        ("plus", kept),
    ];
    (table, figures.map(|(name, rate)| (format!("pending.boolean.{name}"), rate)).into())
}

/// Figures by gold label, over cases of a known type.
fn by_gold(ran: &[DecidedCase<Pending>]) -> Table {
    let mut table = Table::new(
        "by_gold",
        "By gold label, over the types that are decided",
        &["gold", "sub", "cases", "taken", "as yes", "as no", "rest routed on"],
    );
    let decided: Vec<(&Pending, &QuestionOutcome)> =
        ran.iter().filter_map(|ran| Some((&ran.case, ran.decided.as_ref()?))).collect();
    for ((gold, sub), group) in grouped(&decided, |(case, _)| (case.gold, case.sub())) {
        let rate = |hit: &dyn Fn(&QuestionOutcome) -> bool| -> Rate {
            group.iter().map(|(_, answered)| Some(hit(answered))).collect()
        };
        table.rows.push(vec![
            gold.as_str().into(),
            if sub.is_empty() { "–".into() } else { sub.into() },
            group.len().into(),
            rate(&|answered| answered.value.is_some()).into(),
            rate(&|answered| answered.taken().boolean == Some(true)).into(),
            rate(&|answered| answered.taken().boolean == Some(false)).into(),
            rate(&|answered| answered.rest).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::question::fixtures::answered;
    use super::*;
    use serde_json::json;
    use throughline_language::Value as Taken;

    fn case(expected: &str, gold: &str, sub: Option<&str>, value: Value) -> Pending {
        let row = json!({
            "id": "1", "source": "own", "pending": { "kind": "slot_request", "expected_type": expected },
            "system_text": "?", "user_text": "!", "gold": gold, "gold_sub": sub, "gold_value": value,
            "hard_contains_same_type_value": sub == Some("hard"),
        });
        serde_json::from_value(row).unwrap()
    }

    fn yes() -> Value {
        json!({ "boolean": true })
    }

    /// The mistake that each answer to a yes-or-no question is, by label.
    #[test]
    fn mistakes_of_yes_and_no() {
        let said = |yes: bool, rest: bool| answered(Some(Taken::Boolean(yes)), rest);
        let nothing = || answered(None, false);
        let no = json!({ "boolean": false });
        for (gold, sub, value, answer, mistake) in [
            ("applies", None, yes(), said(true, false), None),
            ("applies", None, yes(), said(false, false), Some("wrong-polarity")),
            ("applies", None, no.clone(), said(true, false), Some("approved")),
            ("applies", None, yes(), nothing(), Some("missed")),
            ("applies", Some("dontcare"), json!(null), nothing(), Some("missed-dontcare")),
            ("applies_plus", None, yes(), said(true, true), None),
            ("applies_plus", None, yes(), said(true, false), Some("rest-lost")),
            ("applies_plus", None, no.clone(), said(true, true), Some("approved")),
            ("applies_plus", None, yes(), nothing(), None),
            ("correction", None, json!(null), said(true, false), Some("approved")),
            ("correction", None, json!(null), said(false, true), None),
            ("new_task", Some("task"), json!(null), said(true, false), Some("approved")),
            ("new_task", Some("task"), json!(null), said(false, false), Some("hijacked")),
            ("other", Some("alternatives"), json!(null), said(false, false), None),
            ("other", Some("question"), json!(null), nothing(), None),
        ] {
            let case = case("boolean", gold, sub, value);
            assert_eq!(case.mistake(&answer), mistake, "{gold} {sub:?} {}", answer.describe());
        }
    }

    #[test]
    fn mistakes_of_values() {
        let three = || answered(Some(Taken::Number("3".into())), false);
        let gold = json!({ "canonical": ["3"] });
        for (label, sub, value, answer, mistake) in [
            ("applies", None, gold.clone(), three(), None),
            ("applies", None, json!({ "canonical": ["4"] }), three(), Some("wrong-value")),
            ("applies", None, json!(null), three(), None),
            (
                "applies",
                Some("over_informative"),
                gold,
                answered(None, false),
                Some("missed-over-informative"),
            ),
            ("new_task", Some("task"), json!(null), three(), Some("hijacked")),
            ("new_task", Some("hard"), json!(null), three(), Some("hijacked-hard")),
        ] {
            assert_eq!(case("number", label, sub, value).mistake(&answer), mistake, "{label} {sub:?}");
        }
    }

    #[test]
    fn a_type_without_a_question_has_no_figure() {
        let ran = [DecidedCase {
            case: case("person", "applies", None, json!({ "canonical": ["Ana"] })),
            decided: None,
        }];
        let section = Pending::section(&ran);
        let recall = section.figures.iter().find(|(key, _)| key == "pending.person.recall").unwrap().1;
        assert!(recall.is_undecided());
        assert!(Pending::predict(&ran[0].case, &None).is_empty() && ran[0].case.mistakes(&None).is_empty());
    }
}
