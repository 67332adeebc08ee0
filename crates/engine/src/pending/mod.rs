//! Pending state: what waits for an answer, in two classes, and when a message is one (`spec 02 §5`).

use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::focus::FocusContext;
use crate::id::{CardId, DraftId, EffectId, MessageId, PendingId, ProposalId, TaskId};
use crate::policy::Policy;
use crate::recognize::{self, Context, Expected, Match, Words};
use crate::tickets::Part;
use crate::time::{Millis, Timestamp};

/// A question that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingState {
    /// Its id.
    pub id: PendingId,
    /// What kind of question, with the ids it is about; never objects.
    #[serde(flatten)]
    pub kind: PendingKind,
    /// Which answers count. Workflow pendings take no text and have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// The message that asked.
    pub anchor: MessageId,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Who is asked; nobody named is everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// The version of the card that asked; 1 for plain questions.
    pub ui_version: u32,
    /// When it was asked.
    pub created_at: Timestamp,
    /// Until when an answer counts, this very millisecond included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// An answer that was taken, kept so that it can be corrected (`spec 02 §5.4`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The question; it ends when a question that was asked with the answer would.
    pub pending: PendingState,
    /// Who answered: nobody else corrects it.
    pub by: String,
}

/// What kind of question (`spec 02 §5.2`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
pub enum PendingKind {
    /// A part of a draft is missing, or a host asked for a value.
    SlotRequest(Slot),
    /// A host asked which of several.
    ClarificationNeeded(Slot),
    /// A tool did not answer, and is offered to be tried again.
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
    /// A batch of many items waits to be confirmed before it can be approved (`spec 06 §6.3`).
    WaitingQuantityConfirm {
        /// The card.
        card: CardId,
    },
    /// A long batch waits to be confirmed before it can be approved.
    WaitingSizeConfirm {
        /// The card.
        card: CardId,
    },
    /// Nobody knows whether an effect was applied.
    WaitingUncertainEffect {
        /// The card that asks.
        card: CardId,
        /// The effect.
        effect: EffectId,
    },
}

/// The field of edits that were begun when all fields were asked for at once.
fn title() -> Part {
    Part::Title
}

/// What a slot is for.
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
    /// What a tool has to know before the pending's task can call it.
    Argument {
        /// Its name.
        name: String,
    },
    /// What a tool or a sub-agent asked back before it goes on with the pending's task.
    Asked {
        /// The field's name; empty for the only one.
        name: String,
    },
    /// Which sub-agent the pending's task goes to.
    Agent,
    /// What was decided.
    Proposal {
        /// The decision.
        proposal: ProposalId,
    },
    /// Which of several issues a decision is a comment on.
    Issue {
        /// The decision's receipt.
        card: CardId,
    },
}

/// The two classes (`spec 02 §5.2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingClass {
    /// Satisfied by text; one in a lane; cleared by a message that is something else.
    Conversational,
    /// Satisfied by its buttons or form; any number; no message clears it.
    Workflow,
}

impl PendingKind {
    /// Its class.
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

    /// Its public name.
    #[must_use]
    pub fn word(&self) -> &'static str {
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

    /// How long it is good for when nobody says; `None` is for ever. A confirmation lives as long as its approval.
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

    /// What is asked for, when it is a value.
    #[must_use]
    pub fn slot(&self) -> Option<&Slot> {
        match self {
            Self::SlotRequest(slot) | Self::ClarificationNeeded(slot) => Some(slot),
            _ => None,
        }
    }

    /// The draft it asks about, if it does.
    #[must_use]
    pub fn draft(&self) -> Option<&DraftId> {
        match self {
            Self::SlotRequest(Slot::Draft { draft, .. })
            | Self::ClarificationNeeded(Slot::Draft { draft, .. })
            | Self::WaitingStoryEdit { draft, .. } => Some(draft),
            _ => None,
        }
    }

    /// The decision it asks for, if it does.
    #[must_use]
    pub fn proposal(&self) -> Option<&ProposalId> {
        match self.slot() {
            Some(Slot::Proposal { proposal }) => Some(proposal),
            _ => None,
        }
    }

    /// The card it lives on, if it does.
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
            | Self::ClarificationNeeded(Slot::Issue { card }) => Some(card),
            Self::SlotRequest(_)
            | Self::ClarificationNeeded(_)
            | Self::ToolRetryOffer { .. }
            | Self::DelegationOffer { .. } => None,
        }
    }
}

/// What a message is to a conversational pending (`spec 02 §5.3`, checked in this order).
#[derive(Clone, Debug, PartialEq)]
pub enum Fit {
    /// An answer.
    Applies(Match),
    /// Too late: the pending is cleared.
    Expired,
    /// It replies to something else: the pending is left alone.
    OtherAnchor,
    /// Somebody else was asked: the pending is left alone.
    OtherPerson,
    /// Not an answer: the pending is cleared. The word goes into the trace.
    Mismatch(&'static str),
}

impl PendingState {
    /// Whether a message of `by` answers this at `now`, read against `context`.
    #[must_use]
    pub fn fit(
        &self,
        message: &Words,
        by: &str,
        focus: &FocusContext,
        now: Timestamp,
        context: &Context<'_>,
    ) -> Fit {
        if self.expires_at.is_some_and(|end| now > end) {
            return Fit::Expired;
        }
        if focus.replies() && focus.anchor_id() != Some(&self.anchor) {
            return Fit::OtherAnchor;
        }
        if self.asked_of.as_deref().is_some_and(|asked| asked != by) {
            return Fit::OtherPerson;
        }
        let Some(expected) = &self.expected else { return Fit::Mismatch("takes no text") };
        match recognize::answer(expected, message, context) {
            Ok(found) => Fit::Applies(found),
            Err(no) => Fit::Mismatch(no.reason),
        }
    }

    /// Still good at `now`.
    #[must_use]
    pub fn alive(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now <= end)
    }

    /// One line for a person: what waits, and until when.
    #[must_use]
    pub fn line(&self, now: Timestamp) -> String {
        let until = self.expires_at.map(|end| format!(", until {}", end.told(now))).unwrap_or_default();
        let expected = self.expected.as_ref().map(|e| format!(", expects {e}")).unwrap_or_default();
        format!("{}{expected}{until}", self.kind.word().replace('_', " "))
    }
}
