//! The result of an eval, for people, programs and pages.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::goals::{self, Judged};
use crate::{Cases, DecidedCase, GuardCounts, Mistake, Runner, Section, Selection, Table, Task};
use throughline_testkit::DriverError;

/// The result of an eval.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The number of cases.
    pub cases: usize,
    /// The fingerprint of the cases.
    pub fingerprint: String,
    /// The figures of each kind of case.
    pub sections: Vec<Section>,
    /// The headline figures with their goals.
    pub figures: Vec<Judged>,
    /// The mistakes, by kind of case.
    pub mistakes: Vec<Mistakes>,
}

/// The mistakes in one kind of case.
#[derive(Clone, Debug)]
pub struct Mistakes {
    /// The kind of case.
    pub task: &'static str,
    /// The number of each kind of mistake, worst first.
    pub counts: Vec<(&'static str, usize)>,
    /// All mistakes, worst first, and within a kind the shortest message first.
    pub all: Vec<Mistake>,
}

/// The report and the predictions.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// The report.
    pub report: Report,
    /// The predictions, one line a case, for an independent scorer.
    pub predictions: Vec<Value>,
}

/// Puts every case to the engine and counts the results.
///
/// # Errors
///
/// A request a subject cannot fulfil.
pub fn evaluate(cases: Cases, run: &impl Runner) -> Result<Evaluated, DriverError> {
    let mut all = Evaluated::default();
    all.report.cases = cases.len();
    all.report.fingerprint = cases.fingerprint();
    all.add(cases.pending, run)?;
    all.add(cases.value, run)?;
    all.add(cases.selection, run)?;
    all.add(cases.closing, run)?;
    all.add(cases.utterance, run)?;
    all.add(cases.anaphora, run)?;
    all.add(cases.reply_to, run)?;
    all.add(cases.intent, run)?;
    all.report.figures = goals::judge(&all.report.sections);
    Ok(all)
}

impl Evaluated {
    fn add<T: Task>(&mut self, cases: Vec<T>, run: &impl Runner) -> Result<(), DriverError> {
        if cases.is_empty() {
            return Ok(());
        }
        let ran = run.run(cases)?;
        self.predictions.extend(ran.iter().flat_map(|ran| ran.case.predict(&ran.decided)));
        self.report.mistakes.push(mistakes(&ran));
        self.report.sections.push(T::section(&ran));
        Ok(())
    }
}

fn mistakes<T: Task>(ran: &[DecidedCase<T>]) -> Mistakes {
    let mut all: Vec<Mistake> = ran.iter().flat_map(|ran| ran.case.mistakes(&ran.decided)).collect();
    let rank = |mistake: &Mistake| T::MISTAKES.iter().position(|kind| *kind == mistake.mistake);
    all.sort_by_key(|mistake| (rank(mistake), mistake.said.chars().count()));
    let count = |kind: &'static str| (kind, all.iter().filter(|mistake| mistake.mistake == kind).count());
    let counts = T::MISTAKES.iter().map(|kind| count(kind)).filter(|(_, n)| *n > 0).collect();
    Mistakes { task: T::NAME, counts, all }
}

/// The fingerprint of recorded turns: their figures are compared between two times.
const LIVE: &str = "live";

impl Report {
    /// Makes a report of recorded turns, with the guardrail counts only.
    #[must_use]
    pub fn live(watched: GuardCounts) -> Self {
        let tables = vec![watched.table("What the guardrails watch, in recorded turns")];
        let task = Selection::NAME;
        let section =
            Section { task, cases: watched.turns, tables, watched: Some(watched), ..Section::default() };
        Self { fingerprint: LIVE.into(), sections: vec![section], ..Self::default() }
    }

    /// The columns of the headline table.
    pub const HEAD: [&'static str; 9] =
        ["kind", "figure", "seen", "95 %", "of", "rest", "goal", "best baseline", "verdict"];

    /// Returns the guardrail counts, if a case had a list.
    #[must_use]
    pub fn watched(&self) -> Option<GuardCounts> {
        self.sections.iter().find_map(|section| section.watched)
    }

    /// Returns the headline table as text.
    #[must_use]
    pub fn headline(&self) -> Vec<Vec<String>> {
        self.figures.iter().map(Judged::row).collect()
    }

    /// Formats the report as Markdown: the headline table, then every table.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let head = Self::HEAD.map(str::to_owned);
        grid(&mut out, &head, &self.headline());
        for section in &self.sections {
            let _ = writeln!(out, "\n#### {}, {} cases\n", section.task, section.cases);
            for note in &section.notes {
                let _ = writeln!(out, "{note}\n");
            }
            for table in &section.tables {
                let _ = writeln!(out, "{}\n", table.title);
                grid(
                    &mut out,
                    &table.head.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(),
                    &table.text(),
                );
                out.push('\n');
            }
            let mistakes = self.mistakes.iter().find(|mistakes| mistakes.task == section.task);
            let counts = mistakes.map(Mistakes::line).filter(|line| !line.is_empty());
            let _ = writeln!(out, "Mistakes: {}", counts.unwrap_or_else(|| "none".into()));
        }
        out
    }
}

impl Judged {
    fn row(&self) -> Vec<String> {
        let known = !self.seen.is_undecided();
        let share =
            self.seen.share().filter(|_| known).map_or_else(|| "–".into(), |share| format!("{share:.4}"));
        let interval = if known { self.seen.interval_text() } else { String::new() };
        let of =
            if known { format!("{}/{}", self.seen.hits, self.seen.of) } else { self.seen.of.to_string() };
        let words = [self.kind, self.figure].map(str::to_owned);
        let left =
            self.rest.and_then(|rest| rest.share()).map_or_else(String::new, |rest| format!("{rest:.2}"));
        let rest = [share, interval, of, left, self.goal.clone(), self.best.into(), self.verdict().into()];
        words.into_iter().chain(rest).collect()
    }
}

impl Mistakes {
    /// Formats the counts: `3 approved, 17 missed`.
    #[must_use]
    pub fn line(&self) -> String {
        let shown: Vec<String> = self.counts.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        shown.join(", ")
    }
}

fn grid(out: &mut String, head: &[String], rows: &[Vec<String>]) {
    let _ = writeln!(out, "| {} |", head.join(" | "));
    let _ = writeln!(out, "|{}", " --- |".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

/// Leaves out the mistakes themselves, which are requested apart.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = |task: &str| -> serde_json::Map<String, Value> {
            let mistakes = self.mistakes.iter().find(|mistakes| mistakes.task == task);
            let counts = mistakes.map(|mistakes| mistakes.counts.as_slice()).unwrap_or_default();
            counts.iter().map(|(kind, n)| ((*kind).to_owned(), (*n).into())).collect()
        };
        let section = |section: &Section| {
            let tables: Vec<&Table> = section.tables.iter().collect();
            json!({
                "task": section.task, "cases": section.cases, "notes": section.notes, "tables": tables,
                "mistakes": counts(section.task),
            })
        };
        let tasks: Vec<Value> = self.sections.iter().map(section).collect();
        json!({
            "cases": self.cases, "fingerprint": self.fingerprint, "figures": self.figures, "tasks": tasks,
            "watched": self.watched(),
        })
        .serialize(serializer)
    }
}
