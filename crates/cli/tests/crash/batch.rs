//! Batches of six items, with the process killed at each fail point and each time the batch passes it. Afterwards there
//! is always one epic with five stories, and a receipt that says so.
//!
//! A first run without kills records the fail points that are passed. For example, it passes
//! `s9.attempt_marked/tracker.create` six times, once for the epic and once for each story. Each line of this trail makes
//! another run. `cargo xtask crash` runs all of them, a test run a sample.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::script::Transcript;
use crate::server::{FAILPOINT, Server, TRACKER};
use crate::{approver, invariants, passes_per_point, run_parallel, script};

/// The fail points that a batch must pass. Without one of them, the runs would not cover the batch.
const PASSED: [&str; 21] = [
    "s0.bytes_in/",
    "s1.verified/",
    "s2.inbox_committed/message.posted",
    "s2.inbox_committed/card.pressed",
    "s3.acked/",
    "s4.lane_claimed/",
    "s5.context_read/card.pressed",
    "s5.context_read/effect.settled",
    "s7.turn_committed/card.pressed",
    "s7.turn_committed/effect.settled",
    "s8.effect_claimed/tracker.check",
    "s8.effect_claimed/tracker.create",
    "s9.attempt_marked/tracker.create",
    "s10.bytes_on_wire/tracker.check",
    "s10.bytes_on_wire/tracker.create",
    "s11.vendor_applied/tracker.create",
    "s12.reply_read/tracker.create",
    "s13.result_committed/tracker.check",
    "s13.result_committed/tracker.create",
    "s14.card_planned/effect.settled",
    "s15.card_sent/effect.settled",
];
/// The last fail point: the idle lane is released.
pub(crate) const LAST: &str = "s16.lane_released/";
/// The longest time until an idle lane is released.
const IDLE: Duration = Duration::from_secs(30);

// row: W18
#[test]
fn a_batch_killed_at_every_step_is_one_epic_with_five_stories() {
    let passed = trail();
    let gone: Vec<&str> = PASSED.into_iter().filter(|point| !passed.contains_key(*point)).collect();
    assert!(gone.is_empty(), "a batch does not pass {gone:?}; it passes {passed:#?}");
    let mut alive = kill_at_each(&passed, passes_per_point(2), run);
    // Two presses race here, and only a turn that loses the race reads its context again.
    alive.retain(|at| !at.starts_with("s5.context_read/card.pressed"));
    assert!(alive.is_empty(), "never died at {alive:?}, which the first run passed");
}

/// Runs with a kill at each point, at most `each` of the times it is passed. Returns the jobs whose process did not die.
#[expect(
    clippy::print_stdout,
    reason = "the passed points and the number of kills belong to the output of the run"
)]
pub(crate) fn kill_at_each(
    passed: &BTreeMap<String, u32>,
    each: u32,
    run: impl Fn(&str) -> (Vec<String>, bool) + Sync + std::panic::RefUnwindSafe,
) -> Vec<String> {
    let jobs: Vec<String> = passed.iter().flat_map(|(point, times)| sample(point, *times, each)).collect();
    let alive = run_jobs(&jobs, run);
    for (point, times) in passed {
        println!("{point}: passed {times} times, died at {}", sample(point, *times, each).len());
    }
    alive
}

/// Runs all jobs in parallel. Panics with their violations; returns the jobs whose process did not die.
pub(crate) fn run_jobs(
    jobs: &[String],
    run: impl Fn(&str) -> (Vec<String>, bool) + Sync + std::panic::RefUnwindSafe,
) -> Vec<String> {
    let wrong: Mutex<BTreeMap<String, Vec<String>>> = Mutex::default();
    let alive: Mutex<Vec<String>> = Mutex::default();
    run_parallel(jobs, |job| {
        let ran = std::panic::catch_unwind(|| run(job));
        let (found, died) = ran.unwrap_or_else(|_| (vec!["the run itself failed".into()], true));
        if !died {
            alive.lock().unwrap().push(job.clone());
        }
        if !found.is_empty() {
            wrong.lock().unwrap().insert(job.clone(), found);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    alive.into_inner().unwrap()
}

/// Selects at most `each` of the times a point is passed, from the first to the last at equal distances.
pub(crate) fn sample(point: &str, times: u32, each: u32) -> Vec<String> {
    let count = each.min(times);
    let nth = |n: u32| 1 + n * (times - 1) / (count - 1).max(1);
    (0..count).map(|n| format!("{point}:{}", nth(n))).collect()
}

/// Runs a batch without kills. Returns the fail points it passes, with their counts.
fn trail() -> BTreeMap<String, u32> {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trail");
    let server = Server::start(&[("THROUGHLINE_FAILPOINT_TRAIL", file.display().to_string())], &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = script::play_batch(&client);
    assert_eq!(invariants::receipt(&client, &sent), Vec::<String>::new());
    let started = std::time::Instant::now();
    while !read(&file).contains_key(LAST) {
        assert!(started.elapsed() < IDLE, "the lane was not let go: {:#?}", read(&file));
        std::thread::sleep(Duration::from_millis(50));
    }
    let passed = read(&file);
    drop(server);
    passed
}

pub(crate) fn read(trail: &Path) -> BTreeMap<String, u32> {
    let mut passed = BTreeMap::new();
    for point in std::fs::read_to_string(trail).unwrap_or_default().lines() {
        *passed.entry(point.to_owned()).or_default() += 1;
    }
    passed
}

/// Runs a batch with a kill. Returns the violations, and true if the process died.
fn run(at: &str) -> (Vec<String>, bool) {
    let server = Server::start(&[(FAILPOINT, at.to_owned())], &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = script::play_batch(&client);
    if at.starts_with(LAST) {
        server.wait_for_death(IDLE);
    }
    let mut wrong = invariants::receipt(&client, &sent);
    client.wait_until_settled();
    wrong.extend(invariants::effects(&client, &[]));
    ended(server, &client, sent, wrong)
}

fn ended(server: Server, client: &Client, sent: Transcript, mut wrong: Vec<String>) -> (Vec<String>, bool) {
    wrong.extend(invariants::issues_on_receipts(client, &sent));
    let sent = [sent];
    wrong.extend(invariants::api(client, &sent));
    let died = server.died();
    let data = server.stop();
    wrong.extend(invariants::store(data.path(), &sent));
    (wrong, died)
}

/// The fail points at which the outcome of a create request is lost with the process.
const LOST: [&str; 4] = ["s9.attempt_marked", "s10.bytes_on_wire", "s11.vendor_applied", "s12.reply_read"];

/// The tracker makes no promise about repeated create requests. An issue with an uncertain outcome is searched for and
/// adopted, or a person who sees that it does not exist creates it again. It never exists twice.
#[test]
fn a_create_lost_with_the_process_is_adopted_or_created_again_by_a_person() {
    let each = passes_per_point(1);
    let jobs: Vec<String> =
        LOST.iter().flat_map(|point| sample(&format!("{point}/tracker.create"), 6, each)).collect();
    let alive = run_jobs(&jobs, |at| {
        let nothing = json!({ "promises": "nothing" }).to_string();
        let server = Server::start(&[(FAILPOINT, at.to_owned())], &[(TRACKER, nothing)]);
        let client = Client::new(server.url());
        client.wait_until_ready();
        let mut sent = script::play_batch(&client);
        approver::finish_batch(&client, &mut sent);
        let mut wrong = invariants::receipt(&client, &sent);
        wrong.extend(invariants::effects(&client, &["dependency"]));
        ended(server, &client, sent, wrong)
    });
    assert!(alive.is_empty(), "never died at {alive:?}");
}

/// In the end there is one epic with five stories, for each fault of the tracker and each promise it makes.
#[test]
fn a_tracker_that_refuses_hangs_or_cuts_the_answer_makes_no_second_issue() {
    let faults = [
        json!("refused"),
        json!({ "rate_limited": { "retry_after": 1_500 } }),
        json!("error_before_apply"),
        json!("error_after_apply"),
        json!("lost_reply"),
        json!({ "late_apply": { "after": 2_000 } }),
        json!({ "slow": { "span": 3_000 } }),
        json!("parent_ignored"),
        json!({ "reject": { "code": "check.value", "field": "labels", "text": "not this one" } }),
    ];
    let each = usize::try_from(passes_per_point(1)).unwrap_or(usize::MAX);
    let items = [4, 1, 6];
    let of = |fault: &Value, n: u32, promises: &str| {
        let one = json!({ "on": "create", "item": { "nth": n }, "fault": fault });
        json!({ "promises": promises, "faults": [one] }).to_string()
    };
    let mut jobs = Vec::new();
    for fault in &faults {
        for n in items.into_iter().take(each) {
            jobs.extend(["once", "nothing"].map(|promises| of(fault, n, promises)));
        }
    }
    run_jobs(&jobs, |faults| {
        let server = Server::start(&[], &[(TRACKER, faults.to_owned())]);
        let client = Client::new(server.url());
        client.wait_until_ready();
        let mut sent = script::play_batch(&client);
        approver::finish_batch(&client, &mut sent);
        let wrong = invariants::effects(&client, &["dependency", "rejected"]);
        ended(server, &client, sent, wrong)
    });
}
