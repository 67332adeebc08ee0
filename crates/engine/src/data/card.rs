//! Cards with buttons: subject, status and timers of each.

use crate::data::action::{Action, CardStep, allowed};
use crate::data::actor::Presser;
use crate::data::batch::Latches;
use crate::data::call::Call;
use crate::data::field_error::FieldError;
use crate::data::id::{
    BatchId, CardId, DraftId, EffectId, MessageId, ProposalId, ReviewId, SetId, TaskId, TimerId,
};
use crate::data::language::{self, Language};
use crate::data::progress::Progress;
use crate::data::proposal::{CommentOffer, Publication};
use crate::data::ticket::Target;
use crate::data::time::Timestamp;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Card as the lane keeps it. The capability that owns it makes what people see of it ([`crate::project_card`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Id; also the id of its approval, if it has one.
    pub id: CardId,
    /// Version, from 1. It rises when the content to approve changes; a press on another version is refused.
    pub version: u32,
    /// Message that shows it.
    pub message: MessageId,
    /// Person who caused it.
    pub by: String,
    /// Time it was first shown.
    pub created_at: Timestamp,
    /// Time until which a press counts; `None` if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Subject.
    #[serde(flatten)]
    pub about: CardSubject,
    /// Status.
    pub status: CardStatus,
    /// Timers set for this version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<TimerId>,
    /// Language it is written in. English in records of versions before 0.2.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
    /// Note that a text was posted in its place, because the channel did not take the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<ToldInWords>,
}

/// Text that was posted in the place of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldInWords {
    /// Version of the card that the channel did not take.
    pub version: u32,
    /// True if people have seen the card before, in an earlier state.
    pub seen: bool,
}

/// Subject of a card; it determines the card's step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum CardSubject {
    /// Preview of one item, before it is created.
    DraftPreview {
        /// Draft of the item.
        draft: DraftId,
        /// Dry run of this version.
        checks: Checks,
    },
    /// Preview of several items, before they are created.
    BatchPreview {
        /// Batch of the items.
        batch: BatchId,
        /// Dry run of this version.
        checks: Checks,
        /// Confirmations that Approve waits for.
        #[serde(default, skip_serializing_if = "Latches::is_idle")]
        latches: Latches,
    },
    /// Question what to do with an unclear message.
    ScopeGate {
        /// Message it is about.
        source: MessageId,
        /// Beginning of that message, for people.
        excerpt: String,
        /// True if *Remember for this thread* is ticked.
        remember: bool,
    },
    /// Question whether an issue was created.
    UncertainEffect {
        /// Uncertain effect.
        effect: EffectId,
        /// Draft of the issue.
        draft: DraftId,
        /// Receipt: the card that released the effect first.
        parent: CardId,
        /// Issues that people named for adoption and that are being looked up.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        looking: Vec<AdoptionLookup>,
        /// Time of the next search in the tracker; while one is under way, its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_look: Option<Timestamp>,
    },
    /// Preview of a call of a tool or a sub-agent that may change something.
    CallPreview {
        /// Call to make.
        call: Call,
        /// Message that asked for it.
        source: MessageId,
    },
    /// Question whether a call was made.
    UncertainCall {
        /// Uncertain effect.
        effect: EffectId,
        /// Call that may have been made.
        call: Call,
        /// Message that asked for it.
        source: MessageId,
        /// Receipt: the card that released the call first.
        parent: CardId,
    },
    /// Answer that used the remembered intent.
    Remembered,
    /// Review that takes feedback.
    ReviewActive {
        /// Review.
        review: ReviewId,
    },
    /// Frozen review, which can be turned into tickets.
    ReviewFrozen {
        /// Review.
        review: ReviewId,
    },
    /// Preview of a decision before it is posted, and its receipt afterwards.
    DecisionPreview {
        /// Decision.
        decision: ProposalId,
        /// State of the comment on the decision's issue.
        #[serde(default, skip_serializing_if = "CommentOffer::is_none")]
        comment: CommentOffer,
    },
    /// Question which option of a list is meant, with one button per option
    /// (`docs/design/0022-choosing-an-option.md`).
    Options {
        /// List.
        set: SetId,
        /// Version of the list.
        exec_rev: u32,
        /// Positions in the list's base order, in display order.
        order: Vec<u8>,
        /// Number of options displayed; the rest of `order` is behind *More*.
        displayed: u8,
        /// Text of the question.
        asks: String,
    },
    /// Card of a capability that keeps its state on the card itself (`docs/recipes/workflow.md`). It releases
    /// nothing outward.
    Custom {
        /// Name of the capability.
        capability: String,
        /// State, as the capability writes and reads it.
        state: serde_json::Value,
        /// Buttons it offers while it is open, of those its step allows.
        offers: Vec<Action>,
    },
    /// Question whether a part of a decision was sent.
    DecisionUncertain {
        /// Decision.
        decision: ProposalId,
        /// Part of it that is uncertain.
        what: Publication,
        /// Uncertain effect.
        effect: EffectId,
        /// Receipt: the card that released the effect first.
        parent: CardId,
        /// For a comment, the project it was sent to, if the issue's key names another: it is repeated there, whatever
        /// the thread tracks by then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
    },
}

impl CardSubject {
    /// Returns true if the card releases outward effects, so that the store keeps an approval of it.
    pub(crate) fn is_approval(&self) -> bool {
        match self {
            Self::DraftPreview { .. }
            | Self::BatchPreview { .. }
            | Self::UncertainEffect { .. }
            | Self::CallPreview { .. }
            | Self::UncertainCall { .. }
            | Self::DecisionPreview { .. }
            | Self::DecisionUncertain { .. } => true,
            Self::ScopeGate { .. }
            | Self::ReviewActive { .. }
            | Self::ReviewFrozen { .. }
            | Self::Options { .. }
            | Self::Custom { .. }
            | Self::Remembered => false,
        }
    }

    /// Returns the dry run, if the card previews something to create.
    pub(crate) fn checks(&self) -> Option<&Checks> {
        match self {
            Self::DraftPreview { checks, .. } | Self::BatchPreview { checks, .. } => Some(checks),
            _ => None,
        }
    }

    /// Returns the subject with another outcome of its dry run.
    pub(crate) fn with_checks(mut self, now: Checks) -> Self {
        if let Self::DraftPreview { checks, .. } | Self::BatchPreview { checks, .. } = &mut self {
            *checks = now;
        }
        self
    }
}

/// State of the dry run (`docs/design/0020-ticket-drafts-and-batches.md`). Approve is offered only after it
/// passed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "are", rename_all = "snake_case")]
pub enum Checks {
    /// The tracker is about to be asked, later in the same turn.
    Due,
    /// The tracker was asked.
    Running {
        /// Effect that asks.
        effect: EffectId,
    },
    /// The tracker accepts the items.
    Passed {
        /// Time of its answer.
        at: Timestamp,
    },
    /// The tracker refuses the items.
    Failed {
        /// Faults, by item and field.
        errors: Vec<FieldError>,
    },
}

/// Status of a card: open, or the way it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CardStatus {
    /// Waits for a press.
    Open,
    /// Decided, once and for good.
    Decided {
        /// Decision.
        action: Action,
        /// Person who pressed: id and name.
        by: Presser,
        /// Time of the decision.
        at: Timestamp,
        /// Progress of the released effect.
        result: Progress,
    },
    /// Replaced by a newer card.
    Superseded {
        /// Newer card.
        by: CardId,
    },
    /// Nobody decided in time.
    Expired,
    /// Its subject was cancelled.
    Withdrawn,
}

/// Issue that somebody named for adoption, while it is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdoptionLookup {
    /// Effect that looks it up.
    pub effect: EffectId,
    /// Person who named it.
    pub by: Presser,
}

/// Purpose of a timer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum TimerPurpose {
    /// End of a card.
    Expiry {
        /// Card.
        card: CardId,
        /// Version of the card; a newer version has its own timer.
        version: u32,
    },
    /// End of a review that gets no feedback.
    Cooldown {
        /// Card of the review.
        card: CardId,
        /// Version of the card.
        version: u32,
    },
    /// Reminder that a card still waits.
    Reminder {
        /// Card.
        card: CardId,
        /// Version of the card.
        version: u32,
    },
    /// Search in the tracker for an issue that an uncertain effect may have created
    /// (`docs/design/0031-effects-and-retries.md`).
    Seek {
        /// Card that asks about the effect.
        card: CardId,
        /// Number of the search, from 0.
        n: u32,
    },
}

impl TimerPurpose {
    /// Returns the card the timer is set for.
    #[must_use]
    pub fn card(&self) -> &CardId {
        match self {
            Self::Expiry { card, .. }
            | Self::Cooldown { card, .. }
            | Self::Reminder { card, .. }
            | Self::Seek { card, .. } => card,
        }
    }
}

impl Card {
    /// Returns the step: the one of its subject, or [`CardStep::Receipt`] for a preview that was decided.
    #[must_use]
    pub fn step(&self) -> CardStep {
        match (&self.about, &self.status) {
            (
                CardSubject::DraftPreview { .. }
                | CardSubject::BatchPreview { .. }
                | CardSubject::CallPreview { .. }
                | CardSubject::DecisionPreview { .. },
                CardStatus::Decided { .. },
            ) => CardStep::Receipt,
            (CardSubject::BatchPreview { .. }, _) => CardStep::MultiTicketPreview,
            (CardSubject::CallPreview { .. }, _) => CardStep::CallPreview,
            (CardSubject::DraftPreview { .. }, _) => CardStep::DraftPreview,
            (CardSubject::ScopeGate { .. }, _) => CardStep::ScopeGate,
            (CardSubject::UncertainEffect { .. }, _) => CardStep::UncertainEffect,
            (CardSubject::UncertainCall { .. }, _) => CardStep::UncertainCall,
            (CardSubject::Remembered, _) => CardStep::Remembered,
            (CardSubject::Options { .. }, _) => CardStep::Options,
            (CardSubject::Custom { .. }, _) => CardStep::Custom,
            (CardSubject::ReviewActive { .. }, _) => CardStep::ReviewActive,
            (CardSubject::ReviewFrozen { .. }, _) => CardStep::ReviewFrozen,
            (CardSubject::DecisionPreview { .. }, _) => CardStep::DecisionPreview,
            (CardSubject::DecisionUncertain { .. }, _) => CardStep::UncertainEffect,
        }
    }

    /// Returns the draft it shows.
    #[must_use]
    pub fn draft(&self) -> Option<&DraftId> {
        match &self.about {
            CardSubject::DraftPreview { draft, .. } | CardSubject::UncertainEffect { draft, .. } => {
                Some(draft)
            }
            _ => None,
        }
    }

    /// Returns the call it shows, with the message that asked for the call.
    #[must_use]
    pub fn call(&self) -> Option<(&Call, &MessageId)> {
        match &self.about {
            CardSubject::CallPreview { call, source } | CardSubject::UncertainCall { call, source, .. } => {
                Some((call, source))
            }
            _ => None,
        }
    }

    /// Returns the batch it shows.
    #[must_use]
    pub fn batch(&self) -> Option<&BatchId> {
        if let CardSubject::BatchPreview { batch, .. } = &self.about { Some(batch) } else { None }
    }

    /// Returns the progress of what was decided on it.
    #[must_use]
    pub fn result(&self) -> Option<&Progress> {
        if let CardStatus::Decided { result, .. } = &self.status { Some(result) } else { None }
    }

    /// Returns the press that used this action up, if one did: the action, who pressed, when, and what came of it.
    #[must_use]
    pub fn consumed(&self, pressed: Action) -> Option<(Action, &Presser, Timestamp, &Progress)> {
        if let (
            CardSubject::DecisionPreview { comment: CommentOffer::Pressed { by, at, result, .. }, .. },
            Action::Comment,
        ) = (&self.about, pressed)
        {
            return Some((pressed, by, *at, result));
        }
        match &self.status {
            CardStatus::Decided { action, by, at, result } => Some((*action, by, *at, result)),
            _ => None,
        }
    }

    /// Returns the progress of everything that was released from it.
    pub fn outcomes(&self) -> impl Iterator<Item = &Progress> {
        let comment = match &self.about {
            CardSubject::DecisionPreview { comment: CommentOffer::Pressed { result, .. }, .. } => {
                Some(result)
            }
            _ => None,
        };
        self.released().map(|(_, progress)| progress).chain(self.result()).chain(comment)
    }

    /// Returns the items it released, with the progress of each.
    pub fn released(&self) -> impl Iterator<Item = (&DraftId, &Progress)> {
        let result = self.result();
        let several = match result {
            Some(Progress::Several { items }) => items.as_slice(),
            _ => &[],
        };
        let one = result.filter(|result| !matches!(result, Progress::Several { .. }));
        let one = self.draft().zip(one);
        several.iter().map(|item| (&item.draft, &item.progress)).chain(one)
    }

    /// Returns the progress of the part that a question about an unknown outcome is about, on the receipt of it.
    pub(crate) fn progress_asked_by(&self, question: &Card) -> Option<&Progress> {
        match (&question.about, &self.about) {
            (CardSubject::UncertainEffect { draft, .. }, _) => {
                self.released().find(|(of, _)| *of == draft).map(|(_, progress)| progress)
            }
            (
                CardSubject::DecisionUncertain { what: Publication::Comment(key), .. },
                CardSubject::DecisionPreview { comment: CommentOffer::Pressed { issue, result, .. }, .. },
            ) => Some(result).filter(|_| issue == key),
            (CardSubject::DecisionUncertain { what: Publication::Comment(_), .. }, _) => None,
            _ => self.result(),
        }
    }

    /// Updates the progress of a released item. Does nothing if the card did not release it.
    pub(crate) fn put(&mut self, draft: &DraftId, now: Progress) {
        let alone = self.draft() == Some(draft);
        let CardStatus::Decided { result, .. } = &mut self.status else { return };
        match result {
            Progress::Several { items } => {
                for item in items.iter_mut().filter(|item| item.draft == *draft) {
                    item.progress = now.clone();
                }
            }
            result if alone => *result = now,
            _ => {}
        }
    }

    /// Returns the review it shows.
    #[must_use]
    pub fn review(&self) -> Option<&ReviewId> {
        match &self.about {
            CardSubject::ReviewActive { review } | CardSubject::ReviewFrozen { review } => Some(review),
            _ => None,
        }
    }

    /// Returns the decision it shows.
    #[must_use]
    pub fn decision(&self) -> Option<&ProposalId> {
        match &self.about {
            CardSubject::DecisionPreview { decision, .. }
            | CardSubject::DecisionUncertain { decision, .. } => Some(decision),
            _ => None,
        }
    }

    /// Returns the project that its comment was sent to, if the issue's key names another.
    pub(crate) fn commented(&self) -> Option<&Target> {
        match &self.about {
            CardSubject::DecisionPreview { comment: CommentOffer::Pressed { target, .. }, .. }
            | CardSubject::DecisionUncertain { target, .. } => target.as_ref(),
            _ => None,
        }
    }

    /// Returns the task whose call it shows.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        self.call().map(|(call, _)| &call.task)
    }

    /// Returns the receipt of the uncertain effect it asks about: the card that released the effect first.
    #[must_use]
    pub fn receipt(&self) -> Option<&CardId> {
        match &self.about {
            CardSubject::UncertainEffect { parent, .. }
            | CardSubject::UncertainCall { parent, .. }
            | CardSubject::DecisionUncertain { parent, .. } => Some(parent),
            _ => None,
        }
    }

    /// Returns the uncertain effect it asks about.
    #[must_use]
    pub fn uncertain_effect(&self) -> Option<&EffectId> {
        match &self.about {
            CardSubject::UncertainEffect { effect, .. }
            | CardSubject::UncertainCall { effect, .. }
            | CardSubject::DecisionUncertain { effect, .. } => Some(effect),
            _ => None,
        }
    }

    /// Returns true if it waits for a press.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == CardStatus::Open
    }

    /// Returns true if it waits for a press that would still count, also before the timer of its end has come.
    pub(crate) fn takes_press(&self, now: Timestamp) -> bool {
        self.awaits_press() && self.expires_at.is_none_or(|end| now <= end)
    }

    /// Returns true if somebody has to press it. Frozen reviews, lists of options and the button that clears
    /// a remembered mode are offers only: nothing waits for them.
    #[must_use]
    pub fn awaits_press(&self) -> bool {
        let there = |about: &CardSubject| {
            matches!(
                about,
                CardSubject::ReviewFrozen { .. } | CardSubject::Remembered | CardSubject::Options { .. }
            )
        };
        self.is_open() && !there(&self.about)
    }

    /// Returns true if the card releases outward effects, so that the store keeps an approval of it.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        self.about.is_approval()
    }

    /// Returns the actions of its buttons, in order: those its step allows. Approve is left out until the dry
    /// run passed and all confirmations are given. A receipt offers only what can be repaired.
    #[must_use]
    pub fn actions(&self) -> Vec<Action> {
        let passed = self.about.checks().is_none_or(|checks| matches!(checks, Checks::Passed { .. }));
        let latches = match &self.about {
            CardSubject::BatchPreview { latches, .. } => *latches,
            _ => Latches::default(),
        };
        let offered = |action: &Action| match action {
            _ if let CardSubject::Custom { offers, .. } = &self.about => offers.contains(action),
            Action::Approve => passed && latches.blocking_action().is_none(),
            Action::ConfirmQuantity => latches.quantity.asked(),
            Action::ConfirmSize | Action::Split => latches.size.asked(),
            Action::RetryMissing => self.can_retry(),
            Action::Comment => {
                matches!(
                    &self.about,
                    CardSubject::DecisionPreview { comment: CommentOffer::Offered { .. }, .. }
                )
            }
            _ => true,
        };
        let over = matches!(self.status, CardStatus::Decided { .. }) && self.step() == CardStep::Receipt;
        let possible = if self.is_open() || over { allowed(self.step()) } else { &[] };
        possible.iter().copied().filter(offered).collect()
    }

    /// Returns the action that has to come before Approve, if the card is open.
    #[must_use]
    pub fn to_confirm(&self) -> Option<Action> {
        match &self.about {
            CardSubject::BatchPreview { latches, .. } if self.is_open() => latches.blocking_action(),
            _ => None,
        }
    }

    /// Returns true if items of this batch are missing and none is still being created.
    fn can_retry(&self) -> bool {
        let busy = |progress: &Progress| matches!(progress, Progress::Working { .. });
        self.batch().is_some()
            && self.released().any(|(_, progress)| progress.is_missing())
            && !self.released().any(|(_, progress)| busy(progress))
    }
}
