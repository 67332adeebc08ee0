//! The durable turn: the production runtime over SQLite, many lanes in flight.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use throughline_engine::event::Posted;
use throughline_engine::given::{Actor, Addressing};
use throughline_engine::{Event, EventKind, LaneKey, Policy, Timestamp};
use throughline_runtime::{Directory, Inbound, Keys, NoFaults, Parts, Ports, Runtime, host};
use throughline_store::{SqliteStore, SystemClock};

struct Everybody;

#[async_trait]
impl Directory for Everybody {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        Actor { id: id.into(), name: id.into(), ..Actor::default() }
    }
}

/// What a run did.
pub(crate) struct Turns {
    pub(crate) per_second: f64,
    /// Bytes the database took for one turn.
    pub(crate) bytes_per_turn: usize,
}

/// `lanes` callers, each waiting for its turn before it sends the next of `each`.
pub(crate) fn run(lanes: usize, each: usize) -> anyhow::Result<Turns> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("bench.db");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let seconds = runtime.block_on(load(&path, lanes, each))?;
    drop(runtime);
    let turns = lanes * each;
    let size = std::fs::metadata(&path)?.len() as usize;
    Ok(Turns { per_second: turns as f64 / seconds, bytes_per_turn: size / turns })
}

async fn load(path: &std::path::Path, lanes: usize, each: usize) -> anyhow::Result<f64> {
    let store = Arc::new(SqliteStore::open(path, Arc::new(SystemClock::default()))?);
    let n = AtomicU64::new(0);
    let runtime = Arc::new(Runtime::new(Parts {
        store,
        ports: Ports {
            directory: Arc::new(Everybody),
            channels: BTreeMap::new(),
            trackers: BTreeMap::new(),
            model: None,
            hosted: Vec::new(),
        },
        policy: Policy::default(),
        keys: Keys::new([1; 32]),
        faults: Arc::new(NoFaults),
        entropy: Arc::new(move || {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&n.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            bytes
        }),
    }));
    let host = host::run(runtime.clone());
    let begun = Instant::now();
    let callers: Vec<_> = (0..lanes).map(|lane| tokio::spawn(caller(runtime.clone(), lane, each))).collect();
    for caller in callers {
        caller.await??;
    }
    let seconds = begun.elapsed().as_secs_f64();
    host.drain().await;
    Ok(seconds)
}

async fn caller(runtime: Arc<Runtime>, lane: usize, each: usize) -> anyhow::Result<()> {
    let key = LaneKey::new("bench", "app", "api", &format!("c{lane}"), "");
    for n in 0..each {
        let id = format!("bench:{lane}:{n}");
        let turn = runtime.wakes().watch(&id);
        let text = "What do you think about microservices for the billing team?".to_owned();
        let event = Event {
            id: id.clone(),
            received_at: Timestamp(0),
            actor: "ana".into(),
            kind: EventKind::MessagePosted(Posted { text, ..Posted::default() }),
        };
        let addressing = Addressing { direct: true, ..Addressing::default() };
        runtime
            .accept(Inbound { lane: key.clone(), keys: vec![id], event, addressing, body_hash: None })
            .await?;
        turn.await?;
    }
    Ok(())
}
