//! Approvals: the record with its hash and card, and a decision.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Card;

/// An approval at its current version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Its id.
    #[schema(example = "ap_01")]
    pub id: String,
    /// Its lane.
    pub lane: String,
    /// The version a decision has to name.
    pub version: u32,
    /// `pending`, `approved`, `rejected`, `cancelled`, `expired`, `superseded`.
    pub state: String,
    /// What kind of act.
    pub kind: String,
    /// Exactly what would run.
    #[schema(value_type = Object)]
    pub payload: serde_json::Value,
    /// SHA-256 of its canonical bytes; the card shows the first 8 digits.
    pub payload_sha256: String,
    /// The effect classes it releases.
    pub effects: Vec<String>,
    /// Where to.
    pub targets: Vec<String>,
    /// How many items.
    pub quantity: u32,
    /// Characters of all titles and bodies.
    pub total_chars: u32,
    /// Who asked.
    pub requested_by: String,
    /// The message it came from.
    pub source: String,
    /// When it was opened.
    pub created_at: String,
    /// Until when it may be decided.
    pub expires_at: Option<String>,
    /// Who decided, when it was.
    pub decided: Option<Decided>,
    /// The card as it is shown now.
    pub card: Option<Card>,
}

/// A decision that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Decided {
    /// What was decided.
    pub action: String,
    /// By whom.
    pub by: String,
    /// What to call them.
    pub by_name: String,
    /// When.
    pub at: String,
}

/// A decision on an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// The version that was seen.
    pub version: u32,
    /// What is decided.
    pub decision: Decision,
    /// Who decides; otherwise the token's own principal.
    #[serde(default)]
    pub actor: Option<DecideActor>,
}

/// Who decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecideActor {
    /// The user's id.
    pub id: String,
    /// What to call them; the configured name wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What can be decided on an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Release what it shows.
    Approve,
    /// Refuse it.
    Reject,
    /// Drop it, where its card offers that.
    Cancel,
}
