//! Kills the real process, with SIGKILL, at every fail point there is and at moments of its own choosing, while a
//! scripted client talks and presses over HTTP; starts it again; and finds nothing lost, nothing doubled and nobody
//! left without an answer.
//!
//! `THROUGHLINE_CRASH_SEEDS` says how many seeds each point is run with (3), `THROUGHLINE_CRASH_FIRST` the first of
//! them (1), `THROUGHLINE_CRASH_PASSINGS` how many passings of each point a batch dies at (2, or `all`). `cargo xtask
//! crash` and `cargo xtask soak` set them.

mod batch;
mod check;
mod client;
mod erasure;
mod person;
#[path = "../shared/port.rs"]
mod port;
mod script;
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use throughline_runtime::FailPoint;

use client::Client;
use server::{FAILPOINT, Server};

/// Points that these runs do not pass: no model is configured in them.
const UNREACHED: [FailPoint; 1] = [FailPoint::ModelInFlight];
/// Runs at once. Each waits most of the time.
const AT_ONCE: usize = 16;

/// One run.
struct Job {
    /// Where to die; at a moment of its own for `None`.
    point: Option<FailPoint>,
    seed: u64,
}

impl Job {
    fn name(&self) -> String {
        format!("{} seed {}", self.point.map_or("some moment", FailPoint::name), self.seed)
    }

    /// The how-many-th passing of the point is the last. The first seed dies at the first.
    fn nth(&self) -> u64 {
        match self.point {
            // Lanes are let go when they idle, which the script does once.
            Some(FailPoint::LaneReleased) => 1,
            _ => 1 + (self.seed - 1) * 2 % 7,
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// How many passings of each point are tried.
fn passings(default: u32) -> u32 {
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
    at_once(&jobs, |job| {
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

/// Does all of it, some at once.
fn at_once<T: Sync>(jobs: &[T], run: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(jobs.len()) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(job);
                }
            });
        }
    });
}

/// One run: what is wrong afterwards, and whether the process died in it.
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
        // A lane is let go five seconds after its last turn; there is nothing to be told of it.
        server.wait_for_death(std::time::Duration::from_secs(15));
        client.wait_until_ready();
    }
    client.wait_until_settled();
    let mut wrong = check::through_the_api(&client, &sent);
    wrong.extend(check::effects(&client, &[]));
    let killed = server.died();
    let data = server.stop();
    wrong.extend(check::on_disk(data.path(), &sent));
    (wrong, killed)
}
