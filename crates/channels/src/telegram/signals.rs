//! What is only shown for a moment: typing, and reactions. Lossy by nature (`spec 06 §4.4`, F): nothing waits for a signal,
//! and one that does not arrive is dropped and counted.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use throughline_engine::{LaneKey, Timestamp};

use super::channel::{Chat, Telegram};
use super::classify::Answer;
use super::inbound::chat_and_message;
use super::outbound;

/// Telegram shows that somebody types for five seconds.
const AGAIN: Duration = Duration::from_secs(4);
/// What says that a message was seen, in the order of liking: emoji of the set that bots may use. A group may allow fewer.
const SEEN: [&str; 3] = ["👍", "👌", "🤝"];
/// Chats whose refused reactions are kept; past it they are tried anew.
const CHATS: usize = 1_000;

/// Reactions that chats have refused.
#[derive(Default)]
pub(super) struct Refused(Mutex<HashMap<i64, HashSet<&'static str>>>);

impl Refused {
    fn left(&self, chat: i64) -> Option<&'static str> {
        let refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        SEEN.into_iter().find(|emoji| !refused.get(&chat).is_some_and(|refused| refused.contains(emoji)))
    }

    fn add(&self, chat: i64, emoji: &'static str) {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= CHATS {
            refused.clear();
        }
        refused.entry(chat).or_default().insert(emoji);
    }
}

impl Telegram {
    /// Says that it types, again and again.
    pub(super) async fn types(&self, lane: &LaneKey, now: Timestamp) {
        let Some(chat) = self.open_chat(lane, now).await else { return };
        let typing = outbound::typing(chat, lane.thread.parse().ok());
        loop {
            let answer = self.client().call(&typing).await;
            counted(&answer);
            match answer {
                // It asks to be left alone, or has closed the chat: whoever delivers there finds out what to do.
                Answer::TooMany { .. }
                | Answer::Forbidden(_)
                | Answer::Moved(_)
                | Answer::Unauthorized(_) => return,
                _ => tokio::time::sleep(AGAIN).await,
            }
        }
    }

    /// Reacts to a message with what its chat allows.
    pub(super) fn reacts(self: Arc<Self>, lane: LaneKey, message: &str) {
        let Some((chat, message)) = chat_and_message(message) else { return };
        tokio::spawn(async move {
            if !matches!(self.chats().chat(&lane).await, Ok(Chat { id, silent: None }) if id == chat) {
                return;
            }
            while let Some(emoji) = self.refused.left(chat) {
                let answer = self.client().call(&outbound::react(chat, message, emoji)).await;
                counted(&answer);
                match answer {
                    Answer::Rejected(why) if why.contains("REACTION_INVALID") => {
                        self.refused.add(chat, emoji)
                    }
                    _ => return,
                }
            }
        });
    }

    /// The chat of a lane, when it may be written to just now.
    async fn open_chat(&self, lane: &LaneKey, now: Timestamp) -> Option<i64> {
        let Chat { id, silent: None } = self.chats().chat(lane).await.ok()? else { return None };
        (!self.pace().waits(id, now)).then_some(id)
    }
}

fn counted(answer: &Answer) {
    let outcome = if matches!(answer, Answer::Applied(_)) { "done" } else { "dropped" };
    metrics::counter!("throughline_effects_total", "class" => "signal", "outcome" => outcome).increment(1);
}
