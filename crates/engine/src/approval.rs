//! What a turn does to approvals: the records of `spec 06 §5.1`, written with the turn.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::id::{CardId, MessageId};
use crate::time::Timestamp;
use crate::workflow::{Action, Presser};

/// One change, applied by the store inside the turn's commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ApprovalChange {
    /// A new approval, or a new version of one: the older versions of the card can be decided no more.
    Open(Approval),
    /// Consume it. The store compares state and version; losing is `ApprovalLost`.
    Decide {
        /// Which.
        card: CardId,
        /// At which version.
        version: u32,
        /// What was decided.
        action: Action,
        /// By whom.
        by: Presser,
        /// When.
        at: Timestamp,
    },
    /// It ends undecided.
    Close {
        /// Which.
        card: CardId,
        /// At which version.
        version: u32,
        /// How.
        how: Closing,
    },
}

/// How an approval ends undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    /// Nobody decided in time.
    Expired,
    /// Another took its place.
    Superseded,
    /// What it was about is gone.
    Cancelled,
}

/// What may be released, exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// The card that shows it.
    pub card: CardId,
    /// The card's version.
    pub version: u32,
    /// `tracker.item`.
    pub kind: String,
    /// The canonical bytes that will run.
    pub payload: String,
    /// Their SHA-256, in hex; the card shows the first 8 digits.
    pub payload_sha256: String,
    /// The classes it releases.
    pub classes: Vec<String>,
    /// Where to, `local:DEMO`.
    pub targets: Vec<String>,
    /// How many items.
    pub quantity: u32,
    /// Characters of all titles and bodies.
    pub total_chars: u32,
    /// Who asked.
    pub requested_by: String,
    /// The message it came from.
    pub source: MessageId,
    /// When it was opened.
    pub created_at: Timestamp,
    /// Until when it may be decided, this very millisecond included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}
