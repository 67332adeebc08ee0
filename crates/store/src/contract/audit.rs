//! The audit chain of a tenant. Rows are appended by whatever they are about, in the same transaction; nothing here
//! writes.

use async_trait::async_trait;

use super::StoreError;

/// Queries about the audit chain.
#[async_trait]
pub trait Audit {
    /// Returns up to `limit` rows behind number `after`, each with its number, oldest first. Numbers begin at 1.
    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError>;

    /// Returns the number of the first row that breaks the chain: changed, missing, moved, or cut off at the end.
    /// `None` if the chain is intact.
    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError>;
}
