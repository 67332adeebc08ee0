//! The keyed records of a lane: the table of their kinds, and the changes a turn makes to them.

use alloc::boxed::Box;
use alloc::string::String;
use core::borrow::Borrow;
use serde::{Deserialize, Serialize};

use crate::data::batch::Batch;
use crate::data::card::Card;
use crate::data::data_subject::{DataSubject, Personal};
use crate::data::event::Event;
use crate::data::fact::Fact;
use crate::data::id::{BatchId, CardId, DraftId, FactId, MessageId, ProposalId, ReviewId, SetId, TaskId};
use crate::data::message::Message;
use crate::data::option_set::OptionSet;
use crate::data::proposal::Proposal;
use crate::data::review::Review;
use crate::data::task::Task;
use crate::data::ticket::Draft;
use crate::data::time::Timestamp;
use crate::data::view::View;

/// A type whose values are records of a lane. `lane.records.get::<Draft>(id)` reads one.
pub trait Stored: Personal + Clone + Sized + 'static {
    /// Kind of its records.
    const KIND: RecordKind;

    /// Type of its ids. Within a kind, an id names one record.
    type Id: AsRef<str> + ?Sized;

    /// Returns the id it is stored under.
    fn key(&self) -> &str;

    /// Returns the value of a record, if it has this type.
    fn of(record: &Record) -> Option<&Self>;
}

/// Condition under which a record stays loaded with its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loaded {
    /// Until newer records fill the window that policy sets.
    InWindow,
    /// As long as a loaded card, an open question or running work names it.
    WhileNamed,
    /// Until it is deleted.
    UntilDeleted,
}

/// Declares the kinds of records, one row each: the variant with the value it holds, the type of that value and
/// of its ids, the field that has the id, the name in stores and hashes, and how long it stays loaded. The
/// type's [`Personal`] says what erasure leaves of it; `snapshot.rs` encodes every kind alike.
macro_rules! records {
    ($($(#[$doc:meta])*
       $kind:ident($held:ty): $type:ty, $id:ty, $($field:tt).+, $name:literal, $loaded:ident;)*) => {
        /// A keyed part of the lane's state.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "value")]
        pub enum Record {
            $($(#[$doc])* #[serde(rename = $name)] $kind($held),)*
        }

        /// The kind of a record, first part of its key.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum RecordKind {
            $($(#[$doc])* #[serde(rename = $name)] $kind,)*
        }

        impl RecordKind {
            /// Every kind, in order.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Returns the name used in the store and in hashes.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            pub(crate) fn loaded(self) -> Loaded {
                match self { $(Self::$kind => Loaded::$loaded,)* }
            }
        }

        impl Record {
            pub(crate) fn kind(&self) -> RecordKind {
                match self { $(Self::$kind(_) => RecordKind::$kind,)* }
            }

            pub(crate) fn id(&self) -> &str {
                match self { $(Self::$kind(value) => Stored::key(Borrow::<$type>::borrow(value)),)* }
            }

            /// Returns true if the person asked for the record, or it was made from something they said.
            pub(crate) fn is_of(&self, person: &DataSubject) -> bool {
                match self { $(Self::$kind(value) => Borrow::<$type>::borrow(value).is_of(person),)* }
            }

            /// Returns what erasing a person leaves of the record: `None` if nothing, the record unchanged if nothing
            /// in it is theirs. Needs no other record, so it also serves for records that a lane no longer loads.
            #[must_use]
            pub fn without(self, person: &DataSubject, now: Timestamp) -> Option<Self> {
                match self {
                    $(Self::$kind(value) => Borrow::<$type>::borrow(&value).clone().without(person, now).map(Self::from),)*
                }
            }
        }

        $(
            impl Stored for $type {
                const KIND: RecordKind = RecordKind::$kind;
                type Id = $id;

                fn key(&self) -> &str {
                    self.$($field).+.as_ref()
                }

                fn of(record: &Record) -> Option<&Self> {
                    if let Record::$kind(value) = record { Some(value.borrow()) } else { None }
                }
            }

            impl From<$type> for Record {
                fn from(value: $type) -> Self {
                    Self::$kind(value.into())
                }
            }
        )*
    };
}

records! {
    /// A message.
    Message(Message): Message, MessageId, id, "message", InWindow;
    /// A task.
    Task(Task): Task, TaskId, id, "task", WhileNamed;
    /// The text of a ticket that is not created yet.
    Draft(Draft): Draft, DraftId, id, "draft", WhileNamed;
    /// A card with buttons.
    Card(Card): Card, CardId, id, "card", InWindow;
    /// An event kept until a model's answer lets routing go on with it.
    Held(Event): Event, str, id, "held", UntilDeleted;
    /// A review.
    Review(Review): Review, ReviewId, id, "review", WhileNamed;
    /// Several tickets that are shown and approved together.
    Batch(Batch): Batch, BatchId, id, "batch", WhileNamed;
    /// A decision that people record.
    Proposal(Proposal): Proposal, ProposalId, id, "decision", WhileNamed;
    /// A list of options that people were shown.
    OptionSet(OptionSet): OptionSet, SetId, id, "option_set", UntilDeleted;
    /// A person's state of their lists. The one with an empty user is the template that a new person starts
    /// from.
    View(Box<View>): View, str, user, "view", UntilDeleted;
    /// A fact of this lane.
    Fact(Box<Fact>): Fact, FactId, canonical_id, "fact", UntilDeleted;
}

/// The key of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordKey {
    /// Its kind.
    pub kind: RecordKind,
    /// Its id.
    pub key: String,
}

impl RecordKey {
    /// Returns the key of the record of type `R` with this id.
    pub fn of<R: Stored>(id: &R::Id) -> Self {
        Self { kind: R::KIND, key: id.as_ref().into() }
    }
}

impl Record {
    /// Returns the record's key.
    #[must_use]
    pub fn key(&self) -> RecordKey {
        RecordKey { kind: self.kind(), key: self.id().into() }
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
