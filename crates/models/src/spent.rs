//! Cost of one ask, told beside its answer: for counters and spans, which hold no content.

use std::sync::{Mutex, PoisonError};

/// A call that a vendor answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentCall {
    /// The vendor's wire format.
    pub provider: &'static str,
    /// The model's name there.
    pub model: String,
    /// Tokens sent.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
}

/// The place where a model notes its call. It stays empty if no vendor was asked or none answered.
#[derive(Debug, Default)]
pub struct Spent(Mutex<Option<SpentCall>>);

impl Spent {
    pub(crate) fn note(&self, call: SpentCall) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }

    /// Returns the call that was noted.
    #[must_use]
    pub fn call(&self) -> Option<SpentCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
