//! The lane's summary as a prompt shows it.

use crate::turn::Turn;
use alloc::string::String;
use alloc::vec::Vec;

/// The summary, and the lines of its tail from the oldest.
pub(crate) fn summary_section(turn: &Turn<'_>) -> (Option<String>, Vec<String>) {
    let covered = turn.head.covered.as_deref();
    covered.map(|covered| (covered.summary.clone(), covered.tail.clone())).unwrap_or_default()
}
