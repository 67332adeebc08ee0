//! Requests to erase a person or a lane.

use alloc::string::String;
use serde::{Deserialize, Serialize};

/// Text that replaces erased words.
pub const ERASED: &str = "[erased]";

/// Scope of an erasure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum ErasureScope {
    /// One person: their messages, and everything derived from them.
    Person {
        /// User id of the channel.
        id: String,
    },
    /// Everything in the lane.
    Lane,
}
