//! Sorted names, each written as what it shares with the one before it and the rest: a third less than the names.
//!
//! A name is a byte below [`SHORTEST`] that says how many bytes it shares, and the bytes that follow; no name holds such
//! a byte. The first of each block shares nothing, and its place is known: the search begins there. `write.rs` writes
//! this when the crate is built.

/// The lowest byte of a name, a space.
pub(crate) const SHORTEST: u8 = b' ';
/// No name is longer, in bytes; the build says so when one is.
pub(crate) const LONGEST: usize = 64;

/// The names.
#[derive(Debug)]
pub(crate) struct Front<'n> {
    /// One after the other.
    pub(crate) names: &'n [u8],
    /// The offset of each block.
    pub(crate) blocks: &'n [u32],
}

/// The result of a search for a text in a list of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// It is a name.
    pub(crate) name: bool,
    /// A name begins with it and a space.
    pub(crate) more: bool,
}

impl Front<'_> {
    /// Looks a text up: one search among the blocks, then at most a block and a name.
    pub(crate) fn find(&self, text: &[u8]) -> Found {
        let after = self.blocks.partition_point(|&at| self.rest(at as usize) <= text);
        let Some(&from) = self.blocks.get(after.saturating_sub(1)) else { return Found::default() };
        let mut found = Found::default();
        let (mut at, mut name, mut length) = (from as usize, [0; LONGEST], 0);
        while let Some(&shared) = self.names.get(at) {
            let rest = self.rest(at);
            let shared = usize::from(shared).min(length);
            length = (shared + rest.len()).min(LONGEST);
            name[shared..length].copy_from_slice(&rest[..length - shared]);
            at += 1 + rest.len();
            match name[..length].strip_prefix(text) {
                Some([]) => found.name = true,
                Some([b' ', ..]) => return Found { more: true, ..found },
                _ if &name[..length] > text => return found,
                _ => {}
            }
        }
        found
    }

    /// The bytes behind the shared part of the name at `at`.
    fn rest(&self, at: usize) -> &[u8] {
        let rest = self.names.get(at + 1..).unwrap_or(&[]);
        let end = rest.iter().position(|&byte| byte < SHORTEST).unwrap_or(rest.len());
        &rest[..end]
    }
}
