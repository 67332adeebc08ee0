//! The queue of lanes with work, and the watchers of deliveries. In process; nothing here is durable.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throughline_engine::{LaneId, LaneKey, TurnId};
use throughline_store::FAILING;
use tokio::sync::{Notify, broadcast, oneshot};

use crate::RuntimeError;

/// The announcement of a committed turn.
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

/// Announcement to subscribers.
#[derive(Clone, Debug)]
pub enum Heard {
    /// A turn was committed, by this process or another one.
    Turn(Committed),
    /// Turns of other processes may have been missed: look in the store.
    Missed,
}

/// From this many watched names on, abandoned watchers are looked for.
const WATCHERS: usize = 1_024;

/// The failures of a lane since it last ran well.
struct Failed {
    times: u32,
    last: Arc<RuntimeError>,
}

#[derive(Default)]
struct Queue {
    ready: VecDeque<LaneKey>,
    queued: HashSet<LaneKey>,
    running: HashSet<LaneKey>,
    again: HashSet<LaneKey>,
}

/// The queue of lanes with work, the watchers of deliveries, and the wake-ups of the loops.
pub struct Wakes {
    queue: Mutex<Queue>,
    watched: Mutex<HashMap<String, Vec<oneshot::Sender<Committed>>>>,
    committed: broadcast::Sender<Heard>,
    /// Notified when a lane has work.
    pub lanes: Notify,
    /// Notified when an effect or a timer may be due earlier than the loop wakes by itself.
    pub effects: Notify,
    /// Tenants that are served.
    served: Mutex<BTreeSet<String>>,
    /// Tenants with erasures to run.
    erasing: Mutex<HashSet<String>>,
    /// Lanes whose last runs failed.
    failed: Mutex<HashMap<LaneKey, Failed>>,
    /// Notified when a tenant has an erasure to run.
    pub erasures: Notify,
    /// Notified when another process changed something of which this one keeps a copy.
    pub copies: Notify,
}

impl Default for Wakes {
    fn default() -> Self {
        Self {
            queue: Mutex::default(),
            watched: Mutex::default(),
            committed: broadcast::channel(4_096).0,
            lanes: Notify::new(),
            effects: Notify::new(),
            served: Mutex::default(),
            erasing: Mutex::default(),
            failed: Mutex::default(),
            erasures: Notify::new(),
            copies: Notify::new(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wakes {
    /// Queues a lane that has work. One that is running is queued again when it is done.
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

    /// Takes the next lane to run; no other caller gets it until [`Self::done`].
    pub fn next(&self) -> Option<LaneKey> {
        let mut queue = lock(&self.queue);
        let lane = queue.ready.pop_front()?;
        queue.queued.remove(&lane);
        queue.running.insert(lane.clone());
        Some(lane)
    }

    /// Gives a lane back after its run; `more` if it has work left.
    pub fn done(&self, lane: &LaneKey, more: bool) {
        let mut queue = lock(&self.queue);
        queue.running.remove(lane);
        if queue.again.remove(lane) | more && queue.queued.insert(lane.clone()) {
            queue.ready.push_back(lane.clone());
            drop(queue);
            self.lanes.notify_one();
        }
    }

    /// Notes that a lane ran well.
    pub fn ran(&self, lane: &LaneKey) {
        let mut failed = lock(&self.failed);
        if !failed.is_empty() {
            failed.remove(lane);
        }
    }

    /// Notes that a run of a lane failed.
    pub fn failed(&self, lane: &LaneKey, error: RuntimeError) {
        let mut failed = lock(&self.failed);
        let times = failed.get(lane).map_or(0, |before| before.times) + 1;
        failed.insert(lane.clone(), Failed { times, last: Arc::new(error) });
    }

    /// Returns the error of a lane's last run, if that failed.
    pub fn failure(&self, lane: &LaneKey) -> Option<Arc<RuntimeError>> {
        lock(&self.failed).get(lane).map(|failed| failed.last.clone())
    }

    /// Returns the number of lanes that failed at least [`FAILING`] times in a row.
    pub fn failing(&self) -> usize {
        lock(&self.failed).values().filter(|failed| failed.times >= FAILING).count()
    }

    /// Notes that a tenant is served.
    pub(crate) fn serve(&self, tenant: &str) {
        lock(&self.served).insert(tenant.into());
    }

    /// Returns the tenants that are served.
    pub(crate) fn served(&self) -> BTreeSet<String> {
        lock(&self.served).clone()
    }

    /// Queues the erasures of a tenant.
    pub fn erase(&self, tenant: &str) {
        lock(&self.erasing).insert(tenant.into());
        self.erasures.notify_one();
    }

    /// Takes the tenants with erasures to run.
    pub fn to_erase(&self) -> HashSet<String> {
        std::mem::take(&mut *lock(&self.erasing))
    }

    /// True if lanes wait to be run.
    pub fn crowded(&self) -> bool {
        !lock(&self.queue).ready.is_empty()
    }

    /// True if no lane is queued or running.
    pub fn idle(&self) -> bool {
        let queue = lock(&self.queue);
        queue.ready.is_empty() && queue.running.is_empty()
    }

    /// Waits for the turn that handles this delivery key, or that takes in the outcome of this effect id. Register
    /// before the delivery, then look in the store: so no turn is missed.
    pub fn watch(&self, name: &str) -> oneshot::Receiver<Committed> {
        let (sender, receiver) = oneshot::channel();
        let mut watched = lock(&self.watched);
        if watched.len() >= WATCHERS && watched.len().is_power_of_two() {
            // Requests that were cut off leave watchers behind; seldom, and cheap to find at every doubling.
            watched.retain(|_, list| list.iter().any(|sender| !sender.is_closed()));
        }
        watched.entry(name.into()).or_default().push(sender);
        receiver
    }

    /// Removes the watchers of a name that gave up.
    pub fn unwatch(&self, name: &str) {
        let mut watched = lock(&self.watched);
        if let Some(list) = watched.get_mut(name) {
            list.retain(|sender| !sender.is_closed());
            if list.is_empty() {
                watched.remove(name);
            }
        }
    }

    /// Subscribes to every committed turn from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Heard> {
        self.committed.subscribe()
    }

    /// Announces a committed turn to the watchers of these names and to all subscribers.
    pub(crate) fn tell<'a>(&self, names: impl IntoIterator<Item = &'a str>, committed: &Committed) {
        let mut watched = lock(&self.watched);
        for name in names {
            for sender in watched.remove(name).into_iter().flatten() {
                let _ = sender.send(committed.clone());
            }
        }
        drop(watched);
        let _ = self.committed.send(Heard::Turn(committed.clone()));
    }

    /// Tells all subscribers that they may have missed turns.
    pub(crate) fn missed(&self) {
        let _ = self.committed.send(Heard::Missed);
    }
}
