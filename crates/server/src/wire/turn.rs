//! Turns: what was decided, why, and what came of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lane::word;
use super::{Effect, Message, OptionSet, Pending, Selection};

/// What a delivered event came to: the answer to `POST /v1/events` with `Prefer: wait`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TurnAnswer {
    /// The turn that decided.
    #[schema(example = "tn_5xvq2m3zsd5ljwcnhsbqy7fd_12")]
    pub turn: String,
    /// Its lane.
    pub lane: String,
    /// The kind of outcome: `ignored`, `observed`, `recorded`, `answered`, `asked`, `shown`, `done`, `refused`,
    /// `deferred`.
    pub decision: String,
    /// Why, as a stable code.
    #[schema(example = "pending.applied")]
    pub reason: String,
    /// The number of the rung that decided.
    pub rung: u8,
    /// What the user wants, when that was the question.
    pub intent: Option<String>,
    /// The answer a pending took.
    pub applied: Option<Applied>,
    /// What waits now: the question that text would answer, else the newest card.
    pub pending: Option<Pending>,
    /// The option that is executed.
    pub selected: Option<String>,
    /// What the turn looked at and did among options, when there were any.
    pub selection: Option<Selection>,
    /// The list that the next text of this person is read against; of a list that was shown, that list.
    pub options: Option<OptionSet>,
    /// What the message referred to.
    pub focus: Option<Focus>,
    /// What the message interrupted with, where it did: `stop`, `cancel`, `start_over`.
    pub interrupt: Option<String>,
    /// What we said, and cards that changed, as they are shown now.
    pub messages: Vec<Message>,
    /// What was planned. Those with `delivery: host` are the host's to perform and report.
    pub effects: Vec<Effect>,
    /// What happened on the way, as codes.
    pub also: Vec<String>,
    /// How many model calls were made.
    pub model_calls: u32,
    /// Turns on the outcomes of this turn's effects that are in this answer too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<SettledBy>,
}

/// A turn on the outcome of an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettledBy {
    /// The effect.
    pub effect: String,
    /// The turn that took its outcome in.
    pub turn: String,
    /// Its reason.
    pub reason: String,
}

/// An answer that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Applied {
    /// The question.
    pub pending: String,
    /// The value's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value.
    pub value: serde_json::Value,
}

impl From<&throughline_engine::decision::Applied> for Applied {
    fn from(applied: &throughline_engine::decision::Applied) -> Self {
        let value = serde_json::to_value(&applied.value).unwrap_or_default();
        Self {
            pending: applied.pending.0.clone(),
            kind: value["type"].as_str().unwrap_or_default().into(),
            value: value["value"].clone(),
        }
    }
}

/// What a message referred to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Focus {
    /// How it was found: `reply`, `reply.payload`, `lane.recency`, `none`.
    pub source: String,
    /// The message it refers to.
    pub anchor: Option<String>,
    /// That message's task.
    pub task: Option<String>,
    /// Whether the text needs it to be understood.
    pub reference: Reference,
    /// In a lane of several people, the message it answers, or `new` when it starts something new. It decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// Whether a text needs what was said before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reference {
    /// `needs_anchor` when it cannot be understood alone, `bound` when what its words refer to stands in itself, `none`
    /// when no word refers to anything.
    pub need: String,
    /// The words that say so, in order; `fragment` for a text without a verb.
    pub words: Vec<String>,
}

impl From<&throughline_engine::trace::FocusTrace> for Focus {
    fn from(focus: &throughline_engine::trace::FocusTrace) -> Self {
        let words = focus.reference.words.split_whitespace();
        Self {
            source: focus.source.word().into(),
            anchor: focus.anchor.as_ref().map(|anchor| anchor.0.clone()),
            task: focus.task.as_ref().map(|task| task.0.clone()),
            reference: Reference {
                need: focus.reference.need.word().into(),
                words: words.map(ToOwned::to_owned).collect(),
            },
            thread: focus.thread.clone().map(String::from),
        }
    }
}

/// An event was accepted: it is durable and will be handled. The answer without `Prefer: wait`, or when the wait
/// was over before the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Received {
    /// `received`.
    pub state: String,
    /// The lane it goes to.
    pub lane: String,
    /// Where its turn will be found: the same as `Location`.
    pub href: String,
}

/// A recorded turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Turn {
    /// What came of it.
    #[serde(flatten)]
    pub answer: TurnAnswer,
    /// The revision it wrote.
    pub revision: u64,
    /// When it was decided.
    pub at: String,
    /// The kind of its event.
    pub event: String,
    /// Who acted, unless nobody did or it was erased.
    pub actor: Option<String>,
    /// The rungs that did not decide, in order.
    pub passed: Vec<Passed>,
    /// The rule that spoke, or the model's label.
    pub rule: Option<String>,
    /// Ids that were candidates.
    pub candidates: Vec<String>,
    /// The delivery key of its event.
    pub key: String,
    /// The event, unless it was erased.
    #[schema(value_type = Option<Object>)]
    pub input: Option<serde_json::Value>,
    /// The policy's version.
    pub policy_version: String,
    /// The engine's version.
    pub engine_version: String,
    /// The state's hash before.
    pub state_before: String,
    /// The state's hash after.
    pub state_after: String,
    /// The hash of the row before in the lane's chain.
    pub prev_hash: String,
    /// The row's hash.
    pub hash: String,
}

/// A turn in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnInfo {
    /// Its id.
    pub turn: String,
    /// The revision it wrote.
    pub revision: u64,
    /// When it was decided.
    pub at: String,
    /// The kind of its event.
    pub event: String,
    /// The kind of outcome.
    pub decision: String,
    /// Why, as a code.
    pub reason: String,
    /// The number of the rung that decided.
    pub rung: u8,
    /// Who acted, unless nobody did or it was erased.
    pub actor: Option<String>,
    /// What the message interrupted with, where it did: `stop`, `cancel`, `start_over`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<String>,
    /// What the message referred to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Focus>,
}

impl TurnInfo {
    /// Of a turn that was read back.
    #[must_use]
    pub fn new(turn: &throughline_runtime::record::Turn) -> Self {
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
            interrupt: row.trace.interrupt().map(|kind| kind.word().into()),
            focus: row.trace.focus.as_ref().map(Focus::from),
        }
    }
}

/// One rung that did not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Passed {
    /// Its number.
    pub rung: u8,
    /// Its name.
    pub name: String,
    /// The predicate that failed.
    pub predicate: String,
}

impl Passed {
    /// The rungs that a turn passed, in order.
    #[must_use]
    pub fn of(trace: &throughline_engine::trace::Trace) -> Vec<Self> {
        let passed = |predicate: &throughline_engine::trace::Predicate| Self {
            rung: predicate.rung().number(),
            name: predicate.rung().title().into(),
            predicate: trace.says(*predicate).into_owned(),
        };
        trace.passed.iter().map(passed).collect()
    }
}

/// Why a turn decided what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Why {
    /// The turn.
    pub turn: String,
    /// Its reason.
    pub reason: String,
    /// What the reason means.
    pub says: String,
    /// The rung that decided.
    pub rung: u8,
    /// Its name.
    pub name: String,
    /// The rungs that did not decide, in order, each with the predicate that failed.
    pub passed: Vec<Passed>,
    /// What happened on the way.
    pub also: Vec<String>,
    /// Ids that were candidates.
    pub candidates: Vec<String>,
    /// Ids of model asks it made.
    pub model_asks: Vec<String>,
    /// The policy's version.
    pub policy_version: String,
    /// All of it in plain words: what `Accept: text/plain` gives.
    pub text: String,
}
