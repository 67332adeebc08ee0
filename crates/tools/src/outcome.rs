//! Outcomes of a call that was refused, or that could not begin.

use throughline_engine::data::call::CallOutcome;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, FieldFault};
use throughline_engine::data::field_error::FieldError;

/// The longest answer that is taken, in bytes.
pub const MAX_RESULT: usize = 256 * 1024;

/// Reason why a call does not begin. Nothing of it was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum NoPlace {
    /// As many calls are under way as its server is sent at once. Waiting for them is no failure.
    Busy,
    /// Outcome of the call, which is known without sending it.
    Known(Attempt<CallOutcome>),
}

impl From<Attempt<CallOutcome>> for NoPlace {
    fn from(known: Attempt<CallOutcome>) -> Self {
        Self::Known(known)
    }
}

/// A refusal for good.
pub(crate) fn rejected(fault: impl Into<Fault>) -> Attempt<CallOutcome> {
    Attempt::Rejected { text: fault.into(), errors: Vec::new() }
}

/// A refusal that is about one argument, which may be asked for again.
pub(crate) fn wrong_argument(name: &str, text: Fault) -> Attempt<CallOutcome> {
    let error = FieldFault::new(FieldError::ARGUMENT, name, text.clone());
    Attempt::Rejected { text, errors: vec![error] }
}
