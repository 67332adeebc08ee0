//! Facts of a channel that two lanes write at once, over SQLite (`docs/design/0027-facts.md`).

#[path = "shared/host.rs"]
mod host;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use throughline_engine::data::fact::FactKey;
use throughline_engine::{LaneKey, Reason, Timestamp};
use throughline_runtime::replay::Comparison;
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Crash, FailPoint, Faults, NoFaults, Runtime};
use throughline_store::{ManualClock, SqliteStore, TurnLog};

/// Waits once, where a turn has read its facts and is not committed.
struct Pausing(Mutex<Option<(Sender<()>, Receiver<()>)>>);

impl Faults for Pausing {
    fn at(&self, point: FailPoint, _: &str) -> Result<(), Crash> {
        if point == FailPoint::ContextRead
            && let Some((read, go)) = self.0.lock().unwrap().take()
        {
            read.send(()).unwrap();
            go.recv().unwrap();
        }
        Ok(())
    }
}

fn open(store: &Arc<SqliteStore>, faults: Arc<dyn Faults>, seed: u8) -> Runtime {
    host::host(store.clone(), faults, seed)
}

/// Posts a text in a thread of the room, and runs lanes until nothing is left to do.
async fn says(host: &Runtime, thread: &str, by: &str, text: &str) {
    let lane = LaneKey::new("acme", "app", "web", "room", thread);
    host::says(host, lane, by, &format!("{thread}:{text}"), text).await;
}

fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

// row: C59
#[test]
fn two_lanes_write_one_channel_fact_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let store = Arc::new(SqliteStore::open(folder.path().join("t.db"), clock).unwrap());
    let ((read, is_read), (go, may_go)) = (channel(), channel());
    let slow = open(&store, Arc::new(Pausing(Mutex::new(Some((read, may_go))))), 5);
    let quick = open(&store, Arc::new(NoFaults), 6);
    let said = "Remember for this channel that releases must be signed";
    let slow = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            block(says(&slow, "t1", "ana", said));
            slow
        });
        is_read.recv().unwrap();
        block(says(&quick, "t2", "bob", said));
        go.send(()).unwrap();
        waiting.join().unwrap()
    });
    block(async {
        let lane = |thread| LaneKey::new("acme", "app", "web", "room", thread);
        let set = slow.facts(&FactKey::channel(&lane("t1"))).await.unwrap();
        assert_eq!((set.facts.len(), set.revision), (1, 2));
        let mut authors: Vec<&str> =
            set.facts[0].sources.iter().map(|source| source.author.as_str()).collect();
        authors.sort_unstable();
        assert_eq!(authors, ["ana", "bob"], "both are there");
        for (thread, reason) in [("t1", Reason::FactMerged), ("t2", Reason::FactAdded)] {
            let turns = store.turns(&lane(thread), 0, 10).await.unwrap();
            let reasons: Vec<Reason> =
                turns.iter().map(|turn| Turn::read(turn).unwrap().row.decision.reason).collect();
            assert_eq!(reasons, [reason], "{thread}: stepped again with what the other had written");
            let mut same = Vec::new();
            slow.replay(&lane(thread), 0, |turn| same.push(turn.verdict.clone())).await.unwrap();
            assert_eq!(same, [Comparison::Same], "{thread}: its log has the facts it rests on");
        }
    });
}

#[test]
fn a_turn_that_needs_no_facts_logs_none() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let store = Arc::new(SqliteStore::open(folder.path().join("t.db"), clock).unwrap());
    let host = open(&store, Arc::new(NoFaults), 5);
    block(async {
        says(&host, "t1", "ana", "Remember for this channel that releases must be signed").await;
        says(&host, "t1", "ana", "What about microservices?").await;
        let turns = store.turns(&LaneKey::new("acme", "app", "web", "room", "t1"), 0, 10).await.unwrap();
        let given = |n: usize| Turn::read(&turns[n]).unwrap().content.unwrap().given.facts.len();
        assert_eq!((given(0), given(1)), (1, 0));
    });
}
