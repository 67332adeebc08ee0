//! Rung 8: feedback on the active review (`spec 03 §4`). Only what the focus is on, and only what asks for nothing else.

use super::{
    Tried,
    Tried::{Decided, Passed},
    focus, said,
};
use crate::decision::Reason;
use crate::intent::handover::handover;
use crate::intent::rules;
use crate::recognize;
use crate::review::{Ended, flow};
use crate::rungs::words::context;
use crate::trace::Predicate;
use crate::turn::{Said, Turn};

/// The message belongs to the active review: it completes it, or is answered with a patch.
pub(crate) fn active_review(turn: &mut Turn<'_>) -> Tried {
    let Some(mut review) = flow::current(turn).filter(crate::review::Review::active) else {
        return Passed(Predicate::NoReview);
    };
    if focus(turn).task.as_ref() != Some(&review.task) {
        return Passed(Predicate::ReviewNotFocus);
    }
    if !review.awaited(turn.now(), turn.policy) {
        // Its timer is late: the review was over before this message came.
        flow::freeze(turn, &mut review, Ended::Idle);
        turn.note(Reason::ReviewIdle);
        return Passed(Predicate::ReviewOver);
    }
    let said = said(turn);
    if asks_else(turn, &said) {
        return Passed(Predicate::OtherIntent);
    }
    turn.belongs_to(&review.task);
    if recognize::acknowledgement(&said.words, &context(turn)) {
        return Decided(flow::completed(turn, review));
    }
    Decided(flow::feedback(turn, &review, said.text()))
}

/// The message says explicitly what else it wants: a ticket, another review, help, work by somebody else.
fn asks_else(turn: &Turn<'_>, said: &Said) -> bool {
    rules::rule(&said.words).is_some() || handover(&said.words, turn.policy).is_some()
}
