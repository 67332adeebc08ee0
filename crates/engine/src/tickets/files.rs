//! Files of messages as evidence of a ticket (`docs/design/0094-files-as-evidence.md`).

use alloc::vec::Vec;

use crate::data::attachment::Attachment;
use crate::data::event::MessagePosted;
use crate::data::id::MessageId;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::ticket::{Draft, Part};
use crate::messages;
use crate::tickets::drafting::{again, open_draft};
use crate::turn::Turn;

/// Returns the files that came with a message, and before them those that its author posted alone right before it.
pub(super) fn that_came_with(turn: &Turn<'_>, message: &MessageId) -> Vec<Attachment> {
    let replied_to = || turn.given.anchor.as_ref().filter(|anchor| anchor.id == *message);
    let Some(own) = turn.get::<Message>(message).or_else(replied_to) else { return Vec::new() };
    let earlier = turn.head.window.texts().rev().skip_while(|id| *id != message.as_str()).skip(1);
    let earlier = earlier.map_while(|id| turn.get::<Message>(&MessageId::from(id)));
    // What is told about a file stands between it and the words that follow.
    let alone = earlier
        .filter(|earlier| earlier.kind != Some(MessageKind::Notification))
        .take_while(|earlier| earlier.role == Role::User && earlier.by == own.by && is_files_alone(earlier));
    let mut with: Vec<&Message> = alone.collect();
    with.reverse();
    with.push(own);
    with.into_iter().flat_map(|message| message.files.iter().cloned()).collect()
}

fn is_files_alone(message: &Message) -> bool {
    !message.files.is_empty() && message.text == messages::files(&message.files)
}

/// Adds the files of a message without words to the one draft that its author has open. Returns false if they have none or
/// several, or if no file has an address.
pub(crate) fn add_to_draft(turn: &mut Turn<'_>) -> bool {
    let by = turn.author();
    let is_open = |draft: &&Draft| draft.by == by && open_draft(turn, &draft.id).is_some();
    let mut open: Vec<Draft> = turn.all().filter(is_open).cloned().collect();
    let Some(mut draft) = open.pop().filter(|_| open.is_empty()) else { return false };
    let before = draft.part(Part::Evidence).len();
    draft.cite_files(turn, &turn.source());
    let added = draft.part(Part::Evidence).len() > before;
    if added {
        again(turn, draft);
    }
    added
}

/// Returns true if every file of a message is evidence of a draft that this turn wrote.
pub(crate) fn are_evidence(turn: &Turn<'_>, posted: &MessagePosted) -> bool {
    let drafts: Vec<&Draft> = turn.written().collect();
    posted.files.iter().all(|file| {
        let url = file.url.as_deref();
        url.is_some_and(|url| drafts.iter().any(|draft| draft.part(Part::Evidence).contains(url)))
    })
}
