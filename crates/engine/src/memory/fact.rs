//! A fact: one sentence people work by, who said it, how sure it is, and how it is told from others (`spec 05 §8`).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use serde::{Deserialize, Serialize};

use super::canonical;
use crate::id::{FactId, LaneId, MessageId};
use crate::lane::LaneKey;
use crate::time::Timestamp;

/// What kind of statement a fact is. The order is the strength: a decision hides an assumption of the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactType {
    /// Something that was settled.
    Decision,
    /// Something that binds whoever acts.
    Constraint,
    /// Something that is taken to be so until somebody knows.
    Assumption,
}

/// How far a fact reaches, the narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactScope {
    /// One lane.
    Thread,
    /// One epic, wherever it is talked about.
    Epic,
    /// Every lane of a channel.
    Channel,
}

macro_rules! words {
    ($($name:ident { $($variant:ident = $word:literal),* $(,)? })*) => {$(
        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable word.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The one of that word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
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

/// Whose word it is (`spec 05 §11`). The greater is the stronger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// A guest's, a stranger's, a machine's.
    #[default]
    Untrusted,
    /// A full member's.
    Member,
}

/// Where a fact came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A decision that was approved and posted.
    Decision,
    /// A person, in their own words.
    User,
    /// A model that read a message.
    Model,
    /// Another system's list.
    Import,
}

/// Whether a fact counts. A pure function of the facts it contradicts: [`super::contradict`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    /// It counts.
    #[default]
    Valid,
    /// Something newer took its place.
    Superseded,
    /// It stands against what counts, and is not strong enough to take its place.
    Disputed,
}

/// How sure, in hundredths: whole numbers, because what is hashed holds no floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(pub u8);

impl Confidence {
    /// Beyond doubt.
    pub const FULL: Self = Self(100);

    /// So many hundredths, at most all of them.
    #[must_use]
    pub fn of(hundredths: u8) -> Self {
        Self(hundredths.min(100))
    }
}

impl fmt::Display for Confidence {
    /// `0.95`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// The place facts are kept in: they meet only those of the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FactKey {
    /// Who owns them.
    pub tenant: String,
    /// How far they reach.
    pub scope: FactScope,
    /// Which lane, epic or channel: [`FactKey::thread`] and its like.
    pub scope_id: String,
}

// A scope is hashed by its word, so that the order of the variants may say something else.
impl core::hash::Hash for FactScope {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.word().hash(state);
    }
}

impl FactKey {
    /// The facts of that lane.
    #[must_use]
    pub fn thread(lane: &LaneKey) -> Self {
        let parts = [&lane.app, &lane.channel, &lane.conversation, &lane.thread].map(String::as_str);
        Self { tenant: lane.tenant.clone(), scope: FactScope::Thread, scope_id: joined(&parts) }
    }

    /// The facts of the channel that lane is in.
    #[must_use]
    pub fn channel(lane: &LaneKey) -> Self {
        let parts = [&lane.app, &lane.channel, &lane.conversation].map(String::as_str);
        Self { tenant: lane.tenant.clone(), scope: FactScope::Channel, scope_id: joined(&parts) }
    }

    /// The facts of an epic, by its issue's key or by [`draft_scope`].
    #[must_use]
    pub fn epic(tenant: &str, scope_id: &str) -> Self {
        Self { tenant: tenant.into(), scope: FactScope::Epic, scope_id: scope_id.into() }
    }

    /// The id of the fact that says this here (`spec 05 §8.1`).
    ///
    /// ```
    /// use throughline_engine::memory::{FactKey, FactScope, FactType};
    /// let key = FactKey { tenant: "acme".into(), scope: FactScope::Thread, scope_id: "C1/171.5".into() };
    /// let id = key.fact(FactType::Decision, "We will use Postgres.");
    /// assert_eq!(id.as_str(), "f1-3017dd2e304478c2c9260243f9e3d849");
    /// assert_eq!(key.fact(FactType::Decision, "we  will use  POSTGRES"), id);
    /// ```
    #[must_use]
    pub fn fact(&self, kind: FactType, text: &str) -> FactId {
        canonical::id(self, kind, &canonical::text(text))
    }
}

/// The parts of a place as one name. A slash inside a part is written `%2F`, so two places never have one name.
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

/// One statement a fact rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// When it was said.
    pub at: Timestamp,
    /// Who said it.
    pub author: String,
    /// In which words.
    pub text: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whose word it is.
    pub trust: Trust,
    /// How it came here.
    pub origin: Origin,
    /// What it is about, when that can have one value at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The lane it was said in; left out where the fact is that lane's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<LaneId>,
    /// The message that says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
}

impl Source {
    /// What two statements have to share to be one (`spec 05 §8.2`).
    fn is(&self) -> (Timestamp, &str, &str) {
        (self.at, &self.author, &self.text)
    }

    /// Whether the two are one statement.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.is() == other.is()
    }

    /// The newer is the greater.
    pub(super) fn newer(&self, other: &Self) -> Ordering {
        self.is().cmp(&other.is())
    }
}

/// A fact. Seed 001's six fields first; tenant and scope id are those of the place it is kept in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What kind of statement it is.
    #[serde(rename = "type")]
    pub kind: FactType,
    /// How far it reaches.
    pub scope: FactScope,
    /// When it was said last.
    pub source_ts: Timestamp,
    /// In which words, then.
    pub text: String,
    /// How sure it is: as the surest statement.
    pub confidence: Confidence,
    /// Which fact it is: the same words in the same place are the same fact.
    pub canonical_id: FactId,
    /// Who said it last.
    pub author: String,
    /// Whose word it is: a member's, if any statement is.
    pub trust: Trust,
    /// How the last statement came here.
    pub origin: Origin,
    /// What it is about, when that can have one value at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Whether it counts.
    pub status: FactStatus,
    /// What took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<FactId>,
    /// What it took the place of, in the order of ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<FactId>,
    /// The statements it rests on, the newest first.
    pub sources: Vec<Source>,
    /// When it came to be known here.
    pub created_at: Timestamp,
    /// When something of it changed.
    pub updated_at: Timestamp,
    /// When it last stood in a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

/// The facts of an epic or a channel, as a step is handed them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSet {
    /// Whose they are.
    pub key: FactKey,
    /// How often the set was written; 0 when it never was. A turn that writes it compares this.
    pub revision: u64,
    /// The facts, in the order of their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// What was erased from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Gone>,
}

/// A fact that was erased: the message it came from does not yield it again for a while (`spec 05 §12`). Without its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Gone {
    /// Which fact.
    pub fact: FactId,
    /// The scope id it was of, where what is known there has moved since: the fact's words, and with them its new id,
    /// are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The lane of the message; none where it is the fact's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<LaneId>,
    /// The message.
    pub message: MessageId,
    /// For how long.
    pub until: Timestamp,
}

impl Gone {
    pub(super) fn of(fact: &FactId, source: &Source, until: Timestamp) -> Option<Self> {
        let message = source.message.clone()?;
        Some(Self { fact: fact.clone(), scope: None, lane: source.lane.clone(), message, until })
    }

    /// The same where the facts of that place have moved elsewhere.
    pub(super) fn moved(self, from: &FactKey) -> Self {
        Self { scope: self.scope.or_else(|| Some(from.scope_id.clone())), ..self }
    }

    /// Whether the two are about one message and one fact.
    pub(super) fn same(&self, other: &Self) -> bool {
        (&self.fact, &self.lane, &self.message) == (&other.fact, &other.lane, &other.message)
    }

    /// Whether a statement in that place comes from that message, for that fact.
    pub(super) fn bars(&self, key: &FactKey, kind: FactType, source: &Source, now: Timestamp) -> bool {
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

/// What a turn does to one fact of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactChange {
    /// Write it.
    Put(Fact),
    /// It is gone.
    Drop(FactId),
    /// It was erased, and is to stay so.
    Bury(Gone),
    /// Its time is over.
    Unbury(Gone),
}

/// What a turn had to do with one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsTouched {
    /// Which.
    pub key: FactKey,
    /// The revision it was read at.
    pub revision: u64,
    /// The decision rests on all of its facts, whether or not something changed. Else only those in
    /// [`Self::used`] were shown, and nothing else of the set was looked at.
    pub opened: bool,
    /// What changes, in the order of ids; the revision rises when there is any.
    pub changes: Vec<FactChange>,
    /// The facts that stood in a prompt: their [`Fact::last_used_at`] becomes the turn's time, and needs no revision.
    pub used: Vec<FactId>,
}

/// The scope id of an epic that has no issue key yet (`spec 05 §10`).
#[must_use]
pub fn draft_scope(draft: &crate::id::DraftId) -> String {
    alloc::format!("draft:{}", draft.0)
}

/// The draft such a scope id names.
pub(crate) fn draft_of(scope_id: &str) -> Option<crate::id::DraftId> {
    scope_id.strip_prefix("draft:").map(Into::into)
}
