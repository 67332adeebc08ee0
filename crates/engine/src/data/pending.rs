//! Questions that wait for an answer: their two classes, kinds and lifetimes
//! (`docs/design/0014-pending-questions.md`).

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::fact::FactKey;
use crate::data::id::{CardId, DraftId, EffectId, FactId, MessageId, PendingId, ProposalId, TaskId};
use crate::data::policy::Policy;
use crate::data::ticket::Part;
use crate::data::time::{Millis, Timestamp};
use throughline_language::{Expected, Value};
use throughline_messages::{self as say, Language};

/// A question that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingState {
    /// Its id.
    pub id: PendingId,
    /// Kind of question, with the ids it refers to, never the objects.
    #[serde(flatten)]
    pub kind: PendingKind,
    /// The answers that count; `None` for workflow questions, which no text answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// The message that asked.
    pub anchor: MessageId,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The person asked; `None` means everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// The version of the card that asked; 1 for plain questions.
    pub ui_version: u32,
    /// Moment at which it was asked.
    pub created_at: Timestamp,
    /// Last moment, inclusive, at which an answer counts; `None` means no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// An answered question, kept so that the answer can be corrected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnsweredPending {
    /// The question, with the expiry it would have if it had been asked when the answer came.
    pub pending: PendingState,
    /// The answer, if it is one of several choices: saying it once more corrects nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The person who answered; only they can correct it.
    pub by: String,
}

/// The kind of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
pub enum PendingKind {
    /// A part of a draft is missing, or a host asked for a value.
    SlotRequest(Slot),
    /// A host asked for a choice among several.
    ClarificationNeeded(Slot),
    /// A tool did not answer, and another try is offered.
    ToolRetryOffer {
        /// The tool.
        tool: String,
    },
    /// A sub-agent is offered the task.
    DelegationOffer {
        /// The sub-agent.
        agent: String,
    },
    /// Somebody is editing a draft in words.
    WaitingStoryEdit {
        /// The draft.
        draft: DraftId,
        /// The card that shows it.
        card: CardId,
        /// The field that is asked for; the next one follows.
        #[serde(default = "title")]
        part: Part,
    },
    /// Somebody is editing a decision, in words or by form.
    WaitingDecisionEdit {
        /// The card that shows it.
        card: CardId,
    },
    /// A card waits for Approve or Reject.
    WaitingApproval {
        /// The card.
        card: CardId,
    },
    /// The scope gate waits for a choice.
    WaitingScopeChoice {
        /// The gate's card.
        card: CardId,
        /// The message it is about.
        message: MessageId,
    },
    /// A batch of many items waits to be confirmed before it can be approved.
    WaitingQuantityConfirm {
        /// The card.
        card: CardId,
    },
    /// A long batch waits to be confirmed before it can be approved.
    WaitingSizeConfirm {
        /// The card.
        card: CardId,
    },
    /// An effect may or may not have been applied; a person has to say.
    WaitingUncertainEffect {
        /// The card that asks.
        card: CardId,
        /// The effect.
        effect: EffectId,
    },
}

/// The field of edits stored before fields were asked for one by one.
fn title() -> Part {
    Part::Title
}

/// The value that a question asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// A missing part of a draft.
    Draft {
        /// The draft.
        draft: DraftId,
        /// The part that comes next.
        part: Part,
    },
    /// A value the host's own agent asked for: the host acts on it.
    Host,
    /// An argument that is needed before the task's tool can be called.
    Argument {
        /// The argument's name.
        name: String,
    },
    /// A field that a tool or a sub-agent asked for before it goes on with the task.
    Asked {
        /// The field's name; empty for the only one.
        name: String,
    },
    /// The sub-agent that the task goes to.
    Agent,
    /// The text of a decision.
    Proposal {
        /// The decision.
        proposal: ProposalId,
    },
    /// The one of two contradicting facts that holds.
    Facts {
        /// The set that both belong to.
        key: FactKey,
        /// The fact that counts so far.
        earlier: FactId,
        /// The fact stated against it.
        now: FactId,
    },
    /// A value for a capability that keeps its state on its card.
    Custom {
        /// Name of the capability.
        capability: String,
        /// The card.
        card: CardId,
        /// The value's name.
        name: String,
    },
    /// The issue, out of several, that a decision is commented on.
    Issue {
        /// The decision's receipt.
        card: CardId,
    },
}

/// The class of a pending question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingClass {
    /// Answered by text. A lane has at most one, and a message about something else clears it.
    Conversational,
    /// Answered by its buttons or form. A lane has any number, and no message clears one.
    Workflow,
}

impl PendingKind {
    /// Returns its class.
    #[must_use]
    pub fn class(&self) -> PendingClass {
        match self {
            Self::SlotRequest(_)
            | Self::ClarificationNeeded(_)
            | Self::ToolRetryOffer { .. }
            | Self::DelegationOffer { .. }
            | Self::WaitingStoryEdit { .. }
            | Self::WaitingDecisionEdit { .. } => PendingClass::Conversational,
            Self::WaitingApproval { .. }
            | Self::WaitingScopeChoice { .. }
            | Self::WaitingQuantityConfirm { .. }
            | Self::WaitingSizeConfirm { .. }
            | Self::WaitingUncertainEffect { .. } => PendingClass::Workflow,
        }
    }

    /// Returns its public name.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::SlotRequest(_) => "slot_request",
            Self::ClarificationNeeded(_) => "clarification_needed",
            Self::ToolRetryOffer { .. } => "tool_retry_offer",
            Self::DelegationOffer { .. } => "delegation_offer",
            Self::WaitingStoryEdit { .. } => "waiting_story_edit",
            Self::WaitingDecisionEdit { .. } => "waiting_decision_edit",
            Self::WaitingApproval { .. } => "waiting_approval",
            Self::WaitingScopeChoice { .. } => "waiting_scope_choice",
            Self::WaitingQuantityConfirm { .. } => "waiting_quantity_confirm",
            Self::WaitingSizeConfirm { .. } => "waiting_size_confirm",
            Self::WaitingUncertainEffect { .. } => "waiting_uncertain_effect",
        }
    }

    /// Returns its default lifetime in milliseconds; `None` means for ever. A confirmation lives as long as
    /// its approval.
    #[must_use]
    pub fn lifetime(&self, policy: &Policy) -> Option<Millis> {
        match self {
            Self::SlotRequest(_) => Some(policy.expiry.slot_ms),
            Self::ClarificationNeeded(_) => Some(policy.expiry.clarification_ms),
            Self::ToolRetryOffer { .. } => Some(policy.expiry.retry_ms),
            Self::DelegationOffer { .. } => Some(policy.expiry.delegation_ms),
            Self::WaitingStoryEdit { .. } | Self::WaitingDecisionEdit { .. } => Some(policy.expiry.edit_ms),
            Self::WaitingApproval { .. }
            | Self::WaitingQuantityConfirm { .. }
            | Self::WaitingSizeConfirm { .. } => Some(policy.approval.max_age_ms).filter(|&age| age > 0),
            Self::WaitingScopeChoice { .. } => Some(policy.expiry.gate_ms),
            Self::WaitingUncertainEffect { .. } => None,
        }
    }

    /// Returns the value asked for, if it asks for one.
    #[must_use]
    pub fn slot(&self) -> Option<&Slot> {
        match self {
            Self::SlotRequest(slot) | Self::ClarificationNeeded(slot) => Some(slot),
            _ => None,
        }
    }

    /// Returns the draft it asks about, if any.
    #[must_use]
    pub fn draft(&self) -> Option<&DraftId> {
        match self {
            Self::SlotRequest(Slot::Draft { draft, .. })
            | Self::ClarificationNeeded(Slot::Draft { draft, .. })
            | Self::WaitingStoryEdit { draft, .. } => Some(draft),
            _ => None,
        }
    }

    /// Returns the part of a draft it asks for, if any.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::SlotRequest(Slot::Draft { part, .. }) | Self::WaitingStoryEdit { part, .. } => Some(*part),
            _ => None,
        }
    }

    /// Returns the decision it asks for, if any.
    #[must_use]
    pub fn proposal(&self) -> Option<&ProposalId> {
        match self.slot() {
            Some(Slot::Proposal { proposal }) => Some(proposal),
            _ => None,
        }
    }

    /// Returns the card it appears on, if any.
    #[must_use]
    pub fn card(&self) -> Option<&CardId> {
        match self {
            Self::WaitingStoryEdit { card, .. }
            | Self::WaitingDecisionEdit { card }
            | Self::WaitingApproval { card }
            | Self::WaitingScopeChoice { card, .. }
            | Self::WaitingQuantityConfirm { card }
            | Self::WaitingSizeConfirm { card }
            | Self::WaitingUncertainEffect { card, .. }
            | Self::SlotRequest(Slot::Custom { card, .. })
            | Self::ClarificationNeeded(Slot::Issue { card } | Slot::Custom { card, .. }) => Some(card),
            Self::SlotRequest(_)
            | Self::ClarificationNeeded(_)
            | Self::ToolRetryOffer { .. }
            | Self::DelegationOffer { .. } => None,
        }
    }
}

impl PendingState {
    /// True if an answer still counts at `now`.
    #[must_use]
    pub fn is_alive(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now <= end)
    }

    /// True if this person is asked: by name, or as everybody is.
    #[must_use]
    pub fn is_asked_of(&self, who: &str) -> bool {
        self.asked_of.as_deref().is_none_or(|of| of == who)
    }

    /// True if it asks for a text in a person's own words, and is no offer to edit one.
    #[must_use]
    pub fn takes_words(&self) -> bool {
        self.expected == Some(Expected::Text) && matches!(self.kind, PendingKind::SlotRequest(_))
    }

    /// Returns one line for a person: the kind, the expected answer and the end of its time.
    #[must_use]
    pub fn line(&self, now: Timestamp, language: Language) -> String {
        let kind = say::pending_line(language, self.kind.as_str());
        let expected = self.expected.as_ref().map(|expected| say::pending_expects(language, expected));
        let until = self.expires_at.map(|end| say::pending_until(language, end.deadline_at(now, language)));
        [kind].into_iter().chain(expected).chain(until).collect::<Vec<_>>().join(", ")
    }
}
