//! Classes of effects.

use serde::{Deserialize, Serialize};

use crate::data::policy::limits;
use crate::data::time::Millis;

/// Class of an effect. The outbox orders, limits and refuses effects by it
/// (`docs/design/0031-effects-and-retries.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EffectClass {
    /// Message in the lane: [`super::EffectBody::Reply`].
    #[serde(rename = "reply")]
    Reply,
    /// New card: [`super::EffectBody::CardPost`].
    #[serde(rename = "card.post")]
    CardPost,
    /// Update of a card: [`super::EffectBody::CardUpdate`].
    #[serde(rename = "card.update")]
    CardUpdate,
    /// Notice to one person: [`super::EffectBody::Notice`].
    #[serde(rename = "notice")]
    Notice,
    /// Question to a model: [`super::EffectBody::ModelAsk`].
    #[serde(rename = "model.ask")]
    ModelAsk,
    /// Dry run of items: [`super::EffectBody::TrackerCheck`].
    #[serde(rename = "tracker.check")]
    TrackerCheck,
    /// New issue: [`super::EffectBody::TrackerCreate`].
    #[serde(rename = "tracker.create")]
    TrackerCreate,
    /// Change of an issue: [`super::EffectBody::TrackerUpdate`].
    #[serde(rename = "tracker.update")]
    TrackerUpdate,
    /// Post outside the thread: [`super::EffectBody::PostChannel`].
    #[serde(rename = "post.channel")]
    PostChannel,
    /// Call of a tool: [`super::EffectBody::ToolCall`].
    #[serde(rename = "tool.call")]
    ToolCall,
    /// Task for a sub-agent: [`super::EffectBody::AgentDelegate`].
    #[serde(rename = "agent.delegate")]
    AgentDelegate,
    /// Execution of an option: [`super::EffectBody::OptionExecute`].
    #[serde(rename = "option.execute")]
    OptionExecute,
    /// Act that a host asked leave for: [`super::EffectBody::HostAct`].
    #[serde(rename = "host.act")]
    HostAct,
    /// Request for evidence: [`super::EffectBody::EvidenceFetch`].
    #[serde(rename = "evidence.fetch")]
    EvidenceFetch,
    /// Turn for the host's agent: [`super::EffectBody::TurnHandover`].
    #[serde(rename = "turn.handover")]
    TurnHandover,
}

impl EffectClass {
    /// Every class.
    pub const ALL: [Self; 15] = [
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
        Self::HostAct,
        Self::EvidenceFetch,
        Self::TurnHandover,
    ];

    /// Returns the public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
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
            Self::HostAct => "host.act",
            Self::EvidenceFetch => "evidence.fetch",
            Self::TurnHandover => "turn.handover",
        }
    }

    /// Returns the class with this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == word)
    }

    /// Returns true if a tool, a sub-agent or a host does the work, so that the result has no issue key.
    #[must_use]
    pub fn is_call(self) -> bool {
        matches!(self, Self::ToolCall | Self::AgentDelegate | Self::OptionExecute | Self::HostAct)
    }

    /// Returns true if it is about a list that a host shows. Whoever shows lists may report it.
    #[must_use]
    pub fn is_of_list(self) -> bool {
        matches!(self, Self::OptionExecute | Self::EvidenceFetch)
    }

    /// Returns true if only a host can perform it, because what it means is opaque to us.
    #[must_use]
    pub fn is_host_only(self) -> bool {
        self.is_of_list() || matches!(self, Self::HostAct | Self::TurnHandover)
    }

    /// Returns true if effects of this class can leave the thread. [`super::EffectBody::is_outward`] tells it
    /// for a single effect.
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
                | Self::HostAct
        )
    }

    /// Returns true if every effect of this class leaves the thread, so that a store may know it without its bytes.
    #[must_use]
    pub fn always_leaves(self) -> bool {
        matches!(self, Self::TrackerCreate | Self::TrackerUpdate | Self::PostChannel | Self::HostAct)
    }

    /// Returns true if success comes back as a turn. The delivery of a message changes no decision, so its
    /// success is only stored with the effect; a failure always comes back as a turn.
    #[must_use]
    pub fn reports_success(self) -> bool {
        !matches!(self, Self::Reply | Self::CardPost | Self::CardUpdate | Self::Notice)
    }

    /// Returns the limits of retrying: attempts, and time since the commit in milliseconds
    /// (`docs/design/0031-effects-and-retries.md`).
    #[must_use]
    pub fn retry_limits(self) -> (u32, Millis) {
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
            Self::OptionExecute | Self::HostAct => limits::GIVE_UP_HOST,
            Self::EvidenceFetch => limits::GIVE_UP_EVIDENCE,
            Self::TurnHandover => (1, limits::HANDOVER),
        }
    }
}
