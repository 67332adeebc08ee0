//! Cursors of all conversations' events: a place in the order of a tenant's turns, and within a turn.

use std::fmt;

use throughline_store::TurnSeq;

/// Place in the events of a tenant: what was told, and what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cursor {
    /// Every event of every turn up to that position was told.
    Behind(TurnSeq),
    /// So were those of the turns before that position, and those of the turn at it below a slot.
    Within {
        /// Position of the turn.
        position: TurnSeq,
        /// First slot whose event was not told; at least 1.
        told: usize,
    },
}

impl Cursor {
    /// Reads a cursor; `None` if it is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        match text.split_once('-') {
            _ if !digits => None,
            None => Some(Self::Behind(Self::position(text)?)),
            Some((turn, event)) => {
                let event: u32 = event.parse().ok()?;
                Some(Self::event(Self::position(turn)?, event as usize))
            }
        }
    }

    /// Reads a position of up to 19 digits. One beyond the largest there can be is behind the end, like any other from
    /// elsewhere.
    fn position(text: &str) -> Option<TurnSeq> {
        let position: u64 = text.parse().ok().filter(|_| text.len() <= 19)?;
        Some(TurnSeq::try_from(position).unwrap_or(TurnSeq::MAX))
    }

    /// Returns the cursor behind the event in a slot of a turn.
    pub(crate) fn event(position: TurnSeq, slot: usize) -> Self {
        Self::Within { position, told: slot.saturating_add(1) }
    }

    /// Returns the position behind which turns are read next.
    pub(crate) fn after(self) -> TurnSeq {
        match self {
            Self::Behind(position) => position,
            Self::Within { position, .. } => position.saturating_sub(1),
        }
    }

    /// Returns the first slot of a turn whose event was not told.
    pub(crate) fn told_of(self, turn: TurnSeq) -> usize {
        match self {
            Self::Within { position, told } if position == turn => told,
            Self::Within { .. } | Self::Behind(_) => 0,
        }
    }

    /// Returns true if it is behind the end of the order: it comes from a store that knew more.
    pub(crate) fn is_beyond(self, end: TurnSeq) -> bool {
        match self {
            Self::Behind(position) | Self::Within { position, .. } => position > end,
        }
    }
}

impl fmt::Display for Cursor {
    // Without a full stop: receivers of webhooks sign "id.time.body".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Behind(position) => write!(f, "{position}"),
            Self::Within { position, told } => write!(f, "{position}-{}", told.saturating_sub(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        for (text, cursor) in [
            ("0", Cursor::Behind(0)),
            ("7", Cursor::Behind(7)),
            ("7-0", Cursor::Within { position: 7, told: 1 }),
            ("1854423040000000000-12", Cursor::Within { position: 1_854_423_040_000_000_000, told: 13 }),
        ] {
            assert_eq!(Cursor::parse(text), Some(cursor));
            assert_eq!(cursor.to_string(), text);
        }
    }

    #[test]
    fn a_position_beyond_all_is_behind_the_end() {
        let cursor = Cursor::parse("9999999999999999999");
        assert_eq!(cursor, Some(Cursor::Behind(TurnSeq::MAX)));
        assert!(cursor.is_some_and(|cursor| cursor.is_beyond(TurnSeq::MAX - 1)));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for wrong in [
            "",
            "x",
            "-",
            "-1",
            "+1",
            "1-",
            "1-x",
            "1--1",
            "1-+1",
            "1-1-1",
            "1.1",
            " 1",
            "99999999999999999999",
            "1-4294967296",
        ] {
            assert_eq!(Cursor::parse(wrong), None, "{wrong}");
        }
    }
}
