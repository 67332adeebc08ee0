//! The host of proposals: performs a change of the policy that a person approved.

use std::sync::{Arc, OnceLock, Weak};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::data::call::{CallOutcome, CallRequest};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, SendingFault};
use throughline_engine::retry::Guarantee;
use throughline_messages as say;
use throughline_runtime::{Permit, Runtime, Worker};
use throughline_store::StoreError;

use super::Learned;
use super::versions::{self, Version};

/// The content of a proposal: all of what is to be in force, and the version it replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    /// All that is to be in force.
    pub(crate) learned: Learned,
    /// Number of the version it was made from. If another one is in force by then, nothing is done.
    pub(crate) replaces: u64,
}

/// Worker of the acts that are approved in [`super::CHANNEL`].
#[derive(Default)]
pub(crate) struct PolicyWorker {
    runtime: OnceLock<Weak<Runtime>>,
}

impl PolicyWorker {
    /// Connects the worker with the runtime that calls it.
    pub(crate) fn connect(&self, runtime: &Arc<Runtime>) {
        let _ = self.runtime.set(Arc::downgrade(runtime));
    }

    async fn perform(&self, errand: &CallRequest<'_>) -> Result<Attempt<CallOutcome>, StoreError> {
        let rejected = |fault: Fault| Ok(Attempt::Rejected { text: fault, errors: Vec::new() });
        let content =
            errand.call.job.act().and_then(|act| serde_json::from_str::<Content>(&act.payload).ok());
        let Some(runtime) = self.runtime.get().and_then(Weak::upgrade) else {
            return rejected(SendingFault::WorkerGone.into());
        };
        let Some(Content { learned, replaces }) = content else {
            return rejected(SendingFault::Unreadable.into());
        };
        let (tenant, language) = (errand.lane.tenant.as_str(), runtime.policy().language());
        if let Some(why) = learned.invalid(runtime.policy()) {
            return rejected(Fault::Said(why));
        }
        let store = runtime.store().as_ref();
        let (current, document) = versions::current(store, tenant).await?;
        let number = replaces + 1;
        let done = current.effect == errand.effect.0;
        if !done && current.number != replaces {
            return rejected(Fault::Said(say::learned_superseded(language, current.number)));
        }
        let version = Version { number, effect: errand.effect.0.clone(), learned };
        if !done && !versions::write(store, tenant, &version, document).await? {
            return rejected(Fault::Said(say::learned_superseded(language, number)));
        }
        if let Err(error) = versions::take_over(&runtime, tenant).await {
            tracing::error!(%error, tenant, "what was learned is stored, and is in force from the next start on");
        }
        Ok(Attempt::Applied(CallOutcome::Said(say::learned_in_force(language, number))))
    }
}

#[async_trait]
impl Worker for PolicyWorker {
    /// A version holds the effect that made it, so a repeated effect finds itself done.
    fn guarantee(&self) -> Guarantee {
        Guarantee::Idempotent
    }

    async fn work(&self, errand: &CallRequest<'_>, _permit: Permit) -> Attempt<CallOutcome> {
        self.perform(errand).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a change of the policy was not stored");
            Attempt::Unknown { why: Fault::Said(error.to_string()) }
        })
    }
}
