//! Patches: the points that feedback adds to a review, in four sections.

use alloc::collections::BTreeSet;
use alloc::string::String;

use crate::data::policy::Policy;
use crate::data::review::{Points, Review, ReviewSection};
use crate::review::extract;
use crate::review::extract::folded;

/// Reads the points from feedback without a model, leaving out those the review already has.
pub(super) fn stated(review: &Review, feedback: &str, policy: &Policy) -> Points {
    new(review, extract::points(&extract::sentences(feedback, policy)))
}

/// Removes points that are empty, repeated, or already in the review.
pub(super) fn new(review: &Review, mut points: Points) -> Points {
    let known = review.merged();
    for section in ReviewSection::ALL {
        let mut held: BTreeSet<String> = known.of(section).iter().map(|point| folded(point)).collect();
        points.list(section).retain(|point| !point.trim().is_empty() && held.insert(folded(point)));
    }
    points
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    use super::*;
    use crate::data::review::shown;

    fn points(counts: [usize; 4]) -> Points {
        let mut points = Points::default();
        for (section, count) in ReviewSection::ALL.into_iter().zip(counts) {
            *points.list(section) = (0..count).map(|n| n.to_string()).collect();
        }
        points
    }

    #[test]
    fn the_last_section_gives_way_first() {
        let counts = |points: &Points| ReviewSection::ALL.map(|section| points.of(section).len());
        for (has, shows, more) in [
            ([3, 3, 3, 11], [3, 3, 3, 3], 8),
            ([3, 3, 12, 2], [3, 3, 6, 0], 8),
            ([20, 0, 0, 0], [12, 0, 0, 0], 8),
            ([1, 0, 2, 0], [1, 0, 2, 0], 0),
        ] {
            let (seen, left) = shown(&points(has), 12);
            assert_eq!((counts(&seen), left), (shows, more), "{has:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_a_beginning(counts in prop::array::uniform4(0..30usize), most in 0..20usize) {
            let all = points(counts);
            let (seen, left) = shown(&all, most);
            prop_assert_eq!(seen.len() + left, all.len());
            prop_assert!(seen.len() <= most);
            let mut cut = Vec::new();
            for section in ReviewSection::ALL {
                prop_assert!(all.of(section).starts_with(seen.of(section)));
                cut.push(seen.of(section).len() < all.of(section).len());
            }
            // A section is cut only if every later one is empty.
            prop_assert!(cut.iter().zip(ReviewSection::ALL.into_iter().skip(1)).all(|(cut, next)| !cut || seen.of(next).is_empty()));
        }
    }
}
