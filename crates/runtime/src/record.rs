//! The turn's row: what the hash chain covers, what `why` reads, what a replay starts from (`spec 06 §3`).

mod written;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use throughline_engine::canon::{hex, sha256, unhex};
use throughline_engine::decision::Applied;
use throughline_engine::effect::EffectBody;
use throughline_engine::trace::{Trace, TurnSummary};
use throughline_engine::{
    Decision, Event, EventKind, Given, Lane, LaneKey, MessageId, Timestamp, TurnId, snapshot,
};
use throughline_store::{LogRow, StoredTurn};

pub use written::Unreadable;

/// The hashed row. No personal content: that is in [`Content`], under a salted hash. How it is stored is
/// `record/written.rs`.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRow {
    /// The turn's id.
    pub turn: TurnId,
    /// The lane's id.
    pub lane: String,
    /// The revision it wrote.
    pub revision: u64,
    /// When it was decided.
    pub at: Timestamp,
    /// The delivery key.
    pub key: String,
    /// The event's kind.
    pub event: String,
    /// What was decided, without the answer's value.
    pub decision: Decision,
    /// What was looked at.
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
    /// The messages this turn put into the lane.
    pub messages: Vec<MessageId>,
    /// `SHA-256(salt ‖ content)`.
    pub content: String,
}

/// What was said and looked up: personal, erasable. Stored by [`Said::encode`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Content {
    /// The event.
    pub event: Event,
    /// What the step was handed.
    pub given: Given,
    /// The answer a pending took.
    #[serde(default)]
    pub applied: Option<Applied>,
    /// The effects that the commit itself delivered, by their number in the turn.
    #[serde(default)]
    pub shown: BTreeMap<u32, Shown>,
}

/// A turn's content on its way to the store.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The delivery key.
    pub key: &'a str,
    /// See [`Content::event`].
    pub event: &'a Event,
    /// See [`Content::given`].
    pub given: &'a Given,
    /// See [`Content::applied`].
    pub applied: Option<&'a Applied>,
    /// See [`Content::shown`].
    pub shown: &'a BTreeMap<u32, Shown>,
}

impl Said<'_> {
    /// The content as stored. An event that has the delivery key as its id, as nearly all have, is stored without.
    #[must_use]
    pub fn encode(&self) -> String {
        #[derive(Serialize)]
        struct Written<'a> {
            event: Unnamed<'a>,
            given: &'a Given,
            #[serde(skip_serializing_if = "Option::is_none")]
            applied: Option<&'a Applied>,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            shown: &'a BTreeMap<u32, Shown>,
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
        let Self { key, event, given, applied, shown } = *self;
        let event = Unnamed {
            id: Some(event.id.as_str()).filter(|id| *id != key),
            received_at: event.received_at,
            actor: &event.actor,
            kind: &event.kind,
        };
        serde_json::to_string(&Written { event, given, applied, shown }).unwrap_or_default()
    }
}

/// What the commit delivered, because the channel reads from the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Shown {
    /// A message of the lane: what it says, or the card it shows, is read there.
    Message(MessageId),
    /// Words for one person, which no message holds.
    Notice {
        /// Whom.
        to: String,
        /// What.
        text: String,
    },
}

impl Shown {
    /// What delivering that effect comes to; `None` for what is no message.
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
            | EffectBody::EvidenceFetch { .. } => None,
        }
    }
}

/// A stored turn, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its row.
    pub row: TurnRow,
    /// Its content; `None` when it was erased.
    pub content: Option<Content>,
}

/// The genesis of every chain.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The hash of a row after another (`spec 06 §3.2`).
#[must_use]
pub fn chain(prev: &str, row: &str) -> String {
    hex(&sha256(&[b"throughline/turn/1", &unhex(prev).unwrap_or_default(), &sha256(&[row.as_bytes()])]))
}

/// The salted hash a row holds in place of its content.
#[must_use]
pub fn content_hash(salt: &str, content: &str) -> String {
    hex(&sha256(&[&unhex(salt).unwrap_or_default(), content.as_bytes()]))
}

/// Whether the content is the one the row was made with. One that was erased is not asked about.
///
/// # Errors
/// The row is not ours, or of a newer version.
pub fn content_fits(log: &LogRow) -> Result<bool, Unreadable> {
    Ok(log.content.is_empty() || written::content(&log.row)? == content_hash(&log.salt, &log.content))
}

impl TurnRow {
    /// The row as stored, chained to the one before.
    #[must_use]
    pub fn seal(&self, prev: &str, content: String, salt: String) -> LogRow {
        let row = written::encode(self);
        let hash = chain(prev, &row);
        LogRow { turn: self.turn.clone(), at: self.at, row, prev_hash: prev.into(), hash, content, salt }
    }

    /// What an explanation needs.
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
    /// Reads a stored turn.
    ///
    /// # Errors
    /// The row is not ours, or of a newer version.
    pub fn read(stored: &StoredTurn) -> Result<Self, Unreadable> {
        let row = written::decode(&stored.log.row, &stored.lane)?;
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

    /// What an explanation needs.
    #[must_use]
    pub fn summary(&self) -> TurnSummary {
        self.row.summary(self.content.as_ref().and_then(|content| content.applied.clone()))
    }
}

/// The full state of a lane, kept at turn 1 and every hundredth: the stored values themselves.
#[derive(Serialize, Deserialize)]
struct Checkpoint<'a> {
    #[serde(borrow)]
    head: &'a RawValue,
    #[serde(borrow)]
    records: Vec<&'a RawValue>,
}

/// The lane as a checkpoint.
#[must_use]
pub fn checkpoint(lane: &Lane) -> String {
    let records: Vec<String> = lane.records.iter().map(snapshot::encode_record).collect();
    format!(r#"{{"head":{},"records":[{}]}}"#, snapshot::encode_head(&lane.head), records.join(","))
}

/// The lane of a checkpoint.
///
/// # Errors
/// It is not ours, or of a newer version.
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
