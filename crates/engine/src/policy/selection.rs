//! The numbers of selection continuity (`spec 04 §5`). One rule for every lifetime: it is over when the counter, or the
//! clock, exceeds it; "2 turns" is usable in the next two.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::time::{Millis, Timestamp};

/// Selection continuity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// Whether texts are read against lists at all. Presses and the answers of questions work without.
    pub enabled: bool,
    /// Command phrases of the host, which are never options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<HostCommand>,
    /// Options that are shown at once; the rest is under *more*.
    pub max_shown: usize,
    /// Lists one person has in one lane, put aside or not.
    pub max_sets: usize,
    /// Unresolved texts in a row before a list is put aside.
    pub max_attempts: u8,
    /// Entries of the trace, of accepted and of rejected options.
    pub trace: usize,
    /// Whether a model may say that a text is not about these options.
    pub release_on_none: bool,
    /// Lifetimes.
    pub ttl: Ttl,
}

/// A phrase that is a command of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCommand {
    /// "open recent".
    pub phrase: String,
    /// What it is about, when an option may be the same thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// Lifetimes, in counting turns where nothing else is said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ttl {
    /// A list in the chat.
    pub active_chat: u64,
    /// The same, in milliseconds.
    pub active_chat_ms: Millis,
    /// A host's list that nobody closed, in milliseconds.
    pub active_host_ms: Millis,
    /// Places and references on a host's list, since it was shown, focused or latched.
    pub positional: u64,
    /// A list one option of which was just executed.
    pub soft: u64,
    /// A list that was put aside.
    pub parked: u64,
    /// The same, in milliseconds.
    pub parked_ms: Millis,
    /// Exact names of a list that another request put aside.
    pub implicit_return: u64,
    /// "That".
    pub reference: u64,
    /// The same, in milliseconds.
    pub reference_ms: Millis,
    /// "Not that".
    pub repair: u64,
    /// The panel that was acted on.
    pub latch: u64,
    /// One that was only just opened.
    pub latch_pending: u64,
    /// The question where an option is.
    pub scope_question: u64,
    /// A second "stop".
    pub stop_suppression: u64,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            enabled: false,
            commands: Vec::new(),
            max_shown: 8,
            max_sets: 8,
            max_attempts: 3,
            trace: 5,
            release_on_none: true,
            ttl: Ttl::default(),
        }
    }
}

impl Default for Ttl {
    fn default() -> Self {
        Self {
            active_chat: 5,
            active_chat_ms: 30 * Timestamp::MINUTE,
            active_host_ms: Timestamp::DAY,
            positional: 5,
            soft: 2,
            parked: 10,
            parked_ms: 30 * Timestamp::MINUTE,
            implicit_return: 1,
            reference: 3,
            reference_ms: 10 * Timestamp::MINUTE,
            repair: 2,
            latch: 5,
            latch_pending: 2,
            scope_question: 1,
            stop_suppression: 2,
        }
    }
}
