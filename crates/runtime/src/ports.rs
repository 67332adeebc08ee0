//! What the loop is plugged into: people, channels, trackers, a model. It knows none of their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use throughline_channels::{Channel, Surface};
use throughline_engine::effect::{Attempt, EffectClass, Guarantee};
use throughline_engine::given::Actor;
use throughline_engine::work::{Errand, Report};
use throughline_engine::{LaneKey, Timestamp};
use throughline_models::Model;
use throughline_store::Performer;
use throughline_trackers::Tracker;

/// Who people are.
#[async_trait]
pub trait Directory: Send + Sync {
    /// The person behind a channel's user id. A look-up that fails gives nobody: no principals, no rights.
    async fn actor(&self, lane: &LaneKey, id: &str) -> Actor;

    /// How far that person's clock is ahead of UTC at a moment, in seconds: [`crate::Zone`] knows.
    fn offset_s(&self, _lane: &LaneKey, _id: &str, _at: Timestamp) -> i32 {
        0
    }
}

/// Who does work for us: the client of a tool or of a sub-agent (`spec 07 §8`).
#[async_trait]
pub trait Worker: Send + Sync {
    /// What it promises about a call made twice under one effect id. Nothing, unless it says otherwise.
    fn guarantee(&self) -> Guarantee {
        Guarantee::Nothing
    }

    /// Makes one call, or looks how far an earlier one got; what it answers is text that nobody believes. Of work that is
    /// underway, a look that fails is no failure: it is underway as far as anybody knows.
    async fn work(&self, errand: &Errand<'_>) -> Attempt<Report>;
}

/// Everything outside.
#[derive(Clone)]
pub struct Ports {
    /// Who people are.
    pub directory: Arc<dyn Directory>,
    /// Channels by name.
    pub channels: BTreeMap<String, Arc<dyn Channel>>,
    /// Trackers by name.
    pub trackers: BTreeMap<String, Arc<dyn Tracker>>,
    /// Tools and sub-agents by target: `tool:weather`, `agent:writer`.
    pub workers: BTreeMap<String, Arc<dyn Worker>>,
    /// The model, when one is configured.
    pub model: Option<Arc<dyn Model>>,
    /// Effect classes that a channel's host performs itself: channel, class.
    pub hosted: Vec<(String, EffectClass)>,
}

impl Ports {
    /// Who performs an effect of this class in this lane. `None`: the commit itself delivers it, because the channel
    /// reads from the store.
    #[must_use]
    pub fn performer(&self, lane: &LaneKey, class: EffectClass) -> Option<Performer> {
        if class.only_a_host()
            || self.hosted.iter().any(|(channel, hosted)| *channel == lane.channel && *hosted == class)
        {
            return Some(Performer::Host);
        }
        let shown = matches!(
            class,
            EffectClass::Reply | EffectClass::CardPost | EffectClass::CardUpdate | EffectClass::Notice
        );
        let reads = self.channels.get(&lane.channel).is_none_or(|c| c.surface() == Surface::ReadFromStore);
        if shown && reads { None } else { Some(Performer::Us) }
    }
}
