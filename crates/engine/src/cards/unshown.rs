//! Cards that a channel does not take: a text says in their place what waits and where to decide it. A request that can be
//! shown in neither way expires, so that none waits unseen (`docs/design/0047-effects-ready-before-marked.md`).

use alloc::vec::Vec;

use crate::cards::decide::close;
use crate::data::approval::CloseReason;
use crate::data::card::{Card, CardStatus, ToldInWords};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::event::Unshown;
use crate::data::message::{Message, MessageKind};
use crate::messages;
use crate::turn::Turn;

/// Takes in that a message was not shown and will not be tried again. `None` if it belongs to no card.
pub(crate) fn unshown(turn: &mut Turn<'_>, unshown: &Unshown) -> Option<Decision> {
    let card = turn.get::<Message>(&unshown.message)?.card.clone()?;
    let card = turn.get::<Card>(&card)?.clone();
    if card.message == unshown.message {
        return tell_in_words(turn, card, unshown.seen);
    }
    let unseen = card.told.as_ref().is_some_and(|told| told.version == card.version && !told.seen);
    (card.is_open() && card.is_approval() && unseen).then(|| {
        expire(turn, &card);
        Decision::new(Verdict::Recorded, Reason::CardUnreachable)
    })
}

/// Posts a text in the place of a card, once for each of its versions.
fn tell_in_words(turn: &mut Turn<'_>, mut card: Card, seen: bool) -> Option<Decision> {
    if card.told.as_ref().is_some_and(|told| told.version == card.version) {
        return None;
    }
    let (title, task) = (turn.model(&card).title, turn.task_of(&card));
    let text = messages::card::unshown(turn.language(), &title, card.awaits_press(), turn.policy);
    let message = turn.our_message("", MessageKind::Notification, task.as_ref(), Some(&card.id), &text);
    turn.effect(EffectBody::Reply { message, text, offers: Vec::new() }, &[], None);
    card.told = Some(ToldInWords { version: card.version, seen });
    turn.put(card);
    Some(Decision::new(Verdict::Answered, Reason::CardUnshown))
}

/// Expires an open card that nobody decided.
pub(crate) fn expire(turn: &mut Turn<'_>, card: &Card) {
    close(turn, card.clone(), CardStatus::Expired, CloseReason::Expired);
    turn.capabilities.of(card).lapsed(turn, card);
}
