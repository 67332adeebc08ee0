//! Tests of the copy. What every case of the conformance suite leaves in a file is copied, and everything that the contract
//! tells of the copy is what it tells of the file.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Connection;
use tempfile::TempDir;
use throughline_engine::LaneKey;

use super::copy;
use crate::conformance::fixture::{
    LaneWriter, accept, after, attempt, delivery, lane, lane_of, loose, settled,
};
use crate::conformance::{START, Subject, block_on};
use crate::postgres::test_server::Server;
use crate::{Accepted, Inbox, Lanes, ManualClock, Outbox, PostgresStore, SqliteStore, Store, StoreError};

fn open(path: &std::path::Path, clock: &Arc<ManualClock>) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(path, clock.clone()).unwrap())
}

fn server(clock: &Arc<ManualClock>) -> (Server, PostgresStore) {
    let server = Server::start();
    let store = block_on(PostgresStore::open(&server.url("throughline"), clock.clone())).unwrap();
    (server, store)
}

/// A file that a case wrote, which is copied and compared when the case has ended.
struct Compared {
    folder: TempDir,
    clock: Arc<ManualClock>,
}

impl Compared {
    fn file(&self) -> PathBuf {
        self.folder.path().join("throughline.db")
    }
}

impl Drop for Compared {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let from = open(&self.file(), &self.clock);
        let (_server, to) = server(&self.clock);
        let copied = block_on(copy(from.clone(), &to, |_| ())).unwrap();
        let names = Names::read(&self.file());
        assert_eq!(copied.tenants, from.tenants().unwrap());
        let [told, expected] =
            [&to as &dyn Store, &*from].map(|store| block_on(tell(store, &copied.tenants, &names)));
        for (told, expected) in told.iter().zip(&expected) {
            assert_eq!(told, expected);
        }
        assert_eq!(told.len(), expected.len());
    }
}

fn subject(clock: Arc<ManualClock>) -> Subject {
    let compared = Compared { folder: tempfile::tempdir().unwrap(), clock: clock.clone() };
    let store = SqliteStore::open(compared.file(), clock.clone()).unwrap();
    Subject::new(store, clock).with_guard(compared)
}

crate::conformance!(copied, subject);

/// Names by which something is asked for, as they are in a file.
struct Names {
    /// Keys of deliveries. The file has hashes of most, so those that cases use are tried, too.
    deliveries: BTreeSet<String>,
    buttons: BTreeSet<String>,
    messages: BTreeSet<String>,
    collections: BTreeSet<String>,
    policies: BTreeSet<String>,
    people: BTreeSet<String>,
}

impl Names {
    fn read(file: &std::path::Path) -> Self {
        let sql = Connection::open(file).unwrap();
        let texts = |select: &str| -> BTreeSet<String> {
            let mut select = sql.prepare(select).unwrap();
            let rows = select.query_map([], |row| row.get(0)).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let mut deliveries = texts(
            "SELECT first FROM delivery_keys WHERE first IS NOT NULL UNION SELECT key FROM inbox \
             UNION SELECT key FROM requests",
        );
        deliveries.extend(["a", "b", "c", "d", "k", "evt:1", "event:1", "http:1"].map(Into::into));
        let hashes = "SELECT lower(hex(substr(hashes, 16 * n.value + 1, 16))) FROM buttons, \
                      json_each('[0,1,2,3,4,5,6,7]') n WHERE 16 * n.value < length(hashes)";
        Self {
            deliveries,
            buttons: texts(hashes),
            messages: texts("SELECT at FROM records WHERE kind IN ('', 'sent')"),
            collections: texts("SELECT collection FROM documents"),
            policies: texts("SELECT version FROM policies"),
            people: texts("SELECT person FROM participants"),
        }
    }
}

/// Returns everything that the contract tells of a store.
async fn tell(store: &dyn Store, tenants: &[String], names: &Names) -> Vec<String> {
    let mut told = vec![format!("{:?}", store.counts().await), format!("{:?}", store.next_due().await)];
    told.push(format!("{:?}", store.lanes_with_work(u32::MAX).await));
    let mut due = store.due_timers(u32::MAX).await.unwrap();
    due.sort_by_key(|timer| timer.id.clone());
    told.push(format!("{due:?}"));
    for tenant in tenants {
        tell_tenant(store, tenant, names, &mut told).await;
        for info in store.lanes(tenant, None, u32::MAX >> 1).await.unwrap() {
            told.push(format!("{info:?}"));
            tell_lane(store, &info.key, names, &mut told).await;
        }
    }
    told
}

async fn tell_tenant(store: &dyn Store, tenant: &str, names: &Names, told: &mut Vec<String>) {
    let many = u32::MAX >> 1;
    told.push(format!("{:?}", store.audit(tenant, 0, many).await));
    told.push(format!("{:?}", store.verify_audit(tenant).await));
    told.push(format!("{:?}", store.pause(tenant).await));
    told.push(format!("{:?}", store.erasures(tenant, false).await));
    for approval in store.approvals(tenant, false, many).await.unwrap() {
        told.push(format!("{approval:?}"));
    }
    let turns = store.latest_turns(tenant, None, many).await.unwrap().turns;
    told.push(format!("{:?}", turns.iter().map(|(_, turn)| &turn.log.turn).collect::<Vec<_>>()));
    for set in store.fact_sets(tenant, None, many).await.unwrap() {
        told.push(format!("{set:?} {:?}", store.facts(&set, None).await));
    }
    for key in &names.deliveries {
        told.push(format!("{key} {:?}", store.delivery(tenant, key).await));
    }
    for collection in &names.collections {
        told.push(format!("{collection} {:?}", store.documents(tenant, collection, None, many).await));
    }
    for version in &names.policies {
        told.push(format!("{version} {:?}", store.policy(tenant, version).await));
    }
    for person in &names.people {
        told.push(format!("{person} {:?}", store.lanes_of(tenant, person, None, many).await));
    }
}

async fn tell_lane(store: &dyn Store, lane: &LaneKey, names: &Names, told: &mut Vec<String>) {
    let mut loaded = store.load(lane).await.unwrap();
    if let Some(loaded) = &mut loaded {
        // Backends load records in orders of their own.
        loaded.records.sort();
    }
    told.push(format!("{loaded:?}"));
    for turn in store.turns(lane, 0, u32::MAX >> 1).await.unwrap() {
        told.push(format!("{turn:?} {:?}", store.checkpoint(lane, turn.revision).await));
    }
    told.push(format!("{:?}", store.waiting(lane, u32::MAX >> 1).await));
    told.push(format!("{:?}", store.awaited(lane).await));
    for effect in store.effects(&lane.tenant, Some(lane), None, u32::MAX >> 1).await.unwrap() {
        let released = match &effect.row.approval {
            Some(approval) => format!("{:?}", store.released(&lane.tenant, approval).await),
            None => String::new(),
        };
        told.push(format!("{effect:?} {released}"));
    }
    for hash in &names.buttons {
        told.push(format!("{:?}", store.token(lane, hash).await));
    }
    for id in &names.messages {
        let message = store.record(lane, "message", id).await;
        told.push(format!("{id} {message:?} {:?}", store.channel_ids(lane, id).await));
    }
    let mut texts = Vec::new();
    let mut visitor = |text: &crate::StoredText<'_>| texts.push(format!("{text:?}"));
    store.visit(lane, &mut visitor).await.unwrap();
    texts.sort();
    told.extend(texts);
}

/// A lane goes on in the copy where it was in the file: nobody holds it, what comes twice is known, and the next turn follows.
#[test]
fn a_lane_goes_on_in_the_copy() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::at(START)));
    let from = open(&folder.path().join("a.db"), &clock);
    let mut writer = block_on(LaneWriter::claim(&*from, &lane("C1")));
    let effects = vec![loose("fx_1"), after(loose("fx_2"), &["fx_1"])];
    block_on(writer.commit(writer.turn_with_effects(effects)));
    drop(writer);
    block_on(accept(&*from, &lane("C1"), "waits"));
    let (_server, to) = server(&clock);
    block_on(copy(from, &to, |_| ())).unwrap();
    let again = block_on(to.accept(delivery(&lane("C1"), "waits"))).unwrap();
    assert!(matches!(again, Accepted::Duplicate(_)), "{again:?}");
    let first = block_on(to.waiting(&lane("C1"), 10)).unwrap();
    block_on(accept(&to, &lane("C1"), "later"));
    let rows = block_on(to.waiting(&lane("C1"), 10)).unwrap();
    assert_eq!((first.len(), &rows[0], rows[1].key.as_str()), (1, &first[0], "later"));
    let mut writer = block_on(LaneWriter::claim_as("another", &to, &lane("C1")));
    block_on(writer.commit(writer.turn()));
    assert_eq!(block_on(to.load(&lane("C1"))).unwrap().unwrap().revision, 2);
    for effect in ["fx_1", "fx_2"] {
        let fence = block_on(attempt(&to, effect));
        assert!(block_on(to.settle(settled(effect, Some(fence)))).unwrap(), "{effect}");
    }
}

/// A database that holds anything is not copied into, and a copy that fails leaves nothing behind.
#[test]
fn a_copy_is_all_or_nothing() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::at(START)));
    let path = folder.path().join("a.db");
    let from = open(&path, &clock);
    block_on(accept(&*from, &lane_of("acme", "C1"), "fits"));
    block_on(accept(&*from, &lane_of("globex", "C1"), "has a NUL: \0"));
    let (_server, to) = server(&clock);
    let refused = block_on(copy(from, &to, |_| ())).unwrap_err();
    let StoreError::Refused { why, .. } = &refused else { panic!("{refused:?}") };
    assert!(why.contains("inbox") && why.contains("globex"), "{why}");
    assert_eq!(block_on(to.counts()).unwrap().lanes, 0);

    let from = open(&path, &clock);
    let sql = Connection::open(&path).unwrap();
    sql.execute("DELETE FROM inbox WHERE key <> 'fits'", []).unwrap();
    block_on(copy(from.clone(), &to, |_| ())).unwrap();
    assert_eq!(block_on(to.counts()).unwrap().lanes, 2);
    let full = block_on(copy(from, &to, |_| ())).unwrap_err();
    assert!(matches!(&full, StoreError::Open { why, .. } if why.contains("empty database")), "{full:?}");
}
