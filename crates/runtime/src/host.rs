//! The production host: tasks and wake-ups around the same functions the simulator calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;

use crate::{Runtime, Stop};

/// Lanes run at once. Each waits for the store's writer most of the time, and group commit needs company.
const LANES_AT_ONCE: usize = 256;
/// Effects performed at once.
const EFFECTS_AT_ONCE: usize = 64;
/// The longest anybody sleeps without looking: a safety net under the wake-ups, not the way they work.
const SAFETY_NET: Duration = Duration::from_secs(1);
/// How long a failed loop waits before it tries again, while the store takes no writes.
const STORE_RETRY: Duration = Duration::from_secs(5);
/// How long a drain waits for what is running (`spec 06`, R-43: out within 25 s).
const DRAIN: Duration = Duration::from_secs(20);

/// A running host. Dropping it stops nothing; call [`Host::drain`].
pub struct Host {
    runtime: Arc<Runtime>,
    stopping: Arc<AtomicBool>,
    stopped: Arc<Notify>,
    tasks: JoinSet<()>,
}

/// Starts the loops.
#[must_use]
pub fn run(runtime: Arc<Runtime>) -> Host {
    let stopping = Arc::new(AtomicBool::new(false));
    let stopped = Arc::new(Notify::new());
    let mut tasks = JoinSet::new();
    tasks.spawn(lanes(runtime.clone(), stopping.clone(), stopped.clone()));
    tasks.spawn(effects(runtime.clone(), stopping.clone(), stopped.clone()));
    tasks.spawn(idle_lanes(runtime.clone(), stopping.clone(), stopped.clone()));
    tasks.spawn(other_processes(runtime.clone(), stopped.clone()));
    Host { runtime, stopping, stopped, tasks }
}

impl Host {
    /// Finishes what runs, lets go of every lane, and ends. New work stays in the inbox for the next start.
    pub async fn drain(mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.stopped.notify_waiters();
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(DRAIN, all).await.is_err() {
            self.tasks.abort_all();
        }
        if let Err(error) = self.runtime.release_idle(true).await {
            tracing::warn!(%error, "lanes were not let go; their leases run out by themselves");
        }
    }
}

/// Sleeps until rung, stopped, or the time is up.
async fn rest(bell: &Notify, stopped: &Notify, time: Duration) {
    tokio::select! {
        () = bell.notified() => {}
        () = stopped.notified() => {}
        () = tokio::time::sleep(time) => {}
    }
}

async fn lanes(runtime: Arc<Runtime>, stopping: Arc<AtomicBool>, stopped: Arc<Notify>) {
    let permits = Arc::new(Semaphore::new(LANES_AT_ONCE));
    let mut running = JoinSet::new();
    while !stopping.load(Ordering::SeqCst) {
        while running.try_join_next().is_some() {}
        let Ok(permit) = permits.clone().acquire_owned().await else { break };
        let Some(lane) = runtime.wakes().next() else {
            drop(permit);
            rest(&runtime.wakes().lanes, &stopped, SAFETY_NET).await;
            continue;
        };
        let runtime = runtime.clone();
        running.spawn(async move {
            let run = runtime.run_lane(&lane).await;
            match run {
                Ok(run) => runtime.wakes().done(&lane, run.more),
                Err(error) => {
                    report(&error, "running a lane");
                    tokio::time::sleep(pause_after(&error)).await;
                    runtime.wakes().done(&lane, true);
                }
            }
            drop(permit);
        });
    }
    while running.join_next().await.is_some() {}
}

async fn effects(runtime: Arc<Runtime>, stopping: Arc<AtomicBool>, stopped: Arc<Notify>) {
    let mut running = JoinSet::new();
    while !stopping.load(Ordering::SeqCst) {
        while running.try_join_next().is_some() {}
        let pause = match round(&runtime, &mut running).await {
            Ok(true) => continue,
            Ok(false) => until_due(&runtime).await,
            Err(error) => {
                report(&error, "performing effects");
                pause_after(&error)
            }
        };
        rest(&runtime.wakes().effects, &stopped, pause).await;
    }
    while running.join_next().await.is_some() {}
}

/// One look at what is due; `true` when there was something.
async fn round(runtime: &Arc<Runtime>, running: &mut JoinSet<()>) -> Result<bool, Stop> {
    let timers = runtime.fire_timers().await?;
    let overdue = runtime.overdue().await?;
    let free = EFFECTS_AT_ONCE.saturating_sub(running.len());
    if free == 0 {
        running.join_next().await;
        return Ok(true);
    }
    let leased = runtime.lease_effects(u32::try_from(free).unwrap_or(1)).await?;
    let some = timers + overdue + leased.len() > 0;
    for effect in leased {
        let runtime = runtime.clone();
        running.spawn(async move {
            if let Err(error) = runtime.perform(effect).await {
                report(&error, "performing an effect");
            }
        });
    }
    Ok(some)
}

async fn until_due(runtime: &Runtime) -> Duration {
    let Ok(Some(due)) = runtime.store().next_due().await else { return SAFETY_NET };
    let wait = u64::try_from(due.since(runtime.store().now())).unwrap_or(0);
    Duration::from_millis(wait).clamp(Duration::from_millis(1), SAFETY_NET)
}

async fn idle_lanes(runtime: Arc<Runtime>, stopping: Arc<AtomicBool>, stopped: Arc<Notify>) {
    let never = Notify::new();
    while !stopping.load(Ordering::SeqCst) {
        rest(&never, &stopped, SAFETY_NET).await;
        if let Err(error) = runtime.release_idle(false).await {
            report(&error, "letting go of idle lanes");
        }
        // Rows another start left, or whose lane another process held when they came.
        match runtime.store().lanes_with_work(256).await {
            Ok(lanes) => lanes.iter().for_each(|lane| runtime.wakes().wake(lane)),
            Err(error) => report(&Stop::Store(error), "looking for waiting lanes"),
        }
    }
}

/// Work that other processes made for us, where the store can say so.
async fn other_processes(runtime: Arc<Runtime>, stopped: Arc<Notify>) {
    loop {
        tokio::select! {
            () = stopped.notified() => return,
            lanes = runtime.store().woken() => lanes.iter().for_each(|lane| runtime.wakes().wake(lane)),
        }
    }
}

fn report(error: &Stop, act: &str) {
    tracing::error!(%error, "{act} failed; it is tried again");
}

fn pause_after(error: &Stop) -> Duration {
    match error {
        Stop::Store(throughline_store::StoreError::ReadOnly { .. }) => STORE_RETRY,
        _ => SAFETY_NET,
    }
}
