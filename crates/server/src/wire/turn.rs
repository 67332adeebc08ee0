//! Turns: decisions, explanations and results.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lane::word;
use super::{Effect, Message, OptionSet, Pending, Selection};

/// Result of a delivered event: the answer to `POST /v1/events` with `Prefer: wait`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TurnAnswer {
    /// Id of the turn that decided.
    #[schema(example = "tn_5xvq2m3zsd5ljwcnhsbqy7fd_12")]
    pub turn: String,
    /// Id of its lane.
    pub lane: String,
    /// Verdict: `ignored`, `observed`, `recorded`, `answered`, `asked`, `shown`, `done`, `refused`, `deferred`, `handed_over`.
    pub decision: String,
    /// Reason, as a stable code.
    #[schema(example = "pending.applied")]
    pub reason: String,
    /// Number of the rung that decided.
    pub rung: u8,
    /// Intent of the user, if it was determined.
    pub intent: Option<String>,
    /// Answer that was applied to a pending question.
    pub applied: Option<Applied>,
    /// Pending question that text would answer, else the newest card.
    pub pending: Option<Pending>,
    /// Id of the option that is executed.
    pub selected: Option<String>,
    /// Selection trace, if there were any options.
    pub selection: Option<Selection>,
    /// List that this person's next text is read against; for an event that shows a list, that list.
    pub options: Option<OptionSet>,
    /// Reference of the message.
    pub focus: Option<Focus>,
    /// Interruption by the message, if any: `stop`, `cancel`, `start_over`.
    pub interrupt: Option<String>,
    /// Messages of the assistant and changed cards, in their current form.
    pub messages: Vec<Message>,
    /// Planned effects. The host performs and reports those with `delivery: host`.
    pub effects: Vec<Effect>,
    /// Further events of the turn, as codes.
    pub also: Vec<String>,
    /// Number of model calls.
    pub model_calls: u32,
    /// Turns on the outcomes of this turn's effects, which this answer includes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<SettledBy>,
}

/// Turn on the outcome of an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettledBy {
    /// Id of the effect.
    pub effect: String,
    /// Id of the turn that took its outcome in.
    pub turn: String,
    /// Reason of that turn.
    pub reason: String,
}

/// Answer that was applied to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Applied {
    /// Id of the question.
    pub pending: String,
    /// Type of the value.
    #[serde(rename = "type")]
    pub kind: String,
    /// Value.
    pub value: serde_json::Value,
}

impl From<&throughline_engine::data::decision::Applied> for Applied {
    fn from(applied: &throughline_engine::data::decision::Applied) -> Self {
        let value = serde_json::to_value(&applied.value).unwrap_or_default();
        Self {
            pending: applied.pending.0.clone(),
            kind: value["type"].as_str().unwrap_or_default().into(),
            value: value["value"].clone(),
        }
    }
}

/// Reference of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Focus {
    /// Source of the reference: `reply`, `reply.payload`, `lane.recency`, `none`.
    pub source: String,
    /// Id of the message it refers to.
    pub anchor: Option<String>,
    /// Task of that message.
    pub task: Option<String>,
    /// Dependence of the text on its reference.
    pub reference: Reference,
    /// In a lane of several people, the message it answers, or `new` if it starts something new. It influences no
    /// decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// Dependence of a text on an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reference {
    /// `needs_anchor` if the text cannot be understood alone, `bound` if its words refer to something within it,
    /// `none` if no word refers to anything.
    pub need: String,
    /// Words that refer, in order; `fragment` for a text without a verb.
    pub words: Vec<String>,
}

impl From<&throughline_engine::data::focus::FocusTrace> for Focus {
    fn from(focus: &throughline_engine::data::focus::FocusTrace) -> Self {
        let words = focus.reference.words.split_whitespace();
        Self {
            source: focus.source.as_str().into(),
            anchor: focus.anchor.as_ref().map(|anchor| anchor.0.clone()),
            task: focus.task.as_ref().map(|task| task.0.clone()),
            reference: Reference {
                need: focus.reference.need.as_str().into(),
                words: words.map(ToOwned::to_owned).collect(),
            },
            thread: focus.thread.clone().map(String::from),
        }
    }
}

/// Accepted event: it is durable and will be handled. This is the answer without `Prefer: wait`, or when the wait
/// ended before the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Received {
    /// State: `received`.
    pub state: String,
    /// Id of its lane.
    pub lane: String,
    /// Path where its turn can be read, as in `Location`.
    pub href: String,
}

/// Recorded turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Turn {
    /// Result.
    #[serde(flatten)]
    pub answer: TurnAnswer,
    /// Revision it wrote.
    pub revision: u64,
    /// Time of the decision.
    #[schema(format = DateTime)]
    pub at: String,
    /// Kind of its event.
    pub event: String,
    /// User who acted; absent if there was none or it was erased.
    pub actor: Option<String>,
    /// Rungs that did not decide, in order.
    pub passed: Vec<Passed>,
    /// Rule that matched, or the model's label.
    pub rule: Option<String>,
    /// Ids of candidates.
    pub candidates: Vec<String>,
    /// Delivery key of its event.
    pub key: String,
    /// Event, unless it was erased.
    #[schema(value_type = Option<Object>)]
    pub input: Option<serde_json::Value>,
    /// Version of the policy.
    pub policy_version: String,
    /// Version of the engine.
    pub engine_version: String,
    /// Hash of the state before.
    pub state_before: String,
    /// Hash of the state after.
    pub state_after: String,
    /// Hash of the previous row in the lane's chain.
    pub prev_hash: String,
    /// Hash of the row.
    pub hash: String,
}

/// Summary of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnInfo {
    /// Id.
    pub turn: String,
    /// Revision it wrote.
    pub revision: u64,
    /// Time of the decision.
    #[schema(format = DateTime)]
    pub at: String,
    /// Kind of its event.
    pub event: String,
    /// Verdict.
    pub decision: String,
    /// Reason, as a code.
    pub reason: String,
    /// Number of the rung that decided.
    pub rung: u8,
    /// User who acted; absent if there was none or it was erased.
    pub actor: Option<String>,
    /// Interruption by the message, if any: `stop`, `cancel`, `start_over`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<String>,
    /// Reference of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Focus>,
}

impl TurnInfo {
    /// Summarises a recorded turn.
    #[must_use]
    pub fn new(turn: &throughline_runtime::turn_log::Turn) -> Self {
        let row = &turn.row;
        let actor = turn.content.as_ref().map(|content| content.event.actor.clone());
        Self {
            turn: row.turn.0.clone(),
            revision: row.revision,
            at: row.at.rfc3339(),
            event: row.event.clone(),
            decision: word(&row.decision.outcome),
            reason: row.decision.reason.code().into(),
            rung: row.decision.rung.number(),
            actor: actor.filter(|actor| !actor.is_empty()),
            interrupt: row.trace.interrupt().map(|kind| kind.as_str().into()),
            focus: row.trace.focus.as_ref().map(Focus::from),
        }
    }
}

/// Rung that did not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Passed {
    /// Number.
    pub rung: u8,
    /// Name.
    pub name: String,
    /// Predicate that failed.
    pub predicate: String,
}

impl Passed {
    /// Returns the rungs that did not decide, in order.
    #[must_use]
    pub fn of(
        trace: &throughline_engine::data::trace::Trace,
        language: throughline_engine::Language,
    ) -> Vec<Self> {
        let passed = |predicate: &throughline_engine::data::trace::Predicate| Self {
            rung: predicate.rung().number(),
            name: predicate.rung().title(language),
            predicate: trace.says(*predicate, language),
        };
        trace.passed.iter().map(passed).collect()
    }
}

/// Explanation of a turn's decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Why {
    /// Id of the turn.
    pub turn: String,
    /// Reason, as a code.
    pub reason: String,
    /// Meaning of the reason.
    pub says: String,
    /// Number of the rung that decided.
    pub rung: u8,
    /// Name of that rung.
    pub name: String,
    /// Rungs that did not decide, in order, each with the predicate that failed.
    pub passed: Vec<Passed>,
    /// Further events of the turn, as codes.
    pub also: Vec<String>,
    /// Ids of candidates.
    pub candidates: Vec<String>,
    /// Ids of the model asks it made.
    pub model_asks: Vec<String>,
    /// Version of the policy.
    pub policy_version: String,
    /// Whole explanation in plain words, as `Accept: text/plain` gives it.
    pub text: String,
}
