//! Recorded figures, and their comparison with those of a later run.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use throughline_engine::Millis;
use throughline_engine::data::policy::selection::Guardrails;

use crate::goals::counts_mistakes;
use crate::{GuardCounts, Rate, Report};

/// The least number of cases that can break a guardrail.
const ENOUGH: usize = 200;
/// The whole, in the unit of the guardrails: hundredths of a percent.
const ALL: i128 = 10_000;

/// The figures of a run, with the fingerprint of its cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The version of the format.
    version: u32,
    /// The fingerprint of the cases.
    cases: String,
    /// The figures that were decided.
    figures: BTreeMap<String, Share>,
    /// The counts for the selection guardrails, if a case had a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    watched: Option<GuardCounts>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Share {
    hits: usize,
    of: usize,
}

/// The error for a baseline of other cases, which cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherCases;

impl fmt::Display for OtherCases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the baseline was recorded over other cases")
    }
}

impl std::error::Error for OtherCases {}

/// A figure before and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub key: String,
    /// The earlier value.
    pub before: Option<Measure>,
    /// The value now.
    pub now: Measure,
    /// The verdict.
    pub change: Change,
}

/// The value of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Measure {
    /// A share of cases.
    Share(Rate),
    /// A time.
    Time {
        /// In milliseconds.
        ms: Millis,
    },
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(rate) => rate.fmt(f),
            Self::Time { ms } => write!(f, "{ms} ms"),
        }
    }
}

/// The verdict on a changed figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// No change.
    Same,
    /// A change within the guardrails.
    Moved,
    /// A figure that was missing or undecided before.
    New,
    /// Too few cases for a verdict.
    Insufficient,
    /// A broken guardrail against the baseline: roll back.
    Rollback,
    /// A broken absolute guardrail: stop.
    Halt,
}

impl Change {
    /// Returns true if a guardrail is broken.
    #[must_use]
    pub fn is_breach(self) -> bool {
        matches!(self, Self::Rollback | Self::Halt)
    }

    /// Returns the public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
            Self::New => "new",
            Self::Insufficient => "insufficient",
            Self::Rollback => "rollback",
            Self::Halt => "halt",
        }
    }
}

impl Baseline {
    /// Makes a baseline of a report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let decided = figures(report).filter(|(_, rate)| !rate.is_undecided());
        let figures =
            decided.map(|(key, rate)| (key.clone(), Share { hits: rate.hits, of: rate.of })).collect();
        Self { version: 1, cases: report.fingerprint.clone(), figures, watched: report.watched() }
    }

    /// Compares each figure with a report's, under these guardrails.
    ///
    /// # Errors
    ///
    /// The baseline is of other cases.
    pub fn compare(&self, report: &Report, guard: &Guardrails) -> Result<Vec<Compared>, OtherCases> {
        if self.cases != report.fingerprint {
            return Err(OtherCases);
        }
        let compare = |(key, now): (&String, &Rate)| {
            let before =
                self.figures.get(key).map(|share| Rate { hits: share.hits, of: share.of, undecided: 0 });
            let change = before.map_or(Change::New, |before| change(key, before, *now, guard));
            Compared {
                key: key.clone(),
                before: before.map(Measure::Share),
                now: Measure::Share(*now),
                change,
            }
        };
        let mut all: Vec<_> = figures(report).filter(|(_, rate)| !rate.is_undecided()).map(compare).collect();
        if let Some(now) = report.watched() {
            all.extend(held(self.watched.as_ref(), &now, guard));
        }
        Ok(all)
    }
}

/// Checks the selection guardrails.
#[must_use]
pub fn held(before: Option<&GuardCounts>, now: &GuardCounts, guard: &Guardrails) -> Vec<Compared> {
    let share =
        |key: &str, of: fn(&GuardCounts) -> Rate, past: &dyn Fn(Rate, Rate) -> bool, breach: Change| {
            let (before, now) = (before.map(of), of(now));
            compared(
                key,
                before.map(Measure::Share),
                Measure::Share(now),
                breach,
                before.is_some_and(|before| past(before, now)),
            )
        };
    let wrong = |before, now| grew(before, now, guard.wrong_action_bp);
    let more = |before, now| {
        over(before, now, |then, _, is| is * ALL > then * (ALL + i128::from(guard.clarifier_rel_bp)))
    };
    let mut all = vec![
        share("selection.wrong_actions", GuardCounts::wrong_actions, &wrong, Change::Rollback),
        share("selection.clarifiers", GuardCounts::clarifiers, &more, Change::Rollback),
    ];
    if let Some(ms) = now.p95_ms {
        let before = before.and_then(|before| before.p95_ms);
        let past = before.is_some_and(|before| ms - before > guard.p95_ms);
        let time = |ms| Measure::Time { ms };
        all.push(compared("selection.decision_p95", before.map(time), time(ms), Change::Rollback, past));
    }
    // A second question without new evidence is always wrong, so this limit is absolute.
    let unchanged = now.unchanged_retries();
    if unchanged.of > 0 {
        let past = unchanged.hits as i128 * ALL > unchanged.of as i128 * i128::from(guard.unchanged_retry_bp);
        let before = before.map(|before| Measure::Share(before.unchanged_retries()));
        all.push(compared(
            "selection.unchanged_retries",
            before,
            Measure::Share(unchanged),
            Change::Halt,
            past,
        ));
    }
    if now.turns < ENOUGH {
        all.iter_mut().for_each(|figure| figure.change = Change::Insufficient);
    }
    all
}

fn compared(key: &str, before: Option<Measure>, now: Measure, breach: Change, past: bool) -> Compared {
    let change = match before {
        _ if past => breach,
        None => Change::New,
        Some(before) if before == now => Change::Same,
        Some(_) => Change::Moved,
    };
    Compared { key: key.into(), before, now, change }
}

fn figures(report: &Report) -> impl Iterator<Item = (&String, &Rate)> {
    let figures = report.sections.iter().flat_map(|section| &section.figures);
    figures.filter(|(_, rate)| rate.of > 0).map(|(key, rate)| (key, rate))
}

/// Compares a figure that counts mistakes, under the guardrail for wrong actions.
fn change(key: &str, before: Rate, now: Rate, guard: &Guardrails) -> Change {
    let past = counts_mistakes(key) && grew(before, now, guard.wrong_action_bp);
    match (past, now.of >= ENOUGH) {
        (true, true) => Change::Rollback,
        (true, false) => Change::Insufficient,
        (false, _) if before.hits == now.hits && before.of == now.of => Change::Same,
        (false, _) => Change::Moved,
    }
}

/// Returns true if a share grew by more than `bp` hundredths of a percent.
fn grew(before: Rate, now: Rate, bp: u32) -> bool {
    over(before, now, |then, all, is| (is - then) * ALL > all * i128::from(bp))
}

/// Compares two shares in whole numbers over their common denominator: before, whole, now.
fn over(before: Rate, now: Rate, past: impl Fn(i128, i128, i128) -> bool) -> bool {
    let whole = |n: usize| n as i128;
    past(whole(before.hits * now.of), whole(before.of * now.of), whole(now.hits * before.of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Section;

    fn report(figures: &[(&str, usize, usize)]) -> Report {
        let figures = figures
            .iter()
            .map(|(key, hits, of)| ((*key).into(), Rate { hits: *hits, of: *of, undecided: 0 }));
        let section = Section { figures: figures.collect(), ..Section::default() };
        Report { fingerprint: "f".into(), sections: vec![section], ..Report::default() }
    }

    fn watching(watched: GuardCounts) -> Report {
        let section = Section { watched: Some(watched), ..Section::default() };
        Report { fingerprint: "f".into(), sections: vec![section], ..Report::default() }
    }

    fn compare(then: &Report, now: &Report) -> Vec<Compared> {
        Baseline::of(then).compare(now, &Guardrails::default()).unwrap()
    }

    fn change_of(key: &str, then: (usize, usize), now: (usize, usize)) -> Change {
        compare(&report(&[(key, then.0, then.1)]), &report(&[(key, now.0, now.1)]))[0].change
    }

    /// Returns the verdict on the figure of that name.
    fn held_to(key: &str, then: GuardCounts, now: GuardCounts) -> Change {
        let all = compare(&watching(then), &watching(now));
        all.iter().find(|figure| figure.key == key).unwrap_or_else(|| panic!("{all:?}")).change
    }

    const QUIET: GuardCounts = GuardCounts {
        turns: 1_000,
        wrong: 10,
        asked: 200,
        passed: 0,
        retries: 0,
        unchanged: 0,
        p95_ms: Some(100),
    };

    // row: S67
    #[test]
    fn a_tenth_more_clarifiers_is_allowed() {
        let asked = |asked| held_to("selection.clarifiers", QUIET, GuardCounts { asked, ..QUIET });
        assert_eq!((asked(221), asked(219)), (Change::Rollback, Change::Moved));
        assert_eq!((asked(220), asked(200), asked(0)), (Change::Moved, Change::Same, Change::Moved));
        let none = GuardCounts { asked: 0, ..QUIET };
        assert_eq!(held_to("selection.clarifiers", none, none), Change::Same);
    }

    #[test]
    fn half_a_point_more_wrong_actions_is_allowed() {
        let wrong = |wrong| held_to("selection.wrong_actions", QUIET, GuardCounts { wrong, ..QUIET });
        assert_eq!((wrong(15), wrong(16), wrong(0)), (Change::Moved, Change::Rollback, Change::Moved));
        let key = "pending.boolean.hijack";
        assert_eq!(change_of(key, (10, 1000), (15, 1000)), Change::Moved);
        assert_eq!(change_of(key, (10, 1000), (16, 1000)), Change::Rollback);
        assert_eq!(change_of(key, (10, 1000), (10, 1000)), Change::Same);
        assert_eq!(change_of(key, (1, 100), (9, 100)), Change::Insufficient);
        assert_eq!(change_of("pending.boolean.recall", (900, 1000), (100, 1000)), Change::Moved);
    }

    #[test]
    fn a_quarter_of_a_second_later_is_allowed() {
        let p95 = |ms| held_to("selection.decision_p95", QUIET, GuardCounts { p95_ms: Some(ms), ..QUIET });
        assert_eq!((p95(350), p95(351), p95(100)), (Change::Moved, Change::Rollback, Change::Same));
        let unmeasured = GuardCounts { p95_ms: None, ..QUIET };
        assert_eq!(held_to("selection.decision_p95", unmeasured, QUIET), Change::New);
    }

    #[test]
    fn second_questions_without_new_evidence_always_halt() {
        let retries = |unchanged| GuardCounts { retries: 100, unchanged, ..QUIET };
        let key = "selection.unchanged_retries";
        assert_eq!(held_to(key, QUIET, retries(3)), Change::Halt);
        assert_eq!(held_to(key, retries(3), retries(3)), Change::Halt);
        assert_eq!(held_to(key, retries(3), retries(2)), Change::Moved);
    }

    #[test]
    fn too_few_turns_give_no_verdict() {
        let few = GuardCounts { turns: 199, asked: 190, wrong: 100, retries: 9, unchanged: 9, ..QUIET };
        let all = compare(&watching(QUIET), &watching(few));
        assert!(all.iter().all(|figure| figure.change == Change::Insufficient), "{all:?}");
        let enough = GuardCounts { turns: 200, ..few };
        assert_eq!(held_to("selection.clarifiers", QUIET, enough), Change::Rollback);
    }

    #[test]
    fn other_cases_are_not_compared() {
        let baseline = Baseline::of(&report(&[("a", 1, 2)]));
        let other = Report { fingerprint: "g".into(), ..report(&[("a", 1, 2)]) };
        let guard = Guardrails::default();
        assert_eq!(baseline.compare(&other, &guard), Err(OtherCases));
        assert_eq!(baseline.compare(&report(&[("b", 1, 2)]), &guard).unwrap()[0].change, Change::New);
        for baseline in [baseline, Baseline::of(&watching(QUIET))] {
            let text = serde_json::to_string(&baseline).unwrap();
            assert_eq!(serde_json::from_str::<Baseline>(&text).unwrap(), baseline);
        }
    }
}
