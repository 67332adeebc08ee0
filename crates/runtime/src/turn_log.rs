//! The log of turns: rows in a hash chain, which explanations read and replays start from, and their erasable content
//! (`docs/design/0006-what-a-turn-writes.md`).

mod encoding;
mod left_open;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use throughline_engine::data::canonical_json::{hex, sha256, unhex};
use throughline_engine::data::decision::Applied;
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::record::RecordKey;
use throughline_engine::data::snapshot;
use throughline_engine::data::trace::{Trace, TurnSummary};
use throughline_engine::{
    Decision, EffectId, Event, EventKind, Lane, LaneKey, MessageId, StepInput, Timestamp, TurnId,
};
use throughline_store::{LogRow, StoredTurn};

pub use encoding::Unreadable;
pub use left_open::LeftOpen;

/// The hashed row of a turn. Personal content is not in it, only its salted hash; it is in [`Content`]. The stored
/// bytes are defined in `turn_log/encoding.rs`.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRow {
    /// The turn's id.
    pub turn: TurnId,
    /// The lane's id.
    pub lane: String,
    /// The revision it wrote.
    pub revision: u64,
    /// The time of the decision.
    pub at: Timestamp,
    /// The delivery key.
    pub key: String,
    /// The event's kind.
    pub event: String,
    /// The decision, without the value of an answer.
    pub decision: Decision,
    /// The rules and records that were looked at.
    pub trace: Trace,
    /// The policy's version.
    pub policy: String,
    /// The engine's version.
    pub engine: String,
    /// The snapshot version written.
    pub snapshot: u32,
    /// The state's hash before.
    pub before: String,
    /// The state's hash after.
    pub after: String,
    /// Class and id of each effect, in order.
    pub effects: Vec<(String, String)>,
    /// The question to a model, or to a host for a model, that this turn asked and that decides about its message. A
    /// summary that it asked for beside is none.
    pub asked: Option<EffectId>,
    /// The messages this turn put into the lane.
    pub messages: Vec<MessageId>,
    /// `SHA-256(salt ‖ content)`.
    pub content: String,
    /// The records that cards rest on and that this turn put aside. From then on the state's hash does not cover them.
    pub retired: Vec<RetiredRecord>,
}

/// A record that a turn put aside, with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetiredRecord {
    /// Its key.
    pub key: RecordKey,
    /// Its hash, in hex.
    pub hash: String,
}

/// The personal, erasable part of a turn: the event and what was looked up. [`ContentRef::encode`] writes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Content {
    /// The event.
    pub event: Event,
    /// The input of the step.
    pub given: StepInput,
    /// The answer that a pending question took.
    #[serde(default)]
    pub applied: Option<Applied>,
    /// The effects that the commit delivered itself, by their number in the turn.
    #[serde(default)]
    pub shown: BTreeMap<u32, Shown>,
    /// The things that waited after the turn; `None` if a version before 0.2 wrote it.
    #[serde(default)]
    pub left: Option<LeftOpen>,
}

/// Borrowed [`Content`], to be stored.
#[derive(Clone, Copy, Debug)]
pub struct ContentRef<'a> {
    /// The delivery key.
    pub key: &'a str,
    /// The event.
    pub event: &'a Event,
    /// The input of the step.
    pub given: &'a StepInput,
    /// The answer that a pending question took.
    pub applied: Option<&'a Applied>,
    /// The effects that the commit delivered itself, by their number in the turn.
    pub shown: &'a BTreeMap<u32, Shown>,
    /// The things that waited after the turn.
    pub left: &'a LeftOpen,
}

impl ContentRef<'_> {
    /// The content as stored. The event's id is left out if it is the delivery key, which it nearly always is.
    #[must_use]
    pub fn encode(&self) -> String {
        #[derive(Serialize)]
        struct Written<'a> {
            event: Unnamed<'a>,
            given: &'a StepInput,
            #[serde(skip_serializing_if = "Option::is_none")]
            applied: Option<&'a Applied>,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            shown: &'a BTreeMap<u32, Shown>,
            left: &'a LeftOpen,
        }
        #[derive(Serialize)]
        struct Unnamed<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<&'a str>,
            received_at: Timestamp,
            #[serde(skip_serializing_if = "str::is_empty")]
            actor: &'a str,
            #[serde(flatten)]
            kind: &'a EventKind,
        }
        let Self { key, event, given, applied, shown, left } = *self;
        let event = Unnamed {
            id: Some(event.id.as_str()).filter(|id| *id != key),
            received_at: event.received_at,
            actor: &event.actor,
            kind: &event.kind,
        };
        serde_json::to_string(&Written { event, given, applied, shown, left }).unwrap_or_default()
    }
}

/// An effect that the commit delivered, because the channel reads from the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Shown {
    /// A message of the lane; its text or card is read there.
    Message(MessageId),
    /// A notice to one person, which is no message of the lane.
    Notice {
        /// The person's id.
        to: String,
        /// The text.
        text: String,
    },
}

impl Shown {
    /// The delivered form of an effect; `None` if it is not a message, card or notice.
    #[must_use]
    pub fn of(body: &EffectBody) -> Option<Self> {
        match body {
            EffectBody::Reply { message, .. }
            | EffectBody::CardPost { message, .. }
            | EffectBody::CardUpdate { message, .. } => Some(Self::Message(message.clone())),
            EffectBody::Notice { to, text } => Some(Self::Notice { to: to.clone(), text: text.clone() }),
            EffectBody::ModelAsk(_)
            | EffectBody::TrackerCheck { .. }
            | EffectBody::TrackerFind { .. }
            | EffectBody::TrackerSeek { .. }
            | EffectBody::TrackerUpdate { .. }
            | EffectBody::PostChannel { .. }
            | EffectBody::TrackerCreate { .. }
            | EffectBody::ToolCall(_)
            | EffectBody::AgentDelegate(_)
            | EffectBody::OptionExecute(_)
            | EffectBody::HostAct(_)
            | EffectBody::EvidenceFetch { .. }
            | EffectBody::TurnHandover(_) => None,
        }
    }
}

/// A stored turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The row.
    pub row: TurnRow,
    /// The content; `None` if it was erased.
    pub content: Option<Content>,
}

/// The hash before the first row of every chain.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The hash of a row that follows the one with hash `prev`.
#[must_use]
pub fn chain(prev: &str, row: &str) -> String {
    hex(&sha256(&[b"throughline/turn/1", &unhex(prev).unwrap_or_default(), &sha256(&[row.as_bytes()])]))
}

/// The salted hash that a row holds in place of its content.
#[must_use]
pub fn content_hash(salt: &str, content: &str) -> String {
    hex(&sha256(&[&unhex(salt).unwrap_or_default(), content.as_bytes()]))
}

/// Returns true if the content is the one the row was made with, or was erased.
///
/// # Errors
/// The row cannot be decoded, or a newer version wrote it.
pub fn content_fits(log: &LogRow) -> Result<bool, Unreadable> {
    Ok(log.content.is_empty() || encoding::content(&log.row)? == content_hash(&log.salt, &log.content))
}

impl TurnRow {
    /// Encodes the row, chained to the one with hash `prev`.
    #[must_use]
    pub fn seal(&self, prev: &str, content: String, salt: String) -> LogRow {
        let row = encoding::encode(self);
        let hash = chain(prev, &row);
        LogRow { turn: self.turn.clone(), at: self.at, row, prev_hash: prev.into(), hash, content, salt }
    }

    /// The part of the turn that an explanation needs.
    #[must_use]
    pub fn summary(&self, applied: Option<Applied>) -> TurnSummary {
        TurnSummary {
            turn: self.turn.clone(),
            at: self.at,
            event: self.event.clone(),
            decision: Decision { applied, ..self.decision.clone() },
            trace: self.trace.clone(),
            effects: self.effects.clone(),
        }
    }
}

impl Turn {
    /// Decodes a stored turn.
    ///
    /// # Errors
    /// The row cannot be decoded, or a newer version wrote it.
    pub fn read(stored: &StoredTurn) -> Result<Self, Unreadable> {
        let row = encoding::decode(&stored.log.row, &stored.lane)?;
        if stored.log.content.is_empty() {
            return Ok(Self { row, content: None });
        }
        let mut content: Content =
            serde_json::from_str(&stored.log.content).map_err(|e| Unreadable(e.to_string()))?;
        if content.event.id.is_empty() {
            content.event.id.clone_from(&row.key);
        }
        Ok(Self { row, content: Some(content) })
    }

    /// The part of the turn that an explanation needs.
    #[must_use]
    pub fn summary(&self) -> TurnSummary {
        self.row.summary(self.content.as_ref().and_then(|content| content.applied.clone()))
    }
}

/// The full state of a lane as its stored values, kept at the first turn and every hundredth.
#[derive(Serialize, Deserialize)]
struct Checkpoint<'a> {
    #[serde(borrow)]
    head: &'a RawValue,
    #[serde(borrow)]
    records: Vec<&'a RawValue>,
}

/// Encodes a lane as a checkpoint.
#[must_use]
pub fn checkpoint(lane: &Lane) -> String {
    let records: Vec<String> = lane.records.iter().map(snapshot::encode_record).collect();
    format!(r#"{{"head":{},"records":[{}]}}"#, snapshot::encode_head(&lane.head), records.join(","))
}

/// Decodes the lane of a checkpoint.
///
/// # Errors
/// It cannot be decoded, or a newer version wrote it.
pub fn restore(key: &LaneKey, revision: u64, stored: &str) -> Result<Lane, String> {
    let stored: Checkpoint<'_> = serde_json::from_str(stored).map_err(|e| e.to_string())?;
    let mut lane = Lane::new(key.clone());
    lane.revision = revision;
    lane.head = snapshot::decode_head(stored.head.get()).map_err(|e| e.to_string())?;
    for record in &stored.records {
        lane.records.insert(snapshot::decode_record(record.get()).map_err(|e| e.to_string())?);
    }
    Ok(lane)
}
