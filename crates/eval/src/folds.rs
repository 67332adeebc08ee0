//! Two folds of cases beside each other: a figure that one reaches and the other does not was fitted to the first.

use serde::Serialize;

use crate::goals::counts_mistakes;
use crate::{Rate, Report};

/// The least number of cases, in each fold, for a gap that counts.
const ENOUGH: usize = 200;

/// A figure of two folds.
#[derive(Clone, Debug, Serialize)]
pub struct Gap {
    /// The stable name.
    pub key: &'static str,
    /// The kind of case.
    pub kind: &'static str,
    /// The meaning of the count.
    pub figure: &'static str,
    /// The value over the first fold, which may be worked with.
    pub first: Rate,
    /// The value over the second, which is only counted.
    pub second: Rate,
    /// The share by which the second is worse, negative if it is better; `None` where a fold has too few cases.
    pub worse: Option<f64>,
}

impl Gap {
    /// The columns of the table.
    pub const HEAD: [&'static str; 6] = ["kind", "figure", "first", "second", "gap", "goal of the second"];

    /// Returns the gap of every figure that both reports have, in the order of the goals.
    #[must_use]
    pub fn between(first: &Report, second: &Report) -> Vec<Self> {
        let gap = |one: &crate::Judged| {
            let other = second.figures.iter().find(|other| other.key == one.key)?;
            let enough = one.seen.of.min(other.seen.of) >= ENOUGH;
            let (a, b) = (one.seen.share()?, other.seen.share()?);
            let worse = if counts_mistakes(one.key) { b - a } else { a - b };
            Some(Self {
                key: one.key,
                kind: one.kind,
                figure: one.figure,
                first: one.seen,
                second: other.seen,
                worse: enough.then_some(worse),
            })
        };
        first.figures.iter().filter_map(gap).collect()
    }

    /// Returns the row of the table; the gap is in percentage points.
    #[must_use]
    pub fn row(&self, second: &Report) -> Vec<String> {
        let share = |rate: Rate| rate.share().map_or_else(|| "–".into(), |share| format!("{share:.4}"));
        let gap = self.worse.map_or_else(|| "too few".into(), |worse| format!("{:+.1}", worse * 100.0));
        let goal = second.figures.iter().find(|figure| figure.key == self.key);
        let goal = goal.map_or_else(String::new, |goal| format!("{} {}", goal.goal, goal.verdict()));
        let words = [self.kind.into(), self.figure.into(), share(self.first), share(self.second), gap];
        words.into_iter().chain([goal.trim().to_owned()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Judged, Section};

    fn report(hits: [usize; 2], of: usize) -> Report {
        let rate = |hits| Rate { hits, of, undecided: 0 };
        let figures = vec![
            ("pending.boolean.recall".to_owned(), rate(hits[0])),
            ("pending.boolean.hijack".to_owned(), rate(hits[1])),
        ];
        let figures: Vec<Judged> = crate::goals::judge(&[Section { figures, ..Section::default() }]);
        Report { figures, ..Report::default() }
    }

    #[test]
    fn worse_is_less_recall_and_more_mistakes() {
        let (first, second) = (report([970, 5], 1000), report([940, 25], 1000));
        let gaps = Gap::between(&first, &second);
        let points: Vec<_> =
            gaps.iter().map(|gap| (gap.worse.unwrap_or_default() * 1000.0).round()).collect();
        assert_eq!(points, [30.0, 20.0]);
        assert_eq!(
            gaps[0].row(&second),
            ["pending, boolean", "recall", "0.9700", "0.9400", "+3.0", "≥ 0.97 not met"]
        );
        assert!(Gap::between(&report([97, 0], 100), &second).iter().all(|gap| gap.worse.is_none()));
    }
}
