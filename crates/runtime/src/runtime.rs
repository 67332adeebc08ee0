//! The coordinator itself: its parts and its state. What it does is in the files named for each act.

use std::future::Future;
use std::sync::Arc;

use throughline_engine::Policy;
use throughline_engine::data::canonical_json::{hex, jcs};
use throughline_store::Store;
use tokio::sync::Notify;

use crate::away::Away;
use crate::background::Background;
use crate::fact_cache::FactCache;
use crate::held_lanes::HeldLanes;
use crate::in_flight::InFlight;
use crate::policies::{Policies, PolicyInForce};
use crate::spans::Causes;
use crate::{Crash, FailPoint, Faults, Keys, Ports, RuntimeError, Wakes, Writings};

/// A source of 16 random bytes, for salts and commit ids. The simulator passes a seeded one.
pub type Entropy = Arc<dyn Fn() -> [u8; 16] + Send + Sync>;

/// The parts a [`Runtime`] is built from.
#[derive(Clone)]
pub struct Parts {
    /// The store, which also is the clock.
    pub store: Arc<dyn Store>,
    /// People, channels, trackers, tools and models.
    pub ports: Ports,
    /// Limits, lifetimes and approver rules.
    pub policy: Policy,
    /// The keys that button tokens are made with.
    pub keys: Keys,
    /// The fail points; [`crate::NoFaults`] outside of tests.
    pub faults: Arc<dyn Faults>,
    /// The source of salts and commit ids.
    pub entropy: Entropy,
}

/// One process's share of the work. Share it in an `Arc`: everything durable is in the store.
pub struct Runtime {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) ports: Ports,
    pub(crate) policies: Policies,
    pub(crate) keys: Keys,
    pub(crate) faults: Arc<dyn Faults>,
    pub(crate) entropy: Entropy,
    pub(crate) owner: String,
    pub(crate) lanes: HeldLanes,
    pub(crate) wakes: Wakes,
    pub(crate) in_flight: InFlight,
    pub(crate) writings: Arc<Writings>,
    pub(crate) fact_cache: FactCache,
    pub(crate) away: Away,
    pub(crate) background: Background,
    pub(crate) causes: Causes,
    /// Held by the one erasure that runs: the background loop must not repeat what a request is doing.
    pub(crate) erasing: tokio::sync::Mutex<()>,
    pub(crate) erased: crate::erase::ErasedPerson,
}

impl Runtime {
    /// Creates a runtime with a random owner name for its leases.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { store, ports, policy, keys, faults, entropy } = parts;
        let owner = hex(&entropy());
        Self {
            store,
            ports,
            policies: Policies::new(policy),
            keys,
            faults,
            entropy,
            owner,
            lanes: HeldLanes::default(),
            wakes: Wakes::default(),
            in_flight: InFlight::default(),
            writings: Arc::default(),
            fact_cache: FactCache::default(),
            away: Away::default(),
            background: Background::default(),
            causes: Causes::default(),
            erasing: tokio::sync::Mutex::default(),
            erased: crate::erase::ErasedPerson::default(),
        }
    }

    /// Goes on with work after the answer that began it. A host that drains waits for it.
    pub fn in_background(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.background.spawn(work);
    }

    /// The store it runs on.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The configured policy. What a tenant added to it changes how messages are read, and nothing else:
    /// [`Self::in_force`].
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policies.configured.policy
    }

    /// The keys that button tokens are made with.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The queue of lanes with work, and the watchers of deliveries.
    #[must_use]
    pub fn wakes(&self) -> &Wakes {
        &self.wakes
    }

    /// Notified when more lanes are held in memory than may be.
    pub(crate) fn lanes_crowded(&self) -> &Notify {
        &self.lanes.crowded
    }

    /// The people, channels, trackers, tools and models it is plugged into.
    #[must_use]
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// Passes a fail point on behalf of a host.
    ///
    /// # Errors
    /// The run has to stop here.
    pub fn fault(&self, point: FailPoint) -> Result<(), Crash> {
        self.faults.at(point, "")
    }

    /// The fail points, for code that outlives a borrow of this runtime.
    #[must_use]
    pub fn faults(&self) -> Arc<dyn Faults> {
        self.faults.clone()
    }

    pub(crate) fn random_hex(&self) -> String {
        hex(&(self.entropy)())
    }

    /// Picks up what an earlier process left: wakes every lane with waiting rows and resumes erasures. Also stores
    /// the policy, which replays need. Returns the number of lanes.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn recover(&self, tenant: &str) -> Result<usize, RuntimeError> {
        let PolicyInForce { policy, version } = &*self.in_force(tenant);
        self.store.keep_policy(tenant, version, &jcs(policy)).await?;
        self.wakes.serve(tenant);
        let lanes = self.store.lanes_with_work(10_000).await?;
        for lane in &lanes {
            self.wakes.wake(lane);
        }
        self.wakes.effects.notify_one();
        if !self.store.erasures(tenant, true).await?.is_empty() {
            self.wakes.erase(tenant);
        }
        Ok(lanes.len())
    }
}
