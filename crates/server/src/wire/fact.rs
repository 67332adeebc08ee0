//! Facts, as the API shows and takes them (`spec 05 §8`).

use serde::{Deserialize, Serialize};
use throughline_engine::memory::{self, FactKey};
use utoipa::ToSchema;

use super::DecideActor;
use super::lane::word;

/// Something that is known: one sentence, where it holds, and who said it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Fact {
    /// Its id: the same words in the same place are the same fact.
    #[schema(example = "f1-3017dd2e304478c2c9260243f9e3d849")]
    pub canonical_id: String,
    /// `decision`, `constraint` or `assumption`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `thread`, `epic` or `channel`.
    pub scope: String,
    /// Which one.
    pub scope_id: String,
    /// The sentence.
    pub text: String,
    /// When it was said last.
    pub source_ts: String,
    /// How sure it is, from 0 to 1.
    #[schema(example = 0.95)]
    pub confidence: f64,
    /// Who said it last.
    pub author: String,
    /// `member` or `untrusted`.
    pub trust: String,
    /// `decision`, `user`, `model` or `import`.
    pub origin: String,
    /// `valid`, `superseded` or `disputed`.
    pub status: String,
    /// What it is about, when that can have one value at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The fact that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The facts it took the place of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// How many statements it rests on, of those that are kept.
    pub sources: usize,
    /// When it came to be known here.
    pub created_at: String,
    /// When something of it changed.
    pub updated_at: String,
    /// When it last stood in a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

impl Fact {
    /// A fact of a place.
    #[must_use]
    pub fn of(key: &FactKey, fact: &memory::Fact) -> Self {
        Self {
            canonical_id: fact.canonical_id.0.clone(),
            kind: fact.kind.word().into(),
            scope: key.scope.word().into(),
            scope_id: key.scope_id.clone(),
            text: fact.text.clone(),
            source_ts: fact.source_ts.rfc3339(),
            confidence: f64::from(fact.confidence.0) / 100.0,
            author: fact.author.clone(),
            trust: fact.trust.word().into(),
            origin: word(&fact.origin),
            status: fact.status.word().into(),
            subject: fact.subject.clone(),
            superseded_by: fact.superseded_by.as_ref().map(|id| id.0.clone()),
            supersedes: fact.supersedes.iter().map(|id| id.0.clone()).collect(),
            sources: fact.sources.len(),
            created_at: fact.created_at.rfc3339(),
            updated_at: fact.updated_at.rfc3339(),
            last_used_at: fact.last_used_at.map(|at| at.rfc3339()),
        }
    }
}

/// A fact as somebody states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StateFact {
    /// The conversation it is stated in: it says which thread and which channel.
    #[schema(example = "ln_atpfhd2dnan4hnneg4slqvhi")]
    pub lane: String,
    /// `decision`, `constraint` or `assumption`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `thread`, `epic` or `channel`; `thread` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The key of the epic's issue; the one this thread is about when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epic: Option<String>,
    /// The sentence. More than 300 characters are cut.
    #[schema(min_length = 1, max_length = 4000)]
    pub text: String,
    /// What it is about, when that can have one value at a time: a newer fact on it takes this one's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Who states it; otherwise the token's own principal. Another needs the scope `act_as`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<DecideActor>,
}
