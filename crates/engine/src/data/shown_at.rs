//! Moments of showing: an answer means the newest thing that was shown to its person.

use crate::data::id::{MessageId, message_position};
use crate::data::time::Timestamp;

/// The moment at which a list, a question or a card was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShownAt {
    revision: Option<u64>,
    at: Timestamp,
}

impl ShownAt {
    /// Shown by a turn of this revision; 0 where the revision was not recorded.
    pub(crate) fn in_turn(revision: u64, at: Timestamp) -> Self {
        Self { revision: Some(revision).filter(|revision| *revision > 0), at }
    }

    /// Shown by one of our messages.
    pub(crate) fn by_message(message: &MessageId, at: Timestamp) -> Self {
        Self { revision: message_position(message.as_str()).map(|(revision, _)| revision), at }
    }

    /// True if it was shown after the other one. Clocks tie, so revisions decide where both are known.
    pub(crate) fn is_after(&self, other: &Self) -> bool {
        match (self.revision, other.revision) {
            (Some(own), Some(other)) => own > other,
            _ => self.at > other.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_decide_and_else_the_clock() {
        let (first, second) = (ShownAt::in_turn(3, Timestamp(9)), ShownAt::in_turn(4, Timestamp(9)));
        assert!(second.is_after(&first) && !first.is_after(&second) && !first.is_after(&first));
        let asked = ShownAt::by_message(&MessageId::from("m_3_0"), Timestamp(1));
        assert!(second.is_after(&asked));
        let unknown = ShownAt::by_message(&MessageId::from("7.11"), Timestamp(10));
        assert!(unknown.is_after(&second) && !second.is_after(&unknown));
    }
}
