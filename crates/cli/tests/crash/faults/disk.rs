//! A disk that fails while the store is made, upgraded, written, rebuilt by an erasure, and closed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::matrix::{self, Run};
use super::shim::{ALL_FILES, Armed, Control, Fault};
use crate::client::Client;
use crate::erasure;
use crate::server::Server;
use crate::{invariants, script};

/// The database of an earlier version, with a conversation.
pub(crate) const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/recorded-0.1.sqlite");
/// The time in which an erasure ends after the fault is over.
const PATIENCE: Duration = Duration::from_secs(60);

/// The codes that name a failed sync: in use, and at a start, of the store and of the key.
const SYNC_FAILED: [&str; 3] = ["TL-6207", "TL-6103", "TL-1102"];

/// The longest time that a fault stays after its first strike.
const OUTAGE: Duration = Duration::from_secs(2);

/// Work of the process during which the fault begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// It makes the store.
    FirstStart,
    /// It brings the store of version 0.1 up to date.
    Upgrade,
    /// It has events in flight.
    Events,
    /// It erases a person.
    Erasure,
    /// It closes the store.
    Close,
}

/// A fault with the way it strikes.
struct Kind {
    name: &'static str,
    fault: Fault,
    /// The number of strikes; `None` until it is lifted.
    strikes: Option<u64>,
    /// True if it is lifted after a few strikes.
    lifted: bool,
}

const KINDS: [Kind; 7] = [
    Kind { name: "a sync fails", fault: Fault::SyncFails, strikes: Some(1), lifted: false },
    Kind { name: "writes fail", fault: Fault::WriteFails, strikes: None, lifted: true },
    Kind { name: "the disk is full", fault: Fault::DiskFull, strikes: None, lifted: true },
    Kind { name: "the disk is read-only", fault: Fault::ReadOnly, strikes: None, lifted: true },
    Kind { name: "writes are short", fault: Fault::ShortWrite, strikes: None, lifted: false },
    Kind { name: "killed in a write", fault: Fault::TornWrite, strikes: Some(1), lifted: false },
    Kind { name: "killed before a sync", fault: Fault::KilledAtSync, strikes: Some(1), lifted: false },
];

const MOMENTS: [(Moment, &str); 5] = [
    (Moment::FirstStart, "the store is made"),
    (Moment::Upgrade, "the store of 0.1 is upgraded"),
    (Moment::Events, "events are in flight"),
    (Moment::Erasure, "a person is erased"),
    (Moment::Close, "the store is closed"),
];

/// Returns how many writes or syncs there are at least at a moment. The fault begins at one of them.
fn calls(moment: Moment, fault: Fault) -> u64 {
    let syncs = matches!(fault, Fault::SyncFails | Fault::KilledAtSync);
    match (moment, syncs) {
        (Moment::FirstStart, false) => 120,
        (Moment::FirstStart, true) => 8,
        (Moment::Upgrade, false) => 60,
        (Moment::Upgrade, true) => 8,
        (Moment::Events, false) => 600,
        (Moment::Events, true) => 40,
        (Moment::Erasure, false) => 100,
        (Moment::Erasure, true) => 5,
        (Moment::Close, false) => 20,
        (Moment::Close, true) => 2,
    }
}

#[test]
fn a_disk_that_fails_loses_and_doubles_nothing() {
    let mut cells = Vec::new();
    for (at, (moment, when)) in MOMENTS.iter().enumerate() {
        for (n, kind) in KINDS.iter().enumerate() {
            cells.push((
                format!("{} while {when}", kind.name),
                (*moment, kind, (at * KINDS.len() + n) as u64),
            ));
        }
    }
    matrix::run("Disk", &cells, |(moment, kind, cell), seed| play(*moment, kind, mixed(seed, *cell)));
}

/// Mixes a seed and the number of a cell.
fn mixed(seed: u64, cell: u64) -> u64 {
    (seed << 8 | cell).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
}

fn play(moment: Moment, kind: &Kind, seed: u64) -> Run {
    let data = tempfile::tempdir().unwrap();
    let control = Control::create(data.path());
    if moment == Moment::Upgrade {
        std::fs::copy(RECORDED, data.path().join("throughline.db")).unwrap();
    }
    let armed = Armed {
        fault: kind.fault,
        files: ALL_FILES,
        skip: seed % calls(moment, kind.fault),
        strikes: kind.strikes,
        seed,
    };
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| lift_after(&control, kind.lifted.then_some(4 + seed % 60), &over));
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            if matches!(moment, Moment::FirstStart | Moment::Upgrade) {
                control.arm(armed);
            }
            let server = Server::start_on(data, &[], &control.variables());
            under(server, moment, &control, armed)
        }));
        over.store(true, Ordering::SeqCst);
        control.lift();
        played.unwrap_or_else(|why| std::panic::resume_unwind(why))
    })
}

/// Lifts the fault after that many strikes, or some time after the first one.
fn lift_after(control: &Control, strikes: Option<u64>, over: &AtomicBool) {
    let Some(strikes) = strikes else { return };
    let mut began = None;
    while !over.load(Ordering::SeqCst) {
        let struck = control.struck();
        if struck > 0 && began.get_or_insert_with(Instant::now).elapsed() > OUTAGE || struck >= strikes {
            control.lift();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Plays a run on a started server, and checks what is left of it.
fn under(server: Server, moment: Moment, control: &Control, armed: Armed) -> Run {
    let mut run = Run::default();
    let client = Client::new(server.url());
    client.wait_until_ready();
    let erased = moment == Moment::Erasure;
    if moment == Moment::Events {
        control.arm(armed);
    }
    let sent = if erased { vec![erasure::converse(&client)] } else { script::play(&client, armed.seed) };
    if erased {
        control.arm(armed);
        client.erase("ana");
        run.wrong.extend(erasure_ends(&server));
    }
    if moment == Moment::Close {
        client.wait_until_settled();
        control.arm(armed);
        server.restart();
        client.wait_until_ready();
    }
    run.struck = control.struck();
    if run.struck == 0 {
        run.wrong.push(format!("nothing struck: {} of {} calls", control.seen(), armed.skip));
    }
    if armed.fault == Fault::SyncFails && !server.died() {
        run.wrong.push("a sync failed, and the process went on".into());
    }
    control.lift();
    client.wait_until_ready();
    client.wait_until_settled();
    if !erased {
        run.wrong.extend(invariants::api(&client, &sent));
    }
    run.wrong.extend(invariants::effects(&client, &[]));
    run.count(&client, &sent);
    let data = server.stop();
    run.check_log(data.path());
    if armed.fault == Fault::SyncFails && !names_failed_sync(data.path(), moment) {
        run.wrong.push("a sync failed, and the log does not say so".into());
    }
    run.wrong.extend(invariants::store(data.path(), &sent));
    run
}

fn names_failed_sync(data: &Path, moment: Moment) -> bool {
    let log = std::fs::read_to_string(data.join("log")).unwrap_or_default();
    let starts = matches!(moment, Moment::FirstStart | Moment::Upgrade);
    let codes = if starts { &SYNC_FAILED[..] } else { &SYNC_FAILED[..1] };
    codes.iter().any(|code| log.contains(code))
}

/// Waits until the words of the erased person are gone.
fn erasure_ends(server: &Server) -> Option<String> {
    let started = Instant::now();
    while erasure::holds(server.data(), erasure::HERS) {
        if started.elapsed() > PATIENCE {
            return Some("never ended: her words are there still".into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    None
}
