//! An erasure is stopped at every fail point on its way and goes on after a restart: in the end no byte of the person
//! is left, and the erasure is on record once.

#[path = "shared/host.rs"]
mod host;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use throughline_engine::data::policy::RetentionLimits;
use throughline_engine::{LaneKey, Policy, Timestamp};
use throughline_runtime::replay::Comparison;
use throughline_runtime::{Crash, FailPoint, Faults, NoFaults, Runtime, Subject};
use throughline_store::{Clock as _, ManualClock, MemoryStore, SqliteStore, Store};

use host::{run, says};

const TENANT: &str = "acme";
/// The fail points that an erasure passes in a lane, at least: its turn is accepted, read, committed and released,
/// and its content erased.
const IN_A_LANE: usize = 5;

/// Passes so many fail points, then stops at every one.
struct StopsAfter(AtomicUsize);

impl Faults for StopsAfter {
    fn at(&self, point: FailPoint, _: &str) -> Result<(), Crash> {
        let passes = |left: usize| left.checked_sub(1);
        let passed = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, passes);
        passed.map(|_| ()).map_err(|_| Crash(point))
    }
}

fn open(file: &Path, clock: &Arc<ManualClock>, faults: Arc<dyn Faults>, seed: u8) -> Runtime {
    host::host(Arc::new(SqliteStore::open(file, clock.clone()).unwrap()), faults, seed)
}

fn lane(of: &str) -> LaneKey {
    LaneKey::new(TENANT, "app", "web", of, "")
}

async fn talk(host: &Runtime, clock: &ManualClock) {
    for of in ["one", "two"] {
        for (n, (who, text)) in [
            ("ana", "Create a ticket for the kestrelgate bug\nSteps: open it\nExpected: a form\nActual: a blank page"),
            ("bob", "I think marmotworth is to blame for all of it"),
            ("ana", "no, it was kestrelgate all along"),
            ("ana", "remember that kestrelgate opens in May"),
        ]
        .into_iter()
        .enumerate()
        {
            says(host, lane(of), who, &format!("{of}:{n}"), text).await;
            clock.advance(1_000);
        }
    }
    says(host, lane("his"), "bob", "his:0", "What about marmotworth?").await;
    says(host, lane("his"), "bob", "his:1", "They say: no, it was kestrelgate all along").await;
}

fn holds(folder: &Path, word: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default().to_ascii_lowercase();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    })
}

#[test]
fn an_erasure_that_was_stopped_anywhere_goes_on() {
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let subject = Subject::Person { id: "ana".into() };
    let ended_after = |points: usize| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(talk(&open(&file, &clock, Arc::new(NoFaults), 7), &clock));
        assert!(holds(folder.path(), "kestrelgate") && holds(folder.path(), "anasson"));
        let stopping = open(&file, &clock, Arc::new(StopsAfter(points.into())), 8);
        let ended = runtime.block_on(stopping.erase(TENANT, &subject, "root")).is_ok();
        drop(stopping);

        let host = open(&file, &clock, Arc::new(NoFaults), 9);
        runtime.block_on(async {
            host.recover(TENANT).await.unwrap();
            run(&host).await;
            for tenant in host.wakes().to_erase() {
                host.resume_erasures(&tenant).await.unwrap();
            }
            assert!(!holds(folder.path(), "kestrelgate"), "stopped after {points}");
            assert!(!holds(folder.path(), "anasson"), "stopped after {points}");
            let rows = host.store().audit(TENANT, 0, 100).await.unwrap();
            assert_eq!(rows.iter().filter(|(_, row)| row.contains("erased")).count(), 1, "{rows:?}");
            assert!(holds(folder.path(), "marmotworth"));
            assert_eq!(host.store().verify_audit(TENANT).await.unwrap(), None);
            let again = host.erase(TENANT, &subject, "root").await.unwrap();
            assert!(again.is_nothing(), "stopped after {points}: {again:?}");
            for of in ["one", "two", "his"] {
                let mut wrong = Vec::new();
                let seen = |turn: &throughline_runtime::replay::Replayed| {
                    if !matches!(turn.verdict, Comparison::Same | Comparison::ContentErased) {
                        wrong.push(turn.clone());
                    }
                };
                host.replay(&lane(of), 1, seen).await.unwrap();
                assert!(wrong.is_empty(), "stopped after {points}: {wrong:?}");
            }
        });
        ended
    };
    // The request, the tenant's values before and after the two lanes, the disk and the record; and whatever the
    // turns pass.
    let least = 5 + 2 * IN_A_LANE;
    let points = (0..200).find(|points| ended_after(*points)).unwrap();
    assert!(points >= least, "it passed {points} fail points");
}

/// Contents and deliveries of before a time are gone wherever the erasure was stopped. The newer ones stay, chains verify, and
/// turns that still have their content are decided again as they were.
#[test]
fn what_is_old_goes_and_every_chain_holds() {
    let ended_after = |points: usize| {
        let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let host = open(&file, &clock, Arc::new(NoFaults), 7);
        runtime.block_on(talk(&host, &clock));
        clock.advance(40 * Timestamp::DAY);
        runtime.block_on(says(&host, lane("one"), "bob", "new:1", "What about marmotworth now?"));
        drop(host);
        let at = Timestamp(clock.now().0 - 30 * Timestamp::DAY);
        let stopping = open(&file, &clock, Arc::new(StopsAfter(points.into())), 8);
        let ended = runtime.block_on(stopping.erase(TENANT, &Subject::Before { at }, "root")).is_ok();
        drop(stopping);

        let host = open(&file, &clock, Arc::new(NoFaults), 9);
        runtime.block_on(async {
            host.recover(TENANT).await.unwrap();
            for tenant in host.wakes().to_erase() {
                host.resume_erasures(&tenant).await.unwrap();
            }
            let store = host.store();
            for of in ["one", "two", "his"] {
                let turns = store.turns(&lane(of), 0, 1_000).await.unwrap();
                assert!(turns.iter().all(|turn| turn.log.content.is_empty() == (turn.log.at < at)), "{of}");
                let info = store.lane(TENANT, &lane(of).id()).await.unwrap().unwrap();
                assert_eq!(host.verify_lane(&info).await.unwrap().broken, [""; 0], "stopped after {points}");
                let seen = |turn: &throughline_runtime::replay::Replayed| {
                    assert!(matches!(turn.verdict, Comparison::Same | Comparison::ContentErased), "{turn:?}");
                };
                host.replay(&lane(of), 1, seen).await.unwrap();
            }
            assert_eq!(store.verify_audit(TENANT).await.unwrap(), None);
            assert_eq!(store.delivery(TENANT, "one:0").await.unwrap(), None);
            assert!(store.delivery(TENANT, "new:1").await.unwrap().is_some());
        });
        ended
    };
    let points = (0..50).find(|points| ended_after(*points)).unwrap();
    assert!(points > 5, "it passed {points} fail points");
}

/// The policy's age counts once a day, whichever process comes first; without one nothing goes.
#[test]
fn what_is_old_goes_once_a_day() {
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock.clone()));
    let with = |days: u32, seed| {
        let policy = Policy { retention: RetentionLimits { days }, ..Policy::default() };
        host::host_with(store.clone(), host::nothing(), policy, Arc::new(NoFaults), seed)
    };
    let [keeps, first, second] = [with(0, 1), with(30, 2), with(30, 3)];
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        says(&first, lane("one"), "ana", "old", "kestrelgate opens in May").await;
        clock.advance(40 * Timestamp::DAY);
        assert!(!keeps.erase_old(TENANT).await.unwrap(), "nothing says what is old");
        let content = async || store.turns(&lane("one"), 0, 1).await.unwrap().remove(0).log.content;
        assert!(content().await.contains("kestrelgate"));
        assert!(first.erase_old(TENANT).await.unwrap());
        assert_eq!(content().await, "");
        assert!(!second.erase_old(TENANT).await.unwrap(), "another process did it today");
        clock.advance(Timestamp::DAY);
        assert!(second.erase_old(TENANT).await.unwrap(), "the next day");
        let rows = store.audit(TENANT, 0, 100).await.unwrap();
        assert_eq!(rows.iter().filter(|(_, row)| row.contains("\"of\":\"before\"")).count(), 2, "{rows:?}");
    });
}
