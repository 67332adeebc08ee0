//! What a scenario says of what a conversation was condensed to.

/// What stands for the older messages of the lane, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryExpect {
    /// What the summary says somewhere; `None` inside: there is none.
    pub text: Option<Option<String>>,
    /// How often it was replaced.
    pub version: Option<u32>,
    /// How many messages are covered.
    pub cursor: Option<u64>,
    /// How many are raw.
    pub raw: Option<usize>,
    /// What its tail's lines say somewhere, in order and all of them.
    pub tail: Option<Vec<String>>,
    /// Whether a model is being asked for it.
    pub asked: Option<bool>,
}
