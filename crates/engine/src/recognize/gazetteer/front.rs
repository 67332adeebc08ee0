//! Sorted names, each written as what it shares with the one before it and the rest: a third less than the names.
//!
//! A name is a byte below [`SHORTEST`] that says how many bytes it shares, and the bytes that follow; no name holds such
//! a byte. Every [`BLOCK`]th one shares nothing, and its place is known: the search begins there. Used by the build
//! script, which writes, and by the engine, which only reads.

use alloc::vec::Vec;

/// Names in a block: more is smaller and slower.
const BLOCK: usize = 16;
/// The first byte that may stand in a name, a space.
const SHORTEST: u8 = b' ';
/// No name is longer, in bytes; the build says so when one is.
pub(crate) const LONGEST: usize = 64;

/// The names.
#[derive(Debug)]
pub(crate) struct Front<'n> {
    /// One after the other.
    pub(crate) names: &'n [u8],
    /// Where each block begins.
    pub(crate) blocks: &'n [u32],
}

/// What a list of names knows of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// It is a name.
    pub(crate) name: bool,
    /// A name begins with it and a space.
    pub(crate) more: bool,
}

/// Writes sorted names; says which one cannot be written.
pub(crate) fn write<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<(Vec<u8>, Vec<u32>), &'n str> {
    let (mut out, mut blocks, mut before) = (Vec::new(), Vec::new(), "");
    for (i, name) in names.into_iter().enumerate() {
        let long = name.is_empty() || name.len() > LONGEST || name.bytes().any(|byte| byte < SHORTEST);
        if long || (i > 0 && before >= name) {
            return Err(name);
        }
        let alike = before.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        let shared = if i % BLOCK == 0 { 0 } else { alike.min(usize::from(SHORTEST) - 1) };
        if i % BLOCK == 0 {
            blocks.push(u32::try_from(out.len()).map_err(|_| name)?);
        }
        out.push(shared as u8);
        out.extend_from_slice(&name.as_bytes()[shared..]);
        before = name;
    }
    Ok((out, blocks))
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

    /// What follows the shared part of the name that stands there.
    fn rest(&self, at: usize) -> &[u8] {
        let rest = self.names.get(at + 1..).unwrap_or(&[]);
        let end = rest.iter().position(|&byte| byte < SHORTEST).unwrap_or(rest.len());
        &rest[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::string::String;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_found_and_nothing_else(
            names in prop::collection::btree_set("[a-cä]{1,3}( [a-cä]{1,3}){0,3}", 0..120),
            texts in prop::collection::vec("[a-cä ]{0,9}", 0..40),
        ) {
            let (written, blocks) = write(names.iter().map(String::as_str)).unwrap();
            let front = Front { names: &written, blocks: &blocks };
            for text in texts.iter().chain(&names) {
                let with_space = alloc::format!("{text} ");
                let expected = Found {
                    name: names.contains(text),
                    more: names.iter().any(|name| name.starts_with(&with_space)),
                };
                prop_assert_eq!(front.find(text.as_bytes()), expected, "{:?}", text);
            }
        }
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let long = "x".repeat(LONGEST + 1);
        for names in [["b", "a"], ["a", "a"], ["", "a"], ["a", "b\u{1}"], ["a", long.as_str()]] {
            assert!(write(names).is_err(), "{names:?}");
        }
        assert_eq!(write(BTreeSet::new()), Ok(Default::default()));
    }
}
