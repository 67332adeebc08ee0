//! The remote parties and the store of one run. They outlive the host: a restart loses none of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use throughline_channels::{Channel, Surface};
use throughline_engine::data::actor::Actor;
use throughline_engine::data::ask::SELECT_CONTRACT;
use throughline_engine::data::effect::EffectClass;
use throughline_engine::retry::Guarantee;
use throughline_engine::{LaneKey, Millis, Timestamp};
use throughline_models::{Model, ScriptEntry, Scripted};
use throughline_runtime::{Directory, Keys, Parts, Ports, Runtime, Worker, Zone};
use throughline_store::{ManualClock, MemoryStore};
use throughline_testkit::driver::{DriverError, World};
use throughline_testkit::model::ScriptedReply;
use throughline_trackers::Tracker;
use throughline_trackers::local::LocalTracker;

use crate::channel::SimChannel;
use crate::faults::Armed;
use crate::host::SimHost;
use crate::tracker;
use crate::worker::SimWorker;

/// The tenant of every simulated lane.
pub(crate) const TENANT: &str = "sim";

/// Everything that a kill does not touch.
pub(crate) struct RemoteParties {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) tracker: Arc<LocalTracker>,
    pub(crate) channel: Arc<SimChannel>,
    pub(crate) model: Option<Arc<Scripted>>,
    pub(crate) workers: BTreeMap<String, Arc<SimWorker>>,
    pub(crate) faults: Arc<Armed>,
    pub(crate) hosting: Arc<SimHost>,
    parts: Parts,
}

impl RemoteParties {
    /// Makes them. `channel`, `other` and `replaced` replace the virtual channel, the scripted model and the embedded tracker.
    pub(crate) fn new(
        world: &World,
        channel: Option<Arc<dyn Channel>>,
        other: Option<Arc<dyn Model>>,
        replaced: Option<Arc<dyn Tracker>>,
    ) -> Result<Self, DriverError> {
        let clock = Arc::new(ManualClock::at(world.clock));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let tracker = Arc::new(tracker::of(&world.tracker, &clock)?);
        let model = world.script.as_ref().map(|script| model(script)).transpose()?;
        let faults = Arc::new(Armed::default());
        let workers: BTreeMap<String, Arc<SimWorker>> =
            world.workers.iter().map(|(name, one)| (name.clone(), Arc::new(SimWorker::new(one)))).collect();
        let virtual_one = Arc::new(SimChannel::new(&world.channel, &world.posts));
        let ports = Ports {
            directory: Arc::new(People { known: world.people.clone(), zones: zones(world)? }),
            channels: BTreeMap::from([(
                world.channel.clone(),
                channel.unwrap_or_else(|| virtual_one.clone()),
            )]),
            trackers: BTreeMap::from([("local".to_owned(), replaced.unwrap_or_else(|| tracker.clone()))]),
            workers: workers
                .iter()
                .map(|(name, one)| (name.clone(), one.clone() as Arc<dyn Worker>))
                .collect(),
            model: other.or_else(|| model.clone().map(|model| model as Arc<dyn Model>)),
            hosted: Vec::new(),
            own_host: Vec::new(),
        };
        let parts = Parts {
            store: store.clone(),
            ports,
            policy: world.policy.clone(),
            keys: Keys::new([7; 32]),
            faults: faults.clone(),
            entropy: entropy(),
        };
        let hosting = Arc::new(SimHost::new(world));
        Ok(Self { clock, store, tracker, channel: virtual_one, model, workers, faults, hosting, parts })
    }

    /// Returns a new host over this world.
    pub(crate) fn host(&self) -> Runtime {
        Runtime::new(self.parts.clone())
    }

    /// Returns the classes of effects that are never sent twice, since a far side here would apply them twice: after a
    /// kill on the way, nobody knows their outcome.
    pub(crate) fn unrepeated(&self) -> BTreeSet<&'static str> {
        let ports = &self.parts.ports;
        let mut classes = BTreeSet::new();
        if ports.channels.values().any(|channel| channel.surface() == Surface::Sends) {
            classes.insert(EffectClass::PostChannel.as_str());
        }
        if ports.trackers.values().any(|tracker| tracker.guarantee() == Guarantee::Nothing) {
            classes.extend([EffectClass::TrackerCreate, EffectClass::TrackerUpdate].map(EffectClass::as_str));
        }
        if ports.workers.values().any(|worker| worker.guarantee() == Guarantee::Nothing) {
            classes.extend([EffectClass::ToolCall, EffectClass::AgentDelegate].map(EffectClass::as_str));
        }
        classes
    }

    /// Returns the model that is asked, if there is one.
    pub(crate) fn asked_model(&self) -> Option<Arc<dyn Model>> {
        self.parts.ports.model.clone()
    }

    pub(crate) fn advance(&self, by: Millis) {
        self.clock.advance(by);
    }
}

/// Returns entropy that is numbered instead of random, so that every run is alike.
fn entropy() -> throughline_runtime::Entropy {
    let n = AtomicU64::new(0);
    Arc::new(move || {
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&n.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        bytes
    })
}

fn model(script: &[throughline_testkit::model::ScriptedAnswer]) -> Result<Arc<Scripted>, DriverError> {
    let entry = |line: &throughline_testkit::model::ScriptedAnswer| {
        let wire = match &line.reply {
            ScriptedReply::Answer(answer) => {
                let mut answer = answer.clone();
                // A script names the contract only where that matters.
                if answer.get("decision").is_some() && answer.get("contract").is_none() {
                    answer["contract"] = SELECT_CONTRACT.into();
                }
                serde_json::json!({"purpose": line.purpose, "answer": answer})
            }
            ScriptedReply::Fail(fail) => serde_json::json!({"purpose": line.purpose, "fail": fail}),
        };
        serde_json::from_value::<ScriptEntry>(wire)
            .map_err(|e| DriverError(format!("script, {}: {e}", line.purpose)))
    };
    let entries = script.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Scripted::new(entries)))
}

/// The scenario's people. Any other id is unknown.
struct People {
    known: BTreeMap<String, Actor>,
    zones: BTreeMap<String, Zone>,
}

fn zones(world: &World) -> Result<BTreeMap<String, Zone>, DriverError> {
    let zone = |(name, zone): (&String, &String)| {
        let zone = zone.parse().map_err(|unknown| DriverError(format!("users.{name}.zone: {unknown}")))?;
        Ok((name.clone(), zone))
    };
    world.zones.iter().map(zone).collect()
}

#[async_trait]
impl Directory for People {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        self.known.get(id).cloned().unwrap_or_else(|| Actor {
            id: id.into(),
            name: id.into(),
            ..Actor::default()
        })
    }

    fn offset_s(&self, _: &LaneKey, id: &str, at: Timestamp) -> i32 {
        self.zones.get(id).map_or(0, |zone| zone.offset_s(at))
    }
}
