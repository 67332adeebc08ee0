//! Edit distances of words, up to a bound.
//!
//! Not from `strsim`: it needs `std`, and fills a table for every pair of words. Most pairs here are far apart, and the
//! bound is one or two, so a comparison ends at the first letters that differ.

use crate::budget::count;

/// Returns the Levenshtein distance of two texts: insertions, deletions and changes of characters. `None` if it exceeds
/// `most`.
///
/// ```
/// use throughline_language::edits::{levenshtein, osa_distance};
/// assert_eq!((levenshtein("halp", "help", 2), osa_distance("halp", "help", 2)), (Some(1), Some(1)));
/// assert_eq!((levenshtein("tikcet", "ticket", 2), osa_distance("tikcet", "ticket", 2)), (Some(2), Some(1)));
/// assert_eq!((levenshtein("halt", "help", 1), osa_distance("halt", "help", 1)), (None, None));
/// ```
#[must_use]
pub fn levenshtein(one: &str, other: &str, most: usize) -> Option<usize> {
    distance(one, other, most, false)
}

/// Returns the optimal string alignment distance of two texts: as [`levenshtein`], and a swap of neighbours is one edit.
/// `None` if it exceeds `most`.
#[must_use]
pub fn osa_distance(one: &str, other: &str, most: usize) -> Option<usize> {
    distance(one, other, most, true)
}

fn distance(one: &str, other: &str, most: usize, swaps: bool) -> Option<usize> {
    let far = one.chars().count().abs_diff(other.chars().count()) > most;
    if far { None } else { apart(one, other, most, swaps) }
}

/// Computes the distance by trying each edit where the texts first differ. A common beginning costs nothing, and `most`
/// is small, so this needs no table.
fn apart(one: &str, other: &str, most: usize, swaps: bool) -> Option<usize> {
    count(1);
    let (mut a, mut b) = (one.chars(), other.chars());
    let (one, other, first, second) = loop {
        let (one, other) = (a.as_str(), b.as_str());
        match (a.next(), b.next()) {
            (None, None) => return Some(0),
            (first, second) if first != second => break (one, other, first, second),
            _ => {}
        }
    };
    let left = most.checked_sub(1)?;
    let (without, lacking) = (a.as_str(), b.as_str());
    let swapped = swaps && first.is_some() && a.next() == second && second.is_some() && b.next() == first;
    let ways = [
        first.and_then(|_| apart(without, other, left, swaps)),
        second.and_then(|_| apart(one, lacking, left, swaps)),
        first.and(second).and_then(|_| apart(without, lacking, left, swaps)),
        swapped.then(|| apart(a.as_str(), b.as_str(), left, swaps)).flatten(),
    ];
    ways.into_iter().flatten().min().map(|least| least + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (one, other, most, expected) in [
            ("sedond", "second", 1, Some(1)),
            ("thrid", "third", 1, Some(1)),
            ("summary14", "summary144", 2, Some(1)),
            ("summary14", "summary155", 2, Some(2)),
            ("abc", "abd", 0, None),
            ("", "ab", 2, Some(2)),
            ("same", "same", 1, Some(0)),
            ("kitten", "sitting", 2, None),
        ] {
            assert_eq!(osa_distance(one, other, most), expected, "{one} {other}");
        }
    }

    proptest::proptest! {
        #[test]
        fn distances_are_those_of_strsim(one in "[abé]{0,7}", other in "[abé]{0,7}", most in 0usize..4) {
            let bounded = |far: usize| (far <= most).then_some(far);
            let (osa, plain) = (strsim::osa_distance(&one, &other), strsim::levenshtein(&one, &other));
            proptest::prop_assert_eq!(osa_distance(&one, &other, most), bounded(osa));
            proptest::prop_assert_eq!(levenshtein(&one, &other, most), bounded(plain));
        }
    }
}
