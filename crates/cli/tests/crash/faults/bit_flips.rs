//! Bits that flip on their way to the disk: in the log while events are in flight, and in a database at rest. What they
//! change is either nothing that is stored, or is found and named.
//!
//! `THROUGHLINE_FLIPS` is the number of bits of the database that are flipped, each for itself (48).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use throughline_store::{RawRow, raw_rows};

use super::matrix::{self, Run};
use super::shim::{Armed, Control, Fault, LOG};
use crate::client::Client;
use crate::server::Server;
use crate::{number, run_some_at_once, script};

/// Refusal to read what is damaged.
const DAMAGED: &str = "503 TL-6203";

/// Refusal to run what is not what was approved, in the log. The press itself is answered by a notice.
const CHANGED: &str = "TL-4107";

/// Writes into the log that events make at least. The flip is in one of them.
const WRITES: u64 = 300;

#[test]
fn a_bit_of_the_log_that_flips_undoes_nothing_silently() {
    let cells = [("a bit of the log flips, then a kill".to_owned(), ())];
    matrix::run("Log of the database", &cells, |(), seed| {
        let data = tempfile::tempdir().unwrap();
        let control = Control::create(data.path());
        let server = Server::start_on(data, &[], &control.variables());
        // Pages are read from the log without a look at its checksums, so a flipped one may be met before the kill. Then
        // it is refused to read what is on it, however often it is asked for.
        let client = Client::new(server.url()).gives_up_at(DAMAGED);
        client.wait_until_ready();
        let skip = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) % WRITES;
        control.arm(Armed { fault: Fault::BitFlip, files: LOG, skip, strikes: Some(1), seed });
        let mut run = Run::default();
        let turns = catch_unwind(AssertUnwindSafe(|| {
            let sent = script::play(&client, seed);
            client.wait_until_settled();
            run.count_refused(&client, &sent, &[DAMAGED]);
            let of = |lane: &str| client.list(&format!("/v1/lanes/{lane}/turns?limit=200")).len();
            sent.iter().map(|lane| of(&lane.lane)).sum::<usize>()
        }))
        .ok();
        run.struck = control.struck();
        server.kill_after(Duration::ZERO);
        server.wait_for_death(Duration::from_secs(10));
        let data = server.stop();
        let log = std::fs::read_to_string(data.path().join("log")).unwrap();
        if turns.is_none() && !client.refusals().contains_key(DAMAGED) && !log.contains(CHANGED) {
            run.wrong.push(
                "never ended: a request was not answered, and it is not said that what is stored is damaged"
                    .into(),
            );
        }
        // Whoever opens the store first is told; the log is not lost by looking.
        for _ in 0..2 {
            let (code, told) = program(data.path(), &["audit", "verify"]);
            let named = told.contains("TL-6103") && told.contains("is damaged at byte");
            let file = data.path().join("throughline.db");
            // Counting the rows ends a damaged log.
            let kept = || raw_rows(&file).unwrap().iter().filter(|row| row.0 == "turns").count();
            let is_whole = || turns.is_some_and(|turns| kept() >= turns);
            if run.struck == 0 || code == 0 && !is_whole() {
                run.wrong.push(format!(
                    "lost: a bit of the log flipped, and of {turns:?} turns there are {}",
                    kept()
                ));
            }
            if code != 0 && !named {
                run.wrong.push(format!("it is not said that the log is damaged: {told}"));
            }
        }
        run
    });
}

/// Columns whose every bit is covered by a hash or by the checks of SQLite.
const COVERED: [&str; 8] = [
    "turns.row",
    "turns.content",
    "turns.hash",
    "turns.salt",
    "lanes.head",
    "lanes.loaded",
    "audit.row",
    "releases.payload_sha256",
];

/// The number of flips in one part of a database, and of those that were found.
#[derive(Clone, Copy, Default)]
struct Found {
    flips: u64,
    found: u64,
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts of the flips are what is quoted")]
fn a_bit_of_a_database_that_flips_is_found_where_hashes_cover_it() {
    let server = Server::start(&[], &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    script::play(&client, 1);
    client.wait_until_settled();
    let data = server.stop();
    let file = data.path().join("throughline.db");
    let before = raw_rows(&file).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let flips: Vec<u64> = (1..=number("THROUGHLINE_FLIPS", 48)).collect();
    let found: Mutex<BTreeMap<String, Found>> = Mutex::default();
    run_some_at_once(2, &flips, |flip| {
        let mut flipped = whole.clone();
        let byte = usize::try_from(flip.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11).unwrap() % whole.len();
        flipped[byte] ^= 1 << (flip % 8);
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("throughline.db");
        std::fs::write(&at, &flipped).unwrap();
        std::fs::copy(data.path().join("throughline.key"), folder.path().join("throughline.key")).unwrap();
        let part = changed(&before, &at);
        // Looking may have changed the file.
        std::fs::write(&at, &flipped).unwrap();
        let (code, _) = program(folder.path(), &["audit", "verify"]);
        let mut found = found.lock().unwrap();
        let counts = found.entry(part).or_default();
        counts.flips += 1;
        counts.found += u64::from(code != 0);
    });
    let found = found.into_inner().unwrap();
    let mut out = String::from("\n| A bit of | Flips | Found |\n| --- | --- | --- |\n");
    for (part, Found { flips, found }) in &found {
        let _ = writeln!(out, "| {part} | {flips} | {found} |");
    }
    println!("{out}");
    let covered = |part: &str| part == UNREADABLE || part == ROWS || COVERED.contains(&part);
    let missed: Vec<&String> =
        found.iter().filter(|(part, n)| covered(part) && n.found < n.flips).map(|(part, _)| part).collect();
    assert!(missed.is_empty(), "flipped and not found: {missed:?}");
}

const UNREADABLE: &str = "pages that cannot be read";
const ROWS: &str = "the number of rows";

/// Returns the column that a flip changed.
fn changed(before: &[RawRow], file: &Path) -> String {
    // The bytes of a row may not even be a value.
    let read = catch_unwind(|| raw_rows(file).ok());
    let Ok(Some(after)) = read else { return UNREADABLE.into() };
    if after.len() != before.len() {
        return ROWS.into();
    }
    let mut columns = BTreeSet::new();
    for (old, new) in before.iter().zip(&after) {
        let cells = old.1.iter().zip(&new.1);
        columns
            .extend(cells.filter(|(old, new)| old != new).map(|((name, _), _)| format!("{}.{name}", old.0)));
    }
    columns.into_iter().next().unwrap_or_else(|| "what is not stored".into())
}

/// Runs the program. Returns its exit code and its messages.
fn program(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
    command.args(arguments).current_dir(folder).env_clear().env("HOME", folder).stdin(Stdio::null());
    let ran = command.output().unwrap();
    (ran.status.code().unwrap_or(-1), String::from_utf8_lossy(&ran.stderr).into_owned())
}
