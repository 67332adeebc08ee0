//! The capability that each kind of card, question and request to a model belongs to, by name. Routing hands what
//! happens to them to the capability of that name (`routing/capabilities.rs`).

use crate::data::action::Action;
use crate::data::ask::AnswerRecipient;
use crate::data::card::{Card, CardSubject};
use crate::data::pending::{PendingKind, Slot};

/// Unclear messages: the gate that asks about one, the remembered mode, and answers in words.
pub(crate) const SCOPE: &str = "scope";
/// Ticket drafts and batches.
pub(crate) const TICKETS: &str = "tickets";
/// Tools and sub-agents.
pub(crate) const WORK: &str = "work";
/// Reviews.
pub(crate) const REVIEWS: &str = "reviews";
/// Decision records.
pub(crate) const DECISIONS: &str = "decisions";
/// Option lists.
pub(crate) const SELECTION: &str = "selection";
/// Facts.
pub(crate) const FACTS: &str = "facts";
/// Questions of a host's agent.
pub(crate) const PENDING: &str = "pending";
/// Help and small talk.
pub(crate) const HELP: &str = "help";
/// The host's own agent, which acts on the answers to its questions itself.
pub(crate) const HOST: &str = "host";

impl CardSubject {
    /// Returns the name of the capability that the card belongs to.
    #[must_use]
    pub fn owner(&self) -> &str {
        match self {
            Self::DraftPreview { .. } | Self::BatchPreview { .. } | Self::UncertainEffect { .. } => TICKETS,
            Self::CallPreview { .. } | Self::UncertainCall { .. } => WORK,
            Self::ReviewActive { .. } | Self::ReviewFrozen { .. } => REVIEWS,
            Self::DecisionPreview { .. } | Self::DecisionUncertain { .. } => DECISIONS,
            Self::Options { .. } => SELECTION,
            Self::ScopeGate { .. } | Self::Remembered => SCOPE,
            Self::Custom { capability, .. } => capability,
        }
    }
}

impl Card {
    /// Returns the name of the capability that handles this action on it. Recording a decision is the business of
    /// decision records, though the button for it is on a review.
    #[must_use]
    pub fn handler(&self, action: Action) -> &str {
        if action == Action::ApproveDecision { DECISIONS } else { self.about.owner() }
    }
}

impl PendingKind {
    /// Returns the name of the capability that an answer in words goes to; `None` where only a card is pressed.
    pub(crate) fn owner(&self) -> Option<&str> {
        match self {
            Self::SlotRequest(slot) | Self::ClarificationNeeded(slot) => Some(slot.owner()),
            Self::ToolRetryOffer { .. } | Self::DelegationOffer { .. } => Some(WORK),
            Self::WaitingStoryEdit { .. } => Some(TICKETS),
            Self::WaitingDecisionEdit { .. } => Some(DECISIONS),
            Self::WaitingApproval { .. }
            | Self::WaitingScopeChoice { .. }
            | Self::WaitingQuantityConfirm { .. }
            | Self::WaitingSizeConfirm { .. }
            | Self::WaitingUncertainEffect { .. } => None,
        }
    }
}

impl Slot {
    fn owner(&self) -> &str {
        match self {
            Self::Draft { .. } => TICKETS,
            Self::Argument { .. } | Self::Asked { .. } | Self::Agent => WORK,
            Self::Proposal { .. } | Self::Issue { .. } => DECISIONS,
            Self::Facts { .. } => FACTS,
            Self::Host => HOST,
            Self::Custom { capability, .. } => capability,
        }
    }
}

impl AnswerRecipient {
    /// Returns the name of the capability that the answer goes to.
    pub(crate) fn owner(&self) -> &'static str {
        match self {
            Self::Intent | Self::Discussion => SCOPE,
            Self::Draft(_) | Self::Batch(_) | Self::Revision { .. } => TICKETS,
            Self::Review(_) | Self::Patch(_) | Self::Synthesis(_) => REVIEWS,
            Self::Selection(_) => SELECTION,
        }
    }
}
