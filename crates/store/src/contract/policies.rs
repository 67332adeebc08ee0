//! Policies by version, so that a replay decides under the policy of its time.

use async_trait::async_trait;

use super::StoreError;

/// Policies of a tenant.
#[async_trait]
pub trait Policies {
    /// Stores a policy under its version. A version that is stored already keeps its text.
    async fn keep_policy(&self, tenant: &str, version: &str, policy: &str) -> Result<(), StoreError>;

    /// Returns the policy of that version.
    async fn policy(&self, tenant: &str, version: &str) -> Result<Option<String>, StoreError>;
}
