//! Deadlines become events. Delivering one twice is caught by its delivery key.

use throughline_engine::given::Addressing;
use throughline_engine::workflow::TimerAbout;
use throughline_engine::{Event, EventKind};

use crate::{Inbound, Runtime, Stop};

impl Runtime {
    /// Delivers the deadlines that have come; says how many.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn fire_timers(&self) -> Result<usize, Stop> {
        let due = self.store.due_timers(64).await?;
        for timer in &due {
            let Ok(about) = serde_json::from_str::<TimerAbout>(&timer.about) else {
                // Another version set it, for something this one does not know. It must not hold up the others.
                tracing::error!(timer = %timer.id, about = %timer.about, "a deadline cannot be read; it is let go");
                self.store.clear_timer(&timer.lane.tenant, &timer.id).await?;
                continue;
            };
            let key = format!("timer:{}", timer.id);
            let kind = EventKind::TimerDue { timer: timer.id.clone(), about };
            let event = Event { id: key.clone(), received_at: self.store.now(), actor: String::new(), kind };
            let lane = timer.lane.clone();
            self.accept(Inbound {
                lane,
                keys: vec![key],
                event,
                addressing: Addressing::default(),
                body_hash: None,
            })
            .await?;
            self.store.clear_timer(&timer.lane.tenant, &timer.id).await?;
        }
        Ok(due.len())
    }
}
