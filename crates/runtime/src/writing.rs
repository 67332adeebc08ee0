//! Texts that models are writing for a lane, for whoever follows it in this process (`docs/design/0093-texts-while-they-are-written.md`).
//!
//! Nothing here is durable, and no decision reads it. A lane has at most one text, and its followers see the newest state of it:
//! who is slow misses states and delays nobody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throughline_engine::ask::presentable;
use throughline_engine::data::ask::{Ask, Question};
use throughline_engine::data::effect::EffectClass;
use throughline_engine::data::policy::hosting::Replies;
use throughline_engine::data::policy::limits;
use throughline_engine::{EffectId, LaneKey};
use throughline_models::Onlooker;
use throughline_store::StoredEffect;
use tokio::sync::watch;

use crate::Runtime;

/// Length from which on a text is too long to be an answer, in bytes.
const MOST: usize = 4 * limits::MODEL_ANSWER;

/// Text that a model is writing.
#[derive(Clone, Debug)]
pub struct Writing {
    /// Effect that asks for it.
    pub ask: EffectId,
    /// True for an answer in words, which may be Markdown.
    pub answer: bool,
    words: String,
}

impl Writing {
    /// Returns what may be shown of it now.
    #[must_use]
    pub fn presentable(&self) -> String {
        presentable(&self.words)
    }
}

type State = Arc<watch::Sender<Option<Writing>>>;

/// Texts that are being written, by lane. A lane is here while it is followed or written for.
#[derive(Debug, Default)]
pub struct Writings(Mutex<HashMap<LaneKey, State>>);

impl Writings {
    /// Follows the texts of a lane.
    #[must_use]
    pub fn follow(self: &Arc<Self>, lane: &LaneKey) -> Follower {
        let place = self.place(lane);
        Follower { states: self.state(lane).subscribe(), place }
    }

    /// Begins a text.
    fn begin(self: &Arc<Self>, lane: &LaneKey, ask: &EffectId, answer: bool) -> Writer {
        let (state, place) = (self.state(lane), self.place(lane));
        state.send_replace(Some(Writing { ask: ask.clone(), answer, words: String::new() }));
        Writer { ask: ask.clone(), handed_on: false, state, _place: place }
    }

    fn state(&self, lane: &LaneKey) -> State {
        self.lanes().entry(lane.clone()).or_insert_with(|| Arc::new(watch::Sender::new(None))).clone()
    }

    fn place(self: &Arc<Self>, lane: &LaneKey) -> Place {
        Place { lane: lane.clone(), all: self.clone() }
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<LaneKey, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Place among the lanes. The last one that is dropped takes the lane out, so it comes behind whatever is held of the lane.
#[derive(Debug)]
struct Place {
    lane: LaneKey,
    all: Arc<Writings>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lanes = self.all.lanes();
        let unused = |state: &State| Arc::strong_count(state) == 1 && state.receiver_count() == 0;
        if lanes.get(&self.lane).is_some_and(unused) {
            lanes.remove(&self.lane);
        }
    }
}

/// Follower of a lane's texts.
#[derive(Debug)]
pub struct Follower {
    states: watch::Receiver<Option<Writing>>,
    place: Place,
}

impl Follower {
    /// Waits until the text changes, begins or ends. A wait that is given up misses nothing.
    pub async fn changed(&mut self) {
        if self.states.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Returns the text as it is now.
    pub fn now(&mut self) -> Option<Writing> {
        // Copied: a writer waits while it is borrowed.
        self.states.borrow_and_update().clone()
    }

    /// Forgets the text of an ask that the lane no longer waits for.
    pub fn forget(&self, ask: &EffectId) {
        let state = self.place.all.lanes().get(&self.place.lane).cloned();
        if let Some(state) = state {
            forget(&state, ask);
        }
    }
}

/// The writing of one text. When it is dropped, the text is gone.
#[derive(Debug)]
pub(crate) struct Writer {
    ask: EffectId,
    handed_on: bool,
    state: State,
    _place: Place,
}

impl Writer {
    /// Ends the text, and leaves it until its followers see the turn that its answer leads to.
    pub(crate) fn handed_on(mut self) {
        self.handed_on = true;
    }
}

impl Onlooker for Writer {
    fn looks(&self) -> bool {
        self.state.receiver_count() > 0
    }

    fn sees(&self, words: &str) {
        self.state.send_if_modified(|state| match state {
            Some(text) if text.ask == self.ask && text.words.len() <= MOST => {
                text.words.push_str(words);
                true
            }
            _ => false,
        });
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.handed_on {
            forget(&self.state, &self.ask);
        }
    }
}

fn forget(state: &State, ask: &EffectId) {
    state.send_if_modified(|state| state.take_if(|text| text.ask == *ask).is_some());
}

impl Runtime {
    /// The texts that models are writing.
    #[must_use]
    pub fn writings(&self) -> &Arc<Writings> {
        &self.writings
    }

    /// Begins to show the answer to an ask, if the answer will be shown as it is said: by us, from the store.
    pub(crate) fn write(&self, effect: &StoredEffect, ask: &Ask) -> Option<Writer> {
        let (lane, policy) = (&effect.lane, self.policy());
        let shown = policy.hosting(lane).replies == Replies::Engine
            && self.ports.performer(policy, lane, EffectClass::Reply).is_none();
        let answer = matches!(ask.question, Question::Answer);
        shown.then(|| self.writings.begin(lane, &effect.row.id, answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane() -> LaneKey {
        LaneKey::new("acme", "app", "web", "c1", "")
    }

    fn says(follower: &mut Follower) -> Option<String> {
        follower.now().map(|text| text.words)
    }

    #[tokio::test]
    async fn a_text_is_there_for_followers_until_it_ends() {
        let all = Arc::new(Writings::default());
        let writer = all.begin(&lane(), &"fx_1".into(), true);
        assert!(!writer.looks(), "nobody looks");
        let mut follower = all.follow(&lane());
        assert!(writer.looks());
        writer.sees("one ");
        follower.changed().await;
        writer.sees("two ");
        assert_eq!(says(&mut follower).as_deref(), Some("one two "), "the newest state");
        let mut late = all.follow(&lane());
        assert_eq!(says(&mut late).as_deref(), Some("one two "));
        let again = all.begin(&lane(), &"fx_2".into(), true);
        writer.sees("three");
        drop(writer);
        assert_eq!(says(&mut follower).as_deref(), Some(""), "the text of another ask");
        drop(again);
        follower.changed().await;
        assert_eq!(says(&mut follower), None);
        drop((follower, late));
        assert!(all.lanes().is_empty(), "nothing is left");
    }

    #[test]
    fn nothing_is_left_of_what_nobody_follows() {
        let all = Arc::new(Writings::default());
        all.begin(&lane(), &"fx_1".into(), false).handed_on();
        assert!(all.lanes().is_empty());
        let mut follower = all.follow(&lane());
        let writer = all.begin(&lane(), &"fx_2".into(), false);
        writer.sees("one");
        writer.handed_on();
        assert_eq!(says(&mut follower).as_deref(), Some("one"), "until the turn");
        follower.forget(&"fx_1".into());
        assert_eq!(says(&mut follower).as_deref(), Some("one"));
        follower.forget(&"fx_2".into());
        assert_eq!(says(&mut follower), None);
        drop(follower);
        assert!(all.lanes().is_empty());
    }

    #[test]
    fn a_text_that_is_too_long_stops_growing() {
        let all = Arc::new(Writings::default());
        let mut follower = all.follow(&lane());
        let writer = all.begin(&lane(), &"fx_1".into(), true);
        for _ in 0..100 {
            writer.sees(&"word ".repeat(500));
        }
        let text = follower.now().unwrap();
        assert!(text.words.len() < MOST + 3_000);
        assert_eq!(text.presentable(), "");
    }
}
