//! Following a clock that was set back, in memory.

use throughline_engine::{Millis, Timestamp};

use super::Data;
use super::outbox::NEVER;
use crate::rules::set_back_by;

/// Moves a time that lies ahead back with the clock.
fn moved(at: Timestamp, now: Timestamp, by: Millis) -> Timestamp {
    if at > now && at != NEVER { at.plus(-by).max(now) } else { at }
}

impl Data {
    /// Notes the time; if the clock was set back, what waits for a later time is moved with it.
    pub(super) fn follow_clock(&mut self, now: Timestamp) {
        match set_back_by(self.last_at, now) {
            None => self.last_at = self.last_at.max(now),
            Some(by) => {
                self.last_at = now;
                self.set_back(now, by);
            }
        }
    }

    fn set_back(&mut self, now: Timestamp, by: Millis) {
        self.wakes.clear();
        self.due.clear();
        for (name, tenant) in &mut self.tenants {
            for effect in tenant.effects.values_mut() {
                let Some(wake) = effect.wake.as_mut() else { continue };
                *wake = moved(*wake, now, by);
                let stored = &mut effect.stored;
                stored.not_before = moved(stored.not_before, now, by);
                stored.created_at = stored.created_at.min(now);
                stored.row.deadline = stored.row.deadline.map(|at| moved(at, now, by));
                self.wakes.insert((*wake, effect.n));
            }
            for timer in tenant.timers.values_mut() {
                timer.due = moved(timer.due, now, by);
                self.due.insert((timer.due, name.clone(), timer.id.clone()));
            }
            for row in tenant.inbox.values_mut() {
                row.received_at = row.received_at.min(now);
            }
        }
    }
}
