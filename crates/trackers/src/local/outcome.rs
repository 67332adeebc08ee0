//! Outcomes of a call that the documents failed.

use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;

use super::documents::DocumentsError;

/// A read that failed: nothing of the request was carried out.
pub(super) fn read_failed<T>(error: DocumentsError) -> Attempt<T> {
    tracing::warn!(%error, "the tracker cannot use its storage");
    let why = TrackerFault::Storage { why: error.to_string() };
    Attempt::NotApplied { why: why.into(), hint: None }
}

pub(super) fn write_failed<T>(error: DocumentsError) -> Attempt<T> {
    match error {
        DocumentsError::Unknown { why } => {
            tracing::warn!(why, "it is not known whether the tracker's documents were written");
            Attempt::Unknown { why: TrackerFault::StorageUnknown { why }.into() }
        }
        DocumentsError::Unavailable { .. } => read_failed(error),
    }
}
