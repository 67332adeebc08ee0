//! Ticket drafts: how one is written, completed, previewed, approved and created in a tracker.
//!
//! Design: docs/design/0020-ticket-drafts-and-batches.md and
//! docs/design/0009-one-way-from-preview-to-receipt.md.

pub(crate) mod adopt;
pub(crate) mod after_receipt;
pub(crate) mod batch;
mod capability;
mod card;
pub(crate) mod drafting;
mod edit;
mod edit_words;
mod erase;
mod extract;
mod field_value;
pub(crate) mod files;
pub(crate) mod gaps;
mod issue_change;
pub(crate) mod issue_report;
mod labels;
pub(crate) mod link;
pub(crate) mod preview_words;
mod project;
pub(crate) mod qualifiers;
pub(crate) mod release;
mod released;
pub(crate) mod revision;
pub(crate) mod subject;
mod told;
mod type_words;
pub(crate) mod undo;
mod vocabulary;

pub(crate) use crate::tickets::capability::Tickets;
pub use crate::tickets::extract::{extract, fill};
pub(crate) use crate::tickets::subject::subject;

use crate::data::message::Message;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::authors::Authors;
use crate::data::id::MessageId;
use crate::data::ticket::Draft;
use crate::turn::Turn;

/// Material for a draft beyond the message that asks for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct DraftSources {
    /// Texts a model reads next to that message, for example a review's artifact.
    pub(crate) texts: Vec<String>,
    /// The messages those texts come from.
    pub(crate) messages: Vec<MessageId>,
    /// The people whose words the texts are; nobody if they are the asker's own.
    pub(crate) authors: Authors,
}

impl Draft {
    /// Adds a link to `message` to the draft's evidence: the message's own link if its channel has message
    /// links, else the lane's link. The files that came with it are listed too. What is listed already is not added again.
    fn said_at(&mut self, turn: &Turn<'_>, message: &MessageId) {
        let own = turn.get::<Message>(message).and_then(|message| message.link.as_ref());
        if let Some(link) = own.or(turn.given.here.as_ref()) {
            self.cite(link);
        }
        self.cite_files(turn, message);
    }

    /// Adds the files that came with `message` to the draft's evidence, as far as they have an address.
    fn cite_files(&mut self, turn: &Turn<'_>, message: &MessageId) {
        let lines = files::that_came_with(turn, message, self).into_iter().filter_map(|file| file.evidence());
        lines.for_each(|line| self.cite(&line));
    }
}

/// Returns the people who wrote these messages, as far as the lane knows them. Our own messages have no author.
fn authors_of<'m>(turn: &Turn<'_>, messages: impl IntoIterator<Item = &'m MessageId>) -> Authors {
    let mut authors = Authors::default();
    messages.into_iter().for_each(|message| authors.add(turn.author_of(message)));
    authors
}
