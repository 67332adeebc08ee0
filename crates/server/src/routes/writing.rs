//! Text that a model is writing in a lane, as an event of its stream (`docs/design/0093-texts-while-they-are-written.md`).

use std::sync::Arc;
use std::time::Duration;

use throughline_channels::direction::steadied;
use throughline_engine::{EffectId, LaneKey};
use throughline_runtime::{Follower, Writings};
use tokio::time::{Instant, sleep_until};

use crate::markup;
use crate::wire;

/// Time between two states of a text that a stream is told.
const PAUSE: Duration = Duration::from_millis(250);

/// Texts that are being written, as a stream is told of them: those of the ask that the lane waits for, and of no other.
pub(super) struct WritingFeed {
    follower: Follower,
    /// Ask that the lane waits for.
    asked: Option<EffectId>,
    /// State that was told last: its ask, and its words.
    told: Option<(EffectId, String)>,
    /// Time from which on the next state may be told.
    from: Instant,
}

impl WritingFeed {
    pub(super) fn open(writings: &Arc<Writings>, lane: &LaneKey) -> Self {
        Self { follower: writings.follow(lane), asked: None, told: None, from: Instant::now() }
    }

    /// Notes which ask the lane waits for.
    pub(super) fn asks(&mut self, ask: Option<&EffectId>) {
        if self.asked.as_ref() != ask
            && let Some(before) = std::mem::replace(&mut self.asked, ask.cloned())
        {
            self.follower.forget(&before);
        }
    }

    /// Waits until there may be something to tell. A wait that is given up misses nothing.
    pub(super) async fn due(&mut self) {
        sleep_until(self.from).await;
        self.follower.changed().await;
    }

    /// Returns what changed since the last call: that the text is over, and the words of the one that is written.
    pub(super) fn next(&mut self) -> Vec<wire::Writing> {
        let written = self.follower.now().filter(|text| Some(&text.ask) == self.asked.as_ref());
        let words = written.as_ref().map(|text| steadied(text.presentable())).unwrap_or_default();
        let now =
            written.as_ref().map(|text| (text.ask.clone(), words)).filter(|(_, words)| !words.is_empty());
        if now == self.told {
            return Vec::new();
        }
        self.from = Instant::now() + PAUSE;
        let before = std::mem::replace(&mut self.told, now.clone());
        let mut news = Vec::new();
        if let Some((ask, _)) = before.filter(|(ask, _)| now.as_ref().is_none_or(|(other, _)| other != ask)) {
            news.push(wire::Writing::over(&ask));
        }
        if let Some((ask, words)) = now {
            let markup = written.filter(|text| text.answer).and_then(|_| markup::of_words(&words));
            news.push(wire::Writing { ask: ask.to_string(), text: Some(words), markup, ended: false });
        }
        news
    }
}
