//! Changes of approvals, written with the turn that decides them (`docs/design/0032-approvals.md`).

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::action::Action;
use crate::data::actor::Presser;
use crate::data::authors::Authored;
use crate::data::id::{CardId, MessageId};
use crate::data::time::Timestamp;

/// Change of an approval, applied by the store inside the turn's commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ApprovalChange {
    /// Opens an approval, or a new version of one. Older versions of the card can no longer be decided.
    Open(Approval),
    /// Consumes an approval. The store compares state and version; if either differs, the commit fails with
    /// `ApprovalLost`.
    Decide {
        /// Card of the approval.
        card: CardId,
        /// Version that was decided.
        version: u32,
        /// Decision.
        action: Action,
        /// Person who decided.
        by: Presser,
        /// Time of the decision.
        at: Timestamp,
        /// SHA-256 of the payload that the decision releases, in hexadecimal. The store refuses any other than the
        /// approval's. `None` if it releases nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payload_sha256: Option<String>,
        /// SHA-256 of the bytes of each effect that it releases, in hexadecimal, sorted. The store takes no other
        /// outward effect for this approval.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        releases: Vec<String>,
    },
    /// Ends an approval without a decision.
    Close {
        /// Card of the approval.
        card: CardId,
        /// Version that ends.
        version: u32,
        /// Reason.
        how: CloseReason,
    },
}

/// Reason why an approval ends without a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// Nobody decided in time.
    Expired,
    /// Another card replaced it.
    Superseded,
    /// Its subject was cancelled.
    Cancelled,
}

/// Approval as the store keeps it: the exact payload that may be released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// Card that shows it.
    pub card: CardId,
    /// Version of the card.
    pub version: u32,
    /// Kind of payload: `tracker.item`.
    pub kind: String,
    /// Canonical JSON of the payload that will run.
    pub payload: String,
    /// SHA-256 of the payload, in hexadecimal; the card shows its first 8 digits.
    pub payload_sha256: String,
    /// SHA-256 of the bytes of each effect that it releases, in hexadecimal, sorted. Empty in approvals of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub releases: Vec<String>,
    /// Classes of the effects it releases.
    pub classes: Vec<String>,
    /// Targets of the effects: `local:DEMO`.
    pub targets: Vec<String>,
    /// Number of items.
    pub quantity: u32,
    /// Characters of all titles and bodies together.
    pub total_chars: u32,
    /// Person who asked for it.
    pub requested_by: String,
    /// Authors of each field, unless the person who asked wrote all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Authored>,
    /// Message it came from.
    pub source: MessageId,
    /// Time it was opened.
    pub created_at: Timestamp,
    /// Last millisecond in which it may be decided; `None` if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Approval {
    /// True if this person asked for it, or wrote any of what would run.
    #[must_use]
    pub fn is_by(&self, who: &str) -> bool {
        self.requested_by == who || self.authors.iter().any(|field| field.by.has(who))
    }
}
