//! Operations beside lanes: kill switch, replay, local tracker, health, erasure, sign-in links.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::vocabulary::{Given, HostId, PauseLevel, PauseReason};

/// State of the kill switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pause {
    /// True if sending is paused.
    pub paused: bool,
    /// Level: `outward` stops effects that leave the conversation, `everything` also model asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PauseLevel>, inline)]
    pub level: Option<String>,
    /// User who switched it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Time of the switch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A change of the kill switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseChange {
    /// True to pause, false to resume.
    pub paused: bool,
    /// Level: `outward` (the default) or `everything`.
    #[serde(default)]
    #[schema(value_type = Option<PauseLevel>, inline)]
    pub level: Option<String>,
    /// Reason; required to pause.
    #[serde(default)]
    #[schema(value_type = Option<PauseReason>, inline)]
    pub reason: Option<String>,
}

/// Turns to decide again: a lane, or one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// Id of a lane, for all of its turns.
    #[serde(default)]
    #[schema(value_type = Option<Given>, inline)]
    pub lane: Option<String>,
    /// Id of one turn.
    #[serde(default)]
    #[schema(value_type = Option<Given>, inline)]
    pub turn: Option<String>,
}

/// Result of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Replays {
    /// Id of the lane.
    pub lane: String,
    /// Number of turns that were compared.
    pub turns: usize,
    /// Number of turns with the same result, hash for hash.
    pub same: usize,
    /// Turns with a different result.
    pub differing: Vec<ReplayedTurn>,
}

/// Turn whose replay differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplayedTurn {
    /// Id of the turn.
    pub turn: String,
    /// Revision it wrote.
    pub revision: u64,
    /// Recorded reason.
    pub reason: String,
    /// Difference: `decision`, `state`, `content_erased`, `unknown`, `tampered`.
    pub differs: String,
    /// Recorded and new value, if there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Issue of the local tracker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Issue {
    /// Key.
    #[schema(example = "DEMO-1")]
    pub key: String,
    /// Type: `bug`, `story`, `task` or `epic`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title, one line.
    pub title: String,
    /// Content, by part.
    #[schema(value_type = Object)]
    pub fields: serde_json::Value,
    /// Id of the effect that created it.
    pub effect: String,
    /// Key of the epic it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// State: `open` or `closed`.
    pub state: String,
    /// Person it is given to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Links to other issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<IssueLink>,
    /// Comments, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<IssueComment>,
}

/// Link to another issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssueLink {
    /// Kind of link: `depends on`, `blocks`.
    pub kind: String,
    /// Key of the other issue.
    pub key: String,
}

/// Comment on an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssueComment {
    /// Id of the effect that created it.
    pub effect: String,
    /// Text.
    pub text: String,
}

/// Readiness of the instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ready {
    /// True if it takes requests.
    pub ready: bool,
    /// Kind of the store: `sqlite` or `memory`.
    pub store: String,
}

/// Running build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Version {
    /// Name: `throughline`.
    pub name: String,
    /// Version.
    pub version: String,
    /// Commit it was built from.
    pub commit: String,
}

/// Result of an erasure: the number of things erased, by kind. All zero if there was nothing to erase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erasure {
    /// Kind of subject: `subject`, `lane` or `tenant`.
    pub of: String,
    /// Id of the subject.
    pub id: String,
    /// Lanes that were changed.
    pub lanes: u64,
    /// Turns whose content was erased. Their rows stay, so the hash chain still verifies.
    pub turns: u64,
    /// Records of lanes.
    pub records: u64,
    /// Full states kept as starting points of replays.
    pub checkpoints: u64,
    /// Effects whose payload or outcome was erased. Ids and issue keys stay.
    pub effects: u64,
    /// Approvals reduced to their ids.
    pub approvals: u64,
    /// Answers to requests, and events that were never handled.
    pub deliveries: u64,
    /// Facts of epics and channels, if all of them were erased; otherwise they are erased with the turns.
    pub facts: u64,
    /// Documents: issues of the embedded tracker, titles of conversations, names.
    pub documents: u64,
}

/// Recipient of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInLinkFor {
    /// Id of a configured user.
    #[schema(value_type = HostId, inline)]
    pub user: String,
}

/// Link for one person, which works once: it signs them in, or joins them to their account on Telegram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInLink {
    /// Address of the link.
    pub url: String,
    /// User it is for.
    pub user: String,
    /// Time until which it works.
    #[schema(format = DateTime)]
    pub expires_at: String,
}
