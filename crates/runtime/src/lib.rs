//! The loop around the engine: intake, lanes, commit, dispatch, settle, timers.
//!
//! It knows order, at-least-once, retries and backpressure. It never knows vendors, HTTP, SQL or configuration
//! files: those are behind [`Ports`] and [`Store`]. It holds no clock: time is the store's.
//!
//! The same functions run in two hosts. In production [`host::run`] drives them with tasks and wake-ups; in the
//! simulator they are called one after the other on a virtual clock. The way of one event:
//!
//! 1. [`Runtime::accept`] makes it durable; only then may anybody be told 2xx. Where nothing has to be waited for,
//!    its turn is in the same commit, and 2 has been done.
//! 2. [`Runtime::run_lane`] claims the lane, looks up what the step is given, steps, commits.
//! 3. [`Runtime::dispatch`] leases effects, marks each attempt before its first byte, performs, records.
//! 4. The outcome is an event: back to 1. So are deadlines: [`Runtime::fire_timers`].

mod counted;
mod direct;
mod dispatch;
mod erase;
mod facts;
mod faults;
mod foresee;
mod given;
pub mod host;
mod intake;
mod keys;
mod lane;
mod ports;
pub mod record;
pub mod replay;
mod selected;
mod timers;
mod turn;
mod view;
mod wake;
mod zone;

pub use erase::{Erased, Subject};
pub use facts::fact_writes;
pub use faults::{Crash, FailPoint, Faults, NoFaults, from_environment};
pub use foresee::Foreseen;
pub use intake::Inbound;
pub use keys::Keys;
pub use lane::LaneRun;
pub use ports::{Directory, Ports, Worker};
pub use view::{LaneView, MessageView};
pub use wake::{Committed, Wakes};
pub use zone::{UnknownZone, Zone};

use std::sync::Arc;

use throughline_engine::Policy;
use throughline_store::{Store, StoreError};

/// Why the loop stopped in the middle of something. Nothing durable is lost: whoever runs next goes on.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The store could not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A fail point was reached.
    #[error(transparent)]
    Crash(#[from] Crash),
    /// A stored value cannot be read: a newer version wrote it, or it is damaged.
    #[error("cannot read {what}: {why}")]
    Unreadable {
        /// What.
        what: String,
        /// Why.
        why: String,
    },
}

/// 16 random bytes: salts and commit ids. The simulator hands in a seeded source.
pub type Entropy = Arc<dyn Fn() -> [u8; 16] + Send + Sync>;

/// What a runtime is made of.
#[derive(Clone)]
pub struct Parts {
    /// Durability.
    pub store: Arc<dyn Store>,
    /// Everything outside.
    pub ports: Ports,
    /// Limits, lifetimes and approver rules.
    pub policy: Policy,
    /// Button tokens.
    pub keys: Keys,
    /// Fail points.
    pub faults: Arc<dyn Faults>,
    /// Salts and commit ids.
    pub entropy: Entropy,
}

/// One process's share of the work. Cheap to share: everything durable is in the store.
pub struct Runtime {
    store: Arc<dyn Store>,
    ports: Ports,
    policy: Policy,
    policy_version: String,
    keys: Keys,
    faults: Arc<dyn Faults>,
    entropy: Entropy,
    owner: String,
    lanes: lane::Held,
    wakes: Wakes,
    asks: dispatch::Asks,
    read: facts::Read,
    /// One erasure at a time: the loop does not begin again what a request is at.
    erasing: tokio::sync::Mutex<()>,
}

impl Runtime {
    /// A runtime over these parts, under an owner name of its own.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { store, ports, policy, keys, faults, entropy } = parts;
        let owner = throughline_engine::canon::hex(&entropy());
        let policy_version = policy.version();
        Self {
            store,
            ports,
            policy,
            policy_version,
            keys,
            faults,
            entropy,
            owner,
            lanes: lane::Held::default(),
            wakes: Wakes::default(),
            asks: dispatch::Asks::default(),
            read: facts::Read::default(),
            erasing: tokio::sync::Mutex::default(),
        }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Button tokens.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Wake-ups and watchers.
    #[must_use]
    pub fn wakes(&self) -> &Wakes {
        &self.wakes
    }

    /// The plugged-in world.
    #[must_use]
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// A fail point of a host around this runtime.
    ///
    /// # Errors
    /// The run stops here.
    pub fn fault(&self, point: FailPoint) -> Result<(), Crash> {
        self.faults.at(point, "")
    }

    /// The fail points, for what outlives a borrow of this runtime.
    #[must_use]
    pub fn faults(&self) -> Arc<dyn Faults> {
        self.faults.clone()
    }

    fn random_hex(&self) -> String {
        throughline_engine::canon::hex(&(self.entropy)())
    }

    /// Wakes every lane with waiting rows: after a start. Also keeps the policy for replays.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn recover(&self, tenant: &str) -> Result<usize, Stop> {
        self.store
            .keep_policy(tenant, &self.policy_version, &throughline_engine::canon::jcs(&self.policy))
            .await?;
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
