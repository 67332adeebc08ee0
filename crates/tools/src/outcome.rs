//! Outcomes of a call that was refused.

use throughline_engine::data::call::CallOutcome;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::field_error::FieldError;

/// The longest answer that is taken, in bytes.
pub const MAX_RESULT: usize = 256 * 1024;

/// A refusal for good; the text is for people.
pub(crate) fn rejected(text: impl Into<String>) -> Attempt<CallOutcome> {
    Attempt::Rejected { text: text.into(), errors: Vec::new() }
}

/// A refusal that is about one argument, which may be asked for again.
pub(crate) fn wrong_argument(name: &str, text: String) -> Attempt<CallOutcome> {
    let error = FieldError::new(FieldError::ARGUMENT, name, text.clone());
    Attempt::Rejected { text, errors: vec![error] }
}
