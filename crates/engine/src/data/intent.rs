//! Intents, and the intent that a thread remembers (`docs/design/0016-intent-and-scope-gate.md`).

use crate::data::policy::Policy;
use crate::data::time::Timestamp;
use serde::{Deserialize, Serialize};
use throughline_language::intent::rules;

/// Intent of a message: what the user wants, independent of any workflow that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Create a ticket.
    Ticket,
    /// Review something.
    Review,
    /// Talk, without a tracker or a workflow.
    Discussion,
    /// Ask for help or status, or greet.
    Meta,
    /// Unclear. The remembered intent is used, or else the scope gate asks.
    Ambiguous,
}

impl Intent {
    /// Every intent.
    pub const ALL: [Self; 5] = [Self::Ticket, Self::Review, Self::Discussion, Self::Meta, Self::Ambiguous];

    /// Returns the public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ticket => "ticket",
            Self::Review => "review",
            Self::Discussion => "discussion",
            Self::Meta => "meta",
            Self::Ambiguous => "ambiguous",
        }
    }

    /// Returns the intent with this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|intent| intent.as_str() == word)
    }
}

impl From<rules::RuledIntent> for Intent {
    fn from(ruled: rules::RuledIntent) -> Self {
        match ruled {
            rules::RuledIntent::Ticket | rules::RuledIntent::TicketChange => Self::Ticket,
            // A decision record is made from a review, so both start there.
            rules::RuledIntent::Review | rules::RuledIntent::Decision => Self::Review,
            rules::RuledIntent::Meta => Self::Meta,
        }
    }
}

/// Intent that a thread remembers for unclear messages: Review or Ticket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// Remembered intent.
    pub intent: Intent,
    /// Time of the choice.
    pub since: Timestamp,
}

impl Remembered {
    /// Returns true if the choice still holds at `now`. `last` is the time of the lane's last message; each
    /// message extends the choice by `policy.remember.idle_ms`, the last millisecond included.
    #[must_use]
    pub fn is_alive(&self, last: Option<Timestamp>, now: Timestamp, policy: &Policy) -> bool {
        now.since(last.unwrap_or(self.since).max(self.since)) <= policy.remember.idle_ms
    }
}
