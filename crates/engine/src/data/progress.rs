//! Progress of what a card released, item by item.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::field_error::FieldError;
use crate::data::id::{CardId, DraftId, EffectId};

/// The progress of a released item; for a card with several items, of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Progress {
    /// Nothing was released.
    None,
    /// On its way, behind a dry run.
    Working {
        /// The dry run.
        check: EffectId,
        /// The effect itself.
        effect: EffectId,
    },
    /// The call was made.
    Done,
    /// The call was made, and was stopped before its end.
    Stopped,
    /// On its way, with no dry run before it.
    Sending {
        /// The effect.
        effect: EffectId,
    },
    /// Posted.
    Posted {
        /// Link to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// Created.
    Created {
        /// Issue key: `DEMO-1`.
        key: String,
        /// Link to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// Its link to its epic, if it belongs to one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<EpicLink>,
    },
    /// Refused for good.
    Failed {
        /// Explanation for a person.
        text: String,
        /// Faults by field.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<FieldError>,
        /// The card on which it is retried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<CardId>,
    },
    /// Never sent, because something it needs is missing.
    NotTried {
        /// Explanation for a person.
        why: String,
        /// The card on which it is retried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<CardId>,
    },
    /// Unknown; a person is asked.
    Uncertain {
        /// The card that asks.
        card: CardId,
    },
    /// Dropped by a person.
    Cancelled,
    /// Several items, each with its own progress.
    Several {
        /// In the card's order.
        items: Vec<ReleasedItem>,
    },
}

/// One item of a card with several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleasedItem {
    /// Its draft.
    pub draft: DraftId,
    /// Its progress.
    #[serde(flatten)]
    pub progress: Progress,
}

/// The link of a created issue to its epic: read back, corrected once, read again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum EpicLink {
    /// It is being read back.
    Reading {
        /// The look-up.
        effect: EffectId,
        /// The epic's key.
        epic: String,
        /// True if the parent was set after the issue was created.
        #[serde(default, skip_serializing_if = "core::ops::Not::not")]
        mended: bool,
    },
    /// The tracker ignored the epic at creation, so it is being set.
    Mending {
        /// The change that sets it.
        effect: EffectId,
        /// The epic's key.
        epic: String,
    },
    /// Read back, and correct.
    There {
        /// The epic's key.
        epic: String,
    },
    /// The issue exists; the link does not, or could not be read.
    Failed {
        /// Explanation for a person.
        why: String,
    },
}

/// The one reading of a [`Progress`]: how far it is, and what there is to say about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Phase<'p> {
    /// Nothing was released.
    Nothing,
    /// On its way; this effect is awaited.
    Running(&'p EffectId),
    /// It happened; the key or the address of what there is now.
    Happened(Option<&'p str>),
    /// Posted where a post has no address.
    Posted,
    /// Refused, for this reason.
    Refused(&'p str),
    /// Never sent, for this reason.
    NotTried(&'p str),
    /// Nobody knows; this card asks.
    Unknown(&'p CardId),
    /// Given up by a person.
    Dropped,
    /// Begun, and stopped before its end.
    Stopped,
    /// Several, each with its own.
    Several(&'p [ReleasedItem]),
}

impl Progress {
    /// Returns how far it is.
    pub(crate) fn phase(&self) -> Phase<'_> {
        match self {
            Self::None => Phase::Nothing,
            Self::Working { effect, .. } | Self::Sending { effect } => Phase::Running(effect),
            Self::Done => Phase::Happened(None),
            Self::Posted { url: Some(url) } => Phase::Happened(Some(url)),
            Self::Posted { url: None } => Phase::Posted,
            Self::Created { key, .. } => Phase::Happened(Some(key)),
            Self::Failed { text, .. } => Phase::Refused(text),
            Self::NotTried { why, .. } => Phase::NotTried(why),
            Self::Uncertain { card } => Phase::Unknown(card),
            Self::Cancelled => Phase::Dropped,
            Self::Stopped => Phase::Stopped,
            Self::Several { items } => Phase::Several(items),
        }
    }

    /// Returns the state's name. For several items: `working` while one of them is, else the worst state.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Working { .. } | Self::Sending { .. } => "working",
            Self::Posted { .. } => "posted",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Created { .. } => "created",
            Self::Failed { .. } => "failed",
            Self::NotTried { .. } => "not_tried",
            Self::Uncertain { .. } => "uncertain",
            Self::Cancelled => "cancelled",
            Self::Several { items } => {
                let words = || items.iter().map(|item| item.progress.as_str());
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

    /// True if it was not created, nothing is in progress, and it may be retried. An item that a person gave
    /// up was uncertain before: it may exist, so it must not be created again.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Self::Failed { again, .. } | Self::NotTried { again, .. } => again.is_none(),
            _ => false,
        }
    }

    /// True if nothing about it changes by itself any more.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Working { .. } | Self::Sending { .. } | Self::Uncertain { .. } => false,
            Self::Several { items } => items.iter().all(|item| item.progress.is_final()),
            _ => true,
        }
    }

    /// Returns the key of the created issue, if any.
    pub(crate) fn key(&self) -> Option<&str> {
        if let Self::Created { key, .. } = self { Some(key) } else { None }
    }

    /// Returns its link to its epic, if it was created under one.
    pub(crate) fn link(&self) -> Option<&EpicLink> {
        if let Self::Created { link, .. } = self { link.as_ref() } else { None }
    }

    /// Returns the faults for which it was refused, by field.
    pub(crate) fn errors(&self) -> &[FieldError] {
        if let Self::Failed { errors, .. } = self { errors } else { &[] }
    }

    /// True if it is retried on another card.
    pub(crate) fn is_tried_anew(&self) -> bool {
        matches!(self, Self::Failed { again: Some(_), .. } | Self::NotTried { again: Some(_), .. })
    }

    /// Returns it with the card on which it is retried.
    pub(crate) fn tried_again(mut self, on: &CardId) -> Self {
        match &mut self {
            Self::Failed { again, .. } | Self::NotTried { again, .. } => *again = Some(on.clone()),
            _ => {}
        }
        self
    }

    /// True if it is retried on that card.
    pub(crate) fn is_tried_on(&self, card: &CardId) -> bool {
        matches!(self, Self::Failed { again: Some(on), .. } | Self::NotTried { again: Some(on), .. } if on == card)
    }

    /// Returns it without its card, which a person dropped, so that it may be retried again.
    pub(crate) fn tried_in_vain(mut self) -> Self {
        if let Self::Failed { again, .. } | Self::NotTried { again, .. } = &mut self {
            *again = None;
        }
        self
    }
}
