//! Effects, hosts' reports on them, and resolutions of uncertain ones.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::event::EventAssistant;
use super::vocabulary::EffectState;
use super::{DecideActor, ShownBody, SnapshotBody};

/// Effect, with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Effect {
    /// Id. Trackers and hosts see the same id.
    #[schema(example = "fx_65emfyihdqmez2f6x5fvmpxn")]
    pub id: String,
    /// Class: `reply`, `card.post`, `card.update`, `notice`, `model.ask`, `tracker.check`, `tracker.create`,
    /// `tool.call`, `agent.delegate`, `option.execute`, `host.act`, `evidence.fetch`, `turn.handover`.
    pub class: String,
    /// Performer: `us`, the `host`, or the turn's `commit`. An effect delivered by the commit is only listed with its
    /// turn. `option.execute`, `host.act`, `evidence.fetch` and `turn.handover` are always the host's.
    pub delivery: String,
    /// State: `planned`, `attempted`, `done`, `failed`, `uncertain`, `cancelled`.
    #[schema(value_type = EffectState, inline)]
    pub state: String,
    /// Id of its lane.
    pub lane: String,
    /// Id of the turn that planned it.
    pub turn: String,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Time it was planned.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Approval that released it: id and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// Outcome, once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub outcome: Option<Value>,
    /// Content, by class: `text`, `to`, `message`, `card`, `target`, `item`, …
    #[serde(flatten)]
    #[schema(value_type = Object, additional_properties)]
    pub body: Map<String, Value>,
}

/// Host's report on an effect it performed.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultReport {
    /// Outcome.
    pub outcome: ResultOutcome,
    /// Result on the host's side, if it was applied.
    #[serde(default)]
    pub remote: Option<Remote>,
    /// For `evidence.fetch`: the current content of the list.
    #[serde(default)]
    pub snapshot: Option<SnapshotBody>,
    /// For `turn.handover`: the answer of your agent. Absent if nothing is to be said.
    #[serde(default)]
    pub answer: Option<AnswerBody>,
    /// Error, if it was not applied.
    #[serde(default)]
    pub error: Option<String>,
}

/// Answer of a host's agent to a turn that was handed to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerBody {
    /// Message of the agent, as in `assistant.posted`. It is posted here unless it has a `message_id`, or the host speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assistant: Option<EventAssistant>,
    /// List of options that the agent shows, as in `options.shown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownBody>,
}

/// Outcome of a host's effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultOutcome {
    /// It happened.
    Applied,
    /// It was refused permanently.
    Rejected,
    /// It is not known whether it happened.
    Unknown,
}

/// Result of a host's effect on its side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    /// Id of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Key of an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Address where it can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Title of an issue, for a look-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Answer of a tool or a sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Answer to a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Settled {
    /// True if this report settled the effect; false if it had already ended with this outcome.
    pub settled: bool,
    /// Effect after the report.
    pub effect: Effect,
}

/// Resolution of an effect with an unknown outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// Resolution.
    #[serde(rename = "as")]
    pub how: Resolution,
    /// For `adopt`: key of the existing issue, which is looked up first. A tool call has none.
    #[serde(default)]
    pub remote_key: Option<String>,
    /// Reason, for the log.
    #[serde(default)]
    pub reason: Option<String>,
    /// User who decides; the token's own principal if absent.
    #[serde(default)]
    pub actor: Option<DecideActor>,
}

/// Resolution of an uncertain effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// It happened, with this result.
    Adopt,
    /// It did not happen: make it again, as a new effect.
    CreateAgain,
    /// Drop it.
    Cancel,
}
