//! Commands beside the server that are killed or meet a failing disk: an erasure from the command line, and backups that
//! are taken while events are in flight and the server is killed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use throughline_store::raw_rows;

use super::matrix::{self, Run};
use super::shim::{ALL_FILES, Armed, Control, Fault};
use crate::client::Client;
use crate::erasure;
use crate::server::{Server, Variable};
use crate::{invariants, script};

/// Writes and syncs that an erasure makes at least.
const WRITES: u64 = 120;
const SYNCS: u64 = 10;

#[test]
fn an_erasure_from_the_command_line_can_be_repeated_after_any_fault() {
    let cells: Vec<(String, (Fault, u64))> = [
        ("`erase` is killed in a write", Fault::TornWrite, WRITES),
        ("`erase` is killed before a sync", Fault::KilledAtSync, SYNCS),
        ("a sync of `erase` fails", Fault::SyncFails, SYNCS),
        ("a write of `erase` fails", Fault::WriteFails, WRITES),
        ("the disk is full for `erase`", Fault::DiskFull, WRITES),
    ]
    .into_iter()
    .map(|(name, fault, calls)| (name.to_owned(), (fault, calls)))
    .collect();
    matrix::run("Erasure from the command line", &cells, |(fault, calls), seed| {
        let server = Server::start(&[], &[]);
        let client = Client::new(server.url());
        client.wait_until_ready();
        let sent = [erasure::converse(&client)];
        client.wait_until_settled();
        let mut run = Run::default();
        run.count(&client, &sent);
        let data = server.stop();
        let control = Control::create(data.path());
        let skip = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) % calls;
        control.arm(Armed { fault: *fault, files: ALL_FILES, skip, strikes: Some(1), seed });
        let erase = ["erase", "ana", "--yes"];
        let struck = program(data.path(), &erase, &control.variables());
        run.struck = control.struck();
        if run.struck == 0 {
            run.wrong.push(format!("nothing struck: {} of {skip} calls, {struck:?}", control.seen()));
        }
        // Whoever sees it fail runs it again.
        let again = program(data.path(), &erase, &[]);
        if again.0 != Some(0) {
            run.wrong.push(format!("never ended: repeated, it ends with {again:?}"));
        }
        if erasure::holds(data.path(), erasure::HERS) {
            run.wrong.push("never ended: her words are there still".into());
        }
        if !erasure::holds(data.path(), erasure::HIS) {
            run.wrong.push("lost: his words are gone too".into());
        }
        if struck.1.contains("panicked at") {
            run.wrong.push(struck.1);
        }
        run.wrong.extend(invariants::store(data.path(), &sent));
        run
    });
}

#[test]
fn a_backup_is_whole_whatever_happens_to_the_server() {
    let cells: Vec<(String, Fault)> = [
        ("killed in a write while a backup is taken", Fault::TornWrite),
        ("killed before a sync while a backup is taken", Fault::KilledAtSync),
    ]
    .map(|(name, fault)| (name.to_owned(), fault))
    .into();
    matrix::run("Backups", &cells, |fault, seed| {
        let data = tempfile::tempdir().unwrap();
        let control = Control::create(data.path());
        let server = Server::start_on(data, &[], &control.variables());
        let client = Client::new(server.url());
        client.wait_until_ready();
        let syncs = *fault == Fault::KilledAtSync;
        let skip = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) % if syncs { 40 } else { 600 };
        control.arm(Armed { fault: *fault, files: ALL_FILES, skip, strikes: Some(1), seed });
        let backups = tempfile::tempdir().unwrap();
        let over = AtomicBool::new(false);
        let (sent, taken) = std::thread::scope(|scope| {
            let taking = scope.spawn(|| take_backups(server.data(), backups.path(), &over));
            let sent = script::play(&client, seed);
            over.store(true, Ordering::SeqCst);
            (sent, taking.join().unwrap())
        });
        client.wait_until_settled();
        let mut run = Run { struck: control.struck(), ..Run::default() };
        run.wrong.extend(invariants::api(&client, &sent));
        run.wrong.extend(invariants::effects(&client, &[]));
        run.count(&client, &sent);
        if run.struck == 0 || taken < 2 {
            run.wrong.push(format!("{} strikes and {taken} backups", run.struck));
        }
        let data = server.stop();
        run.check_log(data.path());
        run.wrong.extend(invariants::store(data.path(), &sent));
        run.wrong.extend(check_backups(backups.path(), taken));
        run
    });
}

/// Takes backups as an operator does with the program `sqlite3`. Returns how many.
fn take_backups(data: &Path, backups: &Path, over: &AtomicBool) -> usize {
    let mut taken = 0;
    while !over.load(Ordering::SeqCst) {
        let folder = backups.join(taken.to_string());
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        let into = format!("VACUUM INTO '{}'", folder.join("throughline.db").display());
        // It fails while the process that was killed is replaced.
        if throughline_store::tamper(&data.join("throughline.db"), &into).is_ok() {
            std::fs::copy(data.join("throughline.key"), folder.join("throughline.key")).unwrap();
            taken += 1;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    taken
}

/// Checks that each backup is intact, and that a later one has at least the turns of those before.
fn check_backups(backups: &Path, taken: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut before = 0;
    for backup in 0..taken {
        let folder = backups.join(backup.to_string());
        let rows = raw_rows(&folder.join("throughline.db")).unwrap();
        let turns = rows.iter().filter(|row| row.0 == "turns").count();
        if turns < before {
            wrong.push(format!("lost: backup {backup} has {turns} turns, the one before {before}"));
        }
        before = turns;
        // A few stand for all.
        if backup % 8 == 0 || backup + 1 == taken {
            wrong.extend(invariants::store(&folder, &[]));
        }
    }
    wrong
}

/// Runs the program. Returns its exit code, if it was not killed, and its messages.
fn program(folder: &Path, arguments: &[&str], variables: &[Variable]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
    command.args(arguments).current_dir(folder).env_clear().env("HOME", folder).stdin(Stdio::null());
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let ran = command.output().unwrap();
    (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
}
