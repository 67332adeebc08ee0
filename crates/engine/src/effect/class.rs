//! Kinds of effects: what the outbox orders, limits and refuses by.

use serde::{Deserialize, Serialize};

use crate::policy::limits;
use crate::time::Millis;

/// The class of an effect (`spec 06 §4.2`): what the outbox orders, limits and refuses by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EffectClass {
    /// See [`super::EffectBody::Reply`].
    #[serde(rename = "reply")]
    Reply,
    /// See [`super::EffectBody::CardPost`].
    #[serde(rename = "card.post")]
    CardPost,
    /// See [`super::EffectBody::CardUpdate`].
    #[serde(rename = "card.update")]
    CardUpdate,
    /// See [`super::EffectBody::Notice`].
    #[serde(rename = "notice")]
    Notice,
    /// See [`super::EffectBody::ModelAsk`].
    #[serde(rename = "model.ask")]
    ModelAsk,
    /// See [`super::EffectBody::TrackerCheck`].
    #[serde(rename = "tracker.check")]
    TrackerCheck,
    /// See [`super::EffectBody::TrackerCreate`].
    #[serde(rename = "tracker.create")]
    TrackerCreate,
    /// See [`super::EffectBody::TrackerUpdate`].
    #[serde(rename = "tracker.update")]
    TrackerUpdate,
    /// See [`super::EffectBody::PostChannel`].
    #[serde(rename = "post.channel")]
    PostChannel,
    /// See [`super::EffectBody::ToolCall`].
    #[serde(rename = "tool.call")]
    ToolCall,
    /// See [`super::EffectBody::AgentDelegate`].
    #[serde(rename = "agent.delegate")]
    AgentDelegate,
    /// See [`super::EffectBody::OptionExecute`].
    #[serde(rename = "option.execute")]
    OptionExecute,
    /// See [`super::EffectBody::EvidenceFetch`].
    #[serde(rename = "evidence.fetch")]
    EvidenceFetch,
}

impl EffectClass {
    /// Every class.
    pub const ALL: [Self; 13] = [
        Self::Reply,
        Self::CardPost,
        Self::CardUpdate,
        Self::Notice,
        Self::ModelAsk,
        Self::TrackerCheck,
        Self::TrackerCreate,
        Self::TrackerUpdate,
        Self::PostChannel,
        Self::ToolCall,
        Self::AgentDelegate,
        Self::OptionExecute,
        Self::EvidenceFetch,
    ];

    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::CardPost => "card.post",
            Self::CardUpdate => "card.update",
            Self::Notice => "notice",
            Self::ModelAsk => "model.ask",
            Self::TrackerCheck => "tracker.check",
            Self::TrackerCreate => "tracker.create",
            Self::TrackerUpdate => "tracker.update",
            Self::PostChannel => "post.channel",
            Self::ToolCall => "tool.call",
            Self::AgentDelegate => "agent.delegate",
            Self::OptionExecute => "option.execute",
            Self::EvidenceFetch => "evidence.fetch",
        }
    }

    /// The class of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }

    /// A tool, a sub-agent or a host does it: what comes of it has no key.
    #[must_use]
    pub fn calls(self) -> bool {
        matches!(self, Self::ToolCall | Self::AgentDelegate | Self::OptionExecute)
    }

    /// Only a host can perform it: what was registered is opaque to us (`spec 07 §5.2`).
    #[must_use]
    pub fn only_a_host(self) -> bool {
        matches!(self, Self::OptionExecute | Self::EvidenceFetch)
    }

    /// Can leave the thread; whether one does, [`super::EffectBody::outward`] says.
    #[must_use]
    pub fn can_leave(self) -> bool {
        matches!(
            self,
            Self::TrackerCreate
                | Self::TrackerUpdate
                | Self::PostChannel
                | Self::ToolCall
                | Self::AgentDelegate
                | Self::OptionExecute
        )
    }

    /// Whether success comes back as a turn. A delivered message changes nothing a step would decide, so
    /// its success is recorded with the effect alone; its failure is always a turn.
    #[must_use]
    pub fn reports_success(self) -> bool {
        !matches!(self, Self::Reply | Self::CardPost | Self::CardUpdate | Self::Notice)
    }

    /// When trying stops (`spec 06 §4.5`): attempts, and time since the commit.
    #[must_use]
    pub fn gives_up(self) -> (u32, Millis) {
        match self {
            Self::Reply | Self::CardPost => limits::GIVE_UP_MESSAGE,
            Self::Notice => limits::GIVE_UP_NOTICE,
            Self::CardUpdate => limits::GIVE_UP_CARD_UPDATE,
            Self::ModelAsk => limits::GIVE_UP_MODEL_ASK,
            Self::TrackerCheck | Self::TrackerCreate | Self::TrackerUpdate | Self::PostChannel => {
                limits::GIVE_UP_TRACKER
            }
            Self::ToolCall => limits::GIVE_UP_TOOL,
            Self::AgentDelegate => limits::GIVE_UP_AGENT,
            Self::OptionExecute => limits::GIVE_UP_OPTION,
            Self::EvidenceFetch => limits::GIVE_UP_EVIDENCE,
        }
    }
}
