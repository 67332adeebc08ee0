//! Every word that occurs in any lexicon, numbered, so that a message's words are compared as numbers.

use super::table::WordId;

/// The words, and where each is found by its hash.
#[derive(Debug)]
pub struct Vocabulary<'v> {
    /// By number; the first ones are reserved, see [`WordId`].
    pub words: &'v [&'v str],
    /// At its hash or the next free place behind it, each word's number; the length is a power of two.
    pub slots: &'v [WordId],
}

impl Vocabulary<'_> {
    /// The number of a word; [`WordId::UNKNOWN`] when no lexicon has it.
    pub fn id(&self, word: &str) -> WordId {
        let mut at = hash(word);
        loop {
            at &= self.slots.len().wrapping_sub(1);
            match self.slots.get(at) {
                None | Some(&WordId::UNKNOWN) => return WordId::UNKNOWN,
                Some(&id) if self.words.get(usize::from(id.0)) == Some(&word) => return id,
                Some(_) => at += 1,
            }
        }
    }
}

/// FNV-1a: a few instructions a byte, and the same everywhere.
pub(crate) fn hash(word: &str) -> usize {
    let hash =
        word.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize
}
