//! `W18` in the real process: a batch of six, killed at every fail point it passes and at every time it passes one.
//! Whatever the moment, afterwards there are one epic and five stories under it, on a receipt that says so.
//!
//! A first run, which nobody kills, leaves a trail of what is passed: `s9.attempt_marked/tracker.create` six times, once
//! for the epic and once for each story. Each line of it is a run of its own. `cargo xtask crash` runs all of
//! them, a test run some.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::script::Sent;
use crate::server::{FAILPOINT, Server, TRACKER};
use crate::{at_once, check, passings, person, script};

/// What a batch passes, whatever is changed about how: a trail without one of these is no proof of anything.
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
/// The last thing that happens: the idle lane is let go.
const LAST: &str = "s16.lane_released/";
/// After so long without an event, and a little.
const IDLE: Duration = Duration::from_secs(30);

#[test]
#[expect(
    clippy::print_stdout,
    reason = "what was passed, and where a run died, is for whoever reads the run"
)]
fn w18_a_batch_killed_at_every_step_is_one_epic_with_five_stories() {
    let passed = trail();
    let gone: Vec<&str> = PASSED.into_iter().filter(|point| !passed.contains_key(*point)).collect();
    assert!(gone.is_empty(), "a batch does not pass {gone:?}; it passes {passed:#?}");
    let each = passings(2);
    let jobs: Vec<String> = passed.iter().flat_map(|(point, times)| some_of(point, *times, each)).collect();
    let mut alive = judged(&jobs, run);
    // Where two presses race a turn is decided once more, or not.
    alive.retain(|at| !at.starts_with("s5.context_read/card.pressed"));
    for (point, times) in &passed {
        println!("{point}: passed {times} times, died at {}", some_of(point, *times, each).len());
    }
    assert!(alive.is_empty(), "never died at {alive:?}, which the first run passed");
}

/// Runs all of them, and fails with what was wrong in any; those in which nobody died.
fn judged(
    jobs: &[String],
    run: impl Fn(&str) -> (Vec<String>, bool) + Sync + std::panic::RefUnwindSafe,
) -> Vec<String> {
    let wrong: Mutex<BTreeMap<String, Vec<String>>> = Mutex::default();
    let alive: Mutex<Vec<String>> = Mutex::default();
    at_once(jobs, |job| {
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

/// Which passings of a point are tried: spread over all of them, from the first to the last.
fn some_of(point: &str, times: u32, each: u32) -> Vec<String> {
    let count = each.min(times);
    let nth = |n: u32| 1 + n * (times - 1) / (count - 1).max(1);
    (0..count).map(|n| format!("{point}:{}", nth(n))).collect()
}

/// What a batch passes when nobody kills it, and how often.
fn trail() -> BTreeMap<String, u32> {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trail");
    let server = Server::start(&[("THROUGHLINE_FAILPOINT_TRAIL", file.display().to_string())], &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = script::play_batch(&client);
    assert_eq!(check::receipt(&client, &sent), Vec::<String>::new());
    let started = std::time::Instant::now();
    while !read(&file).contains_key(LAST) {
        assert!(started.elapsed() < IDLE, "the lane was not let go: {:#?}", read(&file));
        std::thread::sleep(Duration::from_millis(50));
    }
    let passed = read(&file);
    drop(server);
    passed
}

fn read(trail: &Path) -> BTreeMap<String, u32> {
    let mut passed = BTreeMap::new();
    for point in std::fs::read_to_string(trail).unwrap_or_default().lines() {
        *passed.entry(point.to_owned()).or_default() += 1;
    }
    passed
}

/// One run: what is wrong afterwards, and whether the process died in it.
fn run(at: &str) -> (Vec<String>, bool) {
    let server = Server::start(&[(FAILPOINT, at.to_owned())], &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = script::play_batch(&client);
    if at.starts_with(LAST) {
        server.wait_for_death(IDLE);
    }
    let mut wrong = check::receipt(&client, &sent);
    client.wait_until_settled();
    wrong.extend(check::effects(&client, &[]));
    ended(server, &client, sent, wrong)
}

fn ended(server: Server, client: &Client, sent: Sent, mut wrong: Vec<String>) -> (Vec<String>, bool) {
    wrong.extend(check::on_a_receipt(client, &sent));
    let sent = [sent];
    wrong.extend(check::through_the_api(client, &sent));
    let died = server.died();
    let data = server.stop();
    wrong.extend(check::on_disk(data.path(), &sent));
    (wrong, died)
}

/// Where a create is when its outcome is lost with the process.
const LOST: [&str; 4] = ["s9.attempt_marked", "s10.bytes_on_wire", "s11.vendor_applied", "s12.reply_read"];

/// The same with a tracker that promises nothing about a create made twice: what nobody can vouch for is searched for and
/// adopted, or created again by a person who sees that it is not there. Never are there two.
#[test]
fn a_create_lost_with_the_process_is_adopted_or_created_again_by_a_person() {
    let each = passings(1);
    let jobs: Vec<String> =
        LOST.iter().flat_map(|point| some_of(&format!("{point}/tracker.create"), 6, each)).collect();
    let alive = judged(&jobs, |at| {
        let nothing = json!({ "promises": "nothing" }).to_string();
        let server = Server::start(&[(FAILPOINT, at.to_owned())], &[(TRACKER, nothing)]);
        let client = Client::new(server.url());
        client.wait_until_ready();
        let mut sent = script::play_batch(&client);
        person::brings_to_its_end(&client, &mut sent);
        let mut wrong = check::receipt(&client, &sent);
        wrong.extend(check::effects(&client, &["dependency"]));
        ended(server, &client, sent, wrong)
    });
    assert!(alive.is_empty(), "never died at {alive:?}");
}

/// Whatever the tracker does to one request, and whatever it promises, there is one epic with five stories in the end.
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
    let each = usize::try_from(passings(1)).unwrap_or(usize::MAX);
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
    judged(&jobs, |faults| {
        let server = Server::start(&[], &[(TRACKER, faults.to_owned())]);
        let client = Client::new(server.url());
        client.wait_until_ready();
        let mut sent = script::play_batch(&client);
        person::brings_to_its_end(&client, &mut sent);
        let wrong = check::effects(&client, &["dependency", "rejected"]);
        ended(server, &client, sent, wrong)
    });
}
