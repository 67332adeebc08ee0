//! Figures that were recorded, and what became of them since (`spec 04 §16`, guardrails).
//!
//! Time from acceptance to decision, the third guardrail, is not measured here: without a model it is the step alone.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::goals::counts_mistakes;
use super::{Rate, Report};

/// Fewer cases than this say nothing.
const ENOUGH: usize = 200;
/// A share of wrong decisions may grow by one in so many cases: half a percentage point.
const WRONG_ONE_IN: i128 = 200;
/// Clarifiers may become more by this many percent of what they were.
const CLARIFIERS_PERCENT: i128 = 10;
/// The figure the second guardrail is about.
const CLARIFIERS: &str = "selection.clarifiers";
/// The figure the first one is about; mistakes of the other kinds are held to the same.
const WRONG_ACTIONS: &str = "selection.wrong_actions";

/// The figures of a run, and which cases they are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The form of this file.
    version: u32,
    /// The fingerprint of the cases.
    cases: String,
    /// Every figure that was decided.
    figures: BTreeMap<String, Share>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Share {
    hits: usize,
    of: usize,
}

/// The baseline is of other cases, so nothing follows from comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherCases;

impl fmt::Display for OtherCases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the baseline was recorded over other cases")
    }
}

impl std::error::Error for OtherCases {}

/// A figure then and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub key: String,
    /// Then.
    pub before: Option<Rate>,
    /// Now.
    pub now: Rate,
    /// What that means.
    pub change: Change,
}

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The same.
    Same,
    /// Other than it was, within what is allowed.
    Moved,
    /// It was not there, or not decided.
    New,
    /// Past a guardrail, but over too few cases to say so.
    Insufficient,
    /// Past a guardrail: go back.
    Rollback,
}

impl Change {
    /// The public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
            Self::New => "new",
            Self::Insufficient => "insufficient",
            Self::Rollback => "rollback",
        }
    }
}

impl Baseline {
    /// The figures of this run.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let decided = figures(report).filter(|(_, rate)| !rate.is_undecided());
        let figures =
            decided.map(|(key, rate)| (key.clone(), Share { hits: rate.hits, of: rate.of })).collect();
        Self { version: 1, cases: report.fingerprint.clone(), figures }
    }

    /// What became of each figure since.
    ///
    /// # Errors
    ///
    /// The baseline is of other cases.
    pub fn compare(&self, report: &Report) -> Result<Vec<Compared>, OtherCases> {
        if self.cases != report.fingerprint {
            return Err(OtherCases);
        }
        let compare = |(key, now): (&String, &Rate)| {
            let before =
                self.figures.get(key).map(|share| Rate { hits: share.hits, of: share.of, undecided: 0 });
            let change = before.map_or(Change::New, |before| change(key, before, *now));
            Compared { key: key.clone(), before, now: *now, change }
        };
        Ok(figures(report).filter(|(_, rate)| !rate.is_undecided()).map(compare).collect())
    }
}

fn figures(report: &Report) -> impl Iterator<Item = (&String, &Rate)> {
    let figures = report.sections.iter().flat_map(|section| &section.figures);
    figures.filter(|(_, rate)| rate.of > 0).map(|(key, rate)| (key, rate))
}

fn change(key: &str, before: Rate, now: Rate) -> Change {
    let past = match key {
        CLARIFIERS => {
            over(before, now, |then, all, is| is * 100 > then * (100 + CLARIFIERS_PERCENT) && all > 0)
        }
        _ if key == WRONG_ACTIONS || counts_mistakes(key) => {
            over(before, now, |then, all, is| (is - then) * WRONG_ONE_IN > all)
        }
        _ => false,
    };
    match (past, now.of >= ENOUGH) {
        (true, true) => Change::Rollback,
        (true, false) => Change::Insufficient,
        (false, _) if before.hits == now.hits && before.of == now.of => Change::Same,
        (false, _) => Change::Moved,
    }
}

/// Compares two shares in whole numbers, over their common denominator.
fn over(before: Rate, now: Rate, past: impl Fn(i128, i128, i128) -> bool) -> bool {
    let whole = |n: usize| n as i128;
    past(whole(before.hits * now.of), whole(before.of * now.of), whole(now.hits * before.of))
}

#[cfg(test)]
mod tests {
    use super::super::Section;
    use super::*;

    fn report(figures: &[(&str, usize, usize)]) -> Report {
        let figures = figures
            .iter()
            .map(|(key, hits, of)| ((*key).into(), Rate { hits: *hits, of: *of, undecided: 0 }));
        let section = Section { figures: figures.collect(), ..Section::default() };
        Report { fingerprint: "f".into(), sections: vec![section], ..Report::default() }
    }

    fn change_of(key: &str, then: (usize, usize), now: (usize, usize)) -> Change {
        let baseline = Baseline::of(&report(&[(key, then.0, then.1)]));
        baseline.compare(&report(&[(key, now.0, now.1)])).unwrap()[0].change
    }

    #[test]
    fn a_tenth_more_clarifiers_is_allowed() {
        assert_eq!(change_of(CLARIFIERS, (200, 1000), (221, 1000)), Change::Rollback);
        assert_eq!(change_of(CLARIFIERS, (200, 1000), (220, 1000)), Change::Moved);
        assert_eq!(change_of(CLARIFIERS, (200, 1000), (219, 1000)), Change::Moved);
        assert_eq!(change_of(CLARIFIERS, (20, 100), (30, 100)), Change::Insufficient);
    }

    #[test]
    fn half_a_point_more_wrong_actions_is_allowed() {
        for key in [WRONG_ACTIONS, "pending.boolean.hijack"] {
            assert_eq!(change_of(key, (10, 1000), (15, 1000)), Change::Moved);
            assert_eq!(change_of(key, (10, 1000), (16, 1000)), Change::Rollback);
            assert_eq!(change_of(key, (10, 1000), (0, 1000)), Change::Moved);
            assert_eq!(change_of(key, (10, 1000), (10, 1000)), Change::Same);
        }
        assert_eq!(change_of("pending.boolean.recall", (900, 1000), (100, 1000)), Change::Moved);
    }

    #[test]
    fn other_cases_are_not_compared() {
        let baseline = Baseline::of(&report(&[("a", 1, 2)]));
        let other = Report { fingerprint: "g".into(), ..report(&[("a", 1, 2)]) };
        assert_eq!(baseline.compare(&other), Err(OtherCases));
        assert_eq!(baseline.compare(&report(&[("b", 1, 2)])).unwrap()[0].change, Change::New);
        let text = serde_json::to_string(&baseline).unwrap();
        assert_eq!(serde_json::from_str::<Baseline>(&text).unwrap(), baseline);
    }
}
