//! The rungs of the routing order. Their order is `step.rs`; what each of them asks is here.

pub(crate) mod addressing;
pub(crate) mod event;
pub(crate) mod intent;
pub(crate) mod review;
pub(crate) mod words;

use alloc::rc::Rc;
use alloc::string::String;

use crate::decision::Decision;
use crate::focus::FocusContext;
use crate::id::MessageId;
use crate::recognize::Words;
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
pub(crate) fn said(turn: &Turn<'_>) -> Rc<Said> {
    let nothing = || Said {
        message: MessageId::from(""),
        by: String::new(),
        words: Words::default(),
        since: Timestamp(0),
    };
    turn.said.clone().unwrap_or_else(|| Rc::new(nothing()))
}

pub(crate) fn focus<'t>(turn: &'t Turn<'_>) -> &'t FocusContext {
    const NOTHING: &FocusContext = &FocusContext::NOTHING;
    turn.focus.as_ref().unwrap_or(NOTHING)
}
