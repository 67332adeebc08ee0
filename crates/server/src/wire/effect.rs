//! Effects: what was planned, how it stands, and a host's report.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{DecideActor, SnapshotBody};

/// An effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Effect {
    /// Its id: everywhere the same, also at the tracker.
    #[schema(example = "fx_65emfyihdqmez2f6x5fvmpxn")]
    pub id: String,
    /// `reply`, `card.post`, `card.update`, `notice`, `model.ask`, `tracker.check`, `tracker.create`, `tool.call`,
    /// `agent.delegate`, `option.execute`, `evidence.fetch`.
    pub class: String,
    /// Who performs it: `us`, the `host`, or the `commit` itself: what is read from here is delivered by being
    /// there. Such a one is told with its turn only. `option.execute` and `evidence.fetch` are always the host's.
    pub delivery: String,
    /// `planned`, `attempted`, `done`, `failed`, `uncertain`, `cancelled`.
    pub state: String,
    /// Its lane.
    pub lane: String,
    /// The turn that planned it.
    pub turn: String,
    /// Attempts so far.
    pub attempts: u32,
    /// When it was planned.
    pub created_at: String,
    /// The approval that released it: id and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub outcome: Option<Value>,
    /// What it is, by class: `text`, `to`, `message`, `card`, `target`, `item`, …
    #[serde(flatten)]
    #[schema(value_type = Object, additional_properties)]
    pub body: Map<String, Value>,
}

/// A host's report on an effect it performed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultReport {
    /// How it ended.
    pub outcome: ResultOutcome,
    /// What came of it, when it was applied.
    #[serde(default)]
    pub remote: Option<Remote>,
    /// For `evidence.fetch`: what the list holds now.
    #[serde(default)]
    pub snapshot: Option<SnapshotBody>,
    /// What was wrong, when it was not.
    #[serde(default)]
    pub error: Option<String>,
}

/// How a host's effect ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultOutcome {
    /// It happened.
    Applied,
    /// It was refused for good.
    Rejected,
    /// Nobody knows.
    Unknown,
}

/// What a host's effect became on its side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    /// A message's id there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// An issue's key there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Where to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// An issue's title, for a look-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What a tool or a sub-agent answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The answer to a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Settled {
    /// Whether this report settled it; `false` when it had ended like this before.
    pub settled: bool,
    /// The effect as it stands.
    pub effect: Effect,
}

/// A person's answer to an effect of which nobody knows whether it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// What is decided.
    #[serde(rename = "as")]
    pub how: Resolution,
    /// For `adopt`: the key of the issue that exists. It is looked up before it is believed. A call has none.
    #[serde(default)]
    pub remote_key: Option<String>,
    /// Why. It goes to the log.
    #[serde(default)]
    pub reason: Option<String>,
    /// Who decides; otherwise the token's own principal.
    #[serde(default)]
    pub actor: Option<DecideActor>,
}

/// What can be said of an uncertain effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// It happened: this is what came of it.
    Adopt,
    /// It did not: make it again, as a new effect.
    CreateAgain,
    /// Drop it.
    Cancel,
}
