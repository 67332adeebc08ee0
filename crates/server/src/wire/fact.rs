//! Facts, as the API returns and accepts them (`docs/design/0027-facts.md`).

use serde::{Deserialize, Serialize};
use throughline_engine::data::fact::FactKey;
use utoipa::ToSchema;

use super::DecideActor;
use super::lane::word;
use super::vocabulary::{FactKind, FactPlace, FactText};

/// Fact: one sentence, with the place where it applies and its author.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Fact {
    /// Id, derived from the place and the words: an equal fact has an equal id.
    #[schema(example = "f1-3017dd2e304478c2c9260243f9e3d849")]
    pub canonical_id: String,
    /// Kind: `decision`, `constraint` or `assumption`.
    #[serde(rename = "type")]
    #[schema(value_type = FactKind, inline)]
    pub kind: String,
    /// Kind of place: `thread`, `epic` or `channel`.
    #[schema(value_type = FactPlace, inline)]
    pub scope: String,
    /// Id of the place.
    pub scope_id: String,
    /// Sentence.
    pub text: String,
    /// Time it was last stated.
    #[schema(format = DateTime)]
    pub source_ts: String,
    /// Confidence, from 0 to 1.
    #[schema(example = 0.95)]
    pub confidence: f64,
    /// Author of the last statement.
    pub author: String,
    /// Trust in the author: `member` or `untrusted`.
    pub trust: String,
    /// Origin: `decision`, `user`, `model` or `import`.
    pub origin: String,
    /// Status: `valid`, `superseded` or `disputed`.
    pub status: String,
    /// Subject, if it can have only one value at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Id of the fact that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Ids of the facts it replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// Number of stored statements that support it.
    pub sources: usize,
    /// Time it became known.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of its last change.
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// Time it was last included in a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
}

impl Fact {
    /// Converts a fact of a place.
    #[must_use]
    pub fn of(key: &FactKey, fact: &throughline_engine::data::fact::Fact) -> Self {
        Self {
            canonical_id: fact.canonical_id.0.clone(),
            kind: fact.kind.as_str().into(),
            scope: key.scope.as_str().into(),
            scope_id: key.scope_id.clone(),
            text: fact.text.clone(),
            source_ts: fact.source_ts.rfc3339(),
            confidence: f64::from(fact.confidence.0) / 100.0,
            author: fact.author.clone(),
            trust: fact.trust.as_str().into(),
            origin: word(&fact.origin),
            status: fact.status.as_str().into(),
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

/// Maximum characters of the text of a request; the fact is cut after fewer.
pub(crate) const MAX_TEXT: usize = 4_000;

/// Fact to state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StateFact {
    /// Conversation in which it is stated; it determines the thread and the channel.
    #[schema(example = "ln_atpfhd2dnan4hnneg4slqvhi")]
    pub lane: String,
    /// Kind: `decision`, `constraint` or `assumption`.
    #[serde(rename = "type")]
    #[schema(value_type = FactKind, inline)]
    pub kind: String,
    /// Kind of place: `thread`, `epic` or `channel`; `thread` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<FactPlace>, inline)]
    pub scope: Option<String>,
    /// Key of the epic's issue; the epic of this thread if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epic: Option<String>,
    /// Sentence. It is cut after 300 characters.
    #[schema(value_type = FactText, inline)]
    pub text: String,
    /// Subject, if it can have only one value at a time: a newer fact on the subject replaces this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// User who states it; the token's own principal if absent. Naming another user needs the scope `act_as`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<DecideActor>,
}
