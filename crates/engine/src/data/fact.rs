//! Facts: single sentences that hold for a lane, an epic or a channel, with source, confidence and identity
//! (`docs/design/0027-facts.md`).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use serde::{Deserialize, Serialize};

use crate::data::id::{FactId, LaneId, MessageId};
use crate::data::lane_key::LaneKey;
use crate::data::time::Timestamp;

/// Kind of statement. The order is the strength: a decision hides an assumption with the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactType {
    /// Something that was decided.
    Decision,
    /// Rule that people have to keep.
    Constraint,
    /// Something taken as true until it is known.
    Assumption,
}

/// Scope of a fact, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactScope {
    /// One lane.
    Thread,
    /// One epic, in every lane that talks about it.
    Epic,
    /// Every lane of a channel.
    Channel,
}

macro_rules! words {
    ($($name:ident { $($variant:ident = $word:literal),* $(,)? })*) => {$(
        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the stable word.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Returns the value with this word.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )*};
}

words! {
    FactType { Decision = "decision", Constraint = "constraint", Assumption = "assumption" }
    FactScope { Thread = "thread", Epic = "epic", Channel = "channel" }
    FactStatus { Valid = "valid", Superseded = "superseded", Disputed = "disputed" }
    Trust { Untrusted = "untrusted", Member = "member" }
}

/// Trust in the author of a statement. The greater is the stronger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Guest, stranger or machine.
    #[default]
    Untrusted,
    /// Full member.
    Member,
}

/// Origin of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactOrigin {
    /// Decision that was approved and posted.
    Decision,
    /// Direct statement of a person.
    User,
    /// Extraction by a model from a message.
    Model,
    /// Import from another system.
    Import,
}

/// Validity of a fact. It is computed from the facts that contradict it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    /// In force.
    #[default]
    Valid,
    /// Replaced by something newer.
    Superseded,
    /// Contradicts a fact in force, and is not strong enough to replace it.
    Disputed,
}

/// Confidence in hundredths. It is a whole number because hashed data holds no floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(pub u8);

impl Confidence {
    /// Full confidence.
    pub const FULL: Self = Self(100);

    /// Makes a confidence; values above 100 become 100.
    #[must_use]
    pub fn from_percent(hundredths: u8) -> Self {
        Self(hundredths.min(100))
    }
}

impl fmt::Display for Confidence {
    /// Writes it as a decimal: `0.95`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// Place where facts are kept. Only facts of the same place can contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FactKey {
    /// Tenant that owns them.
    pub tenant: String,
    /// Scope.
    pub scope: FactScope,
    /// Lane, epic or channel; made by [`FactKey::thread`], [`FactKey::epic`] and [`FactKey::channel`].
    pub scope_id: String,
}

// Hashes the word, so that the variants can be reordered without changing hashes.
impl core::hash::Hash for FactScope {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl FactKey {
    /// Returns the place of a lane's facts.
    #[must_use]
    pub fn thread(lane: &LaneKey) -> Self {
        let parts = [&lane.app, &lane.channel, &lane.conversation, &lane.thread].map(String::as_str);
        Self { tenant: lane.tenant.clone(), scope: FactScope::Thread, scope_id: joined(&parts) }
    }

    /// Returns the place of the facts of this lane's channel.
    #[must_use]
    pub fn channel(lane: &LaneKey) -> Self {
        let parts = [&lane.app, &lane.channel, &lane.conversation].map(String::as_str);
        Self { tenant: lane.tenant.clone(), scope: FactScope::Channel, scope_id: joined(&parts) }
    }

    /// Returns the place of an epic's facts. `scope_id` is its issue key, or the result of [`draft_scope`].
    #[must_use]
    pub fn epic(tenant: &str, scope_id: &str) -> Self {
        Self { tenant: tenant.into(), scope: FactScope::Epic, scope_id: scope_id.into() }
    }
}

/// Joins the parts to one name. A slash inside a part becomes `%2F`, so that two places never share a name.
fn joined(parts: &[&str]) -> String {
    let mut name = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            name.push('/');
        }
        for c in part.chars() {
            match c {
                '/' => name.push_str("%2F"),
                '%' => name.push_str("%25"),
                c => name.push(c),
            }
        }
    }
    name
}

/// Statement that supports a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSource {
    /// Time of the statement.
    pub at: Timestamp,
    /// Author.
    pub author: String,
    /// Text.
    pub text: String,
    /// Confidence.
    pub confidence: Confidence,
    /// Trust in the author.
    pub trust: Trust,
    /// Origin.
    pub origin: FactOrigin,
    /// Subject, if it is something that has one value at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Lane of the statement; `None` if it is the lane that keeps the fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<LaneId>,
    /// Message that holds the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
}

impl FactSource {
    /// Returns the identity of the statement.
    fn is(&self) -> (Timestamp, &str, &str) {
        (self.at, &self.author, &self.text)
    }

    /// Returns true if both are the same statement.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.is() == other.is()
    }

    /// Orders statements by time; the newer is the greater.
    pub(crate) fn newer(&self, other: &Self) -> Ordering {
        self.is().cmp(&other.is())
    }
}

/// Fact, without its tenant and scope id, which are those of the place that keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Kind of statement.
    #[serde(rename = "type")]
    pub kind: FactType,
    /// Scope.
    pub scope: FactScope,
    /// Time of the newest statement.
    pub source_ts: Timestamp,
    /// Text of the newest statement.
    pub text: String,
    /// Confidence: that of the surest statement.
    pub confidence: Confidence,
    /// Identity: the same words in the same place are the same fact.
    pub canonical_id: FactId,
    /// Author of the newest statement.
    pub author: String,
    /// Trust: the strongest among the statements.
    pub trust: Trust,
    /// Origin of the newest statement.
    pub origin: FactOrigin,
    /// Subject, if it is something that has one value at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Validity.
    pub status: FactStatus,
    /// Fact that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<FactId>,
    /// Facts it replaced, ordered by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<FactId>,
    /// Statements that support it, newest first.
    pub sources: Vec<FactSource>,
    /// Time the fact was first stored.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time it was last part of a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

/// Facts of one epic or channel, as a step receives them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSet {
    /// Place that keeps them.
    pub key: FactKey,
    /// Number of writes, 0 for a set that was never written. A turn that writes the set compares it.
    pub revision: u64,
    /// Facts, ordered by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// Facts that were erased.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<FactTombstone>,
}

/// Erased fact, without its text. For a while it keeps the fact's message from yielding the fact again
/// (`docs/design/0028-erasure.md`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactTombstone {
    /// Id of the fact.
    pub fact: FactId,
    /// Scope id the fact was made under, if the facts of that place have moved since. The id of the fact
    /// depends on the scope id, and cannot be recomputed without the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Lane of the message; `None` if it is the lane that keeps the fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<LaneId>,
    /// Message.
    pub message: MessageId,
    /// Time until which the message is barred.
    pub until: Timestamp,
}

impl FactTombstone {
    pub(crate) fn of(fact: &FactId, source: &FactSource, until: Timestamp) -> Option<Self> {
        let message = source.message.clone()?;
        Some(Self { fact: fact.clone(), scope: None, lane: source.lane.clone(), message, until })
    }

    /// Returns the record for facts that move away from this place. It keeps the scope id its fact was made
    /// under.
    pub(crate) fn moved(self, from: &FactKey) -> Self {
        Self { scope: self.scope.or_else(|| Some(from.scope_id.clone())), ..self }
    }

    /// Returns true if both are about the same fact from the same message.
    pub(crate) fn same(&self, other: &Self) -> bool {
        (&self.fact, &self.lane, &self.message) == (&other.fact, &other.lane, &other.message)
    }

    /// Returns true if this statement must not be stored in that place: it would restore the erased fact.
    pub(crate) fn bars(&self, key: &FactKey, kind: FactType, source: &FactSource, now: Timestamp) -> bool {
        let (lane, message) = (self.lane == source.lane, source.message.as_ref() == Some(&self.message));
        self.until > now && lane && message && self.fact == self.place(key).fact(kind, &source.text)
    }

    fn place<'k>(&self, key: &'k FactKey) -> Cow<'k, FactKey> {
        match &self.scope {
            Some(scope_id) => Cow::Owned(FactKey { scope_id: scope_id.clone(), ..key.clone() }),
            None => Cow::Borrowed(key),
        }
    }
}

/// Change that a turn makes to a fact of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactChange {
    /// Writes the fact.
    Put(Fact),
    /// Removes the fact.
    Drop(FactId),
    /// Records that the fact was erased, so that it stays away.
    PutTombstone(FactTombstone),
    /// Removes the record of an erasure whose time is over.
    DropTombstone(FactTombstone),
}

/// Use and changes of one set in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsTouched {
    /// Place of the set.
    pub key: FactKey,
    /// Revision that was read.
    pub revision: u64,
    /// True if the decision depends on all facts of the set. Otherwise only those in [`Self::used`] were
    /// looked at.
    pub opened: bool,
    /// Changes, ordered by id. The revision rises if there are any.
    pub changes: Vec<FactChange>,
    /// Facts that were part of a prompt. Their [`Fact::last_used_at`] becomes the time of the turn; the
    /// revision does not rise.
    pub used: Vec<FactId>,
}

/// Returns the scope id of an epic that has no issue key yet.
#[must_use]
pub fn draft_scope(draft: &crate::data::id::DraftId) -> String {
    alloc::format!("draft:{}", draft.0)
}

/// Returns the draft that such a scope id names.
pub(crate) fn draft_from_scope(scope_id: &str) -> Option<crate::data::id::DraftId> {
    scope_id.strip_prefix("draft:").map(Into::into)
}
