//! The direct way of an event: it becomes durable with its turn, in one commit instead of two.
//!
//! Possible where nothing has to be waited for: this process holds the lane, the lane is idle, and everything the step
//! is given is known at once. The sender's 2xx then waits for that one commit. In every other case nothing was written
//! and the event goes through the inbox. So this way changes how fast a turn is, never what it decides
//! (`docs/design/0006-what-a-turn-writes.md`).

use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::timeout;
use tracing::Instrument as _;

use crate::turn::{Incoming, Origin, TurnEnd};
use crate::{Inbound, Runtime, RuntimeError};

/// Time for which an event waits for what a store that is shared says. The inbox has as much time as it takes.
const PATIENCE: Duration = Duration::from_millis(50);

impl Runtime {
    /// Commits a delivery together with its turn. Returns false if it has to go through the inbox.
    ///
    /// # Errors
    /// A fail point was reached.
    pub(crate) async fn accept_with_turn(&self, inbound: &Inbound) -> Result<bool, RuntimeError> {
        let Inbound { identity, event, addressing } = inbound;
        let Some(slot) = self.lanes.find(&identity.lane) else { return Ok(false) };
        // A lane that is locked is running, and will run what waits in its inbox next.
        let Ok(mut held) = slot.try_lock() else { return Ok(false) };
        let started = self.store.now();
        // While a model is asked some events have to wait, which only the inbox can do.
        let ready = held.as_mut().filter(|actor| actor.fresh(started) && actor.lane.head.ask.is_none());
        let Some(actor) = ready else { return Ok(false) };
        let span = self.causes.turn(&identity.lane, event, &identity.key);
        let deciding = self.decide(&actor.lane, event, *addressing).instrument(span.clone());
        let decided = match self.store.is_shared() {
            // Whatever is looked up there takes a way over the network.
            true => timeout(PATIENCE, deciding).await.ok(),
            false => deciding.now_or_never(),
        };
        let decided = match decided {
            Some(Ok(Some(decided))) => decided,
            Some(Err(RuntimeError::Crash(crash))) => return Err(crash.into()),
            // Not known at once, or the step failed: failures are counted on inbox rows.
            _ => return Ok(false),
        };
        actor.used_at = started;
        let origin = Origin::Direct(identity.clone());
        let incoming = Incoming { key: &identity.key, event, received_at: started, origin };
        match self.commit(actor, incoming, decided, started).instrument(span).await {
            Ok(TurnEnd::Committed) => Ok(true),
            Ok(TurnEnd::NotDirect) => Ok(false),
            Err(RuntimeError::Crash(crash)) => Err(crash.into()),
            Ok(TurnEnd::Raced | TurnEnd::Lost) | Err(_) => {
                // The copy in memory may be ahead of the store or behind it: load it anew next time.
                *held = None;
                Ok(false)
            }
        }
    }
}
