//! State of a part of a draft: written, left open on purpose, or a gap.

/// State of a part that an item type asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState<'d> {
    /// It has a text.
    Written(&'d str),
    /// Somebody said that it stays empty: "no acceptance criteria", "skip".
    LeftOpen {
        /// The person who said so.
        by: &'d str,
    },
    /// Nobody has said anything about it.
    Gap,
}
