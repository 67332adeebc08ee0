//! Cards with buttons: the typed step table, UI versions, consume-once, and an answer to every press.

mod card;
pub(crate) mod command;
pub(crate) mod press;
mod progress;
mod step_table;

pub use card::{Button, CardModel, Field, ItemModel, Known, project, shows};
pub(crate) use card::{facts, fields, hash_of, payload, payload_of_batch};
pub use progress::{Link, Progress, Released};
pub use step_table::{Action, Step, allowed, needs_approver};

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::decisions::{Comment, Outgoing};
use crate::effect::FieldError;
use crate::id::{
    BatchId, CardId, DraftId, EffectId, MessageId, ProposalId, ReviewId, SetId, TaskId, TimerId,
};
use crate::lane::{RecordKey, RecordKind};
use crate::tickets::batch::latch::Latches;
use crate::time::Timestamp;
use crate::work::Call;

/// A card as the lane keeps it. What a person sees of it is [`project`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Its id; also the id of its approval, when it is one.
    pub id: CardId,
    /// Starts at 1, goes up whenever what would be approved changes. Equal or refused.
    pub version: u32,
    /// The message that shows it.
    pub message: MessageId,
    /// Who caused it.
    pub by: String,
    /// When it was first shown.
    pub created_at: Timestamp,
    /// Until when a press counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What it is about.
    #[serde(flatten)]
    pub about: About,
    /// Whether it is still open.
    pub status: CardStatus,
    /// The deadlines set for this version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<TimerId>,
}

/// What a card is about; names its step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum About {
    /// One item, shown before it is created.
    DraftPreview {
        /// The draft.
        draft: DraftId,
        /// What the dry run of this version found.
        checks: Checks,
    },
    /// Several items, shown before they are created.
    BatchPreview {
        /// The batch.
        batch: BatchId,
        /// What the dry run of this version found.
        checks: Checks,
        /// What has to be confirmed of this version before it can be approved.
        #[serde(default, skip_serializing_if = "Latches::idle")]
        latches: Latches,
    },
    /// "What should I do with this?"
    ScopeGate {
        /// The message it is about.
        source: MessageId,
        /// The beginning of that message, for people.
        excerpt: String,
        /// *Remember for this thread* is ticked.
        remember: bool,
    },
    /// Nobody knows whether an effect was applied.
    UncertainEffect {
        /// The effect.
        effect: EffectId,
        /// The draft it would create.
        draft: DraftId,
        /// The card that first released it: its receipt.
        parent: CardId,
        /// Who named an issue to adopt, while each is looked up.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        looking: Vec<Looking>,
        /// When the tracker is searched for it next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_look: Option<Timestamp>,
    },
    /// One call of a tool or a sub-agent that may change something, shown before it is made.
    CallPreview {
        /// What would go out.
        call: Call,
        /// The message it was asked for with.
        source: MessageId,
    },
    /// Nobody knows whether such a call was made.
    UncertainCall {
        /// The effect that made it, or did not.
        effect: EffectId,
        /// What went out, or did not.
        call: Call,
        /// The message it was asked for with.
        source: MessageId,
        /// The card that first released it: its receipt.
        parent: CardId,
    },
    /// An answer that used the remembered intent.
    Remembered,
    /// A review that goes on.
    ReviewActive {
        /// The review.
        review: ReviewId,
    },
    /// A review that is over and can be handed over.
    ReviewFrozen {
        /// The review.
        review: ReviewId,
    },
    /// A decision, shown before it is posted; then its receipt.
    DecisionPreview {
        /// The decision.
        decision: ProposalId,
        /// How the comment on its issue stands.
        #[serde(default, skip_serializing_if = "Comment::is_none")]
        comment: Comment,
    },
    /// A list of options, asked about with a button for each (`spec 04 §14`).
    Options {
        /// Which list.
        set: SetId,
        /// As of which version of it.
        exec_rev: u32,
        /// Places in its base order, as they are displayed.
        order: Vec<u8>,
        /// How many of them.
        displayed: u8,
        /// What it asks.
        asks: String,
    },
    /// Nobody knows whether something of a decision was sent.
    DecisionUncertain {
        /// The decision.
        decision: ProposalId,
        /// What of it.
        what: Outgoing,
        /// By this effect.
        effect: EffectId,
        /// The card that first released it: its receipt.
        parent: CardId,
    },
}

impl About {
    /// It releases outward effects, so the store keeps an approval of it.
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
            | Self::Remembered => false,
        }
    }

    /// The dry run of what it shows, when it shows something that is to be created.
    pub(crate) fn checks(&self) -> Option<&Checks> {
        match self {
            Self::DraftPreview { checks, .. } | Self::BatchPreview { checks, .. } => Some(checks),
            _ => None,
        }
    }

    /// The same with another outcome of its dry run.
    pub(crate) fn with_checks(mut self, now: Checks) -> Self {
        if let Self::DraftPreview { checks, .. } | Self::BatchPreview { checks, .. } = &mut self {
            *checks = now;
        }
        self
    }
}

/// How the dry run stands (`spec 06 §6.1`). Approve is shown only when it passed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "are", rename_all = "snake_case")]
pub enum Checks {
    /// The tracker was asked.
    Running {
        /// By this effect.
        effect: EffectId,
    },
    /// It would take the item.
    Passed {
        /// When it said so.
        at: Timestamp,
    },
    /// It would not, and why.
    Failed {
        /// Item and field.
        errors: Vec<FieldError>,
    },
}

/// Whether a card is open, and if not, how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CardStatus {
    /// Waiting for a press.
    Open,
    /// Decided: consumed once, for good.
    Decided {
        /// What was decided.
        action: Action,
        /// By whom: id and name.
        by: Presser,
        /// When.
        at: Timestamp,
        /// How the released effect stands.
        result: Progress,
    },
    /// A newer card took its place.
    Superseded {
        /// That one.
        by: CardId,
    },
    /// Nobody decided in time.
    Expired,
    /// What it was about is gone: the draft was cancelled.
    Withdrawn,
}

/// An issue somebody named, while it is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looking {
    /// The effect that looks.
    pub effect: EffectId,
    /// Who named it.
    pub by: Presser,
}

/// Who pressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presser {
    /// The channel's user id.
    pub id: String,
    /// What to call them.
    pub name: String,
}

/// What a timer is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum TimerAbout {
    /// A card's end.
    Expiry {
        /// Which card.
        card: CardId,
        /// At which version; a newer one has its own timer.
        version: u32,
    },
    /// A review nobody has answered.
    Cooldown {
        /// Its card.
        card: CardId,
        /// At which version.
        version: u32,
    },
    /// A reminder that a card still waits.
    Reminder {
        /// Which card.
        card: CardId,
        /// At which version.
        version: u32,
    },
    /// The tracker is searched for what an uncertain create may have made (`spec 06 §4.4`).
    Seek {
        /// The card that asks.
        card: CardId,
        /// Which of the searches, from 0.
        n: u32,
    },
}

impl TimerAbout {
    /// The card it is about.
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
    /// The step it is at: a decided preview is its receipt.
    #[must_use]
    pub fn step(&self) -> Step {
        match (&self.about, &self.status) {
            (
                About::DraftPreview { .. }
                | About::BatchPreview { .. }
                | About::CallPreview { .. }
                | About::DecisionPreview { .. },
                CardStatus::Decided { .. },
            ) => Step::Receipt,
            (About::BatchPreview { .. }, _) => Step::MultiTicketPreview,
            (About::CallPreview { .. }, _) => Step::CallPreview,
            (About::DraftPreview { .. }, _) => Step::DraftPreview,
            (About::ScopeGate { .. }, _) => Step::ScopeGate,
            (About::UncertainEffect { .. }, _) => Step::UncertainEffect,
            (About::UncertainCall { .. }, _) => Step::UncertainCall,
            (About::Remembered, _) => Step::Remembered,
            (About::Options { .. }, _) => Step::Options,
            (About::ReviewActive { .. }, _) => Step::ReviewActive,
            (About::ReviewFrozen { .. }, _) => Step::ReviewFrozen,
            (About::DecisionPreview { .. }, _) => Step::DecisionPreview,
            (About::DecisionUncertain { .. }, _) => Step::UncertainEffect,
        }
    }

    /// The draft it shows, if it shows one.
    #[must_use]
    pub fn draft(&self) -> Option<&DraftId> {
        match &self.about {
            About::DraftPreview { draft, .. } | About::UncertainEffect { draft, .. } => Some(draft),
            _ => None,
        }
    }

    /// The call it shows, and the message that call was asked for with.
    #[must_use]
    pub fn call(&self) -> Option<(&Call, &MessageId)> {
        match &self.about {
            About::CallPreview { call, source } | About::UncertainCall { call, source, .. } => {
                Some((call, source))
            }
            _ => None,
        }
    }

    /// The batch it shows, if it shows one.
    #[must_use]
    pub fn batch(&self) -> Option<&BatchId> {
        if let About::BatchPreview { batch, .. } = &self.about { Some(batch) } else { None }
    }

    /// How what was decided on it stands.
    #[must_use]
    pub fn result(&self) -> Option<&Progress> {
        if let CardStatus::Decided { result, .. } = &self.status { Some(result) } else { None }
    }

    /// The items it released, and how each stands.
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

    /// Puts down how one of its items stands now; nothing when it released no such item.
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

    /// The review it shows, if it shows one.
    #[must_use]
    pub fn review(&self) -> Option<&ReviewId> {
        match &self.about {
            About::ReviewActive { review } | About::ReviewFrozen { review } => Some(review),
            _ => None,
        }
    }

    /// The decision it shows, if it shows one.
    #[must_use]
    pub fn decision(&self) -> Option<&ProposalId> {
        match &self.about {
            About::DecisionPreview { decision, .. } | About::DecisionUncertain { decision, .. } => {
                Some(decision)
            }
            _ => None,
        }
    }

    /// The record it shows, if it shows one.
    #[must_use]
    pub fn subject(&self) -> Option<RecordKey> {
        let draft = self.draft().map(|draft| (RecordKind::Draft, &draft.0));
        let review = || self.review().map(|review| (RecordKind::Review, &review.0));
        let decision = || self.decision().map(|decision| (RecordKind::Proposal, &decision.0));
        let (kind, key) = draft.or_else(review).or_else(decision)?;
        Some(RecordKey { kind, key: key.clone() })
    }

    /// The task whose call it shows, if it shows one.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        self.call().map(|(call, _)| &call.task)
    }

    /// Of a card that asks about an uncertain effect: the card that first released it, its receipt.
    #[must_use]
    pub fn receipt(&self) -> Option<&CardId> {
        match &self.about {
            About::UncertainEffect { parent, .. }
            | About::UncertainCall { parent, .. }
            | About::DecisionUncertain { parent, .. } => Some(parent),
            _ => None,
        }
    }

    /// The uncertain effect it asks about, if it asks about one.
    #[must_use]
    pub fn doubts(&self) -> Option<&EffectId> {
        match &self.about {
            About::UncertainEffect { effect, .. }
            | About::UncertainCall { effect, .. }
            | About::DecisionUncertain { effect, .. } => Some(effect),
            _ => None,
        }
    }

    /// A press may still change it.
    #[must_use]
    pub fn open(&self) -> bool {
        self.status == CardStatus::Open
    }

    /// Somebody is waited for: not by a review that is over, whose artifact is only there to be used, not by a list
    /// of options, and not by the button that clears a remembered mode.
    #[must_use]
    pub fn waits(&self) -> bool {
        let there = |about: &About| {
            matches!(about, About::ReviewFrozen { .. } | About::Remembered | About::Options { .. })
        };
        self.open() && !there(&self.about)
    }

    /// It releases outward effects, so the store keeps an approval of it.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        self.about.is_approval()
    }

    /// The actions its buttons offer now, in order: those of its step, without Approve while the dry run has not passed
    /// or something is to be confirmed first; on a receipt, what can be made up for.
    #[must_use]
    pub fn actions(&self) -> Vec<Action> {
        let passed = self.about.checks().is_none_or(|checks| matches!(checks, Checks::Passed { .. }));
        let latches = match &self.about {
            About::BatchPreview { latches, .. } => *latches,
            _ => Latches::default(),
        };
        let offered = |action: &Action| match action {
            Action::Approve => passed && latches.shut().is_none(),
            Action::ConfirmQuantity => latches.quantity.asked(),
            Action::ConfirmSize | Action::Split => latches.size.asked(),
            Action::RetryMissing => self.can_retry(),
            Action::Comment => {
                matches!(&self.about, About::DecisionPreview { comment: Comment::Offered { .. }, .. })
            }
            _ => true,
        };
        let over = matches!(self.status, CardStatus::Decided { .. }) && self.step() == Step::Receipt;
        let possible = if self.open() || over { allowed(self.step()) } else { &[] };
        possible.iter().copied().filter(offered).collect()
    }

    /// What has to be confirmed before this open card can be approved.
    #[must_use]
    pub fn to_confirm(&self) -> Option<Action> {
        match &self.about {
            About::BatchPreview { latches, .. } if self.open() => latches.shut(),
            _ => None,
        }
    }

    /// Whether some of the items of this batch are missing, and no others are on their way.
    fn can_retry(&self) -> bool {
        let busy = |progress: &Progress| matches!(progress, Progress::Working { .. });
        self.batch().is_some()
            && self.released().any(|(_, progress)| progress.missing())
            && !self.released().any(|(_, progress)| busy(progress))
    }
}
