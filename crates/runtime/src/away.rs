//! Long computations away from the tasks that answer others (`docs/design/0044-no-message-is-expensive.md`).
//!
//! A step is computed where its event is handled, which for a common event is a few microseconds. A long text takes
//! milliseconds, and as many of them as there are cores would leave nobody to answer a probe or a signal. So a turn
//! with much text first takes one of a few places, and then hands the worker's other tasks to another thread.

use std::future::Future;
use std::thread::available_parallelism;

use throughline_engine::data::effect::{EffectResult, Outcome};
use throughline_engine::data::event::EventKind;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::Message;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

/// Bytes of text from which a turn is computed away: less is read in a fraction of a millisecond.
const MUCH: usize = 8 * 1024;

/// The places of turns with much text.
pub(crate) struct Away(Semaphore);

impl Default for Away {
    fn default() -> Self {
        Self(Semaphore::new(available_parallelism().map_or(1, usize::from)))
    }
}

impl Away {
    /// Awaits a computation on an event, away from other tasks if it may be long. A host with one thread, as tests and the
    /// simulator are, has no other tasks to protect.
    pub(crate) async fn run<F: Future>(&self, lane: &Lane, event: &EventKind, computation: F) -> F::Output {
        if text_of(event) + text_kept(lane) < MUCH {
            return computation.await;
        }
        // The semaphore is never closed.
        let _place = self.0.acquire().await;
        match Handle::try_current() {
            Ok(here) if here.runtime_flavor() == RuntimeFlavor::MultiThread => {
                block_in_place(|| here.block_on(computation))
            }
            _ => computation.await,
        }
    }
}

/// Returns the bytes of text of an event, about; a list counts as if each option were long.
fn text_of(event: &EventKind) -> usize {
    match event {
        EventKind::MessagePosted(posted) => posted.text.len(),
        EventKind::MessageEdited { text, .. }
        | EventKind::Command { text }
        | EventKind::EffectProgressed { text, .. } => text.len(),
        EventKind::AssistantPosted(posted) => posted.text.len(),
        EventKind::ApprovalRequested(act) => act.payload.len(),
        EventKind::FormSubmitted { values, .. } => values.values().map(String::len).sum(),
        EventKind::OptionsShown(list) => list.options.len() * (MUCH / 16),
        EventKind::FactStated(fact) => fact.text.len(),
        EventKind::EffectSettled {
            outcome:
                Outcome::Done {
                    result:
                        EffectResult::Answered(_) | EffectResult::Said { .. } | EffectResult::Snapshot { .. },
                },
            ..
        } => MUCH,
        _ => 0,
    }
}

/// Returns the bytes of the messages that the lane holds, which focus, prompts and drafts read again.
pub(crate) fn text_kept(lane: &Lane) -> usize {
    lane.records.all::<Message>().map(|message| message.text.len()).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use throughline_engine::LaneKey;
    use throughline_engine::data::event::MessagePosted;

    use super::*;

    fn says(text: String) -> EventKind {
        EventKind::MessagePosted(MessagePosted { text, ..MessagePosted::default() })
    }

    /// The only worker blocks until another of its tasks has run, which it does only if it was handed over.
    #[test]
    fn a_long_turn_holds_up_no_other_task() {
        let host = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let other = host.block_on(async {
            let turn = tokio::spawn(async {
                let (done, other) = mpsc::channel();
                drop(tokio::spawn(async move { done.send("another task has run") }));
                let lane = Lane::new(LaneKey::new("t", "app", "web", "c", ""));
                let long = async move { other.recv_timeout(Duration::from_secs(60)) };
                Away::default().run(&lane, &says("a ".repeat(MUCH)), long).await
            });
            turn.await.unwrap()
        });
        assert_eq!(other, Ok("another task has run"));
    }

    /// A host of one thread has nothing to hand over to, and the computation runs where it is.
    #[test]
    fn a_host_of_one_thread_computes_where_it_is() {
        let host = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let lane = Lane::new(LaneKey::new("t", "app", "web", "c", ""));
        for text in [String::new(), "a ".repeat(MUCH)] {
            assert_eq!(host.block_on(Away::default().run(&lane, &says(text), async { 7 })), 7);
        }
    }
}
