//! The one error of the loop.

use throughline_store::StoreError;

use crate::Crash;

/// The loop stopped in the middle of something. Nothing durable is lost: the next run goes on from the store.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The store failed or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A fail point stopped the run.
    #[error(transparent)]
    Crash(#[from] Crash),
    /// A stored value cannot be read: a newer version wrote it, or it is damaged.
    #[error("cannot read {what}: {why}")]
    Unreadable {
        /// The kind of value, with its article: "a lane record".
        what: String,
        /// The decoder's reason.
        why: String,
    },
}

impl RuntimeError {
    pub(crate) fn unreadable(what: &str, why: &str) -> Self {
        Self::Unreadable { what: what.into(), why: why.into() }
    }
}
