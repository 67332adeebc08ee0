//! Outcomes of a call that the tracker refused or that its documents failed.

use throughline_engine::data::effect::Attempt;
use throughline_engine::data::field_error::FieldError;

use super::documents::DocumentsError;

pub(super) fn rejected<T>(errors: Vec<FieldError>) -> Attempt<T> {
    let text = errors.iter().map(|error| error.text.as_str()).collect::<Vec<_>>().join("; ");
    Attempt::Rejected { text, errors }
}

/// A read that failed: nothing of the request was carried out.
pub(super) fn read_failed<T>(error: DocumentsError) -> Attempt<T> {
    Attempt::NotApplied { why: error.to_string(), hint: None }
}

pub(super) fn write_failed<T>(error: DocumentsError) -> Attempt<T> {
    match error {
        DocumentsError::Unknown { .. } => Attempt::Unknown { why: error.to_string() },
        DocumentsError::Unavailable { .. } => read_failed(error),
    }
}
