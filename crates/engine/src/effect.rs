//! What a turn wants done in the world, and how that ends.
//!
//! An effect is data with an id. It is performed after the commit; its outcome comes back as
//! [`crate::event::EventKind::EffectSettled`] and is judged by the same step.

mod class;
mod outcome;
mod trying;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::class::EffectClass;
pub use self::outcome::{Attempt, EffectResult, FieldError, Outcome};
pub use self::trying::{AfterUnknown, Guarantee, after_unknown, retry_delay};
use crate::ask::{Ask, Evidence};
use crate::id::{CardId, EffectId, MessageId, SetId, TaskId};
use crate::lane::LaneKey;
use crate::selection::Scope;
use crate::tickets::{Item, Target};
use crate::time::Millis;
use crate::work::Call;
use crate::workflow::CardModel;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Its name everywhere.
    pub id: EffectId,
    /// What to do.
    pub body: EffectBody,
    /// Starts when all of these are done; fails when one of them fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<EffectId>,
    /// The consumed approval that releases it. The store refuses an outward effect without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRef>,
}

/// A consumed approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRef {
    /// Which card.
    pub card: CardId,
    /// At which version.
    pub version: u32,
}

/// What to do, with everything it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "class")]
pub enum EffectBody {
    /// Say something in the lane.
    #[serde(rename = "reply")]
    Reply {
        /// The internal id of the message this becomes.
        message: MessageId,
        /// The words.
        text: String,
        /// Short answers that count, beside any other: buttons, where a channel can make some of them. A press says
        /// the word.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offers: Vec<String>,
    },
    /// Show a card.
    #[serde(rename = "card.post")]
    CardPost {
        /// The internal id of the message this becomes.
        message: MessageId,
        /// The card.
        card: CardModel,
    },
    /// Show a card's new state in its message.
    #[serde(rename = "card.update")]
    CardUpdate {
        /// The message that shows it.
        message: MessageId,
        /// The card.
        card: CardModel,
    },
    /// Tell one person, privately where the channel can.
    #[serde(rename = "notice")]
    Notice {
        /// Whom.
        to: String,
        /// What.
        text: String,
    },
    /// Ask a model, within bounds.
    #[serde(rename = "model.ask")]
    ModelAsk(Ask),
    /// Would the tracker take these items, all of them? Creates nothing.
    #[serde(rename = "tracker.check")]
    TrackerCheck {
        /// Where.
        target: Target,
        /// What: an epic before its stories.
        #[serde(alias = "item", deserialize_with = "one_or_many")]
        items: Vec<Item>,
        /// Who asked for it: a project may admit some and not others.
        by: String,
        /// The card it is for.
        card: CardId,
    },
    /// Is there such an issue, and under which epic? For adopting what an uncertain create may have made, and for
    /// reading back what was created (`spec 06 §6.2`).
    #[serde(rename = "tracker.find")]
    TrackerFind {
        /// Where.
        target: Target,
        /// The key a person named.
        key: String,
        /// Who wants to know: a project may be seen by some and not by others.
        #[serde(default)]
        by: String,
        /// The card it is for; empty when it is for the issues a thread tracks.
        card: CardId,
    },
    /// Which issues carry the marker of an uncertain create? (`spec 06 §4.4`, adoption)
    #[serde(rename = "tracker.seek")]
    TrackerSeek {
        /// Where.
        target: Target,
        /// The effect that may have made one.
        marker: EffectId,
        /// The card it is for.
        card: CardId,
    },
    /// Create an issue.
    #[serde(rename = "tracker.create")]
    TrackerCreate {
        /// Where.
        target: Target,
        /// What.
        item: Item,
        /// The epic it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        under: Option<Under>,
        /// The card it is for.
        card: CardId,
    },
    /// Change an issue that exists.
    #[serde(rename = "tracker.update")]
    TrackerUpdate {
        /// Where.
        target: Target,
        /// Which issue.
        key: String,
        /// What of it.
        change: IssueChange,
        /// The card it is for.
        card: CardId,
    },
    /// Post in the channel, outside the thread (`spec 03 §5`).
    #[serde(rename = "post.channel")]
    PostChannel {
        /// The conversation, at its root.
        to: LaneKey,
        /// The words, exactly as they were approved.
        text: String,
        /// The card it is for.
        card: CardId,
    },
    /// Call a tool.
    #[serde(rename = "tool.call")]
    ToolCall(Call),
    /// Hand a task to a sub-agent.
    #[serde(rename = "agent.delegate")]
    AgentDelegate(Call),
    /// Run an option that was chosen: its host does.
    #[serde(rename = "option.execute")]
    OptionExecute(Call),
    /// What does a list hold now? Its host says, or nobody does (`spec 04 §12.3`).
    #[serde(rename = "evidence.fetch")]
    EvidenceFetch {
        /// Which list.
        set: SetId,
        /// Where it is.
        scope: Scope,
        /// The concrete place.
        scope_instance: String,
        /// What of it would help.
        wanted: Vec<Evidence>,
    },
}

/// The epic an item belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Under {
    /// The one this effect creates: it is done before, and its key is known when the item's turn comes.
    Effect(EffectId),
    /// One that exists.
    Issue(String),
}

/// What is changed of an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueChange {
    /// It belongs to this epic.
    Parent(String),
    /// One comment more.
    Comment(String),
}

/// What was planned by an earlier version holds one item.
fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Item>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Held {
        Many(Vec<Item>),
        One(Item),
    }
    Ok(match Held::deserialize(from)? {
        Held::Many(items) => items,
        Held::One(item) => alloc::vec![item],
    })
}

impl EffectBody {
    /// Its class.
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
            Self::EvidenceFetch { .. } => EffectClass::EvidenceFetch,
        }
    }

    /// Leaves the thread, and so needs a consumed approval (`spec 06 §4.2`).
    #[must_use]
    pub fn outward(&self) -> bool {
        match self {
            Self::TrackerCreate { .. } | Self::TrackerUpdate { .. } | Self::PostChannel { .. } => true,
            Self::ToolCall(call) | Self::AgentDelegate(call) | Self::OptionExecute(call) => {
                call.risk.outward()
            }
            _ => false,
        }
    }

    /// The task that waits for its outcome.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::ToolCall(call) | Self::AgentDelegate(call) | Self::OptionExecute(call) => Some(&call.task),
            _ => None,
        }
    }

    /// The card that waits for its outcome. That a card was delivered, or was not, is nothing to the card.
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
            | Self::EvidenceFetch { .. } => None,
        };
        card.filter(|card| !card.0.is_empty())
    }

    /// After how many attempts, or after what age, it gives up (`spec 06 §4.5`): a question when its own time is over,
    /// anything else as its class does.
    #[must_use]
    pub fn gives_up(&self) -> (u32, Millis) {
        match self {
            Self::ModelAsk(ask) => (ask.purpose().tries(), ask.budget_ms),
            _ => self.class().gives_up(),
        }
    }

    /// What it keeps order with inside the lane (`spec 06 §4.6`); empty when it keeps none.
    #[must_use]
    pub fn stream(&self) -> String {
        match self {
            Self::Reply { .. } | Self::CardPost { .. } => "lane".into(),
            Self::CardUpdate { card, .. } => format!("card:{}", card.id),
            Self::Notice { .. }
            | Self::ModelAsk(_)
            | Self::TrackerCheck { .. }
            | Self::TrackerFind { .. }
            | Self::TrackerSeek { .. }
            | Self::TrackerCreate { .. }
            | Self::TrackerUpdate { .. }
            | Self::PostChannel { .. }
            | Self::ToolCall(_)
            | Self::AgentDelegate(_)
            | Self::OptionExecute(_)
            | Self::EvidenceFetch { .. } => String::new(),
        }
    }
}
