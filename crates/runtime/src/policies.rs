//! The policies in force: the configured one, and what of a tenant's own was approved since, in its place.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use throughline_engine::Policy;
use throughline_engine::data::canonical_json::jcs;

use crate::{Runtime, RuntimeError};

/// A policy with its version, which each turn that it decides is recorded with.
#[derive(Debug)]
pub struct PolicyInForce {
    /// The policy.
    pub policy: Policy,
    /// The policy's version.
    pub version: String,
}

impl PolicyInForce {
    fn new(policy: Policy) -> Arc<Self> {
        let version = policy.version();
        Arc::new(Self { policy, version })
    }
}

/// The policies of all tenants.
pub(crate) struct Policies {
    pub(crate) configured: Arc<PolicyInForce>,
    of_tenants: RwLock<BTreeMap<String, Arc<PolicyInForce>>>,
}

impl Policies {
    pub(crate) fn new(configured: Policy) -> Self {
        Self { configured: PolicyInForce::new(configured), of_tenants: RwLock::default() }
    }

    fn of(&self, tenant: &str) -> Arc<PolicyInForce> {
        let of_tenants = self.of_tenants.read().unwrap_or_else(PoisonError::into_inner);
        of_tenants.get(tenant).unwrap_or(&self.configured).clone()
    }

    fn put(&self, tenant: &str, policy: Arc<PolicyInForce>) {
        let mut of_tenants = self.of_tenants.write().unwrap_or_else(PoisonError::into_inner);
        of_tenants.insert(tenant.to_owned(), policy);
    }
}

impl Runtime {
    /// The policy that decides the turns of a tenant now.
    #[must_use]
    pub fn in_force(&self, tenant: &str) -> Arc<PolicyInForce> {
        self.policies.of(tenant)
    }

    /// Puts a policy in force for a tenant in this process, from the next turn on. It is stored first, since replays of its turns
    /// need it.
    ///
    /// # Errors
    /// The store did not answer; the policy before stays in force.
    pub async fn put_in_force(&self, tenant: &str, policy: Policy) -> Result<(), RuntimeError> {
        let policy = PolicyInForce::new(policy);
        if policy.version != self.in_force(tenant).version {
            self.store.keep_policy(tenant, &policy.version, &jcs(&policy.policy)).await?;
            self.policies.put(tenant, policy);
        }
        Ok(())
    }
}
