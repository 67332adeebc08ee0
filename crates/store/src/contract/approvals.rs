//! Approvals: written by turns, consumed once, one row for each version of a card.
//!
//! Reasons: `docs/design/0032-approvals.md`.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::data::approval::{Approval, ApprovalChange};
use throughline_engine::data::effect::ApprovalRef;
use throughline_engine::{CardId, LaneKey};

use super::StoreError;

/// Queries about approvals.
#[async_trait]
pub trait Approvals {
    /// Returns the approval of a card at its current version.
    async fn approval(&self, tenant: &str, card: &CardId) -> Result<Option<ApprovalRow>, StoreError>;

    /// Returns up to `limit` approvals at their current version, newest first: all of them, or only the pending.
    async fn approvals(
        &self,
        tenant: &str,
        pending: bool,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>, StoreError>;

    /// Returns the pending approvals of a lane, oldest first.
    async fn awaited(&self, lane: &LaneKey) -> Result<Vec<ApprovalRow>, StoreError>;

    /// Returns the hashes of the effects that a consumed approval releases, in hex and sorted; none for an approval that
    /// was not consumed. `None` if it was consumed by a version that kept no list.
    async fn released(&self, tenant: &str, approval: &ApprovalRef)
    -> Result<Option<Vec<String>>, StoreError>;
}

/// One version of an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRow {
    /// The approval: what it releases, to whom it was shown, until when it holds.
    pub approval: Approval,
    /// Lane of the turn that opened it.
    pub lane: LaneKey,
    /// Its state.
    pub state: ApprovalState,
}

/// State of one version of an approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "one is read at a time, and matched on by what it holds")]
pub enum ApprovalState {
    /// Nobody has decided yet.
    Pending,
    /// Somebody decided.
    Decided {
        /// The [`ApprovalChange::Decide`] that did.
        change: ApprovalChange,
    },
    /// Nobody decided in time.
    Expired,
    /// A newer version or another card replaced it.
    Superseded,
    /// Its subject is gone.
    Cancelled,
}
