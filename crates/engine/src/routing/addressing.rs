//! Rung 1: decides whether a message is for the engine to answer. Edits and deletions end here too.

use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::EventKind;
use crate::data::message::{Message, Role};
use crate::data::trace::Predicate;
use crate::memory::fact_intake as memory;
use crate::routing::answers;
use crate::summary;
use crate::tickets::drafting;
use crate::tickets::drafting::SourceEdit;
use crate::turn::Turn;
use crate::turn::routed_message::RungResult;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use throughline_language::Words;
use throughline_messages as say;

/// Passes on messages addressed to the engine; ignores or only stores the others. Adapters report facts
/// about addressing, and this function alone decides by them.
pub(crate) fn addressing(turn: &mut Turn<'_>) -> RungResult {
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
            if facts.to_us() {
                Passed(Predicate::ToUs)
            } else if facts.thread_ours || facts.not_to_us {
                turn.receive_message(posted);
                Decided(Decision::new(Verdict::Observed, Reason::ObservedOtherAddressee))
            } else {
                ignored(Reason::IgnoredNotAddressed)
            }
        }
        _ => Passed(Predicate::NotAMessage),
    }
}

/// Returns the person's message that is edited or deleted, if it is this event's to change: its author sent the
/// event, or the channel vouches that only the author can. `Err` is the decision about any other.
fn own_message(turn: &mut Turn<'_>) -> Result<Message, Decision> {
    let Some(message) = turn.given.anchor.clone().filter(|m| m.role == Role::User) else {
        return Err(Decision::new(Verdict::Ignored, Reason::IgnoredKind));
    };
    let theirs = !message.by.is_empty() && message.by == turn.event.actor;
    if theirs || turn.given.addressing.vouched {
        return Ok(message);
    }
    turn.tell(&say::help_not_your_message(turn.language()));
    Err(Decision::new(Verdict::Refused, Reason::MessageNotTheirs))
}

/// Applies an edit: it corrects the draft or question that the message led to, else only the stored
/// message.
fn edited(turn: &mut Turn<'_>, text: &str) -> Decision {
    let before = match own_message(turn) {
        Ok(message) => message,
        Err(decision) => return decision,
    };
    let text = turn.truncated(text);
    turn.rewrite(Message { text: text.into(), ..before.clone() });
    summary::reworded(turn, &before.id);
    memory::reworded(turn, &before, text);
    if Words::of(text).is_too_much() {
        turn.tell(&say::help_too_much(turn.language()));
        return Decision::new(Verdict::Recorded, Reason::MessageTooMuch);
    }
    match drafting::apply_source_edit(turn, &before, text) {
        Some(SourceEdit::Done(verdict)) => Decision::new(verdict, Reason::DraftRemade),
        Some(SourceEdit::AskAgain(about, question)) => {
            Decision::new(answers::ask_again(turn, about, question), Reason::DraftRemade)
        }
        None => Decision::new(Verdict::Recorded, Reason::MessageEdited),
    }
}

/// Applies a deletion: the text is removed from what is stored; an effect that was carried out stays.
fn deleted(turn: &mut Turn<'_>) -> Decision {
    let mut message = match own_message(turn) {
        Ok(message) => message,
        Err(decision) => return decision,
    };
    message.text.clear();
    message.files.clear();
    memory::reworded(turn, &message, "");
    let id = message.id.clone();
    turn.rewrite(message);
    summary::reworded(turn, &id);
    Decision::new(Verdict::Recorded, Reason::MessageDeleted)
}
