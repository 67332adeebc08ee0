//! Requests to models, and calls of tools, that this process is waiting for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throughline_engine::EffectId;
use tokio::sync::Notify;

/// The requests that this process is waiting for, so that one that is not wanted any more can be given up.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<HashMap<EffectId, Arc<Notify>>>);

impl InFlight {
    /// Gives up a request whose answer the lane no longer waits for.
    pub(crate) fn give_up(&self, effect: &EffectId) {
        if let Some(bell) = self.open().get(effect) {
            bell.notify_one();
        }
    }

    pub(crate) fn begin(&self, effect: &EffectId) -> InFlightRequest<'_> {
        let given_up = Arc::new(Notify::new());
        self.open().insert(effect.clone(), given_up.clone());
        InFlightRequest { all: self, effect: effect.clone(), given_up }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<EffectId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight; it ends when this is dropped.
pub(crate) struct InFlightRequest<'a> {
    all: &'a InFlight,
    effect: EffectId,
    pub(crate) given_up: Arc<Notify>,
}

impl Drop for InFlightRequest<'_> {
    fn drop(&mut self) {
        self.all.open().remove(&self.effect);
    }
}
