//! Approvals and decisions on them.

use serde::{Deserialize, Serialize};
use throughline_channels::api::whole;
use utoipa::ToSchema;

use super::Card;
use super::vocabulary::Whole;

/// An approval at its current version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Id.
    #[schema(example = "ap_01")]
    pub id: String,
    /// Id of its lane.
    pub lane: String,
    /// Version that a decision has to name.
    pub version: u32,
    /// State: `pending`, `approved`, `rejected`, `cancelled`, `expired`, `superseded`.
    pub state: String,
    /// Kind of act.
    pub kind: String,
    /// Exact content that an approval would run.
    #[schema(value_type = Object)]
    pub payload: serde_json::Value,
    /// SHA-256 of the payload's canonical bytes; the card shows the first 8 digits.
    pub payload_sha256: String,
    /// Effect classes that an approval releases.
    pub effects: Vec<String>,
    /// Targets of the effects.
    pub targets: Vec<String>,
    /// Number of items.
    pub quantity: u32,
    /// Number of characters in all titles and bodies.
    pub total_chars: u32,
    /// User who asked.
    pub requested_by: String,
    /// Authors of each field at this version; empty if the user who asked wrote all of it.
    #[serde(default)]
    pub authors: Vec<Authored>,
    /// Id of the message it came from.
    pub source: String,
    /// Time it was opened.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time until which it may be decided.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// Decision, if it was taken.
    pub decided: Option<Decided>,
    /// Card in its current form.
    pub card: Option<Card>,
}

/// Approval that waits for somebody since a turn, or waits no more: data of the event `approval`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalNews {
    /// Id.
    #[schema(example = "ap_01")]
    pub id: String,
    /// Version that a decision has to name.
    pub version: u32,
    /// State: `pending` while it waits; then `approved`, `rejected`, `cancelled`, `expired` or `superseded`.
    pub state: String,
    /// Question of its card; absent if the lane no longer keeps the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Titles of the items it is about, at most twenty.
    pub about: Vec<String>,
    /// User who asked.
    pub requested_by: String,
    /// Time since which this version waits.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time until which it may be decided; absent if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// Effect classes that an approval releases.
    pub effects: Vec<String>,
    /// Targets of the effects.
    pub targets: Vec<String>,
    /// Rules that say who may decide; empty once it waits no more.
    pub rules: Vec<DecidingRule>,
    /// Configured people who may decide; empty once it waits no more.
    pub deciders: Vec<String>,
    /// Decision, if it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// Address of its page, which opens for whoever may decide it or read its lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Rule that says who may decide an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecidingRule {
    /// People that it allows: `user:mia`, `role:pm`, `group:backend`.
    pub allow: Vec<String>,
    /// True if they may decide what they asked for or wrote themselves.
    pub self_approve: bool,
}

/// Authors of a field: everybody whose words are in its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Authored {
    /// Item of a batch; empty for a single one.
    #[serde(default)]
    pub item: String,
    /// Field.
    #[schema(example = "title")]
    pub field: String,
    /// Ids of the users, in the order in which they wrote.
    pub by: Vec<String>,
}

/// Decision that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Decided {
    /// Action: `approve`, `reject`, …
    pub action: String,
    /// User who decided.
    pub by: String,
    /// Name of that user.
    pub by_name: String,
    /// Time of the decision.
    #[schema(format = DateTime)]
    pub at: String,
}

/// A decision on an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// Version that was seen.
    #[schema(value_type = Whole, inline)]
    #[serde(deserialize_with = "whole::required")]
    pub version: u32,
    /// Decision.
    pub decision: Decision,
    /// User who decides; the token's own principal if absent.
    #[serde(default)]
    pub actor: Option<DecideActor>,
}

/// User who decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecideActor {
    /// Id of the user.
    pub id: String,
    /// Display name; a configured name has precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Decision on an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Release the effects that the card shows.
    Approve,
    /// Refuse it.
    Reject,
    /// Drop it, if its card offers that.
    Cancel,
}
