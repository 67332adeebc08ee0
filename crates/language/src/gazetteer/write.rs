//! Writes sorted names as `front.rs` reads them. Runs when the crate is built.

use alloc::vec::Vec;

use super::front::{LONGEST, SHORTEST};

/// Names in a block: more is smaller and slower.
const BLOCK: usize = 16;

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

#[cfg(test)]
mod tests {
    use super::super::front::{Found, Front};
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
