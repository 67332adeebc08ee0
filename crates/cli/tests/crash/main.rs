//! Crash tests: kill the real process with SIGKILL at each fail point and at moments in between, while a scripted client
//! writes and presses over HTTP. The process is restarted, and no event may be lost, handled twice or left unanswered.
//!
//! `THROUGHLINE_CRASH_SEEDS` is the number of seeds for each fail point (3), `THROUGHLINE_CRASH_FIRST` the first seed
//! (1), `THROUGHLINE_CRASH_PASSINGS` the number of times each point of a batch is tried (2, or `all`). `cargo xtask
//! crash` and `cargo xtask soak` set them.

mod approver;
mod batch;
mod calls;
mod client;
mod erase_anybody;
mod erasure;
mod faults;
mod host_acts;
mod invariants;
mod jira;
#[path = "../shared/port.rs"]
mod port;
mod replicas;
mod script;
mod server;
mod slack;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use throughline_runtime::FailPoint;

use client::Client;
use server::{FAILPOINT, Server};

/// Fail points that these runs do not pass, because they configure no model.
const UNREACHED: [FailPoint; 1] = [FailPoint::ModelInFlight];
/// The number of parallel runs. Each waits most of the time.
const PARALLEL: usize = 16;

/// One run.
struct Job {
    /// The fail point to die at, or `None` for a moment that depends on the seed.
    point: Option<FailPoint>,
    seed: u64,
}

impl Job {
    fn name(&self) -> String {
        format!("{} seed {}", self.point.map_or("some moment", FailPoint::name), self.seed)
    }

    /// Returns which pass of the fail point kills the process, from 1. The first seed takes the first.
    fn nth(&self) -> u64 {
        match self.point {
            // Lanes are released when they idle, which the script does once.
            Some(FailPoint::LaneReleased) => 1,
            _ => 1 + (self.seed - 1) * 2 % 7,
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Returns the number of times that each point of a batch is tried.
fn passes_per_point(default: u32) -> u32 {
    match std::env::var("THROUGHLINE_CRASH_PASSINGS").as_deref() {
        Ok("all") => u32::MAX,
        Ok(named) => named.parse().unwrap_or(default),
        Err(_) => default,
    }
}

#[test]
fn killed_at_every_fail_point_nothing_is_lost_doubled_or_silent() {
    let (first, seeds) = (number("THROUGHLINE_CRASH_FIRST", 1), number("THROUGHLINE_CRASH_SEEDS", 3));
    let points: Vec<Option<FailPoint>> = FailPoint::ALL.into_iter().map(Some).chain([None]).collect();
    let jobs: Vec<Job> = (first..first + seeds)
        .flat_map(|seed| points.iter().map(move |point| Job { point: *point, seed }))
        .collect();
    let wrong: Mutex<BTreeMap<String, Vec<String>>> = Mutex::default();
    let died: Mutex<BTreeSet<FailPoint>> = Mutex::default();
    run_parallel(&jobs, |job| {
        let ran = std::panic::catch_unwind(|| run(job));
        let (found, killed) = ran.unwrap_or_else(|_| (vec!["the run itself failed".into()], false));
        if let (true, Some(point)) = (killed, job.point) {
            died.lock().unwrap().insert(point);
        }
        if !found.is_empty() {
            wrong.lock().unwrap().insert(job.name(), found);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let died = died.into_inner().unwrap();
    let alive: Vec<&str> = FailPoint::ALL
        .into_iter()
        .filter(|point| !died.contains(point) && !UNREACHED.contains(point))
        .map(FailPoint::name)
        .collect();
    assert!(alive.is_empty(), "never died at {alive:?}: the script does not get there");
}

/// Runs jobs in parallel.
fn run_parallel<T: Sync>(jobs: &[T], run: impl Fn(&T) + Sync) {
    run_some_at_once(PARALLEL, jobs, run);
}

/// Runs jobs, so many at once.
fn run_some_at_once<T: Sync>(at_once: usize, jobs: &[T], run: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once.min(jobs.len()) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(job);
                }
            });
        }
    });
}

/// Runs a job. Returns the violations, and true if the process died.
fn run(job: &Job) -> (Vec<String>, bool) {
    let dies = job.point.map(|point| (FAILPOINT, format!("{}:{}", point.name(), job.nth())));
    let server = Server::start(dies.as_slice(), &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = std::thread::scope(|scope| {
        if job.point.is_none() {
            let server = &server;
            scope
                .spawn(move || server.kill_after(std::time::Duration::from_millis(20 + job.seed * 37 % 400)));
        }
        script::play(&client, job.seed)
    });
    if job.point == Some(FailPoint::LaneReleased) {
        // A lane is released five seconds after its last turn, without a visible sign.
        server.wait_for_death(std::time::Duration::from_secs(15));
        client.wait_until_ready();
    }
    client.wait_until_settled();
    let mut wrong = invariants::api(&client, &sent);
    wrong.extend(invariants::effects(&client, &[]));
    let killed = server.died();
    let data = server.stop();
    wrong.extend(invariants::store(data.path(), &sent));
    (wrong, killed)
}
