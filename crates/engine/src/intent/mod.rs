//! What the user wants: rules, a bounded model, the thread's memory, else a question (`spec 03 §1`).

mod framed;
pub mod handover;
pub mod rules;
pub mod several;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::policy::Policy;
use crate::time::Timestamp;

/// What the user wants, not what the system is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Draft one item.
    Ticket,
    /// Review something.
    Review,
    /// Talk; no tracker, no workflow.
    Discussion,
    /// Help, status, what is open, a greeting.
    Meta,
    /// Unclear: the remembered intent, else the scope gate.
    Ambiguous,
}

impl Intent {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Ticket, Self::Review, Self::Discussion, Self::Meta, Self::Ambiguous];

    /// The public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ticket => "ticket",
            Self::Review => "review",
            Self::Discussion => "discussion",
            Self::Meta => "meta",
            Self::Ambiguous => "ambiguous",
        }
    }

    /// The intent of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|intent| intent.word() == word)
    }
}

impl From<rules::RuledIntent> for Intent {
    fn from(ruled: rules::RuledIntent) -> Self {
        match ruled {
            rules::RuledIntent::Ticket | rules::RuledIntent::TicketChange => Self::Ticket,
            // What is decided is what a review comes to.
            rules::RuledIntent::Review | rules::RuledIntent::Decision => Self::Review,
            rules::RuledIntent::Meta => Self::Meta,
        }
    }
}

/// What the thread remembers (`spec 03 §2`): Review or Create ticket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// The choice.
    pub intent: Intent,
    /// When it was made.
    pub since: Timestamp,
}

impl Remembered {
    /// Alive at `now`, when the last message of the lane came at `last`: it slides, and two hours to the
    /// millisecond still count.
    #[must_use]
    pub fn alive(&self, last: Option<Timestamp>, now: Timestamp, policy: &Policy) -> bool {
        now.since(last.unwrap_or(self.since).max(self.since)) <= policy.remember.idle_ms
    }
}
