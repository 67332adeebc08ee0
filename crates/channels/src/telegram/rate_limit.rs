//! Telegram's rate limits, as data: [`RateLimiter::admit`] lets a call through or returns the time to ask again
//! (`docs/design/0035-channels.md`).

use std::collections::{HashMap, VecDeque};

use throughline_engine::{Millis, Timestamp};

/// Between two messages to one chat.
const CHAT: Millis = 1_000;
/// Messages and edits to one group in a minute.
const GROUP: usize = 20;
/// Calls of one bot in a second.
const BOT: usize = 25;
/// Between two edits of one message in a private chat.
const EDIT_PRIVATE: Millis = 1_100;
/// Between two edits of one message in a group.
const EDIT_GROUP: Millis = 3_100;

/// Longest wait that Telegram is obeyed for.
const REFUSED: Millis = Timestamp::HOUR;

/// A call to admit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// A new message.
    New,
    /// An edit of the message with this number.
    Edit(i64),
}

/// The calls made lately.
#[derive(Debug, Default)]
pub struct RateLimiter {
    chats: HashMap<i64, ChatLimits>,
    bot: VecDeque<Timestamp>,
}

#[derive(Debug, Default)]
struct ChatLimits {
    sent: Option<Timestamp>,
    minute: VecDeque<Timestamp>,
    edited: HashMap<i64, Timestamp>,
    /// The end of a wait that Telegram asked for with status 429.
    refused: Option<Timestamp>,
}

impl RateLimiter {
    /// Admits a call and counts it, if it may go out now.
    ///
    /// # Errors
    /// The time to ask again.
    pub fn admit(&mut self, chat: i64, wants: Outgoing, now: Timestamp) -> Result<(), Timestamp> {
        self.forget(now);
        let group = chat < 0;
        let of = self.chats.entry(chat).or_default();
        let floor = if group { EDIT_GROUP } else { EDIT_PRIVATE };
        let free = [
            of.refused,
            match wants {
                Outgoing::New => of.sent.map(|at| at.plus(CHAT)),
                Outgoing::Edit(message) => of.edited.get(&message).map(|at| at.plus(floor)),
            },
            oldest(&of.minute, GROUP).filter(|_| group).map(|at| at.plus(Timestamp::MINUTE)),
            oldest(&self.bot, BOT).map(|at| at.plus(Timestamp::SECOND)),
        ];
        if let Some(later) = free.into_iter().flatten().max().filter(|later| *later > now) {
            return Err(later);
        }
        match wants {
            Outgoing::New => of.sent = Some(now),
            Outgoing::Edit(message) => drop(of.edited.insert(message, now)),
        }
        if group {
            of.minute.push_back(now);
        }
        self.bot.push_back(now);
        Ok(())
    }

    /// Records a new message of the bot: its first edit keeps the same distance as later ones.
    pub fn shown(&mut self, chat: i64, message: i64, now: Timestamp) {
        self.chats.entry(chat).or_default().edited.insert(message, now);
    }

    /// True while the chat waits because Telegram asked for it.
    #[must_use]
    pub fn waits(&self, chat: i64, now: Timestamp) -> bool {
        self.chats.get(&chat).and_then(|chat| chat.refused).is_some_and(|until| waits(until, now))
    }

    /// Makes one chat wait that Telegram refused a call for.
    pub fn refused(&mut self, chat: i64, until: Timestamp) {
        let refused = &mut self.chats.entry(chat).or_default().refused;
        *refused = (*refused).max(Some(until));
    }

    /// Drops entries that no limit counts any more.
    fn forget(&mut self, now: Timestamp) {
        // What was counted in the future was counted by a clock that is set right since.
        let young = |at: &Timestamp, age: Millis| (0..age).contains(&now.since(*at));
        while self.bot.front().is_some_and(|at| !young(at, Timestamp::SECOND)) {
            self.bot.pop_front();
        }
        self.chats.retain(|_, chat| {
            while chat.minute.front().is_some_and(|at| !young(at, Timestamp::MINUTE)) {
                chat.minute.pop_front();
            }
            chat.edited.retain(|_, at| young(at, EDIT_GROUP));
            chat.sent = chat.sent.filter(|at| young(at, CHAT));
            chat.refused = chat.refused.filter(|until| waits(*until, now));
            chat.sent.is_some()
                || chat.refused.is_some()
                || !chat.minute.is_empty()
                || !chat.edited.is_empty()
        });
    }
}

/// True while a wait goes on. One that ends later than any begins was counted by a clock that is set right since.
fn waits(until: Timestamp, now: Timestamp) -> bool {
    (1..=REFUSED).contains(&until.since(now))
}

/// The oldest of the last `most` times; it has to leave the window before another call fits.
fn oldest(times: &VecDeque<Timestamp>, most: usize) -> Option<Timestamp> {
    times.len().checked_sub(most).and_then(|at| times.get(at)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Timestamp = Timestamp(1_000_000);

    #[test]
    fn what_a_clock_that_was_ahead_counted_holds_nothing() {
        let mut limiter = RateLimiter::default();
        let ahead = T.plus(365 * Timestamp::DAY);
        for n in 0..30 {
            let _full = limiter.admit(-1, Outgoing::New, ahead.plus(n * 1_000));
        }
        limiter.shown(-1, 5, ahead);
        limiter.refused(-1, ahead.plus(Timestamp::MINUTE));
        assert!(!limiter.waits(-1, T));
        assert_eq!(limiter.admit(-1, Outgoing::Edit(5), T), Ok(()));
        assert_eq!(limiter.admit(-1, Outgoing::New, T.plus(1_000)), Ok(()));
    }

    #[test]
    fn one_message_a_second_for_each_chat() {
        let mut limiter = RateLimiter::default();
        assert_eq!(limiter.admit(1, Outgoing::New, T), Ok(()));
        assert_eq!(limiter.admit(1, Outgoing::New, T.plus(1)), Err(T.plus(1_000)));
        assert_eq!(limiter.admit(2, Outgoing::New, T.plus(1)), Ok(()), "another chat");
        assert_eq!(
            limiter.admit(1, Outgoing::Edit(5), T.plus(1)),
            Ok(()),
            "a card's state waits for no message"
        );
        assert_eq!(limiter.admit(1, Outgoing::New, T.plus(1_000)), Ok(()));
    }

    #[test]
    fn a_group_takes_twenty_a_minute() {
        let mut limiter = RateLimiter::default();
        for n in 0..20 {
            assert_eq!(limiter.admit(-1, Outgoing::New, T.plus(n * 1_000)), Ok(()));
        }
        assert_eq!(limiter.admit(-1, Outgoing::New, T.plus(20_000)), Err(T.plus(60_000)));
        assert_eq!(limiter.admit(-1, Outgoing::Edit(3), T.plus(20_000)), Err(T.plus(60_000)));
        assert_eq!(limiter.admit(-1, Outgoing::New, T.plus(60_000)), Ok(()));
    }

    #[test]
    fn a_bot_makes_twenty_five_calls_a_second() {
        let mut limiter = RateLimiter::default();
        for chat in 1..=25 {
            assert_eq!(limiter.admit(chat, Outgoing::New, T), Ok(()));
        }
        assert_eq!(limiter.admit(26, Outgoing::New, T), Err(T.plus(1_000)));
        assert_eq!(limiter.admit(26, Outgoing::New, T.plus(1_000)), Ok(()));
    }

    #[test]
    fn a_message_keeps_each_state_for_a_while() {
        let mut limiter = RateLimiter::default();
        limiter.shown(1, 5, T);
        assert_eq!(limiter.admit(1, Outgoing::Edit(5), T), Err(T.plus(EDIT_PRIVATE)));
        assert_eq!(limiter.admit(-1, Outgoing::Edit(5), T), Ok(()), "another chat's number 5");
        assert_eq!(limiter.admit(-1, Outgoing::Edit(5), T.plus(2_000)), Err(T.plus(EDIT_GROUP)));
    }

    #[test]
    fn a_refusal_stops_its_chat_alone() {
        let mut limiter = RateLimiter::default();
        limiter.refused(1, T.plus(7_000));
        assert_eq!(limiter.admit(1, Outgoing::New, T), Err(T.plus(7_000)));
        assert!(limiter.waits(1, T) && !limiter.waits(2, T) && !limiter.waits(1, T.plus(7_000)));
        assert_eq!(limiter.admit(1, Outgoing::Edit(5), T), Err(T.plus(7_000)));
        assert_eq!(limiter.admit(2, Outgoing::New, T), Ok(()));
        assert_eq!(limiter.admit(1, Outgoing::New, T.plus(7_000)), Ok(()));
        assert!(limiter.chats.len() <= 2);
    }
}
