//! The production host: tasks and wake-ups around the functions that the simulator calls one after the other.

use std::sync::Arc;
use std::time::Duration;

use throughline_engine::data::effect::EffectClass;
use throughline_engine::{LaneKey, Millis, Timestamp};
use throughline_store::{News, StoreError};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::{Runtime, RuntimeError};

/// Lanes run at once. Each waits for the store's writer most of the time, and a group commit needs several to be
/// worth it.
const LANES_AT_ONCE: usize = 256;
/// Effects leased at once, performed or waiting for a permit.
const LEASED_AT_ONCE: usize = 512;
/// Effects performed at once.
const EFFECTS_AT_ONCE: usize = 64;
/// Model requests at once, in a pool of their own: they are slow, and nothing else has to wait for them.
const ASKS_AT_ONCE: usize = 32;
/// Calls of tools and sub-agents at once, in a pool of their own for the same reason.
const CALLS_AT_ONCE: usize = 32;
/// The longest sleep of a loop. A safety net: what drives the loops are the wake-ups.
const SAFETY_NET: Duration = Duration::from_secs(1);
/// Time between looks whether a day has begun, on which what has grown old is erased; in milliseconds.
const AGE_LOOK: Millis = 10 * Timestamp::MINUTE;
/// The pause of a loop while the store takes no writes.
const STORE_RETRY: Duration = Duration::from_secs(5);
/// The time a drain gives to what is running. A process is out within 25 s of the signal.
const DRAIN: Duration = Duration::from_secs(20);

/// True once the host stops; later readers see it too.
type Stopping = watch::Receiver<bool>;

/// A running host. Dropping it stops nothing; call [`Host::drain`].
pub struct Host {
    runtime: Arc<Runtime>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

/// Starts the loops as tokio tasks.
#[must_use]
pub fn run(runtime: Arc<Runtime>) -> Host {
    let (stop, stopping) = watch::channel(false);
    let mut tasks = JoinSet::new();
    tasks.spawn(lanes(runtime.clone(), stopping.clone()));
    tasks.spawn(effects(runtime.clone(), stopping.clone()));
    tasks.spawn(idle_lanes(runtime.clone(), stopping.clone()));
    tasks.spawn(erasures(runtime.clone(), stopping.clone()));
    tasks.spawn(other_processes(runtime.clone(), stopping));
    Host { runtime, stop, tasks }
}

impl Host {
    /// Finishes what runs, releases every lane that has nothing waiting, and ends. New work stays in the inbox for
    /// the next start.
    pub async fn drain(mut self) {
        let _ = self.stop.send(true);
        let all = async { while self.tasks.join_next().await.is_some() {} };
        let deadline = Instant::now() + DRAIN;
        if tokio::time::timeout_at(deadline, all).await.is_err() {
            self.tasks.shutdown().await;
        }
        self.runtime.background.finish(deadline - Instant::now()).await;
        if let Err(error) = self.runtime.release_idle(true).await {
            tracing::warn!(%error, "lanes were not let go; their leases run out by themselves");
        }
        self.runtime.store().leave().await;
    }
}

/// Sleeps until notified, stopped, or `time` is over.
async fn rest(bell: &Notify, stopping: &mut Stopping, time: Duration) {
    tokio::select! {
        () = bell.notified() => {}
        _ = stopping.wait_for(|stop| *stop) => {}
        () = tokio::time::sleep(time) => {}
    }
}

/// A lane that is being run. Dropping it gives the lane back, also after a panic, so no lane stays marked as running.
struct Running {
    runtime: Arc<Runtime>,
    lane: LaneKey,
    more: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.runtime.wakes().done(&self.lane, self.more);
    }
}

async fn lanes(runtime: Arc<Runtime>, mut stopping: Stopping) {
    let permits = Arc::new(Semaphore::new(LANES_AT_ONCE));
    let mut running = JoinSet::new();
    while !*stopping.borrow() {
        while running.try_join_next().is_some() {}
        let Ok(permit) = permits.clone().acquire_owned().await else { break };
        let Some(lane) = runtime.wakes().next() else {
            drop(permit);
            rest(&runtime.wakes().lanes, &mut stopping, SAFETY_NET).await;
            continue;
        };
        let mut at = Running { runtime: runtime.clone(), lane, more: false };
        running.spawn(async move {
            match at.runtime.run_lane(&at.lane).await {
                Ok(run) => {
                    at.runtime.wakes().ran(&at.lane);
                    at.more = run.more;
                }
                Err(error) => {
                    report(&error, "running a lane");
                    let pause = pause_after(&error);
                    at.runtime.wakes().failed(&at.lane, error);
                    tokio::time::sleep(pause).await;
                    at.more = true;
                }
            }
            drop(at);
            drop(permit);
        });
    }
    while running.join_next().await.is_some() {}
}

/// One pool per kind of far side, so that slow model requests and slow calls hold up nothing else.
struct Permits {
    effects: Arc<Semaphore>,
    asks: Arc<Semaphore>,
    calls: Arc<Semaphore>,
}

impl Permits {
    fn of(&self, class: EffectClass) -> Arc<Semaphore> {
        let pool = match class {
            EffectClass::ModelAsk => &self.asks,
            EffectClass::ToolCall | EffectClass::AgentDelegate => &self.calls,
            _ => &self.effects,
        };
        pool.clone()
    }
}

async fn effects(runtime: Arc<Runtime>, mut stopping: Stopping) {
    let mut running = JoinSet::new();
    let permits = Permits {
        effects: Arc::new(Semaphore::new(EFFECTS_AT_ONCE)),
        asks: Arc::new(Semaphore::new(ASKS_AT_ONCE)),
        calls: Arc::new(Semaphore::new(CALLS_AT_ONCE)),
    };
    while !*stopping.borrow() {
        while running.try_join_next().is_some() {}
        if running.len() >= LEASED_AT_ONCE {
            tokio::select! {
                _ = running.join_next() => {}
                _ = stopping.wait_for(|stop| *stop) => {}
            }
            continue;
        }
        let pause = match round(&runtime, &mut running, &permits).await {
            Ok(true) => continue,
            Ok(false) => until_due(&runtime).await,
            Err(error) => {
                report(&error, "performing effects");
                pause_after(&error)
            }
        };
        rest(&runtime.wakes().effects, &mut stopping, pause).await;
    }
    while running.join_next().await.is_some() {}
}

/// Starts what is due; returns true if there was something. A timer that cannot be delivered does not hold up
/// effects.
async fn round(
    runtime: &Arc<Runtime>,
    running: &mut JoinSet<()>,
    permits: &Permits,
) -> Result<bool, RuntimeError> {
    let mut some = 0;
    for (act, count) in [
        ("firing timers", runtime.fire_timers().await),
        ("ending overdue effects", runtime.end_overdue().await),
    ] {
        match count {
            Ok(count) => some += count,
            Err(error) => report(&error, act),
        }
    }
    let free = LEASED_AT_ONCE.saturating_sub(running.len()).min(EFFECTS_AT_ONCE);
    let leased = runtime.lease_effects(u32::try_from(free).unwrap_or(1)).await?;
    some += leased.len();
    for effect in leased {
        let permits = permits.of(effect.effect.row.class);
        let runtime = runtime.clone();
        running.spawn(async move {
            let Ok(_permit) = permits.acquire_owned().await else { return };
            if let Err(error) = runtime.perform(effect).await {
                report(&error, "performing an effect");
            }
        });
    }
    Ok(some > 0)
}

async fn until_due(runtime: &Runtime) -> Duration {
    let Ok(Some(due)) = runtime.store().next_due().await else { return SAFETY_NET };
    let wait = u64::try_from(due.since(runtime.store().now())).unwrap_or(0);
    Duration::from_millis(wait).clamp(Duration::from_millis(1), SAFETY_NET)
}

async fn idle_lanes(runtime: Arc<Runtime>, mut stopping: Stopping) {
    while !*stopping.borrow() {
        rest(runtime.lanes_crowded(), &mut stopping, SAFETY_NET).await;
        if let Err(error) = runtime.release_idle(false).await {
            report(&error, "letting go of idle lanes");
        }
        // Rows that an earlier process left, or whose lane another process held when they came.
        if let Err(error) = runtime.look_for_work().await {
            report(&error, "looking for waiting lanes");
        }
    }
}

/// Runs the erasures that people asked for in conversations, those an earlier process left, and once a day those by age.
async fn erasures(runtime: Arc<Runtime>, mut stopping: Stopping) {
    let mut looked = None;
    while !*stopping.borrow() {
        let now = runtime.store().now();
        if looked.is_none_or(|looked| now.since(looked).abs() > AGE_LOOK) {
            looked = Some(now);
            for tenant in runtime.wakes().served() {
                if let Err(error) = runtime.erase_old(&tenant).await {
                    report(&error, "erasing what is old");
                }
            }
        }
        for tenant in runtime.wakes().to_erase() {
            if let Err(error) = runtime.resume_erasures(&tenant).await {
                report(&error, "erasing what was asked for");
                runtime.wakes().erase(&tenant);
                rest(&Notify::new(), &mut stopping, pause_after(&error)).await;
            }
        }
        rest(&runtime.wakes().erasures, &mut stopping, SAFETY_NET).await;
    }
}

/// Hears what other processes announce, where the store is shared.
async fn other_processes(runtime: Arc<Runtime>, mut stopping: Stopping) {
    loop {
        let news = tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return,
            news = runtime.store().news() => news,
        };
        let missed = news.contains(&News::Missed);
        news.into_iter().for_each(|news| runtime.hear(news));
        if missed && let Err(error) = runtime.look_for_work().await {
            report(&error, "looking for waiting lanes");
        }
    }
}

fn report(error: &RuntimeError, act: &str) {
    tracing::error!(%error, "{act} failed; it is tried again");
}

fn pause_after(error: &RuntimeError) -> Duration {
    match error {
        RuntimeError::Store(
            StoreError::ReadOnly { .. }
            | StoreError::Replica { .. }
            | StoreError::Moved { .. }
            | StoreError::TakenOver { .. },
        ) => STORE_RETRY,
        _ => SAFETY_NET,
    }
}
