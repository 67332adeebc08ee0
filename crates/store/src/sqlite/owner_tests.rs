//! Owners of a file, with real files and two processes; and the repair of what two writers left.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use rusqlite::Connection;
use tempfile::TempDir;
use throughline_engine::Timestamp;

use super::{SqliteStore, database_file, owner_address};
use crate::conformance::fixture::{LaneWriter, accept, delivery, done, lane, lane_of, loose};
use crate::conformance::{START, block_on};
use crate::{
    Accepted, Inbox, Lanes, ManualClock, Outbox, Store, StoreError, TimerRow, Timers, TurnCommit, TurnLog,
};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(START))
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    (folder, path)
}

fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, clock())
}

fn assert_in_use(path: &Path) {
    let error = open(path).expect_err("another owner has it");
    assert!(matches!(error, StoreError::InUse { .. }), "{}: {error}", path.display());
}

/// Every way to name a file that somebody has open, each with an accepted event before and after.
#[cfg(unix)]
#[test]
fn no_other_path_leads_into_an_open_file() {
    use std::os::unix::fs::symlink;
    let (folder, path) = folder();
    let at = |name: &str| folder.path().join(name);
    let store = open(&path).unwrap();
    block_on(accept(&store, &lane("C1"), "a"));
    symlink(&path, at("link.db")).unwrap();
    symlink("link.db", at("link of a link.db")).unwrap();
    symlink(folder.path(), at("folder")).unwrap();
    fs::create_dir(at("deep")).unwrap();
    symlink("../t.db", at("deep/link.db")).unwrap();
    for other in ["t.db", "link.db", "link of a link.db", "folder/t.db", "deep/../t.db", "deep/link.db"] {
        assert_in_use(&at(other));
        assert!(!at(&format!("{other}.lock")).exists() || other.ends_with("t.db"), "{other}");
    }
    fs::remove_file(at("t.db.lock")).unwrap();
    assert_in_use(&path);
    fs::remove_file(at("t.db.lock")).unwrap();
    assert_in_use(&at("link.db"));
    block_on(accept(&store, &lane("C1"), "b"));
    drop(store);
    let store = open(&at("deep/link.db")).unwrap();
    assert_eq!(block_on(store.waiting(&lane("C1"), 10)).unwrap().len(), 2);
    assert!(at("t.db-wal").exists() && !at("deep/link.db-wal").exists());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_not_there_yet_names_it() {
    let (folder, path) = folder();
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink("t.db", &link).unwrap();
    assert_eq!(database_file(&link), path);
    let store = open(&link).unwrap();
    assert!(path.exists());
    assert_in_use(&path);
    drop(store);
    let round = folder.path().join("round");
    std::os::unix::fs::symlink("round", &round).unwrap();
    assert!(matches!(open(&round), Err(StoreError::Open { .. })));
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_refused() {
    let (folder, path) = folder();
    let other = folder.path().join("other.db");
    let store = open(&path).unwrap();
    fs::hard_link(&path, &other).unwrap();
    assert_in_use(&other);
    block_on(accept(&store, &lane("C1"), "a"));
    drop(store);
    for name in [&path, &other] {
        let error = open(name).unwrap_err();
        assert!(matches!(error, StoreError::HardLinked { names: 2, .. }), "{error}");
    }
    fs::remove_file(&other).unwrap();
    assert_eq!(block_on(open(&path).unwrap().waiting(&lane("C1"), 10)).unwrap().len(), 1);
}

fn assert_moved<T: std::fmt::Debug>(result: Result<T, StoreError>, how: &str) {
    assert!(matches!(result, Err(StoreError::Moved { .. })), "{how}: {result:?}");
}

/// After the file is gone from its path nothing is accepted, and what lies at the path is left alone.
#[cfg(unix)]
#[test]
fn a_file_that_is_gone_takes_nothing() {
    type Act = fn(&Path, &Path);
    let ways: [(&str, Act); 4] = [
        ("removed", |path, _| fs::remove_file(path).unwrap()),
        ("renamed", |path, other| fs::rename(path, other).unwrap()),
        ("replaced", |path, other| {
            fs::copy(path, other).unwrap();
            fs::rename(other, path).unwrap();
        }),
        ("its folder renamed", |path, _| {
            let folder = path.parent().unwrap();
            fs::rename(folder, folder.with_extension("away")).unwrap();
        }),
    ];
    for (how, act) in ways {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir(outer.path().join("data")).unwrap();
        let (path, other) = (outer.path().join("data/t.db"), outer.path().join("data/other.db"));
        let store = open(&path).unwrap();
        let seq = block_on(accept(&store, &lane("C1"), "a"));
        let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
        act(&path, &other);
        assert_moved(block_on(store.accept(delivery(&lane("C1"), "b"))), how);
        let turn = TurnCommit { inbox: vec![done(seq)], ..writer.turn() };
        assert_moved(block_on(writer.try_commit(turn)), how);
        assert_moved(block_on(store.writable()), how);
        assert_moved(block_on(store.lease("w", 1)), how);
    }
}

/// A file that is put back goes on, with all that was answered.
#[test]
fn a_file_that_comes_back_goes_on() {
    let (folder, path) = folder();
    let other = folder.path().join("other.db");
    let store = open(&path).unwrap();
    block_on(accept(&store, &lane("C1"), "a"));
    fs::rename(&path, &other).unwrap();
    assert_moved(block_on(store.accept(delivery(&lane("C1"), "b"))), "renamed");
    fs::rename(&other, &path).unwrap();
    assert_eq!(block_on(store.accept(delivery(&lane("C1"), "b"))).unwrap(), Accepted::New);
    drop(store);
    assert_eq!(block_on(open(&path).unwrap().waiting(&lane("C1"), 10)).unwrap().len(), 2);
}

/// The files of a backup that were put in the place of a running store are as they were when it stops.
#[test]
fn a_store_that_stops_leaves_what_took_its_place() {
    let (folder, path) = folder();
    let store = open(&path).unwrap();
    block_on(accept(&store, &lane("C1"), "a"));
    let wal = folder.path().join("t.db-wal");
    for (from, new) in [(&path, "new.db"), (&wal, "new.db-wal")] {
        fs::copy(from, folder.path().join(new)).unwrap();
        fs::rename(folder.path().join(new), from).unwrap();
    }
    let before = (fs::read(&path).unwrap(), fs::read(&wal).unwrap());
    drop(store);
    assert!((fs::read(&path).unwrap(), fs::read(&wal).unwrap()) == before);
    assert_eq!(block_on(open(&path).unwrap().waiting(&lane("C1"), 10)).unwrap().len(), 1);
}

/// The session tells where no lock can: whoever opened the file last writes, every write of the other is refused.
#[test]
fn the_loser_of_a_file_writes_nothing_more() {
    let (_folder, path) = folder();
    let store = open(&path).unwrap();
    let seq = block_on(accept(&store, &lane("C1"), "a"));
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    block_on(writer.commit_effects(vec![loose("fx_1")]));
    let leased = block_on(store.lease("w", 1)).unwrap().remove(0);
    let by = Connection::open(&path).unwrap();
    by.execute_batch("UPDATE instance SET session = session + 1").unwrap();
    fn lost<T: std::fmt::Debug>(result: Result<T, StoreError>) {
        assert!(matches!(result, Err(StoreError::TakenOver { .. })), "{result:?}");
    }
    lost(block_on(store.accept(delivery(&lane("C1"), "b"))));
    lost(block_on(writer.try_commit(TurnCommit { inbox: vec![done(seq)], ..writer.turn() })));
    lost(block_on(store.mark("acme", &leased.effect.row.id, leased.fence, &leased.effect.held())));
    lost(block_on(store.settle(crate::conformance::fixture::settled("fx_1", Some(leased.fence)))));
    lost(block_on(store.claim(&lane("C2"), "a")));
    lost(block_on(store.writable()));
    lost(block_on(crate::Erasure::vacuum(&store)));
    block_on(store.taken_over());
    let rows: i64 = by.query_row("SELECT count(*) FROM inbox", [], |row| row.get(0)).unwrap();
    assert_eq!((rows, block_on(store.turns(&lane("C1"), 0, 10)).unwrap().len()), (1, 1));
}

/// The body of the other process of the tests below: opens the file it is told, and says how that went.
#[test]
fn child_that_opens() {
    let Ok(path) = std::env::var("THROUGHLINE_TEST_OPEN") else { return };
    let store = open(Path::new(&path));
    let mut out = std::io::stdout();
    writeln!(out, "child: {}", store.as_ref().map_or_else(ToString::to_string, |_| "opened".into())).unwrap();
    out.flush().unwrap();
    // Holds the file until the parent closes its end.
    let _ = std::io::stdin().lines().next();
}

struct Child(std::process::Child);

impl Child {
    /// Starts a process that opens the file, and returns it with what it says.
    fn open(path: &Path) -> (Self, String) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["sqlite::owner_tests::child_that_opens", "--exact", "--nocapture"])
            .env("THROUGHLINE_TEST_OPEN", path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let said =
            lines.filter_map(|line| line.split_once("child: ").map(|(_, said)| said.to_owned())).next();
        (Self(child), said.expect("it says something"))
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Two processes exclude each other whatever path the second takes, and a killed one holds nothing.
#[cfg(target_os = "linux")]
#[test]
fn two_processes_exclude_each_other() {
    let (folder, path) = folder();
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let (child, said) = Child::open(&link);
    assert_eq!(said, "opened");
    for removed in [false, true] {
        if removed {
            fs::remove_file(folder.path().join("t.db.lock")).unwrap();
        }
        assert_in_use(&path);
        let (third, said) = Child::open(&path);
        assert!(said.contains("another process is using it"), "{said}");
        third.kill();
    }
    child.kill();
    let store = open(&path).unwrap();
    // An opening that is refused in this process must not end the locks that SQLite holds.
    assert_in_use(&link);
    let (child, said) = Child::open(&link);
    assert!(said.contains("another process is using it"), "{said}");
    child.kill();
    block_on(accept(&store, &lane("C1"), "a"));
}

/// Two writers gave the same positions twice, as an earlier version let them. Every row gets its turn, the oldest of its
/// lane first, and its keys lead to it.
#[test]
fn rows_that_share_a_position_get_their_turns() {
    let (_folder, path) = folder();
    let store = open(&path).unwrap();
    for n in 0..6 {
        let seq = block_on(accept(&store, &lane("C1"), &format!("a{n}")));
        let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
        block_on(writer.commit(TurnCommit { inbox: vec![done(seq)], ..writer.turn() }));
    }
    for (n, conversation) in ["C2", "C3", "C2", "C1", "C2", "C3"].iter().enumerate() {
        block_on(accept(&store, &lane(conversation), &format!("b{n}")));
    }
    let free = block_on(accept(&store, &lane_of("globex", "C9"), "free"));
    drop(store);
    // The rows of the second writer, at the positions of the first one's.
    let damage = "UPDATE delivery_keys SET seq = seq - 6 WHERE seq > 6 AND seq < 13; \
                  UPDATE inbox SET seq = seq - 6 WHERE seq > 6 AND seq < 13;";
    Connection::open(&path).unwrap().execute_batch(damage).unwrap();

    let store = open(&path).unwrap();
    let keys = |conversation: &str| -> Vec<String> {
        block_on(store.waiting(&lane(conversation), 10)).unwrap().into_iter().map(|row| row.key).collect()
    };
    assert_eq!(
        (keys("C1"), keys("C2"), keys("C3")),
        (vec!["b3".to_owned()], vec!["b0".into(), "b2".into(), "b4".into()], vec!["b1".into(), "b5".into()])
    );
    let kept = block_on(store.waiting(&lane_of("globex", "C9"), 10)).unwrap();
    assert_eq!(
        kept.iter().map(|row| row.seq).collect::<Vec<_>>(),
        [free],
        "a lane without such rows is left alone"
    );
    for conversation in ["C1", "C2", "C3"] {
        for row in block_on(store.waiting(&lane(conversation), 10)).unwrap() {
            let mut writer = block_on(LaneWriter::claim(&store, &lane(conversation)));
            block_on(writer.commit(TurnCommit { inbox: vec![done(row.seq)], ..writer.turn() }));
            let found = block_on(store.delivery("acme", &row.key)).unwrap().unwrap();
            assert_eq!((found.state, found.lane), (crate::RowState::Done, lane(conversation)), "{}", row.key);
            assert!(found.turn.is_some());
        }
    }
    let first = block_on(store.delivery("acme", "a0")).unwrap().unwrap();
    assert_eq!((first.state, first.lane), (crate::RowState::Done, lane("C1")));
}

/// The file was last used while the clock was a year ahead; the next start moves what waits.
#[test]
fn a_start_after_the_clock_was_set_back_moves_what_waits() {
    let (_folder, path) = folder();
    let ahead = START.plus(365 * Timestamp::DAY);
    let store = SqliteStore::open(&path, Arc::new(ManualClock::at(ahead))).unwrap();
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    let due = ahead.plus(Timestamp::MINUTE);
    let timers = vec![TimerRow { id: "tm_1".into(), lane: lane("C1"), due, about: String::new() }];
    block_on(
        writer.commit(TurnCommit { timers, ..writer.turn_with_effects(vec![loose("fx_1"), loose("fx_2")]) }),
    );
    block_on(accept(&store, &lane("C1"), "a"));
    block_on(store.lease("w", 1)).unwrap();
    drop(store);
    // The first one notes nothing of what an earlier version wrote.
    for noted in ["last_at", "NULL"] {
        let (_folder, copy) = folder();
        fs::copy(&path, &copy).unwrap();
        let note = format!("UPDATE instance SET last_at = {noted}");
        Connection::open(&copy).unwrap().execute_batch(&note).unwrap();
        let clock = clock();
        for _ in 0..2 {
            let store = SqliteStore::open(&copy, clock.clone()).unwrap();
            let due = block_on(store.next_due()).unwrap();
            assert_eq!(due, Some(START.plus(Timestamp::MINUTE)), "moved once, not at every start");
            assert_eq!(block_on(store.lease("w", 10)).unwrap().len(), 2);
            assert_eq!(block_on(store.waiting(&lane("C1"), 1)).unwrap()[0].received_at, START);
            assert_eq!(block_on(store.counts()).unwrap().far_effects, 0);
        }
    }
}

/// Whoever finds the database in use reads where its owner serves; nobody else's address is ever read.
#[test]
fn an_owner_leaves_its_address_for_as_long_as_it_owns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let link = folder.path().join("link.db");
    assert_eq!(owner_address(&path), None, "no file");
    let store = open(&path).unwrap();
    assert_eq!(owner_address(&path), None, "it serves nowhere");
    store.publish_address("http://127.0.0.1:65535");
    store.publish_address("http://127.0.0.1:1");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for path in [&path, &link] {
        assert_eq!(owner_address(path).as_deref(), Some("http://127.0.0.1:1"));
    }
    drop(store);
    assert_eq!(owner_address(&path), None);
    // One that was killed.
    fs::write(folder.path().join("t.db.lock"), "http://127.0.0.1:2").unwrap();
    let _store = open(&path).unwrap();
    assert_eq!(owner_address(&path), None);
}
