//! The straight line through a curve, which shows how fast a cost grows.

/// `y = at + slope · x`, by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    pub(crate) at: f64,
    pub(crate) slope: f64,
}

impl Fit {
    pub(crate) fn of(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let over: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        let under: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        let slope = if under == 0.0 { 0.0 } else { over / under };
        Self { at: y - slope * x, slope }
    }

    /// Fits over the logarithm of x: the slope is per tenfold.
    pub(crate) fn per_tenfold(points: &[(f64, f64)]) -> Self {
        let points: Vec<_> = points.iter().map(|(x, y)| (x.log10(), *y)).collect();
        Self::of(&points)
    }

    /// Returns the power of x with which y grows: 1 is in proportion, 2 with the square.
    pub(crate) fn power(points: &[(f64, f64)]) -> f64 {
        let points: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
        Self::of(&points).slope
    }

    pub(crate) fn value(self, x: f64) -> f64 {
        self.at + self.slope * x
    }

    /// Returns the rise of the line from the first x to the last, as a part of its first value.
    pub(crate) fn rise(self, first: f64, last: f64) -> f64 {
        (self.value(last) - self.value(first)) / self.value(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_line_again() {
        let fit = Fit::of(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0), (3.0, 7.0)]);
        assert_eq!(fit, Fit { at: 1.0, slope: 2.0 });
        assert_eq!(fit.rise(0.0, 3.0), 6.0);
        let log = Fit::per_tenfold(&[(10.0, 5.0), (100.0, 6.0), (1_000.0, 7.0)]);
        assert!((log.slope - 1.0).abs() < 1e-9 && (log.at - 4.0).abs() < 1e-9);
        assert!((Fit::power(&[(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)]) - 2.0).abs() < 1e-9);
        assert_eq!(Fit::of(&[(5.0, 2.0)]), Fit { at: 2.0, slope: 0.0 });
    }
}
