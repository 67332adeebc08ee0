//! The short way of an event: it becomes durable with its turn, in one commit instead of two.
//!
//! Taken where nothing has to be waited for: the lane is held by this process and idle, and everything the step is
//! given is known at once. Then the sender's 2xx waits for one commit, as it would for the inbox, and the turn is
//! in that commit. In every other case, and whenever anything does not fit, the event goes the ordinary way and
//! nothing was written: so the short way decides about speed only (docs/design/0006).

use futures_util::FutureExt as _;
use throughline_engine::given::Addressing;
use throughline_engine::{Event, LaneKey};
use throughline_store::Brought;

use crate::turn::{Incoming, Origin, Turned};
use crate::{Runtime, Stop};

impl Runtime {
    /// Takes in an event together with its turn. `false`: it has to go the ordinary way.
    ///
    /// # Errors
    /// A fail point was reached.
    pub(crate) async fn take_directly(
        &self,
        lane: &LaneKey,
        key: &str,
        event: &Event,
        addressing: Addressing,
        brought: impl FnOnce() -> Brought,
    ) -> Result<bool, Stop> {
        let Some(slot) = self.lanes.find(lane) else { return Ok(false) };
        // Whoever has the lane runs it, and then what waits in it.
        let Ok(mut held) = slot.try_lock() else { return Ok(false) };
        let started = self.store.now();
        // While a model is asked, some events wait: that is for the inbox to sort out.
        let ready = held.as_mut().filter(|actor| actor.fresh(started) && actor.lane.head.ask.is_none());
        let Some(actor) = ready else { return Ok(false) };
        let decided = match self.decide(&actor.lane, event, addressing).now_or_never() {
            Some(Ok(Some(decided))) => decided,
            Some(Err(Stop::Crash(crash))) => return Err(crash.into()),
            // Not known at once, or not to be handled: the inbox is where failures are counted.
            _ => return Ok(false),
        };
        actor.used_at = started;
        let origin = Origin::Direct(Box::new(brought()));
        let incoming = Incoming { key, event, received_at: started, origin };
        match self.commit(actor, incoming, decided, started).await {
            Ok(Turned::Committed) => Ok(true),
            Ok(Turned::NotDirect) => Ok(false),
            Err(Stop::Crash(crash)) => Err(crash.into()),
            Ok(Turned::Raced | Turned::Lost) | Err(_) => {
                // Whatever is in memory may be ahead of or behind the store: load it anew next time.
                *held = None;
                Ok(false)
            }
        }
    }
}
