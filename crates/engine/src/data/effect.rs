//! Effects: actions in the outside world that a turn plans, as data.
//!
//! An effect is performed after the commit. Its outcome comes back as
//! [`crate::data::event::EventKind::EffectSettled`] and is decided by the same step.

pub(crate) mod class;
pub(crate) mod outcome;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::ask::{Ask, EvidenceKind};
use crate::data::call::{Call, Job, PlannedChange};
use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::card_model::CardModel;
pub use crate::data::effect::class::EffectClass;
pub use crate::data::effect::outcome::{Attempt, EffectResult, Outcome};
use crate::data::handover::Handover;
use crate::data::id::{CardId, EffectId, MessageId, SetId, TaskId};
pub use crate::data::issue_change::{IssueChange, IssueState, IssueView};
use crate::data::lane_key::LaneKey;
use crate::data::language::{self, Language};
use crate::data::one_or_many;
use crate::data::policy::limits;
use crate::data::scope::Scope;
use crate::data::ticket::{Item, Target};
use crate::data::time::Millis;

/// Planned effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Id, the same in the outbox, at the vendor and in the settling event.
    pub id: EffectId,
    /// Action.
    pub body: EffectBody,
    /// Effects that have to be done before this one starts. If one of them fails, this one fails too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<EffectId>,
    /// Consumed approval that releases it. The store refuses an outward effect without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRef>,
}

/// Reference to a consumed approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRef {
    /// Card of the approval.
    pub card: CardId,
    /// Version that was approved.
    pub version: u32,
}

/// Action of an effect, with all its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "class")]
pub enum EffectBody {
    /// Posts a message in the lane.
    #[serde(rename = "reply")]
    Reply {
        /// Internal id of the message.
        message: MessageId,
        /// Text.
        text: String,
        /// Suggested answers, shown as buttons where a channel can. A press sends the word; other answers
        /// count too.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offers: Vec<String>,
    },
    /// Posts a card.
    #[serde(rename = "card.post")]
    CardPost {
        /// Internal id of the message.
        message: MessageId,
        /// Card.
        card: CardModel,
    },
    /// Updates a posted card.
    #[serde(rename = "card.update")]
    CardUpdate {
        /// Message that shows the card.
        message: MessageId,
        /// Card.
        card: CardModel,
    },
    /// Sends a notice to one person, privately where the channel can.
    #[serde(rename = "notice")]
    Notice {
        /// User id of the person.
        to: String,
        /// Text.
        text: String,
    },
    /// Asks a model, within a time limit.
    #[serde(rename = "model.ask")]
    ModelAsk(Ask),
    /// Asks the tracker whether it would accept all these items. Creates nothing.
    #[serde(rename = "tracker.check")]
    TrackerCheck {
        /// Project.
        target: Target,
        /// Items, each epic before its stories.
        #[serde(alias = "item", deserialize_with = "one_or_many::deserialize")]
        items: Vec<Item>,
        /// Person who asked; a project may restrict who can create issues.
        by: String,
        /// Card that waits for the result.
        card: CardId,
    },
    /// Looks up an issue and its epic: to adopt it after an uncertain create, to read it back, or to show what a change of it
    /// would change.
    #[serde(rename = "tracker.find")]
    TrackerFind {
        /// Project.
        target: Target,
        /// Issue key that a person named.
        key: String,
        /// Person who asked; a project may restrict who can see issues.
        #[serde(default)]
        by: String,
        /// Card that waits for the result; empty if none does.
        card: CardId,
        /// Task that waits for the result, if a change of the issue is to be shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
    /// Searches the issues that carry the marker of an uncertain create
    /// (`docs/design/0031-effects-and-retries.md`).
    #[serde(rename = "tracker.seek")]
    TrackerSeek {
        /// Project.
        target: Target,
        /// Uncertain effect, whose id is the marker.
        marker: EffectId,
        /// Card that waits for the result.
        card: CardId,
    },
    /// Creates an issue.
    #[serde(rename = "tracker.create")]
    TrackerCreate {
        /// Project.
        target: Target,
        /// Item to create.
        item: Item,
        /// Epic of the item. `None` in what is stored: the epic of the item's `parent` has no key yet when the create is
        /// approved, so it is looked up when the create is performed. Effects planned by earlier versions hold it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        under: Option<EpicRef>,
        /// Card that waits for the result.
        card: CardId,
    },
    /// Changes an issue.
    #[serde(rename = "tracker.update")]
    TrackerUpdate {
        /// Project.
        target: Target,
        /// Issue key; for an epic that is set, the id of the draft that the first effect it depends on created.
        key: String,
        /// Change.
        change: IssueChange,
        /// Person who asked; a tracker changes nothing that they may not see. Empty in effects of versions before 0.2.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        by: String,
        /// Card that waits for the result.
        card: CardId,
    },
    /// Posts in the channel, outside the thread (`docs/design/0019-decision-records.md`).
    #[serde(rename = "post.channel")]
    PostChannel {
        /// Conversation to post in, without a thread.
        to: LaneKey,
        /// Text, exactly as it was approved.
        text: String,
        /// True if a last line with who decided and when is added when it is sent; neither is known when the text is
        /// approved.
        #[serde(default, skip_serializing_if = "core::ops::Not::not")]
        signed: bool,
        /// Language of that line. English in effects of versions before 0.2.
        #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
        language: Language,
        /// Card that waits for the result.
        card: CardId,
    },
    /// Calls a tool.
    #[serde(rename = "tool.call")]
    ToolCall(Call),
    /// Gives a task to a sub-agent.
    #[serde(rename = "agent.delegate")]
    AgentDelegate(Call),
    /// Runs a chosen option. The host performs it.
    #[serde(rename = "option.execute")]
    OptionExecute(Call),
    /// Performs an act that the host asked leave for. The host performs it.
    #[serde(rename = "host.act")]
    HostAct(Call),
    /// Asks the host for the current content of a list (`docs/design/0023-model-picks.md`).
    #[serde(rename = "evidence.fetch")]
    EvidenceFetch {
        /// List.
        set: SetId,
        /// Scope of the list.
        scope: Scope,
        /// Instance of the scope.
        scope_instance: String,
        /// Kinds of evidence that are asked for.
        wanted: Vec<EvidenceKind>,
    },
    /// Hands a turn to the host's agent (`docs/design/0068-hosts.md`).
    #[serde(rename = "turn.handover")]
    TurnHandover(Box<Handover>),
}

/// Epic that an item belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpicRef {
    /// Epic that this effect creates. It runs first, so its key is known when the item is created.
    Effect(EffectId),
    /// Existing epic, by issue key.
    Issue(String),
}

impl EffectBody {
    /// Returns the SHA-256 of its canonical bytes, in hexadecimal: the bytes that are stored, approved and compared.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex(&sha256(&[jcs(self).as_bytes()]))
    }

    /// Returns the class.
    #[must_use]
    pub fn class(&self) -> EffectClass {
        match self {
            Self::Reply { .. } => EffectClass::Reply,
            Self::CardPost { .. } => EffectClass::CardPost,
            Self::CardUpdate { .. } => EffectClass::CardUpdate,
            Self::Notice { .. } => EffectClass::Notice,
            Self::ModelAsk(_) => EffectClass::ModelAsk,
            Self::TrackerCheck { .. } | Self::TrackerFind { .. } | Self::TrackerSeek { .. } => {
                EffectClass::TrackerCheck
            }
            Self::TrackerCreate { .. } => EffectClass::TrackerCreate,
            Self::TrackerUpdate { .. } => EffectClass::TrackerUpdate,
            Self::PostChannel { .. } => EffectClass::PostChannel,
            Self::ToolCall(_) => EffectClass::ToolCall,
            Self::AgentDelegate(_) => EffectClass::AgentDelegate,
            Self::OptionExecute(_) => EffectClass::OptionExecute,
            Self::HostAct(_) => EffectClass::HostAct,
            Self::EvidenceFetch { .. } => EffectClass::EvidenceFetch,
            Self::TurnHandover(_) => EffectClass::TurnHandover,
        }
    }

    /// Returns true if it leaves the thread, so that it needs a consumed approval
    /// (`docs/design/0031-effects-and-retries.md`).
    #[must_use]
    pub fn is_outward(&self) -> bool {
        match self {
            Self::ToolCall(call) | Self::AgentDelegate(call) | Self::OptionExecute(call) => {
                call.risk.is_outward()
            }
            other => other.class().always_leaves(),
        }
    }

    /// Returns the task that waits for the outcome.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::ToolCall(call)
            | Self::AgentDelegate(call)
            | Self::OptionExecute(call)
            | Self::HostAct(call) => Some(&call.task),
            Self::TrackerFind { task, .. } => task.as_ref(),
            _ => None,
        }
    }

    /// Returns the card that waits for the outcome. A card does not wait for its own delivery.
    #[must_use]
    pub fn card(&self) -> Option<&CardId> {
        let card = match self {
            Self::TrackerCheck { card, .. }
            | Self::TrackerFind { card, .. }
            | Self::TrackerSeek { card, .. }
            | Self::TrackerCreate { card, .. }
            | Self::TrackerUpdate { card, .. }
            | Self::PostChannel { card, .. } => Some(card),
            Self::Reply { .. }
            | Self::CardPost { .. }
            | Self::CardUpdate { .. }
            | Self::Notice { .. }
            | Self::ModelAsk(_)
            | Self::ToolCall(_)
            | Self::AgentDelegate(_)
            | Self::OptionExecute(_)
            | Self::HostAct(_)
            | Self::EvidenceFetch { .. }
            | Self::TurnHandover(_) => None,
        };
        card.filter(|card| !card.0.is_empty())
    }

    /// Returns the number of attempts and the age in milliseconds after which it gives up. A question to a
    /// model and a turn for a host give up at their own time limit, a tool that may change something at that of what leaves
    /// the thread, other effects at the limit of their class.
    #[must_use]
    pub fn retry_limits(&self) -> (u32, Millis) {
        match self {
            Self::ModelAsk(ask) => (ask.purpose().max_tries(), ask.budget_ms),
            Self::TurnHandover(handover) => (1, handover.budget_ms),
            Self::ToolCall(_) if self.is_outward() => limits::GIVE_UP_WRITING_TOOL,
            _ => self.class().retry_limits(),
        }
    }

    /// Stream of the messages and new cards of a lane.
    pub const LANE_STREAM: &'static str = "lane";

    /// Beginning of the stream of one card's updates; the card's id follows.
    pub const CARD_STREAM: &'static str = "card:";

    /// Stream of the issues that a lane creates, so that their keys follow the order in which a card shows them.
    pub const CREATE_STREAM: &'static str = "create";

    /// Returns the stream in which it keeps its order within the lane; empty if order does not matter.
    #[must_use]
    pub fn stream(&self) -> String {
        match self {
            Self::Reply { .. } | Self::CardPost { .. } => Self::LANE_STREAM.into(),
            Self::CardUpdate { card, .. } => format!("{}{}", Self::CARD_STREAM, card.id),
            Self::TrackerCreate { .. } => Self::CREATE_STREAM.into(),
            Self::Notice { .. }
            | Self::ModelAsk(_)
            | Self::TrackerCheck { .. }
            | Self::TrackerFind { .. }
            | Self::TrackerSeek { .. }
            | Self::TrackerUpdate { .. }
            | Self::PostChannel { .. }
            | Self::ToolCall(_)
            | Self::AgentDelegate(_)
            | Self::OptionExecute(_)
            | Self::HostAct(_)
            | Self::EvidenceFetch { .. }
            | Self::TurnHandover(_) => String::new(),
        }
    }
}

impl Call {
    /// Returns the effect that makes this call. `card` is the one that releases it.
    #[must_use]
    pub fn effect(self, card: Option<&CardId>) -> EffectBody {
        match self.job {
            Job::Change(PlannedChange { target, key, change, by, .. }) => EffectBody::TrackerUpdate {
                target,
                key,
                change,
                by,
                card: card.cloned().unwrap_or_else(|| CardId::from("")),
            },
            Job::Tool { .. } => EffectBody::ToolCall(self),
            Job::Agent { .. } => EffectBody::AgentDelegate(self),
            Job::Option(_) => EffectBody::OptionExecute(self),
            Job::Act(_) => EffectBody::HostAct(self),
        }
    }
}
