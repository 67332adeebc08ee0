//! What opening a file again does.

use super::MemoryStore;

impl MemoryStore {
    /// Ends every lease, as a store that one process at a time may open does when it is opened: whoever held one
    /// is gone. Attempts that were under way are found as such at once.
    pub fn reopen(&self) {
        let now = self.clock.now();
        let mut world = self.world();
        let world = &mut *world;
        for tenant in world.tenants.values_mut() {
            for lane in tenant.lanes.values_mut() {
                lane.owner = None;
            }
            for effect in tenant.effects.values_mut().filter(|effect| effect.leased) {
                if let Some(wake) = effect.wake.replace(now) {
                    world.wakes.remove(&(wake, effect.n));
                    world.wakes.insert((now, effect.n));
                }
            }
        }
    }
}
