//! How fast Telegram may be spoken to (`spec 07 §3.3`), as data: who asks is told "now" or "not before then".

use std::collections::{HashMap, VecDeque};

use throughline_engine::{Millis, Timestamp};

/// Between two messages to one chat.
const CHAT: Millis = 1_000;
/// Messages and edits to one group in a minute.
const GROUP: usize = 20;
/// Calls of one bot in a second.
const BOT: usize = 25;
/// Between two states of one message, in a private chat.
const EDIT_PRIVATE: Millis = 1_100;
/// The same in a group.
const EDIT_GROUP: Millis = 3_100;

/// What somebody wants to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A new message.
    Send,
    /// A new state of that message.
    Edit(i64),
}

/// What was sent lately.
#[derive(Debug, Default)]
pub struct Pace {
    chats: HashMap<i64, Chat>,
    bot: VecDeque<Timestamp>,
}

#[derive(Debug, Default)]
struct Chat {
    sent: Option<Timestamp>,
    minute: VecDeque<Timestamp>,
    edited: HashMap<i64, Timestamp>,
    /// Telegram said 429: not before then.
    refused: Option<Timestamp>,
}

impl Pace {
    /// Whether that may go out now. If so it is counted; if not, when to ask again.
    ///
    /// # Errors
    /// Not before then.
    pub fn admit(&mut self, chat: i64, wants: Move, now: Timestamp) -> Result<(), Timestamp> {
        self.forget(now);
        let group = chat < 0;
        let of = self.chats.entry(chat).or_default();
        let floor = if group { EDIT_GROUP } else { EDIT_PRIVATE };
        let free = [
            of.refused,
            match wants {
                Move::Send => of.sent.map(|at| at.plus(CHAT)),
                Move::Edit(message) => of.edited.get(&message).map(|at| at.plus(floor)),
            },
            oldest(&of.minute, GROUP).filter(|_| group).map(|at| at.plus(Timestamp::MINUTE)),
            oldest(&self.bot, BOT).map(|at| at.plus(Timestamp::SECOND)),
        ];
        if let Some(later) = free.into_iter().flatten().max().filter(|later| *later > now) {
            return Err(later);
        }
        match wants {
            Move::Send => of.sent = Some(now),
            Move::Edit(message) => drop(of.edited.insert(message, now)),
        }
        if group {
            of.minute.push_back(now);
        }
        self.bot.push_back(now);
        Ok(())
    }

    /// A message of ours came into being: its first change keeps the same distance as later ones.
    pub fn shown(&mut self, chat: i64, message: i64, now: Timestamp) {
        self.chats.entry(chat).or_default().edited.insert(message, now);
    }

    /// Telegram asked that chat to wait, and it still does.
    #[must_use]
    pub fn waits(&self, chat: i64, now: Timestamp) -> bool {
        self.chats.get(&chat).and_then(|chat| chat.refused).is_some_and(|until| until > now)
    }

    /// Telegram refused one for that chat: it alone waits.
    pub fn refused(&mut self, chat: i64, until: Timestamp) {
        let refused = &mut self.chats.entry(chat).or_default().refused;
        *refused = (*refused).max(Some(until));
    }

    /// What is over says nothing any more; a chat of which nothing is left is dropped.
    fn forget(&mut self, now: Timestamp) {
        let young = |at: &Timestamp, age: Millis| now.since(*at) < age;
        while self.bot.front().is_some_and(|at| !young(at, Timestamp::SECOND)) {
            self.bot.pop_front();
        }
        self.chats.retain(|_, chat| {
            while chat.minute.front().is_some_and(|at| !young(at, Timestamp::MINUTE)) {
                chat.minute.pop_front();
            }
            chat.edited.retain(|_, at| young(at, EDIT_GROUP));
            chat.sent = chat.sent.filter(|at| young(at, CHAT));
            chat.refused = chat.refused.filter(|until| *until > now);
            chat.sent.is_some()
                || chat.refused.is_some()
                || !chat.minute.is_empty()
                || !chat.edited.is_empty()
        });
    }
}

/// The one that has to grow old before there is room for another.
fn oldest(times: &VecDeque<Timestamp>, most: usize) -> Option<Timestamp> {
    times.len().checked_sub(most).and_then(|at| times.get(at)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Timestamp = Timestamp(1_000_000);

    #[test]
    fn one_message_a_second_for_each_chat() {
        let mut pace = Pace::default();
        assert_eq!(pace.admit(1, Move::Send, T), Ok(()));
        assert_eq!(pace.admit(1, Move::Send, T.plus(1)), Err(T.plus(1_000)));
        assert_eq!(pace.admit(2, Move::Send, T.plus(1)), Ok(()), "another chat");
        assert_eq!(pace.admit(1, Move::Edit(5), T.plus(1)), Ok(()), "a card's state waits for no message");
        assert_eq!(pace.admit(1, Move::Send, T.plus(1_000)), Ok(()));
    }

    #[test]
    fn a_group_takes_twenty_a_minute() {
        let mut pace = Pace::default();
        for n in 0..20 {
            assert_eq!(pace.admit(-1, Move::Send, T.plus(n * 1_000)), Ok(()));
        }
        assert_eq!(pace.admit(-1, Move::Send, T.plus(20_000)), Err(T.plus(60_000)));
        assert_eq!(pace.admit(-1, Move::Edit(3), T.plus(20_000)), Err(T.plus(60_000)));
        assert_eq!(pace.admit(-1, Move::Send, T.plus(60_000)), Ok(()));
    }

    #[test]
    fn a_bot_makes_twenty_five_calls_a_second() {
        let mut pace = Pace::default();
        for chat in 1..=25 {
            assert_eq!(pace.admit(chat, Move::Send, T), Ok(()));
        }
        assert_eq!(pace.admit(26, Move::Send, T), Err(T.plus(1_000)));
        assert_eq!(pace.admit(26, Move::Send, T.plus(1_000)), Ok(()));
    }

    #[test]
    fn a_message_keeps_each_state_for_a_while() {
        let mut pace = Pace::default();
        pace.shown(1, 5, T);
        assert_eq!(pace.admit(1, Move::Edit(5), T), Err(T.plus(EDIT_PRIVATE)));
        assert_eq!(pace.admit(-1, Move::Edit(5), T), Ok(()), "another chat's number 5");
        assert_eq!(pace.admit(-1, Move::Edit(5), T.plus(2_000)), Err(T.plus(EDIT_GROUP)));
    }

    #[test]
    fn a_refusal_stops_its_chat_alone() {
        let mut pace = Pace::default();
        pace.refused(1, T.plus(7_000));
        assert_eq!(pace.admit(1, Move::Send, T), Err(T.plus(7_000)));
        assert!(pace.waits(1, T) && !pace.waits(2, T) && !pace.waits(1, T.plus(7_000)));
        assert_eq!(pace.admit(1, Move::Edit(5), T), Err(T.plus(7_000)));
        assert_eq!(pace.admit(2, Move::Send, T), Ok(()));
        assert_eq!(pace.admit(1, Move::Send, T.plus(7_000)), Ok(()));
        assert!(pace.chats.len() <= 2);
    }
}
