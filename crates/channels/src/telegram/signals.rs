//! Signals: typing and reactions. Nothing waits for a signal, and one that does not arrive is dropped and counted
//! (`docs/design/0031-effects-and-retries.md`).

use std::sync::Arc;
use std::time::Duration;

use throughline_engine::{LaneKey, Timestamp};

use super::answer::Answer;
use super::channel::{Chat, Telegram};
use super::names::chat_and_message;
use super::outbound;

/// The pause between two typing signals; Telegram shows each for five seconds.
const AGAIN: Duration = Duration::from_secs(4);
impl Telegram {
    /// Shows typing, again and again.
    pub(super) async fn show_typing(&self, lane: &LaneKey, now: Timestamp) {
        let Some(chat) = self.writable_chat(lane, now).await else { return };
        let typing = outbound::typing(chat, lane.thread.parse().ok());
        loop {
            let answer = self.client().call(&typing).await;
            count(&answer);
            match answer {
                // The chat asks to wait or cannot be written to: the next delivery there finds out what to do.
                Answer::TooMany { .. }
                | Answer::Forbidden(_)
                | Answer::Moved(_)
                | Answer::Unauthorized(_) => return,
                _ => tokio::time::sleep(AGAIN).await,
            }
        }
    }

    /// Reacts to a message with the first emoji that its chat allows.
    pub(super) fn show_seen(self: Arc<Self>, lane: LaneKey, message: &str) {
        let Some((chat, message)) = chat_and_message(message) else { return };
        tokio::spawn(async move {
            if !matches!(self.chats().chat(&lane).await, Ok(Chat { id, silent: None }) if id == chat) {
                return;
            }
            while let Some(emoji) = self.refused_reactions.next(chat) {
                let answer = self.client().call(&outbound::react(chat, message, emoji)).await;
                count(&answer);
                match answer {
                    Answer::Rejected(why) if why.contains("REACTION_INVALID") => {
                        self.refused_reactions.add(chat, emoji)
                    }
                    _ => return,
                }
            }
        });
    }

    /// The chat of a lane, if it may be written to now.
    async fn writable_chat(&self, lane: &LaneKey, now: Timestamp) -> Option<i64> {
        let Chat { id, silent: None } = self.chats().chat(lane).await.ok()? else { return None };
        (!self.rate_limiter().waits(id, now)).then_some(id)
    }
}

fn count(answer: &Answer) {
    let outcome = if matches!(answer, Answer::Applied(_)) { "done" } else { "dropped" };
    metrics::counter!("throughline_effects_total", "class" => "signal", "outcome" => outcome).increment(1);
}
