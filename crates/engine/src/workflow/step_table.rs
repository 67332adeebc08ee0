//! Which actions each step allows (`spec 03 §3`). A step or action that is not here allows nothing.

use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

/// Where a card stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// One item, shown before it is created.
    DraftPreview,
    /// Several items, shown before they are created.
    MultiTicketPreview,
    /// A decision, shown before it is posted.
    DecisionPreview,
    /// A review that goes on.
    ReviewActive,
    /// A review that is over and can be handed over.
    ReviewFrozen,
    /// "What should I do with this?"
    ScopeGate,
    /// Nobody knows whether an effect was applied.
    UncertainEffect,
    /// One call of a tool or a sub-agent, shown before it is made.
    CallPreview,
    /// Nobody knows whether such a call was made.
    UncertainCall,
    /// What came of a decision.
    Receipt,
    /// An answer that used the remembered intent, with its clear button.
    Remembered,
    /// A list of options.
    Options,
}

impl Step {
    /// The step of that name, as it is written.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::deserialize(word.into_deserializer()).map_err(|_: serde::de::value::Error| ()).ok()
    }
}

/// What a button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Release what the card shows.
    Approve,
    /// Refuse it.
    Reject,
    /// Change it.
    Edit,
    /// Review the message.
    SelectReview,
    /// Make a ticket of the message.
    SelectTicket,
    /// Leave the message.
    Dismiss,
    /// Tick or untick *Remember for this thread*.
    Remember,
    /// It exists: adopt it.
    Adopt,
    /// It does not: make it again.
    CreateAgain,
    /// It happened: the call was made.
    Happened,
    /// It did not: make the call again.
    DoAgain,
    /// Drop it.
    Cancel,
    /// Clear the remembered mode.
    Forget,
    /// Change one item.
    EditStory,
    /// Take one item out.
    RemoveStory,
    /// One item more.
    AddStory,
    /// Yes, so many items.
    ConfirmQuantity,
    /// Yes, that long.
    ConfirmSize,
    /// Make several batches of it.
    Split,
    /// Everything a review holds.
    ShowFull,
    /// Record what a review decided.
    ApproveDecision,
    /// Make tickets of a review.
    TurnIntoTicket,
    /// The review is complete.
    Finish,
    /// Make what could not be made.
    RetryMissing,
    /// Comment on the issue a decision is about.
    Comment,
    /// This option.
    Option,
    /// None of the options.
    NoneOfThese,
    /// Leave the list.
    Leave,
    /// The options that are not displayed.
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

    /// The name on the wire, inside the token's signature.
    #[must_use]
    pub fn word(self) -> &'static str {
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

    /// The action of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.word() == word)
    }

    /// The label on a button.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Approve => "Approve",
            Self::Reject => "Reject",
            Self::Edit => "Edit",
            Self::SelectReview => "Review",
            Self::SelectTicket => "Create ticket",
            Self::Dismiss => "Not now",
            Self::Remember => "Remember for this thread",
            Self::Adopt => "It exists…",
            Self::CreateAgain => "Create again",
            Self::Happened => "It happened",
            Self::DoAgain => "Do it again",
            Self::Cancel => "Cancel",
            Self::Forget => "Clear remembered mode",
            Self::EditStory => "Edit…",
            Self::RemoveStory => "Remove",
            Self::AddStory => "Add a story…",
            Self::ConfirmQuantity => "Confirm the number",
            Self::ConfirmSize => "Create all",
            Self::Split => "Split into batches",
            Self::ShowFull => "Show full",
            Self::ApproveDecision => "Record the decision",
            Self::TurnIntoTicket => "Turn into tickets",
            Self::Finish => "Finish",
            Self::RetryMissing => "Retry missing",
            Self::Comment => "Comment on the issue",
            Self::Option => "Choose",
            Self::NoneOfThese => "None of these",
            Self::Leave => "Leave the list",
            Self::More => "More",
        }
    }

    /// Releases or settles something outward: the approval counts as consumed.
    #[must_use]
    pub fn releases(self) -> bool {
        matches!(
            self,
            Self::Approve | Self::Adopt | Self::CreateAgain | Self::Happened | Self::DoAgain | Self::Comment
        )
    }
}

/// Whether only an approver may do this here: what releases or settles something outward, and giving up what nobody can
/// vouch for (`spec 06 §5.2`).
#[must_use]
pub fn needs_approver(step: Step, action: Action) -> bool {
    let unsure = matches!(step, Step::UncertainEffect | Step::UncertainCall);
    action.releases() || (unsure && action == Action::Cancel)
}

/// The actions a step allows, in the order its buttons are shown.
#[must_use]
pub fn allowed(step: Step) -> &'static [Action] {
    match step {
        Step::DraftPreview => &[Action::Approve, Action::Edit, Action::Reject],
        Step::MultiTicketPreview => &[
            Action::Approve,
            Action::ConfirmQuantity,
            Action::ConfirmSize,
            Action::Split,
            Action::EditStory,
            Action::RemoveStory,
            Action::AddStory,
            Action::Cancel,
        ],
        Step::DecisionPreview => &[Action::Approve, Action::Edit, Action::Cancel],
        Step::ReviewActive => {
            &[Action::ShowFull, Action::ApproveDecision, Action::TurnIntoTicket, Action::Finish]
        }
        Step::ReviewFrozen => &[Action::TurnIntoTicket],
        Step::ScopeGate => &[Action::SelectReview, Action::SelectTicket, Action::Dismiss, Action::Remember],
        Step::CallPreview => &[Action::Approve, Action::Reject],
        Step::UncertainEffect => &[Action::Adopt, Action::CreateAgain, Action::Cancel],
        Step::UncertainCall => &[Action::Happened, Action::DoAgain, Action::Cancel],
        Step::Remembered => &[Action::Forget],
        Step::Receipt => &[Action::RetryMissing, Action::Comment],
        Step::Options => &[Action::Option, Action::NoneOfThese, Action::Leave, Action::More],
    }
}
