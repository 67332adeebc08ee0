//! Outcomes of a call that was refused.

use throughline_engine::data::call::CallOutcome;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, FieldFault};
use throughline_engine::data::field_error::FieldError;

/// The longest answer that is taken, in bytes.
pub const MAX_RESULT: usize = 256 * 1024;

/// A refusal for good.
pub(crate) fn rejected(fault: impl Into<Fault>) -> Attempt<CallOutcome> {
    Attempt::Rejected { text: fault.into(), errors: Vec::new() }
}

/// A refusal that is about one argument, which may be asked for again.
pub(crate) fn wrong_argument(name: &str, text: Fault) -> Attempt<CallOutcome> {
    let error = FieldFault::new(FieldError::ARGUMENT, name, text.clone());
    Attempt::Rejected { text, errors: vec![error] }
}
