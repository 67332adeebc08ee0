//! Requests to a model that this process is waiting for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throughline_engine::EffectId;
use tokio::sync::Notify;

/// The requests that this process is waiting for, so that a superseded one can be cancelled.
#[derive(Default)]
pub(crate) struct OpenAsks(Mutex<HashMap<EffectId, Arc<Notify>>>);

impl OpenAsks {
    /// Cancels a request whose answer the lane no longer waits for.
    pub(crate) fn cancel(&self, effect: &EffectId) {
        if let Some(bell) = self.open().get(effect) {
            bell.notify_one();
        }
    }

    pub(crate) fn begin(&self, effect: &EffectId) -> OpenAsk<'_> {
        let cancelled = Arc::new(Notify::new());
        self.open().insert(effect.clone(), cancelled.clone());
        OpenAsk { asks: self, effect: effect.clone(), cancelled }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<EffectId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight; it ends when this is dropped.
pub(crate) struct OpenAsk<'a> {
    asks: &'a OpenAsks,
    effect: EffectId,
    pub(crate) cancelled: Arc<Notify>,
}

impl Drop for OpenAsk<'_> {
    fn drop(&mut self) {
        self.asks.open().remove(&self.effect);
    }
}
