//! Notices of a host to the people of a lane.

use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::data::id::TurnId;
use crate::data::time::Timestamp;

/// Notice about something that intake did not accept, or that changed around the lane. Its words are those of the catalogues
/// (`docs/design/0056-catalogues.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Notice {
    /// A message was not taken, because too many waited.
    QueueFull {
        /// Beginning of its text.
        beginning: String,
        /// Number of messages that may wait.
        most: u32,
    },
    /// Something cannot be handled and was set aside.
    Dead {
        /// Turn that says so.
        turn: TurnId,
    },
    /// Open cards are shown again.
    StillOpen {
        /// Occasion.
        after: Interruption,
        /// True if the occasion is also posted; one lane of each chat does that.
        aloud: bool,
    },
    /// A link made a person of the channel a user.
    Joined {
        /// User.
        user: String,
    },
    /// A link is used up or too old.
    LinkOver,
    /// Notice of a version before 0.2, in its words.
    #[serde(untagged)]
    Told {
        /// Stable word: `queue_full`, `dead`, `paused`, `rate`, `still_open`, `still_open_here`, `linked`.
        why: String,
        /// Text for the person.
        message: String,
    },
}

/// Occasion to show open cards again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The channel was not heard, so presses may be lost.
    Outage {
        /// Time when it was last heard.
        from: Timestamp,
        /// Time when it was heard again.
        to: Timestamp,
    },
    /// The chat moved, so buttons under its old number do nothing.
    Moved,
}

impl Notice {
    /// Returns whether open cards are shown again, and if so, whether that is also posted.
    pub(crate) fn shows_cards(&self) -> Option<bool> {
        match self {
            Self::StillOpen { aloud, .. } => Some(*aloud),
            Self::Told { why, .. } if why == "still_open" => Some(true),
            Self::Told { why, .. } if why == "still_open_here" => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stored: &str) -> Notice {
        serde_json::from_str(stored).unwrap()
    }

    #[test]
    fn a_notice_reads_back() {
        let after = Interruption::Outage { from: Timestamp(1), to: Timestamp(2) };
        let notices = [
            Notice::QueueFull { beginning: "one".into(), most: 200 },
            Notice::Dead { turn: "tn_1".into() },
            Notice::StillOpen { after, aloud: true },
            Notice::StillOpen { after: Interruption::Moved, aloud: false },
            Notice::Joined { user: "ana".into() },
            Notice::LinkOver,
        ];
        for notice in notices {
            assert_eq!(read(&serde_json::to_string(&notice).unwrap()), notice);
        }
    }

    /// Versions before 0.2 stored the words, under the word that says why.
    #[test]
    fn notices_of_earlier_versions_are_read() {
        for why in ["queue_full", "dead", "still_open", "still_open_here", "linked"] {
            let stored = alloc::format!(r#"{{"why":"{why}","message":"Told."}}"#);
            assert_eq!(read(&stored), Notice::Told { why: why.into(), message: "Told.".into() });
            assert_eq!(serde_json::to_string(&read(&stored)).unwrap(), stored);
        }
    }
}
