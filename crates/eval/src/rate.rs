//! Shares of cases, with their confidence intervals.

use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The 97.5th percentile of the normal distribution, for an interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A number of hits among a number of cases.
///
/// ```
/// use throughline_eval::Rate;
/// let rate: Rate = [Some(true), Some(false), Some(true), Some(true)].into_iter().collect();
/// assert_eq!((rate.hits, rate.of), (3, 4));
/// assert_eq!(rate.to_string(), "0.750 .30–.95");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Cases that count as hits.
    pub hits: usize,
    /// All cases.
    pub of: usize,
    /// Cases the engine does not decide yet. They count among all cases as misses, as they do for an independent
    /// scorer.
    pub undecided: usize,
}

impl Rate {
    /// Returns the share; `None` without a case.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// Returns true if no case is decided yet.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.of > 0 && self.undecided == self.of
    }

    /// Returns Wilson's 95 % interval, which holds for few cases and for shares near 0 and 1 too.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        let (share, n) = (self.share()?, self.of as f64);
        let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let (centre, scale) = (share + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
        Some((((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0)))
    }

    /// Formats the interval: `.30–.95`.
    #[must_use]
    pub fn interval_text(&self) -> String {
        let short = |share: f64| format!("{share:.2}").trim_start_matches('0').to_owned();
        self.interval().map_or_else(String::new, |(low, high)| format!("{}–{}", short(low), short(high)))
    }
}

/// Counts hits, misses and undecided cases.
impl FromIterator<Option<bool>> for Rate {
    fn from_iter<I: IntoIterator<Item = Option<bool>>>(cases: I) -> Self {
        cases.into_iter().fold(Self::default(), |rate, hit| Self {
            hits: rate.hits + usize::from(hit == Some(true)),
            of: rate.of + 1,
            undecided: rate.undecided + usize::from(hit.is_none()),
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.share() {
            None => f.write_str("–"),
            Some(_) if self.is_undecided() => f.write_str("not yet"),
            Some(share) => write!(f, "{share:.3} {}", self.interval_text()),
        }
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (low, high) = self.interval().unzip();
        let mut rate = serializer.serialize_struct("Rate", 6)?;
        rate.serialize_field("hits", &self.hits)?;
        rate.serialize_field("of", &self.of)?;
        rate.serialize_field("undecided", &self.undecided)?;
        rate.serialize_field("rate", &self.share())?;
        rate.serialize_field("low", &low)?;
        rate.serialize_field("high", &high)?;
        rate.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(hits: usize, of: usize) -> Rate {
        Rate { hits, of, undecided: 0 }
    }

    /// Values of the closed formula, computed independently.
    #[test]
    fn the_interval_is_wilsons() {
        for (hits, of, low, high) in [
            (0, 10, 0.0, 0.277_533),
            (10, 10, 0.722_467, 1.0),
            (1, 10, 0.017_876, 0.404_150),
            (50, 100, 0.403_832, 0.596_168),
            (823, 1000, 0.798_121, 0.845_407),
        ] {
            let (l, h) = rate(hits, of).interval().unwrap();
            assert!((l - low).abs() < 1e-5 && (h - high).abs() < 1e-5, "{hits}/{of}: {l} {h}");
        }
        assert_eq!(rate(0, 0).interval(), None);
    }

    #[test]
    fn undecided_cases_make_no_figure() {
        let none: Rate = [None, None].into_iter().collect();
        assert!(none.is_undecided());
        assert_eq!((none.to_string(), none.share()), ("not yet".into(), Some(0.0)));
        let some: Rate = [None, Some(true)].into_iter().collect();
        assert!(!some.is_undecided());
        assert_eq!((some.hits, some.of), (1, 2));
        assert_eq!(rate(0, 0).to_string(), "–");
    }

    #[test]
    fn a_program_reads_everything() {
        let json = serde_json::to_value(rate(1, 10)).unwrap();
        assert_eq!((&json["hits"], &json["of"], &json["rate"]), (&1.into(), &10.into(), &0.1.into()));
        assert!(json["low"].is_number() && json["high"].is_number());
        assert!(serde_json::to_value(rate(0, 0)).unwrap()["rate"].is_null());
    }
}
