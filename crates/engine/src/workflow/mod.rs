//! Cards with buttons: the typed step table, UI versions, consume-once, and an answer to every press.

mod card;
pub(crate) mod command;
pub(crate) mod press;
mod step_table;

pub use card::{Button, CardModel, Field, project};
pub use step_table::{Action, Step, allowed};

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::effect::FieldError;
use crate::id::{CardId, DraftId, EffectId, MessageId, TaskId, TimerId};
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
        /// Who named an issue to adopt, while that is looked up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        adopting: Option<Presser>,
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
}

impl About {
    /// It releases outward effects, so the store keeps an approval of it.
    pub(crate) fn is_approval(&self) -> bool {
        !matches!(self, Self::ScopeGate { .. } | Self::Remembered)
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

/// Who pressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presser {
    /// The channel's user id.
    pub id: String,
    /// What to call them.
    pub name: String,
}

/// How a released effect stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Progress {
    /// Nothing was released.
    None,
    /// On its way.
    Working {
        /// The dry run that goes before it.
        check: EffectId,
        /// The effect itself.
        effect: EffectId,
    },
    /// The call was made.
    Done,
    /// Created.
    Created {
        /// `DEMO-1`.
        key: String,
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// Refused for good.
    Failed {
        /// For a person.
        text: String,
        /// What is wrong with which field.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<FieldError>,
    },
    /// Nobody knows; a person is asked.
    Uncertain {
        /// The card that asks.
        card: CardId,
    },
    /// Dropped by a person.
    Cancelled,
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
    /// A reminder that a card still waits.
    Reminder {
        /// Which card.
        card: CardId,
        /// At which version.
        version: u32,
    },
}

impl Card {
    /// The step it is at: a decided preview is its receipt.
    #[must_use]
    pub fn step(&self) -> Step {
        match (&self.about, &self.status) {
            (About::DraftPreview { .. } | About::CallPreview { .. }, CardStatus::Decided { .. }) => {
                Step::Receipt
            }
            (About::CallPreview { .. }, _) => Step::CallPreview,
            (About::DraftPreview { .. }, _) => Step::DraftPreview,
            (About::ScopeGate { .. }, _) => Step::ScopeGate,
            (About::UncertainEffect { .. }, _) => Step::UncertainEffect,
            (About::UncertainCall { .. }, _) => Step::UncertainCall,
            (About::Remembered, _) => Step::Remembered,
        }
    }

    /// The draft it shows, if it shows one.
    #[must_use]
    pub fn draft(&self) -> Option<&DraftId> {
        match &self.about {
            About::DraftPreview { draft, .. } | About::UncertainEffect { draft, .. } => Some(draft),
            About::ScopeGate { .. }
            | About::CallPreview { .. }
            | About::UncertainCall { .. }
            | About::Remembered => None,
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

    /// The task whose call it shows, if it shows one.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        self.call().map(|(call, _)| &call.task)
    }

    /// Of a card that asks about an uncertain effect: the card that first released it, its receipt.
    #[must_use]
    pub fn receipt(&self) -> Option<&CardId> {
        match &self.about {
            About::UncertainEffect { parent, .. } | About::UncertainCall { parent, .. } => Some(parent),
            _ => None,
        }
    }

    /// The uncertain effect it asks about, if it asks about one.
    #[must_use]
    pub fn doubts(&self) -> Option<&EffectId> {
        match &self.about {
            About::UncertainEffect { effect, .. } | About::UncertainCall { effect, .. } => Some(effect),
            _ => None,
        }
    }

    /// A press may still change it.
    #[must_use]
    pub fn open(&self) -> bool {
        self.status == CardStatus::Open
    }

    /// It releases outward effects, so the store keeps an approval of it.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        self.about.is_approval()
    }

    /// The actions its buttons offer now, in order: those of its step, without Approve while the dry run
    /// has not passed.
    #[must_use]
    pub fn actions(&self) -> Vec<Action> {
        let passed = !matches!(
            self.about,
            About::DraftPreview { checks: Checks::Running { .. } | Checks::Failed { .. }, .. }
        );
        let open = if self.open() { allowed(self.step()) } else { &[] };
        open.iter().copied().filter(|action| passed || *action != Action::Approve).collect()
    }
}
