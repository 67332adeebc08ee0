//! The `utterance` cases: which kinds of question would wrongly take a message, and does it stop something?
//!
//! The message has no prompt. It is put to one lane for each expected type, with an open question of that type, and
//! to an empty lane.

use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::{Reason, Step};
use throughline_language::{Interrupt, Words, count};

use crate::question::{self, QuestionOutcome, Seen};
use crate::section::grouped;
use crate::subject::{Incoming, USER};
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_testkit::DriverError;

/// The expected types, with the plainest question for each.
const ASKED: [(&str, &str); 8] = [
    ("boolean", "Shall I?"),
    ("time", "At what time?"),
    ("date", "On which day?"),
    ("number", "How many?"),
    ("money", "How much?"),
    ("location", "Where?"),
    ("selection", "Which one: Alpha, Beta or Gamma?"),
    ("text", "What is it called?"),
];
/// Names that no ordinary message contains.
const OPTIONS: [&str; 3] = ["Alpha", "Beta", "Gamma"];
/// The interrupts of the interrupt rung; the data has more, such as `repeat` and `help`.
const HARD: [&str; 3] = ["stop", "cancel", "start_over"];

/// One message without a prompt.
#[derive(Clone, Debug, Deserialize)]
pub struct Utterance {
    id: String,
    source: String,
    user_text: String,
    /// The language its writer prefers.
    language: Option<String>,
    gold_class: String,
    gold: Gold,
}

#[derive(Clone, Debug, Deserialize)]
struct Gold {
    /// The verdict for a yes-or-no question.
    boolean: Option<Verdict>,
    /// The types of question that must not take it.
    reject_types: Vec<String>,
    /// The interrupt it is, as a word.
    interrupt: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Verdict {
    /// A yes or a no.
    Is(bool),
    /// `maybe`, `unknown` or `dontcare`: neither may be taken.
    Open(String),
}

/// The decisions, lane by lane.
#[derive(Clone, Debug)]
pub struct UtteranceDecision {
    /// In the order of [`ASKED`]; `None` for a type the engine does not know.
    asked: Vec<Option<QuestionOutcome>>,
    interrupt: Option<&'static str>,
    closing: bool,
    bare: Seen,
}

impl Task for Utterance {
    const NAME: &'static str = "utterance";
    const MISTAKES: &'static [&'static str] =
        &["interrupted", "taken", "wrong-polarity", "missed-interrupt", "missed-answer"];
    type Decided = UtteranceDecision;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let gold = vec![self.gold_class.as_str()];
        Labels { source: vec![&self.source], expected: None, gold, text: &self.user_text }
    }

    fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        let now = question::moment(None);
        let options = OPTIONS.map(str::to_owned);
        let mut asked = Vec::new();
        for (name, words) in ASKED {
            let expected = question::expected(name, &options);
            let answer =
                expected.map(|expected| question::ask(subject, now, words, expected, &self.user_text));
            asked.push(answer.transpose()?);
        }
        subject.begin(now);
        let bare = subject.deliver(Incoming::said(USER, &self.user_text))?;
        let stopped = matches!(bare.decision.reason, Reason::InterruptStop | Reason::InterruptNothing);
        Ok(UtteranceDecision {
            asked,
            interrupt: if stopped { Some(interrupt(&bare)) } else { None },
            closing: bare.decision.reason == Reason::Acknowledged,
            bare: Seen::of(&bare),
        })
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        let accepts: Vec<&str> = decided.accepts().collect();
        vec![json!({
            "id": self.id, "bool": decided.boolean(), "interrupt": decided.interrupt, "closing": decided.closing,
            "accepts": accepts,
        })]
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let Some(mistake) = self.mistake(decided) else { return Vec::new() };
        let mut shown: Vec<String> = ASKED
            .iter()
            .zip(&decided.asked)
            .filter_map(|((name, _), asked)| asked.as_ref().filter(|a| a.value.is_some()).map(|a| (name, a)))
            .map(|(name, answered)| format!("{name} {}", answered.describe()))
            .collect();
        shown.extend(decided.interrupt.map(|word| format!("an interrupt ({word})")));
        vec![Mistake {
            mistake,
            id: self.id.clone(),
            group: self.source.clone(),
            asked: None,
            said: self.user_text.clone(),
            gold: self.gold_class.clone(),
            decided: if shown.is_empty() { "taken by no question".into() } else { shown.join("; ") },
            why: self.why(decided, mistake),
        }]
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        section.tables = vec![by_class(ran), by_source(ran), types(ran)];
        let class = |words: &'static [&'static str]| {
            move |ran: &&DecidedCase<Self>| words.contains(&ran.case.gold_class.as_str())
        };
        let interrupts = |ran: &&DecidedCase<Self>| ran.case.gold.interrupt.is_some();
        let hard = |ran: &&DecidedCase<Self>| ran.case.hard().is_some();
        let open = |ran: &&DecidedCase<Self>| matches!(&ran.case.gold.boolean, Some(Verdict::Open(word)) if word == "maybe" || word == "unknown");
        let read = |ran: &DecidedCase<Self>| ran.decided.boolean().is_some();
        section.figures = vec![
            ("utterance.polarity".into(), verdicts(ran.iter().filter(class(&["affirm", "deny"])))),
            ("utterance.tasks".into(), rate(ran.iter().filter(class(&["task", "oos"])), read)),
            ("utterance.maybe".into(), rate(ran.iter().filter(open), read)),
            ("utterance.interrupts".into(), rate(ran.iter().filter(interrupts), read)),
            ("interrupt.recall".into(), rate(ran.iter().filter(hard), |ran| ran.decided.interrupt.is_some())),
            ("interrupt.named".into(), interrupts_right(ran.iter().filter(hard))),
            ("interrupt.recall_all".into(), interrupts_right(ran.iter().filter(interrupts))),
            (
                "interrupt.false".into(),
                rate(ran.iter().filter(|ran| !interrupts(ran)), |ran| ran.decided.interrupt.is_some()),
            ),
        ];
        let open = |ran: &DecidedCase<Self>| {
            ran.decided.asked.first().and_then(Option::as_ref).map(QuestionOutcome::is_open)
        };
        section.rest = vec![("utterance.".into(), ran.iter().map(open).collect())];
        section.figures.extend(tasks_by_type(ran));
        section
    }
}

/// The types of question whose hijacks are split: a task that has a number is hard to tell from an answer.
const NUMBERS: [&str; 4] = ["time", "date", "number", "money"];

/// Tasks taken by a question of a type, those with a number in them apart.
fn tasks_by_type(ran: &[DecidedCase<Utterance>]) -> Vec<(String, Rate)> {
    let tasks = || ran.iter().filter(|ran| matches!(ran.case.gold_class.as_str(), "task" | "oos"));
    let split = |name: &'static str, hard: bool| -> (String, Rate) {
        let group = tasks().filter(|ran| ran.case.rejects(name) && ran.case.has_number() == hard);
        let taken = rate(group, |ran| ran.decided.accepts().any(|taken| taken == name));
        (format!("utterance.tasks_{name}_{}", if hard { "hard" } else { "easy" }), taken)
    };
    NUMBERS.into_iter().flat_map(|name| [split(name, false), split(name, true)]).collect()
}

/// Returns the data's word for a turn's interrupt.
fn interrupt(step: &Step) -> &'static str {
    const WORDS: [(Interrupt, &str); 2] =
        [(Interrupt::Cancel, "cancel"), (Interrupt::StartOver, "start_over")];
    let found = WORDS.iter().find(|(kind, _)| step.trace.rule.as_deref() == Some(kind.code()));
    found.map_or("stop", |(_, word)| word)
}

impl Utterance {
    fn hard(&self) -> Option<&str> {
        self.gold.interrupt.as_deref().filter(|word| HARD.contains(word))
    }

    fn has_number(&self) -> bool {
        let words = Words::of(&self.user_text);
        words.all().iter().any(|word| word.digit)
            || (0..words.all().len()).any(|at| count(&words, at).is_some())
    }

    fn rejects(&self, name: &str) -> bool {
        self.gold.reject_types.iter().any(|word| word == name)
    }

    /// Returns true if a question took it whose type must not.
    fn wrongly_taken(&self, heard: &UtteranceDecision) -> bool {
        heard.accepts().any(|name| self.rejects(name))
    }

    /// Explains the turn of the question that took it, of the one that should have, or of the empty lane.
    fn why(&self, heard: &UtteranceDecision, mistake: &str) -> String {
        let wanted = |name: &str, answered: &QuestionOutcome| match mistake {
            "taken" => answered.value.is_some() && self.rejects(name),
            "wrong-polarity" | "missed-answer" => name == "boolean",
            _ => false,
        };
        let lanes =
            ASKED.iter().zip(&heard.asked).filter_map(|((name, _), asked)| Some((*name, asked.as_ref()?)));
        let shown: Vec<String> = lanes
            .filter(|(name, answered)| wanted(name, answered))
            .filter_map(|(name, answered)| {
                Some((name, answered, question::expected(name, &OPTIONS.map(str::to_owned))?))
            })
            .map(|(name, answered, expected)| format!("{name}: {}", answered.why(&expected, &self.user_text)))
            .collect();
        if shown.is_empty() { format!("nothing waits: {}", heard.bare.describe()) } else { shown.join("; ") }
    }

    fn mistake(&self, heard: &UtteranceDecision) -> Option<&'static str> {
        if self.gold.interrupt.is_none() && heard.interrupt.is_some() {
            return Some("interrupted");
        }
        if self.wrongly_taken(heard) {
            return Some("taken");
        }
        if self.hard().is_some() && heard.interrupt.is_none() {
            return Some("missed-interrupt");
        }
        match (&self.gold.boolean, heard.boolean()) {
            (Some(Verdict::Is(right)), Some(read)) if read != *right => Some("wrong-polarity"),
            (Some(Verdict::Is(_)), None) => Some("missed-answer"),
            _ => None,
        }
    }
}

impl UtteranceDecision {
    fn accepts(&self) -> impl Iterator<Item = &'static str> {
        let took = |answered: &Option<QuestionOutcome>| {
            answered.as_ref().is_some_and(|answered| answered.value.is_some())
        };
        ASKED.iter().zip(&self.asked).filter(move |(_, answered)| took(answered)).map(|((name, _), _)| *name)
    }

    /// Returns the verdict on the yes-or-no question.
    fn boolean(&self) -> Option<bool> {
        self.asked.first()?.as_ref()?.taken().boolean
    }
}

fn rate<'r>(
    cases: impl Iterator<Item = &'r DecidedCase<Utterance>>,
    hit: impl Fn(&DecidedCase<Utterance>) -> bool,
) -> Rate {
    cases.map(|ran| Some(hit(ran))).collect()
}

/// Counts right verdicts among messages that have one.
fn verdicts<'r>(cases: impl Iterator<Item = &'r DecidedCase<Utterance>>) -> Rate {
    let verdict = |ran: &'r DecidedCase<Utterance>| match ran.case.gold.boolean {
        Some(Verdict::Is(right)) => Some((ran.decided.boolean(), right)),
        _ => None,
    };
    cases.filter_map(verdict).map(|(read, right)| Some(read == Some(right))).collect()
}

/// Counts interrupts recognised as their word.
fn interrupts_right<'r>(cases: impl Iterator<Item = &'r DecidedCase<Utterance>>) -> Rate {
    let named = cases.filter(|ran| ran.case.gold.interrupt.is_some());
    rate(named, |ran| ran.decided.interrupt == ran.case.gold.interrupt.as_deref())
}

const HEAD: [&str; 5] = ["class", "cases", "verdict right", "interrupt right", "wrongly taken"];
const HEAD_OF_SOURCES: [&str; 5] = ["source", "cases", "verdict right", "interrupt right", "wrongly taken"];
const HEAD_OF_TYPES: [&str; 10] =
    ["class", "cases", "boolean", "time", "date", "number", "money", "location", "selection", "text"];

fn row(name: &str, group: &[&DecidedCase<Utterance>]) -> Vec<super::Cell> {
    let all = || group.iter().copied();
    vec![
        name.into(),
        group.len().into(),
        verdicts(all()).into(),
        interrupts_right(all()).into(),
        rate(all(), |ran| ran.case.wrongly_taken(&ran.decided)).into(),
    ]
}

fn by_class(ran: &[DecidedCase<Utterance>]) -> Table {
    let mut table = Table::new("by_class", "By class", &HEAD);
    table.rows =
        grouped(ran, |ran| &ran.case.gold_class).iter().map(|(class, group)| row(class, group)).collect();
    table
}

fn by_source(ran: &[DecidedCase<Utterance>]) -> Table {
    let mut table = Table::new("by_source", "By source", &HEAD_OF_SOURCES);
    table.rows = grouped(ran, |ran| &ran.case.source).iter().map(|(name, group)| row(name, group)).collect();
    table
}

fn types(ran: &[DecidedCase<Utterance>]) -> Table {
    let mut table =
        Table::new("by_class_and_type", "By class: taken by a question of this type", &HEAD_OF_TYPES);
    for (class, group) in grouped(ran, |ran| &ran.case.gold_class) {
        let taken = |n: usize| -> Rate {
            let of = |ran: &&DecidedCase<Utterance>| ran.decided.asked[n].as_ref().map(|a| a.value.is_some());
            group.iter().map(of).collect()
        };
        let mut row = vec![class.as_str().into(), group.len().into()];
        row.extend((0..ASKED.len()).map(|n| taken(n).into()));
        table.rows.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::question::fixtures::{answered, seen};
    use super::*;
    use throughline_language::Value as Read;

    fn case(boolean: Value, reject: &[&str], interrupt: Option<&str>) -> Utterance {
        let gold =
            json!({ "boolean": boolean, "reject_types": reject, "interrupt": interrupt, "closing": null });
        let row = json!({ "id": "1", "source": "own", "user_text": "!", "gold_class": "x", "gold": gold });
        serde_json::from_value(row).unwrap()
    }

    fn heard(boolean: Option<bool>, number: bool, interrupt: Option<&'static str>) -> UtteranceDecision {
        let taken = |name: &str| match name {
            "boolean" => Some(answered(boolean.map(Read::Boolean), false)),
            "number" => Some(answered(number.then(|| Read::Number("1".into())), false)),
            _ => None,
        };
        let asked = ASKED.iter().map(|(name, _)| taken(name)).collect();
        UtteranceDecision { asked, interrupt, closing: false, bare: seen(Reason::GateOpened) }
    }

    #[test]
    fn the_worst_mistake_is_reported() {
        for (case, heard, mistake) in [
            (case(json!(true), &["number"], None), heard(Some(true), false, None), None),
            (case(json!(true), &[], None), heard(Some(false), false, None), Some("wrong-polarity")),
            (case(json!(true), &[], None), heard(None, false, None), Some("missed-answer")),
            (case(json!("maybe"), &["boolean"], None), heard(Some(true), false, None), Some("taken")),
            (case(json!(null), &["number"], None), heard(None, true, Some("stop")), Some("interrupted")),
            (case(json!(null), &["number"], Some("stop")), heard(None, true, None), Some("taken")),
            (case(json!(null), &[], Some("cancel")), heard(None, false, None), Some("missed-interrupt")),
            (case(json!(null), &[], Some("cancel")), heard(None, false, Some("stop")), None),
            (case(json!(null), &[], Some("repeat")), heard(None, false, None), None),
        ] {
            assert_eq!(case.mistake(&heard), mistake, "{case:?}");
        }
    }

    #[test]
    fn a_prediction_names_the_types_that_took_it() {
        let line = case(json!(null), &[], None).predict(&heard(Some(true), true, None)).remove(0);
        assert_eq!(line["accepts"], json!(["boolean", "number"]));
        assert_eq!((&line["bool"], &line["interrupt"]), (&json!(true), &json!(null)));
    }
}
