//! A filter for the words that an entry of a table may begin with, so that the others cost a look at two bytes.

use super::secret_rules::Rule;

/// Pairs of bytes, in either case: for each first byte, one bit per second byte.
pub(super) struct Beginnings([u128; 128]);

impl Beginnings {
    pub(super) const NONE: Self = Self([0; 128]);

    /// Adds an entry, which begins with two ASCII characters.
    pub(super) const fn and(mut self, entry: &str) -> Self {
        let (first, second) = (entry.as_bytes()[0], entry.as_bytes()[1]);
        let seconds = 1 << second.to_ascii_lowercase() | 1 << second.to_ascii_uppercase();
        self.0[first.to_ascii_lowercase() as usize] |= seconds;
        self.0[first.to_ascii_uppercase() as usize] |= seconds;
        self
    }

    /// Adds all of a list.
    pub(super) const fn and_all(mut self, entries: &[&str]) -> Self {
        let mut n = 0;
        while n < entries.len() {
            self = self.and(entries[n]);
            n += 1;
        }
        self
    }

    /// Adds the beginnings of rules.
    pub(super) const fn and_rules(mut self, rules: &[Rule]) -> Self {
        let mut n = 0;
        while n < rules.len() {
            self = self.and(rules[n].begins);
            n += 1;
        }
        self
    }

    /// Adds every pair of digits.
    pub(super) const fn and_digits(mut self) -> Self {
        let mut n = 0;
        while n < 100 {
            self.0[b'0' as usize + n / 10] |= 1 << (b'0' as usize + n % 10);
            n += 1;
        }
        self
    }

    /// True if an entry may stand at the beginning of a text.
    pub(super) fn fit(&self, text: &[u8]) -> bool {
        let [first, second, ..] = text else { return false };
        second.is_ascii() && self.0.get(usize::from(*first)).is_some_and(|seconds| seconds >> second & 1 == 1)
    }
}
