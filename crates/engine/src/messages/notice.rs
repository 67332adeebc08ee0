//! The words of a host's notice.

use alloc::string::String;

use throughline_messages::{self as say, Language};

use crate::data::notice::{Interruption, Notice};
use crate::data::time::Timestamp;

impl Notice {
    /// Returns its words; `now` decides how much of a date is said.
    #[must_use]
    pub fn text(&self, language: Language, now: Timestamp) -> String {
        match self {
            Self::QueueFull { beginning, most } => say::notice_queue_full(language, beginning, most),
            Self::Dead { turn } => say::notice_dead(language, turn),
            Self::StillOpen { after: Interruption::Outage { from, to }, .. } => {
                say::notice_outage(language, from.display_at(now, language), to.display_at(now, language))
            }
            Self::StillOpen { after: Interruption::Moved, .. } => say::notice_moved(language),
            Self::Joined { user } => say::notice_joined(language, user),
            Self::LinkOver => say::notice_link_over(language),
            Self::Told { message, .. } => message.clone(),
        }
    }

    /// Returns it with its words in the place of values, as programs read it.
    #[must_use]
    pub fn in_words(&self, language: Language, now: Timestamp) -> Self {
        let why = match self {
            Self::QueueFull { .. } => "queue_full",
            Self::Dead { .. } => "dead",
            Self::StillOpen { aloud: true, .. } => "still_open",
            Self::StillOpen { aloud: false, .. } => "still_open_here",
            Self::Joined { .. } | Self::LinkOver => "linked",
            Self::Told { why, .. } => why,
        };
        Self::Told { why: why.into(), message: self.text(language, now) }
    }
}
