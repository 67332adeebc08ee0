//! A median with its spread, the form of every quoted figure.

use std::fmt;

/// Measurements of one quantity, sorted.
#[derive(Clone, Debug)]
pub(crate) struct Spread(Vec<f64>);

impl Spread {
    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns the value below which that part of them lies.
    pub(crate) fn quantile(&self, part: f64) -> f64 {
        let last = self.0.len().saturating_sub(1) as f64;
        self.0.get((last * part).round() as usize).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }
}

impl FromIterator<f64> for Spread {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }
}

/// `median (lowest..highest)`, to the precision of the format.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(1);
        let (low, high) = (self.quantile(0.0), self.quantile(1.0));
        write!(f, "{} ({}..{})", number(self.median(), digits), number(low, digits), number(high, digits))
    }
}

/// Formats a number with separated thousands.
pub(crate) fn number(value: f64, digits: usize) -> String {
    let plain = format!("{value:.digits$}");
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut out = String::new();
    for (n, digit) in whole.chars().enumerate() {
        let left = whole.len() - n;
        if n > 0 && left.is_multiple_of(3) && out != "-" {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_the_median_between_lowest_and_highest() {
        let spread: Spread = [3.0, 1.0, 2_000.0].into_iter().collect();
        assert_eq!(format!("{spread:.0}"), "3 (1..2,000)");
        assert_eq!(spread.quantile(0.99), 2_000.0);
        let one: Spread = [-1_234.56].into_iter().collect();
        assert_eq!(format!("{one:.1}"), "-1,234.6 (-1,234.6..-1,234.6)");
        assert!(std::iter::empty().collect::<Spread>().median().is_nan());
    }

    #[test]
    fn thousands_are_apart() {
        let shown = [0.5, 999.0, 1_000.0, -100.0, 1_234_567.0].map(|value| number(value, 0));
        assert_eq!(shown, ["0", "999", "1,000", "-100", "1,234,567"]);
    }
}
