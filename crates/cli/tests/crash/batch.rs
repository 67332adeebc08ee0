//! `W18` in the real process: a batch of six, killed at every fail point it passes and at every time it passes one.
//! Whatever the moment, afterwards there are one epic and five stories under it, on a receipt that says so.
//!
//! A first run, which nobody kills, leaves a trail of what is passed: `s9.attempt_marked/tracker.create` six times, once
//! for the epic and once for each story. Each line of it is a run of its own. `THROUGHLINE_CRASH_PASSINGS` says how many
//! passings of each point are tried (1); `cargo xtask crash` tries all of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::client::Client;
use crate::server::{FAILPOINT, Server};
use crate::{at_once, check, number, script};

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

/// A point, and the how manieth time it is passed.
struct Passing {
    point: String,
    nth: u32,
}

#[test]
fn w18_a_batch_killed_at_every_step_is_one_epic_with_five_stories() {
    let passed = trail();
    let gone: Vec<&str> = PASSED.into_iter().filter(|point| !passed.contains_key(*point)).collect();
    assert!(gone.is_empty(), "a batch does not pass {gone:?}; it passes {passed:#?}");
    let each = u32::try_from(number("THROUGHLINE_CRASH_PASSINGS", 1)).unwrap_or(u32::MAX);
    let jobs: Vec<Passing> = passed.iter().flat_map(|(point, times)| some_of(point, *times, each)).collect();
    let wrong: Mutex<BTreeMap<String, Vec<String>>> = Mutex::default();
    let alive: Mutex<Vec<String>> = Mutex::default();
    at_once(&jobs, |job| {
        let name = format!("{}:{}", job.point, job.nth);
        let ran = std::panic::catch_unwind(|| run(&name));
        let (found, died) = ran.unwrap_or_else(|_| (vec!["the run itself failed".into()], true));
        if !died {
            alive.lock().unwrap().push(name.clone());
        }
        if !found.is_empty() {
            wrong.lock().unwrap().insert(name, found);
        }
    });
    let (wrong, alive) = (wrong.into_inner().unwrap(), alive.into_inner().unwrap());
    for (point, times) in &passed {
        println!("{point}: passed {times} times, died at {}", some_of(point, *times, each).count());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(alive.is_empty(), "never died at {alive:?}, which the first run passed");
}

/// Which passings of a point are tried: spread over all of them, the last always.
fn some_of(point: &str, times: u32, each: u32) -> impl Iterator<Item = Passing> {
    let count = each.min(times);
    (0..count).map(move |n| Passing { point: point.into(), nth: times - n * times / count })
}

/// What a batch passes when nobody kills it, and how often.
fn trail() -> BTreeMap<String, u32> {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trail");
    let server = Server::start(&[("THROUGHLINE_FAILPOINT_TRAIL", file.display().to_string())]);
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
    let server = Server::start(&[(FAILPOINT, at.to_owned())]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = script::play_batch(&client);
    if at.starts_with(LAST) {
        server.wait_for_death(IDLE);
    }
    let mut wrong = check::receipt(&client, &sent);
    client.wait_until_settled();
    let sent = [sent];
    wrong.extend(check::through_the_api(&client, &sent));
    let died = server.died();
    let data = server.stop();
    wrong.extend(check::on_disk(data.path(), &sent));
    (wrong, died)
}
