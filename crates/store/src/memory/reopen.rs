//! The effect of a restart on claims and leases.

use super::MemoryStore;

impl MemoryStore {
    /// Ends all claims and leases, as a restart does in a store that only one process can open: their holders are gone.
    /// Attempts that were under way are leased as found attempted at once.
    pub fn reopen(&self) {
        let now = self.clock.now();
        let mut data = self.lock();
        let data = &mut *data;
        for tenant in data.tenants.values_mut() {
            for lane in tenant.lanes.values_mut() {
                lane.owner = None;
            }
            for effect in tenant.effects.values_mut().filter(|effect| effect.leased) {
                if let Some(wake) = effect.wake.replace(now) {
                    data.wakes.remove(&(wake, effect.n));
                    data.wakes.insert((now, effect.n));
                }
            }
        }
    }
}
