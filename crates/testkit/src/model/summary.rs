//! The expected summary of a conversation.

/// The summary of a lane's older messages; fields that are `None` are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryExpect {
    /// Part of the summary's text; `Some(None)` if there must be no summary.
    pub text: Option<Option<String>>,
    /// The number of times it was replaced.
    pub version: Option<u32>,
    /// The number of messages it covers.
    pub cursor: Option<u64>,
    /// The number of messages kept in full.
    pub raw: Option<usize>,
    /// Parts of the tail's lines, all of them and in order.
    pub tail: Option<Vec<String>>,
    /// True if a model is being asked for a summary.
    pub asked: Option<bool>,
}
