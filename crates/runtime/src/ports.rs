//! The interfaces to everything outside: people, channels, trackers, tools, models.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use throughline_channels::{Channel, Surface};
use throughline_engine::data::actor::Actor;
use throughline_engine::data::call::{CallOutcome, CallRequest};
use throughline_engine::data::effect::{Attempt, EffectClass};
use throughline_engine::data::policy::hosting::Replies;
use throughline_engine::retry::Guarantee;
use throughline_engine::{LaneKey, Policy, Timestamp};
use throughline_models::Model;
use throughline_store::Performer;
use throughline_trackers::Tracker;

/// Looks people up.
#[async_trait]
pub trait Directory: Send + Sync {
    /// The person with a channel's user id. If the look-up fails, the result has no principals, so no rights.
    async fn actor(&self, lane: &LaneKey, id: &str) -> Actor;

    /// Drops everything kept in memory about a person.
    fn forget(&self, _id: &str) {}

    /// The person's offset from UTC at a moment, in seconds east. [`crate::Zone`] computes it from a time zone.
    fn offset_s(&self, _lane: &LaneKey, _id: &str, _at: Timestamp) -> i32 {
        0
    }
}

/// Whatever a worker holds from the moment it is ready for a call until the call has ended: a place, a connection.
#[derive(Default)]
pub struct Permit(Option<Box<dyn Any + Send>>);

impl Permit {
    /// Creates a permit that holds this.
    #[must_use]
    pub fn holding<T: Any + Send>(held: T) -> Self {
        Self(Some(Box::new(held)))
    }

    /// Returns what it holds, if that is a `T`.
    #[must_use]
    pub fn take<T: Any + Send>(self) -> Option<T> {
        self.0.and_then(|held| held.downcast().ok()).map(|held| *held)
    }
}

/// Reason why a call does not begin.
#[derive(Debug)]
pub enum NotReady {
    /// As many calls are under way as the far side takes at once. The call waits, which costs no attempt.
    Busy,
    /// Outcome of the call, which is known without sending it. It counts as an attempt.
    Known(Attempt<CallOutcome>),
}

/// The client of a tool or of a sub-agent (`docs/design/0037-models-and-tools.md`).
#[async_trait]
pub trait Worker: Send + Sync {
    /// The guarantee for a call that is made twice under one effect id. By default none.
    fn guarantee(&self) -> Guarantee {
        Guarantee::Nothing
    }

    /// Waits for a place and a connection, and checks whatever can be checked, before the attempt is marked; by default
    /// nothing has to be waited for. No byte of the call goes out, so a call that is killed here was never sent.
    ///
    /// # Errors
    /// The call does not begin now.
    async fn ready(&self, errand: &CallRequest<'_>) -> Result<Permit, NotReady> {
        let _ = errand;
        Ok(Permit::default())
    }

    /// Makes one call, or asks how far an earlier one got, with the permit of [`Self::ready`]. The answer is untrusted
    /// text. A call of a tool that nobody wants any more is dropped; its far side should be told. If asking about remote work fails, the result is that it is still underway.
    async fn work(&self, errand: &CallRequest<'_>, permit: Permit) -> Attempt<CallOutcome>;
}

/// Everything outside.
#[derive(Clone)]
pub struct Ports {
    /// The people.
    pub directory: Arc<dyn Directory>,
    /// Channels by name.
    pub channels: BTreeMap<String, Arc<dyn Channel>>,
    /// Trackers by name.
    pub trackers: BTreeMap<String, Arc<dyn Tracker>>,
    /// Tools and sub-agents by target: `tool:weather`, `agent:writer`.
    pub workers: BTreeMap<String, Arc<dyn Worker>>,
    /// The model, when one is configured.
    pub model: Option<Arc<dyn Model>>,
    /// Effect classes that a channel's host performs itself, as (channel, class).
    pub hosted: Vec<(String, EffectClass)>,
    /// Channels whose host is this process itself: its workers perform the acts that are approved there.
    pub own_host: Vec<String>,
}

impl Ports {
    /// The performer of an effect of this class in this lane. `None` if the commit itself delivers it, because the
    /// channel reads from the store.
    #[must_use]
    pub fn performer(&self, policy: &Policy, lane: &LaneKey, class: EffectClass) -> Option<Performer> {
        let shown = matches!(
            class,
            EffectClass::Reply | EffectClass::CardPost | EffectClass::CardUpdate | EffectClass::Notice
        );
        let hosts = self.hosted.iter().any(|(channel, hosted)| *channel == lane.channel && *hosted == class)
            || shown && policy.hosting(lane).replies == Replies::Host;
        let ours = class == EffectClass::HostAct && self.own_host.contains(&lane.channel);
        if class.is_host_only() && !ours || hosts {
            return Some(Performer::Host);
        }
        let reads = self.channels.get(&lane.channel).is_none_or(|c| c.surface() == Surface::ReadFromStore);
        if shown && reads { None } else { Some(Performer::Us) }
    }
}
