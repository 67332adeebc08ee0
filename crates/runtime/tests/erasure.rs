//! Erasing is stopped at every point at which it waits for the store, and goes on after a restart: in the end no byte of
//! theirs is left, and what was begun is done once.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use async_trait::async_trait;
use throughline_engine::event::Posted;
use throughline_engine::given::{Actor, Addressing};
use throughline_engine::{Event, EventKind, LaneKey, Policy, Timestamp};
use throughline_runtime::replay::Same;
use throughline_runtime::{Directory, Inbound, Keys, NoFaults, Parts, Ports, Runtime, Subject};
use throughline_store::{ManualClock, SqliteStore};

const TENANT: &str = "acme";

struct Everybody;

#[async_trait]
impl Directory for Everybody {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        Actor { id: id.into(), name: format!("{id}sson"), ..Actor::default() }
    }
}

fn open(file: &Path, clock: &Arc<ManualClock>) -> Runtime {
    let store = Arc::new(SqliteStore::open(file, clock.clone()).unwrap());
    let ports = Ports {
        directory: Arc::new(Everybody),
        channels: BTreeMap::new(),
        trackers: BTreeMap::new(),
        model: None,
        workers: BTreeMap::new(),
        hosted: Vec::new(),
    };
    let n = AtomicU64::new(0);
    Runtime::new(Parts {
        store,
        ports,
        policy: Policy::default(),
        keys: Keys::new([3; 32]),
        faults: Arc::new(NoFaults),
        entropy: Arc::new(move || {
            let mut bytes = [7; 16];
            bytes[8..].copy_from_slice(&n.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            bytes
        }),
    })
}

async fn says(host: &Runtime, lane: &str, who: &str, key: &str, text: &str) {
    let event = Event {
        id: key.into(),
        received_at: host.store().now(),
        actor: who.into(),
        kind: EventKind::MessagePosted(Posted { text: text.into(), ..Posted::default() }),
    };
    let lane = LaneKey::new(TENANT, "app", "web", lane, "");
    let addressing = Addressing { direct: true, ..Addressing::default() };
    host.accept(Inbound { lane, keys: vec![key.into()], event, addressing, body_hash: None }).await.unwrap();
    while let Some(lane) = host.wakes().next() {
        let run = host.run_lane(&lane).await.unwrap();
        host.wakes().done(&lane, run.more);
    }
}

async fn talk(host: &Runtime) {
    for lane in ["one", "two"] {
        for (n, (who, text)) in [
            ("ana", "Create a ticket for the kestrelgate bug\nSteps: open it\nExpected: a form\nActual: a blank page"),
            ("bob", "I think marmotworth is to blame for all of it"),
            ("ana", "no, it was kestrelgate all along"),
            ("ana", "remember that kestrelgate opens in May"),
        ]
        .into_iter()
        .enumerate()
        {
            says(host, lane, who, &format!("{lane}:{n}"), text).await;
        }
    }
    says(host, "his", "bob", "his:0", "What about marmotworth?").await;
}

fn holds(folder: &Path, word: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default().to_ascii_lowercase();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    })
}

struct Flag(AtomicBool, std::thread::Thread);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
        self.1.unpark();
    }
}

/// Drives a future to its end, or lets it go after so many times at which it waited.
fn stopped_after<T>(future: impl Future<Output = T>, waits: usize) -> Option<T> {
    let flag = Arc::new(Flag(AtomicBool::new(false), std::thread::current()));
    let waker = Waker::from(flag.clone());
    let mut future = pin!(future);
    for _ in 0..waits {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Some(done);
        }
        while !flag.0.swap(false, Ordering::SeqCst) {
            std::thread::park();
        }
    }
    None
}

#[test]
fn e33_an_erasure_that_was_stopped_anywhere_goes_on() {
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let all = |waits| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        let wait = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let host = open(&file, &clock);
        wait.block_on(talk(&host));
        assert!(holds(folder.path(), "kestrelgate") && holds(folder.path(), "anasson"));
        let subject = Subject::Person { id: "ana".into() };
        let done = stopped_after(host.erase(TENANT, &subject, "root"), waits).is_some();
        drop(host);

        let host = open(&file, &clock);
        wait.block_on(async {
            host.recover(TENANT).await.unwrap();
            while let Some(lane) = host.wakes().next() {
                let run = host.run_lane(&lane).await.unwrap();
                host.wakes().done(&lane, run.more);
            }
            for tenant in host.wakes().to_erase() {
                host.erase_what_was_asked(&tenant).await.unwrap();
            }
            if waits > 0 {
                assert!(!holds(folder.path(), "kestrelgate"), "stopped after {waits}");
                assert!(!holds(folder.path(), "anasson"), "stopped after {waits}");
                let rows = host.store().audit(TENANT, 0, 100).await.unwrap();
                assert_eq!(rows.iter().filter(|(_, row)| row.contains("erased")).count(), 1, "{rows:?}");
            }
            assert!(holds(folder.path(), "marmotworth"));
            assert_eq!(host.store().verify_audit(TENANT).await.unwrap(), None);
            assert!(host.erase(TENANT, &subject, "root").await.unwrap().is_nothing() == (waits > 0));
            for lane in ["one", "two", "his"] {
                let key = LaneKey::new(TENANT, "app", "web", lane, "");
                let mut wrong = Vec::new();
                let seen = |turn: &throughline_runtime::replay::Replayed| {
                    if !matches!(turn.verdict, Same::Yes | Same::ContentErased) {
                        wrong.push(turn.clone());
                    }
                };
                host.replay(&key, 1, seen).await.unwrap();
                assert!(wrong.is_empty(), "stopped after {waits}: {wrong:?}");
            }
        });
        done
    };
    let mut waits = 0;
    while !all(waits) {
        waits += 1;
        assert!(waits < 200, "it ends");
    }
    assert!(waits > 8, "it waited {waits} times");
}
