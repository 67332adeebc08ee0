//! How what a card released stands, item by item.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::effect::FieldError;
use crate::id::{CardId, DraftId, EffectId};

/// How a released item stands; of a card with several, each of them.
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
    /// On its way, with no dry run before it.
    Sending {
        /// The effect.
        effect: EffectId,
    },
    /// It is there.
    Posted {
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// Created.
    Created {
        /// `DEMO-1`.
        key: String,
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// How it hangs together with its epic, when it belongs to one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<Link>,
    },
    /// Refused for good.
    Failed {
        /// For a person.
        text: String,
        /// What is wrong with which field.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<FieldError>,
        /// The card on which it is tried again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<CardId>,
    },
    /// It was never sent, because what it needs is not there.
    NotTried {
        /// For a person.
        why: String,
        /// The card on which it is tried again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<CardId>,
    },
    /// Nobody knows; a person is asked.
    Uncertain {
        /// The card that asks.
        card: CardId,
    },
    /// Dropped by a person.
    Cancelled,
    /// Several items, each standing by itself.
    Several {
        /// In the order of the card.
        items: Vec<Released>,
    },
}

/// One item of a card with several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Released {
    /// Its draft.
    pub draft: DraftId,
    /// How it stands.
    #[serde(flatten)]
    pub progress: Progress,
}

/// How an issue that was created hangs together with its epic (`spec 06 §6.2`): read back, mended once, read again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Link {
    /// It is being read back.
    Reading {
        /// By this look-up.
        effect: EffectId,
        /// The epic's key.
        epic: String,
        /// The parent was set after the issue was created.
        #[serde(default, skip_serializing_if = "core::ops::Not::not")]
        mended: bool,
    },
    /// The tracker had ignored the epic, so it is set.
    Mending {
        /// By this change.
        effect: EffectId,
        /// The epic's key.
        epic: String,
    },
    /// Read back, and right.
    There {
        /// The epic's key.
        epic: String,
    },
    /// The issue is there; the link is not, or nobody could read whether it is.
    Failed {
        /// For a person.
        why: String,
    },
}

impl Progress {
    /// The state's name. Of several items: `working` while one is, else what is worst.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Working { .. } | Self::Sending { .. } => "working",
            Self::Posted { .. } => "posted",
            Self::Done => "done",
            Self::Created { .. } => "created",
            Self::Failed { .. } => "failed",
            Self::NotTried { .. } => "not_tried",
            Self::Uncertain { .. } => "uncertain",
            Self::Cancelled => "cancelled",
            Self::Several { items } => {
                let words = || items.iter().map(|item| item.progress.word());
                let worst = ["working", "uncertain", "failed", "not_tried", "cancelled"];
                let found = worst.into_iter().find(|word| words().any(|seen| seen == *word));
                match found {
                    Some("not_tried") => "failed",
                    Some(word) => word,
                    None => "created",
                }
            }
        }
    }

    /// It was not created, nobody is at it, and it may be tried again. What a person gave up was uncertain before: it may
    /// exist, so it is not created anew as if it could not.
    pub(crate) fn missing(&self) -> bool {
        match self {
            Self::Failed { again, .. } | Self::NotTried { again, .. } => again.is_none(),
            _ => false,
        }
    }

    /// Nothing about it changes any more by itself.
    pub(crate) fn over(&self) -> bool {
        match self {
            Self::Working { .. } | Self::Sending { .. } | Self::Uncertain { .. } => false,
            Self::Several { items } => items.iter().all(|item| item.progress.over()),
            _ => true,
        }
    }

    /// The key of the issue that came of it.
    pub(crate) fn key(&self) -> Option<&str> {
        if let Self::Created { key, .. } = self { Some(key) } else { None }
    }

    /// The same, with the card on which it is tried again.
    pub(crate) fn tried_again(mut self, on: &CardId) -> Self {
        match &mut self {
            Self::Failed { again, .. } | Self::NotTried { again, .. } => *again = Some(on.clone()),
            _ => {}
        }
        self
    }

    /// Whether it is tried again on that card.
    pub(crate) fn is_tried_on(&self, card: &CardId) -> bool {
        matches!(self, Self::Failed { again: Some(on), .. } | Self::NotTried { again: Some(on), .. } if on == card)
    }

    /// The same, where that card came to nothing.
    pub(crate) fn tried_in_vain(mut self) -> Self {
        if let Self::Failed { again, .. } | Self::NotTried { again, .. } = &mut self {
            *again = None;
        }
        self
    }
}
