//! Turns due timers into events. A timer that is delivered twice is caught by its delivery key.

use throughline_engine::EventKind;
use throughline_engine::data::card::TimerPurpose;

use crate::{Inbound, Runtime, RuntimeError};

impl Runtime {
    /// Delivers the timers that are due; returns how many.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn fire_timers(&self) -> Result<usize, RuntimeError> {
        let due = self.store.due_timers(64).await?;
        for timer in &due {
            let Ok(about) = serde_json::from_str::<TimerPurpose>(&timer.about) else {
                // Another version set it, for something this one does not know. It must not hold up the other timers.
                tracing::error!(timer = %timer.id, about = %timer.about, "a deadline cannot be read; it is let go");
                self.store.clear_timer(&timer.lane.tenant, &timer.id).await?;
                continue;
            };
            let key = format!("timer:{}", timer.id);
            let kind = EventKind::TimerDue { timer: timer.id.clone(), about };
            self.accept(Inbound::internal(timer.lane.clone(), key, kind, self.store.now())).await?;
            self.store.clear_timer(&timer.lane.tenant, &timer.id).await?;
        }
        Ok(due.len())
    }
}
