//! Generated conversations, and an oracle of what their words may do.
//!
//! A conversation has two people, lists, questions, gates, replies, edits and presses in every order, and a model that names
//! any option with certainty. Each text is made from a meaning. The deeds of the engine have to be among the things that
//! the oracle, which knows the meaning and not the engine, allows.

mod draw;
mod events;
mod generate;
mod observe;
mod oracle;
mod play;
mod report;
mod scenario;
mod shrink;
mod texts;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

pub use generate::{Act, Conversation, Expects, Reply, Say, Show, Slot, Who, generate};
pub use play::{play, policy};
pub use report::{Family, Finding, Outcomes, Said, Tally};
pub use scenario::scenario;
pub use shrink::shrink;
pub use texts::Meaning;

/// Conversations that a worker takes at once.
const BATCH: u64 = 64;

/// Plays that many conversations from a seed on, on several threads. The outcome does not depend on their number.
#[must_use]
pub fn play_many(seed: u64, count: u64, workers: usize) -> Tally {
    let policy = policy();
    let next = AtomicU64::new(0);
    let all = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            scope.spawn(|| {
                let mut own = Tally::default();
                loop {
                    let from = next.fetch_add(BATCH, Ordering::Relaxed);
                    if from >= count {
                        break;
                    }
                    for n in from..count.min(from + BATCH) {
                        let conversation = generate(seed.wrapping_add(n));
                        own.add(conversation.seed, play(&conversation, &policy));
                    }
                }
                all.lock().unwrap_or_else(PoisonError::into_inner).merge(own);
            });
        }
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}
