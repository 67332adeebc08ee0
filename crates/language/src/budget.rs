//! The work that reading one text may cost.
//!
//! Every reader is linear in the words of a text and in the bytes of its normal form, and looks at no more of one word
//! than [`LONGEST`] bytes. So counting those bounds what a text costs, and the bound is the same on every machine. The
//! bytes as written bound nothing: a normal form can be eleven times as long.

/// Units that one text may cost: the longest message there may be, of short sentences of short words.
pub const UNITS: usize = 250_000;
/// Units of a word, beside one for each byte of its normal form.
const WORD: usize = 12;
/// Units of a character between words, space excepted: it is looked at wherever the text is cut.
const MARK: usize = 7;
/// Units of a word behind which a clause begins: most rules are tried where one does.
const CLAUSE: usize = 100;
/// Bytes of a word's normal form that readers see. No list has a word as long.
pub const LONGEST: usize = 256;
/// The most bytes that the normal form makes of one byte, as in U+FDFA.
const GROWTH: usize = 11;
/// Ends a word that is longer. No normal form holds it, so the word equals none that is on a list.
pub(crate) const CUT: char = '…';

/// The units that are left for a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(usize);

impl Budget {
    /// A text of which nothing is read yet.
    pub(crate) const NEW: Self = Self(UNITS);

    /// Takes the units of a word with its normal form; `clause` if it is the first of one. Returns false if there are not
    /// as many left.
    pub(crate) fn takes(&mut self, raw: &str, folded: &str, clause: bool) -> bool {
        // The rest of a longer word is not normalised, so it costs what it may become.
        let bytes = match folded.ends_with(CUT) {
            true if raw.is_ascii() => raw.len(),
            true => raw.len() * GROWTH,
            false => folded.len(),
        };
        self.take(WORD + usize::from(clause) * CLAUSE + bytes)
    }

    /// Takes the units of what stands between words: punctuation, a picture. Returns false if there are not as many left.
    pub(crate) fn takes_mark(&mut self, raw: &str) -> bool {
        match raw.chars().next() {
            Some(first) if first.is_whitespace() => true,
            // It is normalised as a word is.
            Some(first) if !first.is_ascii() => self.take(WORD + raw.len()),
            _ => self.take(MARK),
        }
    }

    fn take(&mut self, units: usize) -> bool {
        let left = self.0.checked_sub(units);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// Work of this process so far, in look-ups of phrases and bytes read. Counted in builds with debug assertions, for tests
/// and the fuzzer, which look for texts whose work grows faster than they do.
#[cfg(debug_assertions)]
static WORK: core::sync::atomic::AtomicU64 = core::sync::atomic::AtomicU64::new(0);

/// Returns the work of this process so far.
#[cfg(debug_assertions)]
#[must_use]
pub fn work() -> u64 {
    WORK.load(core::sync::atomic::Ordering::Relaxed)
}

/// Counts work that was done, where work is counted.
#[inline]
pub fn count(_work: usize) {
    #[cfg(debug_assertions)]
    WORK.fetch_add(_work as u64, core::sync::atomic::Ordering::Relaxed);
}
