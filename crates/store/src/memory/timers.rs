//! Timers in memory.

use async_trait::async_trait;
use throughline_engine::{TimerId, Timestamp};

use super::outbox::NEVER;
use super::{Data, MemoryStore};
use crate::contract::{Store, StoreError, TimerRow, Timers, TurnCommit};
use crate::rules::deadline;

impl Data {
    fn clear_timer(&mut self, tenant: &str, id: &TimerId) {
        if let Some(timer) = self.tenant(tenant).timers.remove(id) {
            self.due.remove(&(timer.due, tenant.to_owned(), id.clone()));
        }
    }

    pub(super) fn write_timers(&mut self, turn: &TurnCommit, now: Timestamp) {
        for id in &turn.clear_timers {
            self.clear_timer(&turn.lane.tenant, id);
        }
        for timer in &turn.timers {
            self.clear_timer(&turn.lane.tenant, &timer.id);
            let timer = TimerRow { due: deadline(timer.due, turn.log.at, now), ..timer.clone() };
            self.due.insert((timer.due, turn.lane.tenant.clone(), timer.id.clone()));
            self.tenant(&turn.lane.tenant).timers.insert(timer.id.clone(), timer);
        }
    }
}

#[async_trait]
impl Timers for MemoryStore {
    async fn due_timers(&self, limit: u32) -> Result<Vec<TimerRow>, StoreError> {
        let now = self.now();
        let data = self.lock();
        let due = data.due.iter().take_while(|(due, ..)| *due <= now).take(limit as usize);
        Ok(due.map(|(_, tenant, id)| data.tenants[tenant].timers[id].clone()).collect())
    }

    async fn clear_timer(&self, tenant: &str, id: &TimerId) -> Result<(), StoreError> {
        self.lock().clear_timer(tenant, id);
        Ok(())
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let now = self.now();
        let data = self.lock();
        let timer = data.due.iter().map(|(due, ..)| *due).find(|due| *due > now);
        let effect =
            data.wakes.range((now.plus(1), 0)..).next().map(|(wake, _)| *wake).filter(|wake| *wake != NEVER);
        Ok(timer.into_iter().chain(effect).min())
    }
}
