//! Who has to run next, and who waits to hear that something ran. In process; nothing here is durable.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::{LaneId, LaneKey, TurnId};
use tokio::sync::{Notify, broadcast, oneshot};

/// A committed turn, as the world outside the loop hears of it.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Its lane.
    pub lane: LaneKey,
    /// Its lane's id.
    pub lane_id: LaneId,
    /// The revision it wrote.
    pub revision: u64,
    /// Its id.
    pub turn: TurnId,
}

/// So many names being watched is where looking for abandoned ones begins.
const WATCHERS: usize = 1_024;

#[derive(Default)]
struct Queue {
    ready: VecDeque<LaneKey>,
    queued: HashSet<LaneKey>,
    running: HashSet<LaneKey>,
    again: HashSet<LaneKey>,
}

/// The queue of lanes with work, and the watchers of deliveries.
pub struct Wakes {
    queue: Mutex<Queue>,
    watched: Mutex<HashMap<String, Vec<oneshot::Sender<Committed>>>>,
    committed: broadcast::Sender<Committed>,
    /// Rung when a lane has work.
    pub lanes: Notify,
    /// Rung when an effect or a deadline may be due earlier than anybody sleeps for.
    pub effects: Notify,
    /// Tenants in which something is to be erased.
    erasing: Mutex<HashSet<String>>,
    /// Rung when there is one.
    pub erasures: Notify,
}

impl Default for Wakes {
    fn default() -> Self {
        Self {
            queue: Mutex::default(),
            watched: Mutex::default(),
            committed: broadcast::channel(4_096).0,
            lanes: Notify::new(),
            effects: Notify::new(),
            erasing: Mutex::default(),
            erasures: Notify::new(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wakes {
    /// This lane has work. A lane that is running is looked at once more when it is done.
    pub fn wake(&self, lane: &LaneKey) {
        let mut queue = lock(&self.queue);
        if queue.running.contains(lane) {
            queue.again.insert(lane.clone());
        } else if queue.queued.insert(lane.clone()) {
            queue.ready.push_back(lane.clone());
            drop(queue);
            self.lanes.notify_one();
        }
    }

    /// The next lane to run; it is this caller's until [`Self::done`].
    pub fn next(&self) -> Option<LaneKey> {
        let mut queue = lock(&self.queue);
        let lane = queue.ready.pop_front()?;
        queue.queued.remove(&lane);
        queue.running.insert(lane.clone());
        Some(lane)
    }

    /// The lane ran; `more`: it has work left.
    pub fn done(&self, lane: &LaneKey, more: bool) {
        let mut queue = lock(&self.queue);
        queue.running.remove(lane);
        if queue.again.remove(lane) | more && queue.queued.insert(lane.clone()) {
            queue.ready.push_back(lane.clone());
            drop(queue);
            self.lanes.notify_one();
        }
    }

    /// Something is to be erased in that tenant.
    pub fn erase(&self, tenant: &str) {
        lock(&self.erasing).insert(tenant.into());
        self.erasures.notify_one();
    }

    /// The tenants in which something is to be erased; they are this caller's now.
    pub fn to_erase(&self) -> HashSet<String> {
        std::mem::take(&mut *lock(&self.erasing))
    }

    /// Other lanes wait for a worker.
    pub fn crowded(&self) -> bool {
        !lock(&self.queue).ready.is_empty()
    }

    /// Nothing is queued and nothing runs.
    pub fn idle(&self) -> bool {
        let queue = lock(&self.queue);
        queue.ready.is_empty() && queue.running.is_empty()
    }

    /// Hears of the turn that handles this delivery key, or that takes in the outcome of this effect id. Register
    /// before the delivery, then look in the store: so nothing falls between.
    pub fn watch(&self, name: &str) -> oneshot::Receiver<Committed> {
        let (sender, receiver) = oneshot::channel();
        let mut watched = lock(&self.watched);
        if watched.len() >= WATCHERS && watched.len().is_power_of_two() {
            // Whoever was cut off in the middle of a request left one behind; seldom, and cheap at every doubling.
            watched.retain(|_, list| list.iter().any(|sender| !sender.is_closed()));
        }
        watched.entry(name.into()).or_default().push(sender);
        receiver
    }

    /// Forgets watchers that gave up.
    pub fn unwatch(&self, name: &str) {
        let mut watched = lock(&self.watched);
        if let Some(list) = watched.get_mut(name) {
            list.retain(|sender| !sender.is_closed());
            if list.is_empty() {
                watched.remove(name);
            }
        }
    }

    /// Every committed turn, from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Committed> {
        self.committed.subscribe()
    }

    /// Tells whoever watches.
    pub(crate) fn tell(&self, names: &[&str], committed: &Committed) {
        let mut watched = lock(&self.watched);
        for name in names {
            for sender in watched.remove(*name).into_iter().flatten() {
                let _ = sender.send(committed.clone());
            }
        }
        drop(watched);
        let _ = self.committed.send(committed.clone());
    }
}
