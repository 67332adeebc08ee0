//! What a scenario says of facts.

use throughline_engine::event::FactStated;
use throughline_engine::memory::{Confidence, FactScope, FactStatus, FactType, Trust};

use super::When;

/// A fact that is known before the first turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFact {
    /// What kind of statement it is.
    pub kind: FactType,
    /// How far it reaches, as seen from its lane.
    pub scope: FactScope,
    /// The sentence.
    pub text: String,
    /// The lane's name.
    pub lane: String,
    /// The epic, by its issue's key.
    pub epic: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whose word it is.
    pub trust: Trust,
    /// Who said it.
    pub by: String,
    /// When; otherwise when the scenario begins.
    pub at: Option<When>,
}

/// Somebody states a fact outright, as the API does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// Who.
    pub user: String,
    /// Where.
    pub lane: String,
    /// What.
    pub fact: FactStated,
}

/// A fact, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactExpect {
    /// What kind of statement it is.
    pub kind: Option<FactType>,
    /// How far it reaches.
    pub scope: Option<FactScope>,
    /// The epic's scope id.
    pub epic: Option<String>,
    /// The sentence.
    pub text: Option<String>,
    /// Whether it counts.
    pub status: Option<FactStatus>,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// Whose word it is.
    pub trust: Option<Trust>,
    /// What it is about.
    pub subject: Option<String>,
    /// How many statements it rests on.
    pub sources: Option<u32>,
}
