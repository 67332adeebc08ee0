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
        EventKind::FormSubmitted { values, .. } => values.values().map(String::len).sum(),
        EventKind::OptionsShown(list) => list.options.len() * (MUCH / 16),
        EventKind::FactStated(fact) => fact.text.len(),
        EventKind::EffectSettled { outcome: Outcome::Done { result }, .. } => match result {
            EffectResult::Answered(_) | EffectResult::Said { .. } | EffectResult::Snapshot { .. } => MUCH,
            _ => 0,
        },
        _ => 0,
    }
}

/// Returns the bytes of the messages that the lane holds, which focus, prompts and drafts read again.
fn text_kept(lane: &Lane) -> usize {
    let held = lane.head.window.texts().filter_map(|id| lane.records.named::<Message>(id));
    held.map(|message| message.text.len()).sum()
}
