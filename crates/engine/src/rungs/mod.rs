//! The rungs of the routing order. Their order is `step.rs`; what each of them asks is here.

pub(crate) mod addressing;
pub(crate) mod event;
pub(crate) mod intent;
pub(crate) mod words;

use alloc::string::String;

use crate::decision::Decision;
use crate::focus::{FocusContext, FocusSource};
use crate::id::MessageId;
use crate::time::Timestamp;
use crate::trace::Predicate;
use crate::turn::{Said, Turn};

/// A rung either decides or says which predicate failed.
pub(crate) enum Tried {
    /// It decided.
    Decided(Decision),
    /// The predicate that failed.
    Passed(Predicate),
}

/// The message being routed; rung 4 put it there, and nothing below runs without.
pub(crate) fn said<'t>(turn: &'t Turn<'_>) -> &'t Said {
    const NOTHING: &Said = &Said {
        message: MessageId(String::new()),
        by: String::new(),
        text: String::new(),
        since: Timestamp(0),
    };
    turn.said.as_ref().unwrap_or(NOTHING)
}

pub(crate) fn focus<'t>(turn: &'t Turn<'_>) -> &'t FocusContext {
    const NOTHING: &FocusContext = &FocusContext { source: FocusSource::None, anchor: None, task: None };
    turn.focus.as_ref().unwrap_or(NOTHING)
}
