//! Files of messages as evidence of a ticket (`docs/design/0094-files-as-evidence.md`).

use alloc::vec::Vec;

use crate::data::attachment::Attachment;
use crate::data::event::MessagePosted;
use crate::data::id::MessageId;
use crate::data::message::{Message, Role};
use crate::data::ticket::{Draft, Part};
use crate::messages;
use crate::tickets::drafting::{again, open_draft};
use crate::turn::Turn;
use throughline_language::{self as language, Words};

/// Returns the files that `draft` has from a message: those that came with it, and before them those that its author posted
/// alone right before it, whatever others said in between. Alone, a file that another request has is of that one.
pub(super) fn that_came_with(turn: &Turn<'_>, message: &MessageId, draft: &Draft) -> Vec<Attachment> {
    let replied_to = || turn.given.anchor.as_ref().filter(|anchor| anchor.id == *message);
    let Some(own) = turn.get::<Message>(message).or_else(replied_to) else { return Vec::new() };
    let earlier = turn.head.window.texts().rev().skip_while(|id| *id != message.as_str()).skip(1);
    let earlier = earlier.map_while(|id| turn.get::<Message>(&MessageId::from(id)));
    let alone = earlier
        .filter(|earlier| earlier.role == Role::User && earlier.by == own.by)
        .take_while(|earlier| only_shows_files(turn, earlier));
    let mut alone: Vec<&Message> = alone.collect();
    alone.reverse();
    let alone =
        alone.into_iter().flat_map(|message| &message.files).filter(|file| !has_another(turn, draft, file));
    alone.chain(&own.files).cloned().collect()
}

fn only_shows_files(turn: &Turn<'_>, message: &Message) -> bool {
    !message.files.is_empty()
        && (message.text == messages::files(&message.files)
            || language::only_shows_files(&Words::new(&message.text, turn.languages())))
}

/// True if a draft that another message asked for has the file already.
fn has_another(turn: &Turn<'_>, draft: &Draft, file: &Attachment) -> bool {
    let others = || turn.all::<Draft>().filter(|other| other.source != draft.source);
    file.url.as_deref().is_some_and(|url| others().any(|other| other.part(Part::Evidence).contains(url)))
}

/// Adds the files of a message that only shows them to the draft that its author has open; of several, to that whose part
/// was asked for last. Returns false if there is none, or if no file has an address.
pub(crate) fn add_to_draft(turn: &mut Turn<'_>) -> bool {
    let Some(mut draft) = the_open_draft(turn) else { return false };
    let before = draft.part(Part::Evidence).len();
    draft.cite_files(turn, &turn.source());
    let added = draft.part(Part::Evidence).len() > before;
    if added {
        again(turn, draft);
    }
    added
}

fn the_open_draft(turn: &Turn<'_>) -> Option<Draft> {
    let by = turn.author();
    let open: Vec<&Draft> =
        turn.all().filter(|draft: &&Draft| draft.by == by && open_draft(turn, &draft.id).is_some()).collect();
    let asked = turn.conversational().and_then(|pending| pending.kind.draft());
    let draft = match open[..] {
        [only] => Some(only),
        _ => open.into_iter().find(|draft| Some(&draft.id) == asked),
    };
    draft.cloned()
}

/// Returns true if every file of a message is evidence of a draft that this turn wrote.
pub(crate) fn are_evidence(turn: &Turn<'_>, posted: &MessagePosted) -> bool {
    let drafts: Vec<&Draft> = turn.written().collect();
    posted.files.iter().all(|file| {
        let url = file.url.as_deref();
        url.is_some_and(|url| drafts.iter().any(|draft| draft.part(Part::Evidence).contains(url)))
    })
}
