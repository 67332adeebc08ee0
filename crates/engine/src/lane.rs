//! The place where one conversation happens: its name, its head and its records.

mod ids;
mod keyed;
mod message;
mod task;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

use crate::ask::{Asked, Question};
use crate::canon::{Hash, write_strings};
use crate::decisions::{Proposal, Tracked};
use crate::event::Event;
use crate::id::{CardId, DraftId, EffectId, LaneId, MessageId, TaskId, digest_id};
use crate::intent::Remembered;
use crate::memory::summary::Covered;
use crate::memory::{Fact, Gone};
use crate::pending::{Answered, PendingState};
use crate::review::Review;
use crate::selection::{OptionSet, View};
use crate::snapshot;
use crate::tickets::{Batch, Draft};
use crate::time::Timestamp;
use crate::workflow::Card;

pub use ids::{Id, Ids};
use keyed::Keyed;
pub use message::{Message, MessageKind, Role};
pub(crate) use task::{Moved, first_line};
pub use task::{Task, TaskSource, TaskStatus, result};

/// The unit of order and of state (`spec 02 §1`). Parts a lane does not have are empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LaneKey {
    /// The workspace, team or account that owns the data.
    pub tenant: String,
    /// Which of our installations: a bot, a token.
    pub app: String,
    /// `slack`, `telegram`, `web`, `api`, `terminal`.
    pub channel: String,
    /// The room, chat or session.
    pub conversation: String,
    /// The thread, topic or panel in it.
    pub thread: String,
}

impl LaneKey {
    /// A lane by its five parts.
    #[must_use]
    pub fn new(tenant: &str, app: &str, channel: &str, conversation: &str, thread: &str) -> Self {
        Self {
            tenant: tenant.into(),
            app: app.into(),
            channel: channel.into(),
            conversation: conversation.into(),
            thread: thread.into(),
        }
    }

    /// The five parts in their fixed order, as every canonical form holds them.
    #[must_use]
    pub fn parts(&self) -> [&str; 5] {
        [&self.tenant, &self.app, &self.channel, &self.conversation, &self.thread]
    }

    /// The lane's public name (`spec 06 §4.1`).
    #[must_use]
    pub fn id(&self) -> LaneId {
        let mut name = String::with_capacity(128);
        name.push_str("[\"throughline/lane/1\",");
        write_strings(&self.parts(), &mut name);
        name.push(']');
        LaneId(digest_id(LaneId::PREFIX, &name))
    }
}

impl fmt::Display for LaneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts().join("/"))
    }
}

/// A lane as a step sees it. Loaded by the lane's actor, never changed in place by [`crate::step`].
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Its name.
    pub key: LaneKey,
    /// How many turns were committed; the next turn writes `revision + 1`.
    pub revision: u64,
    /// The small part that every turn rewrites.
    pub head: LaneState,
    /// The keyed part, of which a turn writes what it changed.
    pub records: Records,
}

impl Lane {
    /// A lane nothing has happened in.
    #[must_use]
    pub fn new(key: LaneKey) -> Self {
        Self { key, revision: 0, head: LaneState::default(), records: Records::default() }
    }

    /// The lane after a step.
    pub fn apply(&mut self, next: LaneState, changes: &[Change]) {
        self.revision += 1;
        self.head = next;
        for change in changes {
            self.records.apply(change);
        }
    }

    /// A step's result as it is stored, and the hash this lane will have with it: each part encoded once.
    #[must_use]
    pub fn encode(&self, next: &LaneState, changes: &[Change]) -> Encoded {
        let head = snapshot::encode_head(next);
        let encoded = |change: &Change| {
            let put =
                if let Change::Put(record) = change { Some(snapshot::encode_record(record)) } else { None };
            let key = change.key();
            let hash = put.as_deref().map(|body| snapshot::record_hash(&key, body));
            EncodedChange { key, body: put, hash }
        };
        let changes: Vec<EncodedChange> = changes.iter().map(encoded).collect();
        let mut changed: Vec<(RecordKind, &str)> =
            changes.iter().map(|change| (change.key.kind, change.key.key.as_str())).collect();
        changed.sort_unstable();
        let kept =
            self.records.map.iter().filter(|(kind, id, _)| changed.binary_search(&(*kind, *id)).is_err());
        let written = changes.iter().filter_map(|change| change.hash.as_ref());
        let hash = snapshot::state_hash(&head, kept.map(|(_, _, loaded)| &loaded.hash).chain(written));
        Encoded { head, changes, hash }
    }

    /// The lane after a step that was encoded and stored. `encoded` is of that very step; its bodies may be gone.
    pub fn apply_encoded(&mut self, next: LaneState, changes: Vec<Change>, encoded: Encoded) {
        self.revision += 1;
        self.head = next;
        for (change, EncodedChange { key, hash, .. }) in changes.into_iter().zip(encoded.changes) {
            match (change, hash) {
                (Change::Put(record), Some(hash)) => {
                    drop(self.records.map.insert(key, Loaded { record, hash }))
                }
                _ => drop(self.records.map.remove(&key)),
            }
        }
    }

    /// The hash that covers head and records (`spec 06 §3.1`).
    #[must_use]
    pub fn state_hash(&self) -> Hash {
        snapshot::state_hash(&snapshot::encode_head(&self.head), self.records.hashes())
    }
}

/// A step's head and records as they are stored: see [`Lane::encode`].
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The new head.
    pub head: String,
    /// The changes, in the order of the step's.
    pub changes: Vec<EncodedChange>,
    /// The hash the lane will have.
    pub hash: Hash,
}

/// One change of an [`Encoded`] step.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedChange {
    /// The record it is about.
    pub key: RecordKey,
    /// The record as stored, when it is written.
    pub body: Option<String>,
    hash: Option<Hash>,
}

/// The head: typically under 4 KB, rewritten by every turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneState {
    /// What waits: at most one conversational, any number of workflow ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pendings: Vec<PendingState>,
    /// A conversational pending that a mismatch cleared; an explicit reply to its anchor revives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapsed: Option<PendingState>,
    /// The last answer that was taken: as long as its task runs it can be corrected (`spec 02 §5.4`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<Answered>,
    /// The thread's remembered intent (`spec 03 §2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Remembered>,
    /// When a message was last taken; the remembered intent slides on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message_at: Option<Timestamp>,
    /// The model ask that is open, if one is: at most one in a lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<OpenAsk>,
    /// The issues this thread tracks, the oldest first, and those that are being looked up (`spec 03 §7`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracked: Vec<Tracked>,
    /// The facts of this lane that were erased.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Gone>,
    /// The loaded messages, oldest first.
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub window: Ids<MessageId>,
    /// The raw messages that have left the window, oldest first (`spec 05 §7`).
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub earlier: Ids<MessageId>,
    /// What stands for the messages before those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<Arc<Covered>>,
    /// The newest time of any message this lane has taken in; it never goes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen_ts: Option<Timestamp>,
    /// The loaded cards, oldest first.
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub cards: Ids<CardId>,
}

/// A question to a model that has not been answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenAsk {
    /// The effect that carries it. An answer with another id is late and ignored.
    pub effect: EffectId,
    /// What the answer is for.
    #[serde(default, skip_serializing_if = "Asked::is_intent")]
    pub about: Asked,
    /// What was asked: an answer is judged by it, and a second round asks it again. `None`: which intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<Question>>,
    /// Which round this is.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub round: u8,
    /// The message it is about; routing goes on with it when the answer is there.
    pub message: MessageId,
    /// The messages its prompt showed: what an answer states of facts may stand in these.
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub shown: Ids<MessageId>,
    /// Whose message that was.
    pub by: String,
    /// When that message came in: what the `collect` window counts from.
    pub since: Timestamp,
    /// The anchor the model was offered: an answer may name this one and no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<MessageId>,
    /// Something was pressed since: nothing joins it any more.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub pressed: bool,
}

fn first() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_first(round: &u8) -> bool {
    *round == 1
}

/// A keyed part of the lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Record {
    /// A message.
    Message(Message),
    /// A task.
    Task(Task),
    /// A ticket's text before it is one.
    Draft(Draft),
    /// A card with buttons.
    Card(Card),
    /// An event kept until a model's answer lets routing go on with it.
    Held(Event),
    /// A review.
    Review(Review),
    /// Several tickets that are shown and approved together.
    Batch(Batch),
    /// A decision people record.
    #[serde(rename = "decision")]
    Proposal(Proposal),
    /// A list of options people were shown.
    OptionSet(OptionSet),
    /// What a person's lists have come to; that of nobody is where everybody's begins.
    View(Box<View>),
    /// A fact of this lane.
    Fact(Box<Fact>),
}

/// The kind of a record, first part of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// See [`Record::Message`].
    Message,
    /// See [`Record::Task`].
    Task,
    /// See [`Record::Draft`].
    Draft,
    /// See [`Record::Card`].
    Card,
    /// See [`Record::Held`].
    Held,
    /// See [`Record::Review`].
    Review,
    /// See [`Record::Batch`].
    Batch,
    /// See [`Record::Proposal`].
    #[serde(rename = "decision")]
    Proposal,
    /// See [`Record::OptionSet`].
    OptionSet,
    /// See [`Record::View`].
    View,
    /// See [`Record::Fact`].
    Fact,
}

impl RecordKind {
    /// All of them, in their order.
    pub(crate) const ALL: [Self; 11] = [
        Self::Message,
        Self::Task,
        Self::Draft,
        Self::Card,
        Self::Held,
        Self::Review,
        Self::Batch,
        Self::Proposal,
        Self::OptionSet,
        Self::View,
        Self::Fact,
    ];
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// The word used in the store and in hashes.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Task => "task",
            Self::Draft => "draft",
            Self::Card => "card",
            Self::Held => "held",
            Self::Review => "review",
            Self::Batch => "batch",
            Self::Proposal => "decision",
            Self::OptionSet => "option_set",
            Self::View => "view",
            Self::Fact => "fact",
        }
    }
}

/// What a record is found by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordKey {
    /// What it is.
    pub kind: RecordKind,
    /// Its id.
    pub key: String,
}

impl Record {
    /// What this record is found by.
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

/// What a turn does to one record.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "most changes are writes; boxing each would cost more than it saves"
)]
pub enum Change {
    /// Write it.
    Put(Record),
    /// Keep it in the store, load it no more: it fell out of the window.
    Retire(RecordKey),
    /// Delete it.
    Drop(RecordKey),
}

impl Change {
    /// The record it is about.
    #[must_use]
    pub fn key(&self) -> RecordKey {
        match self {
            Self::Put(record) => record.key(),
            Self::Retire(key) | Self::Drop(key) => key.clone(),
        }
    }

    /// The record it writes, if it writes one.
    pub(crate) fn written(&self) -> Option<&Record> {
        if let Self::Put(record) = self { Some(record) } else { None }
    }

    /// The key without a copy: the order of the two is the order of keys.
    pub(crate) fn about(&self) -> (RecordKind, &str) {
        match self {
            Self::Put(record) => (record.kind(), record.id()),
            Self::Retire(key) | Self::Drop(key) => (key.kind, &key.key),
        }
    }
}

/// The loaded records, with their hashes kept beside them so that a turn costs what it changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    map: Keyed<Loaded>,
}

#[derive(Clone, Debug, PartialEq)]
struct Loaded {
    record: Record,
    hash: Hash,
}

impl Records {
    /// Puts one record in, as the loader does.
    pub fn insert(&mut self, record: Record) {
        let key = record.key();
        let hash = snapshot::record_hash(&key, &snapshot::encode_record(&record));
        self.map.insert(key, Loaded { record, hash });
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Put(record) => self.insert(record.clone()),
            Change::Retire(key) | Change::Drop(key) => drop(self.map.remove(key)),
        }
    }

    /// Every record, in key order.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.map.iter().map(|(_, _, loaded)| &loaded.record)
    }

    /// Those of a kind, in the order of their ids.
    pub(crate) fn of(&self, kind: RecordKind) -> impl Iterator<Item = &Record> {
        self.map.of(kind).map(|loaded| &loaded.record)
    }

    pub(crate) fn hashes(&self) -> impl Iterator<Item = &Hash> {
        self.map.iter().map(|(_, _, loaded)| &loaded.hash)
    }

    /// The record of that key, if it is loaded.
    #[must_use]
    pub fn get(&self, key: &RecordKey) -> Option<&Record> {
        self.find(key.kind, &key.key)
    }

    pub(crate) fn find(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        self.map.get(kind, id).map(|loaded| &loaded.record)
    }

    /// The message of that id, if it is loaded.
    #[must_use]
    pub fn message(&self, id: &MessageId) -> Option<&Message> {
        self.message_of(&id.0)
    }

    pub(crate) fn message_of(&self, id: &str) -> Option<&Message> {
        match self.find(RecordKind::Message, id)? {
            Record::Message(message) => Some(message),
            _ => None,
        }
    }

    /// The draft of that id.
    #[must_use]
    pub fn draft(&self, id: &DraftId) -> Option<&Draft> {
        match self.find(RecordKind::Draft, &id.0)? {
            Record::Draft(draft) => Some(draft),
            _ => None,
        }
    }

    /// The card of that id.
    #[must_use]
    pub fn card(&self, id: &CardId) -> Option<&Card> {
        match self.find(RecordKind::Card, &id.0)? {
            Record::Card(card) => Some(card),
            _ => None,
        }
    }

    /// The task of that id.
    #[must_use]
    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        match self.find(RecordKind::Task, &id.0)? {
            Record::Task(task) => Some(task),
            _ => None,
        }
    }

    /// The held event of that id.
    #[must_use]
    pub fn held(&self, id: &str) -> Option<&Event> {
        match self.find(RecordKind::Held, id)? {
            Record::Held(event) => Some(event),
            _ => None,
        }
    }
}
