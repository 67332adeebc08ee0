//! Everything an eval found, for a person, for a program and for a page.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::goals::{self, Judged};
use super::{Cases, Mistake, Ran, Run, Section, Selection, Table, Task, Watched};
use crate::driver::DriverError;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many cases were put.
    pub cases: usize,
    /// What the cases are known by.
    pub fingerprint: String,
    /// What each kind of case came to.
    pub sections: Vec<Section>,
    /// The headline figures, with their goals.
    pub figures: Vec<Judged>,
    /// What was decided wrongly, by kind of case.
    pub mistakes: Vec<Mistakes>,
}

/// The mistakes of one kind of case.
#[derive(Clone, Debug)]
pub struct Mistakes {
    /// The kind of case.
    pub task: &'static str,
    /// How many there are of each kind of mistake, worst first.
    pub counts: Vec<(&'static str, usize)>,
    /// Every one of them, worst first: the shortest message of a kind leads, because it is the plainest.
    pub all: Vec<Mistake>,
}

/// What an eval hands back.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// What was found.
    pub report: Report,
    /// One line a case, as an independent scorer reads them.
    pub predictions: Vec<Value>,
}

/// Puts every case to the engine and counts what came of it.
///
/// # Errors
///
/// What a subject cannot do.
pub fn evaluate(cases: Cases, run: &impl Run) -> Result<Evaluated, DriverError> {
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
    fn add<T: Task>(&mut self, cases: Vec<T>, run: &impl Run) -> Result<(), DriverError> {
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

fn mistakes<T: Task>(ran: &[Ran<T>]) -> Mistakes {
    let mut all: Vec<Mistake> = ran.iter().flat_map(|ran| ran.case.mistakes(&ran.decided)).collect();
    let rank = |mistake: &Mistake| T::MISTAKES.iter().position(|kind| *kind == mistake.mistake);
    all.sort_by_key(|mistake| (rank(mistake), mistake.said.chars().count()));
    let count = |kind: &'static str| (kind, all.iter().filter(|mistake| mistake.mistake == kind).count());
    let counts = T::MISTAKES.iter().map(|kind| count(kind)).filter(|(_, n)| *n > 0).collect();
    Mistakes { task: T::NAME, counts, all }
}

/// What recorded turns are known by, in the place of a fingerprint of cases: figures of one time are compared with those of
/// another.
const LIVE: &str = "live";

impl Report {
    /// What the guardrails watch of turns as they were recorded, and nothing else.
    #[must_use]
    pub fn live(watched: Watched) -> Self {
        let tables = vec![watched.table("What the guardrails watch, in recorded turns")];
        let task = Selection::NAME;
        let section =
            Section { task, cases: watched.turns, tables, watched: Some(watched), ..Section::default() };
        Self { fingerprint: LIVE.into(), sections: vec![section], ..Self::default() }
    }

    /// The columns of the headline table.
    pub const HEAD: [&'static str; 8] =
        ["kind", "figure", "seen", "95 %", "of", "goal", "best baseline", "verdict"];

    /// What the guardrails of selection watch, where a case was about it.
    #[must_use]
    pub fn watched(&self) -> Option<Watched> {
        self.sections.iter().find_map(|section| section.watched)
    }

    /// The headline table as text.
    #[must_use]
    pub fn headline(&self) -> Vec<Vec<String>> {
        self.figures.iter().map(Judged::row).collect()
    }

    /// As a section of a page: the headline table, then every table.
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
        let rest = [share, interval, of, self.goal.clone(), self.best.into(), self.verdict().into()];
        words.into_iter().chain(rest).collect()
    }
}

impl Mistakes {
    /// `3 approved, 17 missed`.
    #[must_use]
    pub fn line(&self) -> String {
        let told: Vec<String> = self.counts.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        told.join(", ")
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

/// Without the cases themselves: those are asked for apart.
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
