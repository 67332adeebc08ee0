//! The conformance suite on SQLite, and tests of what only this backend has: a file, locks, a disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use super::{SqliteStore, open};
use crate::conformance::fixture::{LaneWriter, accept, create, delivery, lane, lease, loose};
use crate::conformance::turn_commit::{full_turn, written};
use crate::conformance::{DataLocation, START, Subject, block_on};
use crate::{
    Accepted, Audit, Claim, CommitResult, Inbox, KillSwitch, Lanes, ManualClock, Mark, Outbox, Release,
    Requests, Store, StoreError, StoredResponse, TurnLog,
};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(START))
}

fn subject(clock: Arc<ManualClock>) -> Subject {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("t.db"), clock.clone()).unwrap();
    Subject::new(store, clock).with_guard(dir)
}

crate::conformance!(semantics, subject);

/// A temporary folder with one database in it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("t.db")
    }
}

impl DataLocation for Folder {
    fn open(&self, clock: Arc<ManualClock>) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(self.path(), clock).unwrap())
    }

    /// Copies the database and its log. The log's index is rebuilt, as after a power cut.
    fn crash_copy(&self) -> Box<dyn DataLocation> {
        let copy = Self::new();
        for name in ["t.db", "t.db-wal"] {
            std::fs::copy(self.0.path().join(name), copy.0.path().join(name)).unwrap();
        }
        Box::new(copy)
    }
}

crate::conformance_durability!(on_disk, Folder::new);

/// Opens a store that does not wait for a locked file.
fn impatient(path: &Path) -> SqliteStore {
    SqliteStore::open_with(path, clock(), Duration::ZERO).unwrap()
}

/// The server shows this as TL-6102.
#[test]
fn a_second_start_is_refused() {
    let folder = Folder::new();
    let first = SqliteStore::open(folder.path(), clock()).unwrap();
    let second = SqliteStore::open(folder.path(), clock()).unwrap_err();
    assert!(matches!(&second, StoreError::InUse { what } if what.ends_with("t.db")), "{second}");
    drop(first);
    SqliteStore::open(folder.path(), clock()).unwrap();
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let folder = Folder::new();
    Connection::open(folder.path()).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let error = SqliteStore::open(folder.path(), clock()).unwrap_err();
    assert!(matches!(&error, StoreError::Open { why, .. } if why.contains("another program")), "{error}");
    std::fs::write(folder.path(), "This is not a database, but it is long enough to look like a file")
        .unwrap();
    assert!(matches!(SqliteStore::open(folder.path(), clock()), Err(StoreError::Open { .. })));
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let folder = Folder::new();
    drop(SqliteStore::open(folder.path(), clock()).unwrap());
    Connection::open(folder.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = SqliteStore::open(folder.path(), clock()).unwrap_err();
    assert!(error.to_string().contains("newer version"), "{error}");
}

#[test]
fn a_file_from_before_the_first_release_is_refused() {
    let folder = Folder::new();
    drop(SqliteStore::open(folder.path(), clock()).unwrap());
    Connection::open(folder.path()).unwrap().pragma_update(None, "application_id", 0x7468_6c31).unwrap();
    let error = SqliteStore::open(folder.path(), clock()).unwrap_err();
    assert!(error.to_string().contains("TL-6103") && error.to_string().contains("move it away"), "{error}");
}

/// While somebody holds the file in a SQLite shell, writes fail with a clear message; nothing is lost, and afterwards
/// they succeed.
#[test]
fn a_lock_of_another_program_passes() {
    let folder = Folder::new();
    let store = impatient(&folder.path());
    block_on(store.accept(delivery(&lane("C1"), "before"))).unwrap();
    let shell = Connection::open(folder.path()).unwrap();
    shell.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = block_on(store.accept(delivery(&lane("C1"), "during"))).unwrap_err();
    assert!(matches!(&error, StoreError::ReadOnly { why, .. } if why.contains("another program")), "{error}");
    assert!(block_on(store.writable()).is_err());
    assert_eq!(block_on(store.waiting(&lane("C1"), 10)).unwrap().len(), 1, "reading goes on");
    shell.execute_batch("ROLLBACK").unwrap();
    let accepted = block_on(store.accept(delivery(&lane("C1"), "during"))).unwrap();
    assert!(matches!(accepted, Accepted::New));
    block_on(store.writable()).unwrap();
}

#[test]
fn a_file_locked_as_a_whole_is_in_use() {
    let folder = Folder::new();
    let shell = Connection::open(folder.path()).unwrap();
    shell.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE a (b)").unwrap();
    let error = SqliteStore::open_with(&folder.path(), clock(), Duration::ZERO).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
}

/// Runs a pragma on the connection that writes.
fn pragma(store: &SqliteStore, sql: &'static str) {
    let run = move |tx: &mut super::writer::Tx<'_, '_>| Ok(tx.sql.query_row(sql, [], |_| Ok(()))?);
    block_on(store.writer.call("test", run)).unwrap();
}

/// A turn that meets a full disk is not half written. When there is room again it succeeds without a restart.
#[test]
fn a_full_disk_passes() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    let seq = block_on(accept(&store, &lane("C1"), "k"));
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    pragma(&store, "PRAGMA max_page_count = 1");
    let big = crate::TurnCommit { head: "x".repeat(100_000), ..full_turn(&writer, seq) };
    let error = block_on(writer.try_commit(big.clone())).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    assert!(block_on(store.writable()).is_err(), "a probe would fit, a turn does not");
    assert!(!block_on(written(&store, &lane("C1"), 1)));
    assert_eq!(block_on(store.waiting(&lane("C1"), 10)).unwrap().len(), 1);
    pragma(&store, "PRAGMA max_page_count = 1000000");
    block_on(writer.commit(big));
    assert!(block_on(written(&store, &lane("C1"), 1)));
}

/// Writes the other operations of a group when one meets a full disk.
#[test]
fn a_full_disk_takes_only_what_needs_room() {
    let folder = Folder::new();
    let store = Arc::new(SqliteStore::open(folder.path(), clock()).unwrap());
    for n in 0..16 {
        let mut writer = block_on(LaneWriter::claim(&*store, &lane(&format!("C{n}"))));
        block_on(writer.commit(writer.turn()));
    }
    pragma(&store, "PRAGMA max_page_count = 1");
    let results = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..16)
            .map(|n| {
                let store = store.clone();
                scope.spawn(move || {
                    let writer = block_on(LaneWriter::claim(&*store, &lane(&format!("C{n}"))));
                    if n % 5 == 0 {
                        let head = "x".repeat(100_000);
                        return block_on(store.commit(crate::TurnCommit { head, ..writer.turn() })).is_ok();
                    }
                    block_on(store.release(&lane(&format!("C{n}")), writer.epoch)).is_ok()
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    let expected: Vec<bool> = (0..16).map(|n| n % 5 != 0).collect();
    assert_eq!(results, expected);
}

/// Claims and leases from before the file was opened are over at once.
#[test]
fn opening_ends_what_was_held() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    let mut writer = block_on(LaneWriter::claim_as("a", &store, &lane("C1")));
    block_on(writer.commit_effects(vec![loose("fx_1"), loose("fx_2"), loose("fx_3")]));
    let leased = block_on(lease(&store));
    block_on(store.mark("acme", &"fx_1".into(), leased[0].fence, &leased[0].effect.held())).unwrap();
    let later = crate::Settlement {
        to: crate::SettleTo::Retry(START.plus(1_000)),
        ..crate::conformance::fixture::settled("fx_3", Some(leased[2].fence))
    };
    assert!(block_on(store.settle(later)).unwrap());
    let late = writer.turn();
    drop(store);

    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    assert_eq!(block_on(store.commit(late)).unwrap(), CommitResult::Fenced);
    assert_eq!(block_on(store.release(&lane("C1"), 1)).unwrap(), Release::NotOurs);
    let claim = block_on(store.claim(&lane("C1"), "b")).unwrap();
    assert_eq!(claim, Claim::Ours { epoch: 2, revision: 1 });
    let again = block_on(lease(&store));
    let found: Vec<_> = again.iter().map(|l| (l.effect.row.id.as_str(), l.found_attempted)).collect();
    assert_eq!(found, [("fx_1", true), ("fx_2", false)]);
}

fn tamper(folder: &Folder, sql: &str) {
    Connection::open(folder.path()).unwrap().execute_batch(sql).unwrap();
}

/// An effect is not sent after its payload was changed, or its approval's consumption removed, in the file.
#[test]
fn what_was_changed_in_the_file_is_not_sent() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    block_on(writer.open_approval(crate::conformance::fixture::approval("ap_1", 1, None)));
    block_on(writer.approve("ap_1", 1, vec![create("fx_1", "ap_1", 1), loose("fx_2")]));
    let leased = block_on(lease(&store));
    let mark = |n: usize| {
        block_on(store.mark("acme", &leased[n].effect.row.id, leased[n].fence, &leased[n].effect.held()))
            .unwrap()
    };
    tamper(&folder, "UPDATE outbox SET payload = payload || ' ' WHERE id = 'fx_2'");
    assert_eq!(mark(1), Mark::PayloadDiffers);
    tamper(&folder, "PRAGMA foreign_keys = OFF; DELETE FROM consumptions");
    assert_eq!(mark(0), Mark::NoApproval);
}

#[test]
fn a_changed_audit_row_is_found() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    for n in 1..=4 {
        block_on(store.set_pause("acme", None, &format!("row {n}"))).unwrap();
    }
    let verify = || block_on(store.verify_audit("acme")).unwrap();
    assert_eq!(verify(), None);
    tamper(&folder, "DELETE FROM audit WHERE number = 4");
    assert_eq!(verify(), Some(4));
    tamper(&folder, "UPDATE audit SET row = 'other' WHERE number = 2");
    assert_eq!(verify(), Some(2));
}

#[test]
fn the_settings_that_durability_rests_on_are_set() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    let read = |name: &'static str| {
        let run = move |tx: &mut super::writer::Tx<'_, '_>| {
            Ok(tx.sql.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))?)
        };
        block_on(store.writer.call("test", run)).unwrap()
    };
    use rusqlite::types::Value::{Integer, Text};
    assert_eq!(read("journal_mode"), Text("wal".into()));
    assert_eq!(read("synchronous"), Integer(2));
    assert_eq!(read("foreign_keys"), Integer(1));
    assert_eq!(read("secure_delete"), Integer(1));
    assert_eq!(read("mmap_size"), Integer(0));
    assert_eq!(store.describe(), format!("sqlite {}", folder.path().display()));
}

/// Answers that an earlier version kept are found under their keys afterwards, and requests that wait for theirs get them.
#[test]
fn answers_survive_their_migration() {
    let folder = Folder::new();
    let file = Connection::open(folder.path()).unwrap();
    open::MIGRATIONS[..11].iter().for_each(|sql| file.execute_batch(sql).unwrap());
    file.pragma_update(None, "application_id", open::APPLICATION_ID).unwrap();
    file.pragma_update(None, "user_version", 11).unwrap();
    let long = "answer ".repeat(200);
    file.execute(
        "INSERT INTO requests VALUES ('acme', 'answered', x'aa', 200, ?1), ('acme', 'waits', x'bb', NULL, NULL)",
        [&long],
    )
    .unwrap();
    drop(file);
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    let begun = |key: &str| block_on(store.begin_request("acme", key, "cc")).unwrap().unwrap();
    let answer = StoredResponse { status: 200, body: long };
    assert_eq!(begun("answered"), ("aa".into(), Some(answer.clone())));
    assert_eq!(begun("waits"), ("bb".into(), None));
    block_on(store.store_response("acme", "waits", answer.clone())).unwrap();
    assert_eq!(begun("waits"), ("bb".into(), Some(answer)));
}

/// An answer of a kilobyte shares its page with others.
#[test]
fn an_answer_takes_no_page_of_its_own() {
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    let answer = StoredResponse { status: 200, body: "a".repeat(1_100) };
    for n in 0..200 {
        let key = format!("{:x}", (n + 1_u32).wrapping_mul(2_654_435_761));
        assert_eq!(block_on(store.begin_request("acme", &key, "aa")).unwrap(), None);
        block_on(store.store_response("acme", &key, answer.clone())).unwrap();
    }
    drop(store);
    let bytes = std::fs::metadata(folder.path()).unwrap().len();
    assert!(bytes < 200 * 2_000 + 200_000, "{bytes} bytes for 200 answers of 1,100");
}

/// Returns the contents of the files of a database.
fn bytes(path: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let names = ["", "-wal", "-shm", ".lock", "-journal"].map(|end| format!("{}{end}", path.display()));
    names.into_iter().filter_map(|name| Some((name.clone(), std::fs::read(name).ok()?))).collect()
}

/// Returns the names of a database's files that contain a word.
fn holding(path: &std::path::Path, word: &str) -> Vec<String> {
    let found = bytes(path).into_iter();
    let found = found.filter(|(_, bytes)| bytes.windows(word.len()).any(|window| window == word.as_bytes()));
    found.map(|(name, _)| name).collect()
}

/// After an erasure no file contains the word, even though its rows were moved between pages, replaced and retired
/// before.
#[test]
fn what_is_erased_is_in_no_byte_of_the_files() {
    const WORD: &str = "kestrelgate";
    let folder = Folder::new();
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    for n in 0..400_u32 {
        // Sizes that differ, so that rows move between pages and overflow them.
        let body = format!("{WORD} {}", "filler ".repeat((n * 37 % 900) as usize));
        let mut turn = writer.turn();
        turn.head = body.clone();
        turn.log.content = body.clone();
        turn.records = vec![crate::conformance::fixture::put("message", &format!("m_{n}_0"), &body)];
        // Keys without an order, so that pages are split in the middle.
        let key = format!("{:x}", (n + 1).wrapping_mul(2_654_435_761));
        turn.records.push(crate::conformance::fixture::put("note", &key, &format!("{WORD} {key}")));
        let stays = format!("free {}", "filler ".repeat((n * 53 % 70) as usize));
        turn.records.push(crate::conformance::fixture::put("note", &format!("{key}b"), &stays));
        if n >= 20 {
            turn.records.push(crate::RecordWrite {
                kind: "message",
                key: format!("m_{}_0", n - 20),
                op: if n % 3 == 0 { crate::RecordOp::Delete } else { crate::RecordOp::Retire },
            });
        }
        block_on(writer.commit(turn));
    }
    let without = |kind, key| crate::RecordWrite { kind, key, op: crate::RecordOp::Delete };
    let mut gone: Vec<_> = (380..400).map(|n| without("message", format!("m_{n}_0"))).collect();
    gone.extend((0..400_u32).map(|n| without("note", format!("{:x}", (n + 1).wrapping_mul(2_654_435_761)))));
    let turn = crate::TurnCommit { head: "free".into(), records: gone, ..writer.turn() };
    block_on(writer.commit(turn));
    assert!(!holding(&folder.path(), WORD).is_empty());
    let redactor: crate::Redactor =
        Arc::new(
            |stored| {
                if stored.text.contains(WORD) { crate::Redaction::Erase } else { crate::Redaction::Keep }
            },
        );
    let counts = block_on(crate::Erasure::redact(&store, &lane("C1"), redactor)).unwrap();
    assert_eq!(counts.contents, 400);
    block_on(crate::Erasure::vacuum(&store)).unwrap();
    assert_eq!(holding(&folder.path(), WORD), [""; 0]);
    block_on(writer.commit(writer.turn()));
    drop(store);
    assert_eq!(holding(&folder.path(), WORD), [""; 0]);
    let store = SqliteStore::open(folder.path(), clock()).unwrap();
    assert_eq!(block_on(store.turns(&lane("C1"), 0, 1_000)).unwrap().len(), 402);
}
