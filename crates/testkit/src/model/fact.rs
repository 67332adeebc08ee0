//! Facts in a scenario: those given, those stated and those expected.

use throughline_engine::data::event::FactStated;
use throughline_engine::data::fact::{Confidence, FactScope, FactStatus, FactType, Trust};

use super::When;

/// A fact that is known before the first turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFact {
    /// The type of statement.
    pub kind: FactType,
    /// The scope, as seen from its lane.
    pub scope: FactScope,
    /// The sentence.
    pub text: String,
    /// The lane's name.
    pub lane: String,
    /// The epic, by its issue's key.
    pub epic: Option<String>,
    /// The subject.
    pub subject: Option<String>,
    /// The confidence.
    pub confidence: Confidence,
    /// The trust in its source.
    pub trust: Trust,
    /// The person who said it.
    pub by: String,
    /// The time it was said; the start of the scenario if `None`.
    pub at: Option<When>,
}

/// A fact stated directly, as `POST /v1/facts` does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFact {
    /// The person.
    pub user: String,
    /// The lane's name.
    pub lane: String,
    /// The statement.
    pub fact: FactStated,
}

/// A fact; fields that are `None` are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactExpect {
    /// The type of statement.
    pub kind: Option<FactType>,
    /// The scope.
    pub scope: Option<FactScope>,
    /// The epic's scope id.
    pub epic: Option<String>,
    /// The sentence.
    pub text: Option<String>,
    /// The status.
    pub status: Option<FactStatus>,
    /// The confidence.
    pub confidence: Option<Confidence>,
    /// The trust in its source.
    pub trust: Option<Trust>,
    /// The subject.
    pub subject: Option<String>,
    /// The number of statements it rests on.
    pub sources: Option<u32>,
}
