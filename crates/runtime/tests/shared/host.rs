//! A runtime over a store, without models, channels or trackers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::event::MessagePosted;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Policy};
use throughline_runtime::{Directory, Faults, Inbound, Keys, Parts, Ports, Runtime};
use throughline_store::{DeliveryIdentity, Store};

struct Everybody;

#[async_trait]
impl Directory for Everybody {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        Actor { id: id.into(), name: format!("{id}sson"), ..Actor::default() }
    }
}

/// Creates a runtime without anything around it. Runtimes over one store need different seeds.
#[allow(dead_code, reason = "a test may bring its own surroundings")]
pub(crate) fn host(store: Arc<dyn Store>, faults: Arc<dyn Faults>, seed: u8) -> Runtime {
    host_with(store, nothing(), Policy::default(), faults, seed)
}

/// Returns no channels, trackers or models.
pub(crate) fn nothing() -> Ports {
    Ports {
        directory: Arc::new(Everybody),
        channels: BTreeMap::new(),
        trackers: BTreeMap::new(),
        model: None,
        workers: BTreeMap::new(),
        hosted: Vec::new(),
        own_host: Vec::new(),
    }
}

/// Creates a runtime with these surroundings.
pub(crate) fn host_with(
    store: Arc<dyn Store>,
    ports: Ports,
    policy: Policy,
    faults: Arc<dyn Faults>,
    seed: u8,
) -> Runtime {
    let n = AtomicU64::new(0);
    Runtime::new(Parts {
        store,
        ports,
        policy,
        keys: Keys::new([3; 32]),
        faults,
        entropy: Arc::new(move || {
            let mut bytes = [seed; 16];
            bytes[8..].copy_from_slice(&n.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            bytes
        }),
    })
}

/// Posts a message, then runs every lane that has work.
pub(crate) async fn says(host: &Runtime, lane: LaneKey, who: &str, key: &str, text: &str) {
    let event = Event {
        id: key.into(),
        received_at: host.store().now(),
        actor: who.into(),
        kind: EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() }),
    };
    let addressing = Addressing { direct: true, ..Addressing::default() };
    host.accept(Inbound { identity: DeliveryIdentity::new(lane, key), event, addressing }).await.unwrap();
    run(host).await;
}

/// Runs every lane that has work.
pub(crate) async fn run(host: &Runtime) {
    while let Some(lane) = host.wakes().next() {
        let run = host.run_lane(&lane).await.unwrap();
        host.wakes().done(&lane, run.more);
    }
}
