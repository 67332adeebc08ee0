//! The report of a run, as text, JSON and JUnit XML.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;
use throughline_engine::{Language, Timestamp};

use crate::compare::{Mismatch, Observation};
use crate::driver::{Checker, DriverError};
use crate::model::{Expectation, Scenario, Turn};
use crate::{emit, yaml};

/// The result of one run of one scenario.
#[derive(Clone, Debug)]
pub struct Report {
    /// The scenario's name.
    pub scenario: String,
    /// Its file.
    pub file: String,
    /// The seed of the faults, if there were any.
    pub seed: Option<u64>,
    /// The number of turns it has.
    pub turns: usize,
    /// The failures; empty when it passed. The first failing turn ends a run.
    pub failures: Vec<Failure>,
    /// Expectations that `--update` writes: those that each turn, as it was seen, meets.
    pub observed: Vec<Vec<Expectation>>,
    /// The number of times the host was killed in the middle of a turn.
    pub kills: usize,
    /// The driver's clock after each turn.
    pub clocks: Vec<Timestamp>,
}

/// One failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The line in the scenario's file; 0 if it belongs to none.
    pub line: usize,
    /// The turn, counted from 1; 0 if it belongs to none.
    pub turn: usize,
    /// The turn as it is written, or the checker's name.
    pub what: String,
    /// The expectations that did not come true.
    pub wrong: Vec<Mismatch>,
    /// The reason the turn could not be played, or what a checker found.
    pub error: Option<String>,
    /// The faults injected at this turn.
    pub faults: String,
    /// The engine's explanation of its decision.
    pub why: String,
}

impl Report {
    pub(crate) fn new(scenario: &Scenario, seed: Option<u64>) -> Self {
        Self {
            scenario: scenario.name.clone(),
            file: scenario.file.clone(),
            seed,
            turns: scenario.turns.len(),
            failures: Vec::new(),
            observed: vec![Vec::new(); scenario.turns.len()],
            kills: 0,
            clocks: Vec::new(),
        }
    }

    /// Returns true if nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    fn title(&self) -> String {
        match self.seed {
            Some(seed) => format!("{} (faults, seed {seed})", self.scenario),
            None => self.scenario.clone(),
        }
    }
}

impl Failure {
    pub(crate) fn of_scenario(line: usize, error: &DriverError) -> Self {
        Self { line, what: "the scenario".into(), error: Some(error.to_string()), ..Self::default() }
    }

    pub(crate) fn broken(n: usize, turn: &Turn, error: &DriverError) -> Self {
        Self {
            line: turn.line,
            turn: n + 1,
            what: yaml::inline(&emit::act(&turn.act)),
            error: Some(error.to_string()),
            ..Self::default()
        }
    }

    pub(crate) fn of_turn(
        n: usize,
        turn: &Turn,
        wrong: Vec<Mismatch>,
        observation: &Observation<'_>,
    ) -> Self {
        let turns = &observation.seen.turns;
        let why: Vec<String> = turns.iter().map(|turn| turn.summary.explain(Language::En)).collect();
        let why = if why.is_empty() { "no turn was committed".into() } else { why.join("\n\n") };
        let what = yaml::inline(&emit::act(&turn.act));
        Self { line: turn.line, turn: n + 1, what, wrong, why, ..Self::default() }
    }

    pub(crate) fn of_checker(checker: Checker, error: String) -> Self {
        Self { what: format!("always: {}", checker.as_str()), error: Some(error), ..Self::default() }
    }

    fn place(&self, file: &str) -> String {
        if self.line == 0 { file.into() } else { format!("{file}:{}", self.line) }
    }

    /// Everything but the headline.
    fn details(&self) -> String {
        let mut out = String::new();
        if !self.faults.is_empty() {
            let _ = writeln!(out, "with faults: {}", self.faults);
        }
        if let Some(error) = &self.error {
            let _ = writeln!(out, "{error}");
        }
        for wrong in &self.wrong {
            let _ = writeln!(out, "{}", wrong.key);
            let _ = writeln!(out, "  expected  {}", hang(&wrong.expected));
            let _ = writeln!(out, "  seen      {}", hang(&wrong.seen));
        }
        if !self.why.is_empty() {
            let _ = writeln!(out, "why");
            let _ = writeln!(out, "  {}", self.why.replace('\n', "\n  "));
        }
        out
    }
}

/// Indents all lines but the first.
fn hang(text: &str) -> String {
    text.replace('\n', "\n            ")
}

/// Formats reports for people: one line a scenario, and the details of each failure.
#[must_use]
pub fn human(reports: &[Report]) -> String {
    let mut out = String::new();
    for report in reports {
        let turns = if report.turns == 1 { "1 turn".into() } else { format!("{} turns", report.turns) };
        let mark = if report.passed() { "ok  " } else { "FAIL" };
        let _ = writeln!(out, "{mark} {} · {turns} · {}", report.title(), report.file);
        for failure in &report.failures {
            let turn = if failure.turn == 0 { String::new() } else { format!("turn {}: ", failure.turn) };
            let _ = writeln!(out, "  {}: {turn}{}", failure.place(&report.file), hang(&failure.what));
            for line in failure.details().lines() {
                let _ = writeln!(out, "    {line}");
            }
            if let Some(seed) = report.seed {
                let _ = writeln!(out, "    again: throughline test {} --faults={seed}..{seed}", report.file);
            }
        }
    }
    let failed = reports.iter().filter(|report| !report.passed()).count();
    let _ = writeln!(out, "{} passed, {failed} failed", reports.len() - failed);
    out
}

/// Formats reports as one JSON object with everything [`human`] shows.
#[must_use]
pub fn json(reports: &[Report]) -> String {
    let scenarios: Vec<_> = reports
        .iter()
        .map(|report| {
            json!({
                "scenario": report.scenario, "file": report.file, "seed": report.seed, "turns": report.turns,
                "kills": report.kills, "passed": report.passed(), "failures": report.failures,
            })
        })
        .collect();
    let failed = reports.iter().filter(|report| !report.passed()).count();
    let all = json!({ "passed": reports.len() - failed, "failed": failed, "scenarios": scenarios });
    format!("{all:#}\n")
}

/// Formats reports as JUnit XML, one test case a run.
#[must_use]
pub fn junit(reports: &[Report]) -> String {
    let failed = reports.iter().filter(|report| !report.passed()).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests = reports.len();
    let _ = writeln!(out, "<testsuites tests=\"{tests}\" failures=\"{failed}\">");
    let _ = writeln!(out, "  <testsuite name=\"throughline\" tests=\"{tests}\" failures=\"{failed}\">");
    for report in reports {
        let (name, class) = (xml(&report.title()), xml(&report.file));
        let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" file=\"{class}\"");
        if report.passed() {
            out.push_str("/>\n");
            continue;
        }
        out.push_str(">\n");
        for failure in &report.failures {
            let headline = xml(&format!("{}: {}", failure.place(&report.file), failure.what));
            let _ =
                writeln!(out, "      <failure message=\"{headline}\">{}</failure>", xml(&failure.details()));
        }
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Escapes text for XML content and attributes. Characters that XML 1.0 cannot hold become replacement characters.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c < ' ' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Vec<Report> {
        let scenario = crate::parse("a<b>.yaml", "scenario: s & t\nturns:\n  - ana: hi\n").unwrap();
        let mut failed = Report::new(&scenario, Some(7));
        failed.failures.push(Failure {
            line: 3,
            turn: 1,
            what: "ana: hi".into(),
            wrong: vec![Mismatch { key: "says".into(), expected: "\"x\"\u{1}".into(), seen: "a\nb".into() }],
            why: "Turn tn_1\nDecided".into(),
            faults: "delivered twice".into(),
            ..Failure::default()
        });
        vec![Report::new(&scenario, None), failed]
    }

    #[test]
    fn the_text_report_names_line_and_reason() {
        let text = human(&reports());
        assert!(
            text.starts_with("ok   s & t · 1 turn · a<b>.yaml\nFAIL s & t (faults, seed 7) · 1 turn"),
            "{text}"
        );
        for part in [
            "  a<b>.yaml:3: turn 1: ana: hi\n",
            "    with faults: delivered twice\n",
            "      seen      a\n                b\n",
            "    why\n      Turn tn_1\n      Decided\n",
            "    again: throughline test a<b>.yaml --faults=7..7\n",
            "1 passed, 1 failed\n",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
    }

    #[test]
    fn the_json_and_junit_reports_are_complete() {
        let json: serde_json::Value = serde_json::from_str(&json(&reports())).unwrap();
        assert_eq!((&json["passed"], &json["failed"]), (&1.into(), &1.into()));
        assert_eq!(json["scenarios"][1]["failures"][0]["wrong"][0]["key"], "says");
        let xml = junit(&reports());
        assert!(xml.contains("classname=\"a&lt;b&gt;.yaml\"") && xml.contains("s &amp; t"), "{xml}");
        assert!(!xml.contains('\u{1}') && xml.contains("&quot;x&quot;\u{fffd}"), "{xml}");
        assert_eq!(xml.matches("<testcase").count(), 2);
    }
}
