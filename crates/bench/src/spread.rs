//! A median with its spread: the only way a figure is quoted.

use std::fmt;

/// Some measurements of one thing.
#[derive(Default)]
pub(crate) struct Spread(Vec<f64>);

impl Spread {
    pub(crate) fn add(&mut self, value: f64) {
        self.0.push(value);
        self.0.sort_by(f64::total_cmp);
    }

    pub(crate) fn median(&self) -> f64 {
        quantile(&self.0, 0.5)
    }
}

/// `median (lowest..highest)`, to the precision of the format.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(1);
        let (low, high) = (quantile(&self.0, 0.0), quantile(&self.0, 1.0));
        write!(f, "{:.digits$} ({low:.digits$}..{high:.digits$})", self.median())
    }
}

/// The value below which that part of a sorted list lies.
pub(crate) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.get((last * part).round() as usize).copied().unwrap_or(f64::NAN)
}
