//! Rung 1: is this message ours to answer? Edits and deletions end here too.

use super::{
    Tried,
    Tried::{Decided, Passed},
};
use crate::decision::{Decision, Reason, Verdict};
use crate::event::EventKind;
use crate::lane::Role;
use crate::memory::{flow as memory, summary};
use crate::tickets::flow;
use crate::trace::Predicate;
use crate::turn::Turn;

/// Adapters report facts; this alone decides whether a message is ours to answer.
pub(crate) fn addressing(turn: &mut Turn<'_>) -> Tried {
    let ignored = |reason| Decided(Decision::new(Verdict::Ignored, reason));
    let facts = turn.given.addressing;
    let event = turn.event;
    if !matches!(
        event.kind,
        EventKind::MessagePosted(_) | EventKind::MessageEdited { .. } | EventKind::MessageDeleted { .. }
    ) {
        return Passed(Predicate::NotAMessage);
    }
    if facts.own || facts.bot {
        return ignored(Reason::IgnoredBot);
    }
    match &event.kind {
        EventKind::MessageEdited { metadata_only: true, .. } => ignored(Reason::IgnoredMetadataOnly),
        EventKind::MessageEdited { text, .. } => Decided(edited(turn, text)),
        EventKind::MessageDeleted { .. } => Decided(deleted(turn)),
        EventKind::MessagePosted(posted) => {
            if facts.direct || facts.mentioned || facts.reply_to_us || (facts.thread_ours && !facts.to_other)
            {
                Passed(Predicate::ToUs)
            } else if facts.thread_ours {
                turn.hear(posted);
                Decided(Decision::new(Verdict::Observed, Reason::ObservedOtherAddressee))
            } else {
                ignored(Reason::IgnoredNotAddressed)
            }
        }
        _ => Passed(Predicate::NotAMessage),
    }
}

/// An edit is a correction: of the draft the message started or filled, else of the stored message alone.
fn edited(turn: &mut Turn<'_>, text: &str) -> Decision {
    let Some(mut message) = turn.given.anchor.clone().filter(|m| m.role == Role::User) else {
        return Decision::new(Verdict::Ignored, Reason::IgnoredKind);
    };
    let before = message.clone();
    let text = turn.kept(text);
    message.text = text.into();
    turn.rewrite(message);
    summary::reworded(turn, &before.id);
    memory::reworded(turn, &before, text);
    match flow::reread(turn, &before, text) {
        Some(verdict) => Decision::new(verdict, Reason::DraftRemade),
        None => Decision::new(Verdict::Recorded, Reason::MessageEdited),
    }
}

/// A deletion removes the text from what is kept for later, never an effect already done.
fn deleted(turn: &mut Turn<'_>) -> Decision {
    let Some(mut message) = turn.given.anchor.clone().filter(|m| m.role == Role::User) else {
        return Decision::new(Verdict::Ignored, Reason::IgnoredKind);
    };
    message.text.clear();
    memory::reworded(turn, &message, "");
    let id = message.id.clone();
    turn.rewrite(message);
    summary::reworded(turn, &id);
    Decision::new(Verdict::Recorded, Reason::MessageDeleted)
}
