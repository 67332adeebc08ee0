//! Steps of cards, actions of buttons, and the table of the actions each step allows. A pair that is not in
//! the table is refused (`docs/design/0017-steps-and-card-versions.md`).

use alloc::string::String;

use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};
use throughline_messages::Language;

/// Step of a card: it decides which actions are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardStep {
    /// Preview of one item, before it is created.
    DraftPreview,
    /// Preview of several items, before they are created.
    MultiTicketPreview,
    /// Preview of a decision, before it is posted.
    DecisionPreview,
    /// Review that takes feedback.
    ReviewActive,
    /// Frozen review, which can be turned into tickets.
    ReviewFrozen,
    /// Question what to do with an unclear message.
    ScopeGate,
    /// Question whether an uncertain effect was applied.
    UncertainEffect,
    /// Preview of one call of a tool or a sub-agent.
    CallPreview,
    /// Question whether an uncertain call was made.
    UncertainCall,
    /// Result of a card that was decided.
    Receipt,
    /// Answer that used the remembered intent, with a button to clear it.
    Remembered,
    /// List of options.
    Options,
    /// Card of a capability that keeps its state on the card.
    Custom,
}

impl CardStep {
    /// Returns the step with this serialised name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::deserialize(word.into_deserializer()).map_err(|_: serde::de::value::Error| ()).ok()
    }
}

/// Action of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Releases the effects of the card.
    Approve,
    /// Refuses the request.
    Reject,
    /// Opens the form to change it.
    Edit,
    /// Starts a review of the message.
    SelectReview,
    /// Drafts a ticket from the message.
    SelectTicket,
    /// Does nothing with the message.
    Dismiss,
    /// Ticks or unticks *Remember for this thread*.
    Remember,
    /// Adopts an issue that exists as the result of an uncertain effect.
    Adopt,
    /// Creates an issue again, as the first attempt created none.
    CreateAgain,
    /// Confirms that an uncertain call was made.
    Happened,
    /// Makes an uncertain call again, as the first attempt did not make it.
    DoAgain,
    /// Gives the request up.
    Cancel,
    /// Clears the remembered mode.
    Forget,
    /// Changes one item of a batch.
    EditStory,
    /// Removes one item of a batch.
    RemoveStory,
    /// Adds an item to a batch.
    AddStory,
    /// Confirms the number of items.
    ConfirmQuantity,
    /// Confirms the size of the texts.
    ConfirmSize,
    /// Splits the items into several batches.
    Split,
    /// Shows a review in full.
    ShowFull,
    /// Records the decisions of a review.
    ApproveDecision,
    /// Makes tickets of a review.
    TurnIntoTicket,
    /// Freezes the review.
    Finish,
    /// Creates the items of a batch that could not be created.
    RetryMissing,
    /// Comments on the issue that a decision is about.
    Comment,
    /// Chooses this option.
    Option,
    /// Rejects all options of the list.
    NoneOfThese,
    /// Puts the list aside.
    Leave,
    /// Shows the options that are not displayed yet.
    More,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 29] = [
        Self::Approve,
        Self::Reject,
        Self::Edit,
        Self::SelectReview,
        Self::SelectTicket,
        Self::Dismiss,
        Self::Remember,
        Self::Adopt,
        Self::CreateAgain,
        Self::Happened,
        Self::DoAgain,
        Self::Cancel,
        Self::Forget,
        Self::EditStory,
        Self::RemoveStory,
        Self::AddStory,
        Self::ConfirmQuantity,
        Self::ConfirmSize,
        Self::Split,
        Self::ShowFull,
        Self::ApproveDecision,
        Self::TurnIntoTicket,
        Self::Finish,
        Self::RetryMissing,
        Self::Comment,
        Self::Option,
        Self::NoneOfThese,
        Self::Leave,
        Self::More,
    ];

    /// Returns the name that is sent to channels and signed with the token.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Edit => "edit",
            Self::SelectReview => "select_review",
            Self::SelectTicket => "select_ticket",
            Self::Dismiss => "dismiss",
            Self::Remember => "remember",
            Self::Adopt => "adopt",
            Self::CreateAgain => "create_again",
            Self::Happened => "happened",
            Self::DoAgain => "do_again",
            Self::Cancel => "cancel",
            Self::Forget => "forget",
            Self::EditStory => "edit_story",
            Self::RemoveStory => "remove_story",
            Self::AddStory => "add_story",
            Self::ConfirmQuantity => "confirm_quantity",
            Self::ConfirmSize => "confirm_size",
            Self::Split => "split",
            Self::ShowFull => "show_full",
            Self::ApproveDecision => "approve_decision",
            Self::TurnIntoTicket => "turn_into_ticket",
            Self::Finish => "finish",
            Self::RetryMissing => "retry_missing",
            Self::Comment => "comment",
            Self::Option => "option",
            Self::NoneOfThese => "none_of_these",
            Self::Leave => "leave",
            Self::More => "more",
        }
    }

    /// Returns the action with this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == word)
    }

    /// Returns the label of the button.
    #[must_use]
    pub fn label(self, language: Language) -> String {
        throughline_messages::button_label(language, self.as_str())
    }

    /// Returns true if the action sends or settles something outside the lane: it consumes the approval.
    #[must_use]
    pub fn releases(self) -> bool {
        matches!(
            self,
            Self::Approve | Self::Adopt | Self::CreateAgain | Self::Happened | Self::DoAgain | Self::Comment
        )
    }
}

/// Returns true if only an approver may do this: actions that send or settle something outside the lane, and
/// giving up an uncertain effect (`docs/design/0032-approvals.md`).
#[must_use]
pub fn needs_approver(step: CardStep, action: Action) -> bool {
    let unsure = matches!(step, CardStep::UncertainEffect | CardStep::UncertainCall);
    action.releases() || (unsure && action == Action::Cancel)
}

/// Returns the actions that a step allows, in the order of its buttons.
#[must_use]
pub fn allowed(step: CardStep) -> &'static [Action] {
    match step {
        CardStep::DraftPreview => &[Action::Approve, Action::Edit, Action::Reject],
        CardStep::MultiTicketPreview => &[
            Action::Approve,
            Action::ConfirmQuantity,
            Action::ConfirmSize,
            Action::Split,
            Action::EditStory,
            Action::RemoveStory,
            Action::AddStory,
            Action::Cancel,
        ],
        CardStep::DecisionPreview => &[Action::Approve, Action::Edit, Action::Cancel],
        CardStep::ReviewActive => {
            &[Action::ShowFull, Action::ApproveDecision, Action::TurnIntoTicket, Action::Finish]
        }
        CardStep::ReviewFrozen => &[Action::TurnIntoTicket],
        CardStep::ScopeGate => {
            &[Action::SelectReview, Action::SelectTicket, Action::Dismiss, Action::Remember]
        }
        CardStep::CallPreview => &[Action::Approve, Action::Reject],
        CardStep::UncertainEffect => &[Action::Adopt, Action::CreateAgain, Action::Cancel],
        CardStep::UncertainCall => &[Action::Happened, Action::DoAgain, Action::Cancel],
        CardStep::Remembered => &[Action::Forget],
        CardStep::Receipt => &[Action::RetryMissing, Action::Comment],
        CardStep::Custom => &[Action::Option, Action::Edit, Action::Finish, Action::Cancel],
        CardStep::Options => &[Action::Option, Action::NoneOfThese, Action::Leave, Action::More],
    }
}
