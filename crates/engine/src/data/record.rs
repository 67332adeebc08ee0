//! The keyed records of a lane, and the changes a turn makes to them.

use crate::data::batch::Batch;
use crate::data::card::Card;
use crate::data::event::Event;
use crate::data::fact::Fact;
use crate::data::message::Message;
use crate::data::option_set::OptionSet;
use crate::data::proposal::Proposal;
use crate::data::record_key::{RecordKey, RecordKind};
use crate::data::review::Review;
use crate::data::task::Task;
use crate::data::ticket::Draft;
use crate::data::view::View;
use alloc::boxed::Box;
use serde::{Deserialize, Serialize};

/// A keyed part of the lane's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Record {
    /// A message.
    Message(Message),
    /// A task.
    Task(Task),
    /// The text of a ticket that is not created yet.
    Draft(Draft),
    /// A card with buttons.
    Card(Card),
    /// An event kept until a model's answer lets routing go on with it.
    Held(Event),
    /// A review.
    Review(Review),
    /// Several tickets that are shown and approved together.
    Batch(Batch),
    /// A decision that people record.
    #[serde(rename = "decision")]
    Proposal(Proposal),
    /// A list of options that people were shown.
    OptionSet(OptionSet),
    /// A person's state of their lists. The one with an empty user is the template that a new person starts
    /// from.
    View(Box<View>),
    /// A fact of this lane.
    Fact(Box<Fact>),
}

impl Record {
    /// Returns the record's key.
    #[must_use]
    pub fn key(&self) -> RecordKey {
        RecordKey { kind: self.kind(), key: self.id().into() }
    }

    pub(crate) fn kind(&self) -> RecordKind {
        match self {
            Self::Message(_) => RecordKind::Message,
            Self::Task(_) => RecordKind::Task,
            Self::Draft(_) => RecordKind::Draft,
            Self::Card(_) => RecordKind::Card,
            Self::Held(_) => RecordKind::Held,
            Self::Review(_) => RecordKind::Review,
            Self::Batch(_) => RecordKind::Batch,
            Self::Proposal(_) => RecordKind::Proposal,
            Self::OptionSet(_) => RecordKind::OptionSet,
            Self::View(_) => RecordKind::View,
            Self::Fact(_) => RecordKind::Fact,
        }
    }

    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Message(message) => &message.id.0,
            Self::Task(task) => &task.id.0,
            Self::Draft(draft) => &draft.id.0,
            Self::Card(card) => &card.id.0,
            Self::Held(event) => &event.id,
            Self::Review(review) => &review.id.0,
            Self::Batch(batch) => &batch.id.0,
            Self::Proposal(proposal) => &proposal.id.0,
            Self::OptionSet(set) => &set.id.0,
            Self::View(view) => &view.user,
            Self::Fact(fact) => &fact.canonical_id.0,
        }
    }
}

/// A change of one record.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "most changes are writes; boxing each would cost more than it saves"
)]
pub enum Change {
    /// Writes it.
    Put(Record),
    /// Keeps it in the store, but loads it no more: it fell out of the window.
    Retire(RecordKey),
    /// Deletes it.
    Drop(RecordKey),
}

impl Change {
    /// Returns the key of the record it changes.
    #[must_use]
    pub fn key(&self) -> RecordKey {
        match self {
            Self::Put(record) => record.key(),
            Self::Retire(key) | Self::Drop(key) => key.clone(),
        }
    }

    /// Returns the record it writes, if any.
    pub(crate) fn written(&self) -> Option<&Record> {
        if let Self::Put(record) = self { Some(record) } else { None }
    }

    /// Returns the key without a copy. Such pairs sort like keys.
    pub(crate) fn about(&self) -> (RecordKind, &str) {
        match self {
            Self::Put(record) => (record.kind(), record.id()),
            Self::Retire(key) | Self::Drop(key) => (key.kind, &key.key),
        }
    }
}
