//! Rung 8: feedback on the active review, if the focus is on that review or the message is about what it is about, and asks
//! for nothing else (`docs/design/0018-reviews.md`).

use alloc::rc::Rc;

use crate::data::card::Card;
use crate::data::decision::Reason;
use crate::data::review::{Review, ReviewEnding};
use crate::data::shown_at::ShownAt;
use crate::data::trace::Predicate;
use crate::intent::delegation::delegation;
use crate::review::{lifecycle, topic};
use crate::routing::gate::is_addressed;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::routed_message::context;
use crate::turn::routed_message::{RungResult, focus};
use crate::turn::{RoutedMessage, Turn};
use throughline_language as language;

/// Completes the active review, or answers the message with a patch.
pub(crate) fn active_review(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    let Some(mut review) = lifecycle::current(turn).filter(Review::is_active) else {
        return Passed(Predicate::NoReview);
    };
    let about = topic::is_about(&review, &said.words);
    // After an aside the review is still reached by what it is about.
    let back = about && !focus(turn).replies() && is_addressed(turn, said);
    if focus(turn).task.as_ref() != Some(&review.task) && !back {
        return Passed(Predicate::ReviewNotFocus);
    }
    if !review.awaits_feedback(turn.now(), turn.policy) {
        // The timer is late: the review had ended before this message came.
        lifecycle::freeze(turn, &mut review, ReviewEnding::Idle);
        turn.note(Reason::ReviewIdle);
        return Passed(Predicate::ReviewOver);
    }
    let thanks = language::is_acknowledgement(&said.words, &context(turn));
    let is_aside = !thanks && !about && !focus(turn).replies() && topic::is_aside(&said.words);
    if is_aside || asks_else(turn, said) {
        return Passed(Predicate::OtherIntent);
    }
    turn.belongs_to(&review.task);
    if thanks {
        return Decided(lifecycle::completed(turn, review));
    }
    Decided(lifecycle::feedback(turn, &review, said.text()))
}

/// True if the review in focus takes feedback and was shown later, so that plain words are sooner about it.
pub(crate) fn is_newer(turn: &Turn<'_>, than: &ShownAt) -> bool {
    let review = lifecycle::current(turn).filter(Review::is_active);
    let review = review.filter(|review| focus(turn).task.as_ref() == Some(&review.task));
    let card = review.and_then(|review| turn.get::<Card>(&review.card).cloned());
    card.is_some_and(|card| ShownAt::by_message(&card.message, card.created_at).is_after(than))
}

/// True if the message explicitly asks for something else: a ticket, another review, help, or work by
/// somebody.
fn asks_else(turn: &Turn<'_>, said: &RoutedMessage) -> bool {
    said.rule().is_some() || delegation(&said.words, turn.policy).is_some()
}
