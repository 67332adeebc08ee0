//! Random choices from a seed, the same on every machine.

/// Stream of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Draw(u64);

impl Draw {
    /// Starts the stream of a seed.
    pub(super) fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is at least 1.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    /// Returns true in that many of 100 cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of several, each as likely as the others.
    pub(super) fn of<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[self.below(several.len())]
    }

    /// Returns one of several by their weights.
    pub(super) fn weighted<T: Copy>(&mut self, several: &[(usize, T)]) -> T {
        let mut at = self.below(several.iter().map(|(weight, _)| weight).sum());
        for (weight, one) in several {
            if at < *weight {
                return *one;
            }
            at -= weight;
        }
        several[several.len() - 1].1
    }
}
