//! The kill switch of a tenant. [`super::Outbox::mark`] obeys it.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;

use super::StoreError;

/// The kill switch of each tenant.
#[async_trait]
pub trait KillSwitch {
    /// Returns the pause that is in force.
    async fn pause(&self, tenant: &str) -> Result<Option<PauseRow>, StoreError>;

    /// Starts a pause, or ends it with `None`. Appends `audit` to the tenant's audit chain in the same transaction.
    async fn set_pause(&self, tenant: &str, pause: Option<PauseRow>, audit: &str) -> Result<(), StoreError>;
}

/// A pause that is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseRow {
    /// Person who started it.
    pub by: String,
    /// Time at which it started.
    pub since: Timestamp,
    /// The reason given.
    pub reason: String,
    /// True if questions to models are held too, and not outward effects alone.
    pub everything: bool,
}
