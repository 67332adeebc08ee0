//! Everything beside lanes: the kill switch, replays, the local tracker, how the process is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The kill switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pause {
    /// Whether it is on.
    pub paused: bool,
    /// What it stops: `outward` effects, or `everything`, model asks included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Who switched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A change of the kill switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseChange {
    /// On or off.
    pub paused: bool,
    /// `outward` (the default) or `everything`.
    #[serde(default)]
    pub level: Option<String>,
    /// Why; needed to switch it on.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What to decide again: a lane, or one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// A lane: all of its turns.
    #[serde(default)]
    pub lane: Option<String>,
    /// One turn.
    #[serde(default)]
    pub turn: Option<String>,
}

/// What came of deciding again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Replays {
    /// The lane.
    pub lane: String,
    /// Turns that were compared.
    pub turns: usize,
    /// Turns that came out the same, hash for hash.
    pub same: usize,
    /// The others.
    pub differing: Vec<ReplayedTurn>,
}

/// A turn that did not come out the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplayedTurn {
    /// Which.
    pub turn: String,
    /// The revision it wrote.
    pub revision: u64,
    /// The reason that was recorded.
    pub reason: String,
    /// How it differs: `decision`, `state`, `content_erased`, `unknown`, `tampered`.
    pub differs: String,
    /// The recorded and the new value, where there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An issue of the local tracker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Issue {
    /// Its key.
    #[schema(example = "DEMO-1")]
    pub key: String,
    /// `bug`, `story`, `task` or `epic`.
    #[serde(rename = "type")]
    pub kind: String,
    /// One line.
    pub title: String,
    /// Its text, by part.
    #[schema(value_type = Object)]
    pub fields: serde_json::Value,
    /// The effect that made it.
    pub effect: String,
    /// The key of the epic it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The issues it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<IssueLink>,
    /// What was said about it since, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<IssueComment>,
}

/// One issue points to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssueLink {
    /// How: `depends on`, `blocks`.
    pub kind: String,
    /// The key of the other.
    pub key: String,
}

/// A comment on an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssueComment {
    /// The effect that made it.
    pub effect: String,
    /// What it says.
    pub text: String,
}

/// Whether the instance takes requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ready {
    /// It does.
    pub ready: bool,
    /// The store it uses.
    pub store: String,
}

/// What is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Version {
    /// `throughline`.
    pub name: String,
    /// The version.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
}

/// What an erasure came to: how much of each kind is gone. All zero: there was nothing of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erasure {
    /// What was erased: `subject`, `lane` or `tenant`.
    pub of: String,
    /// Its id.
    pub id: String,
    /// Lanes that were written.
    pub lanes: u64,
    /// Turns whose content is gone. Their rows stay, so the chain verifies.
    pub turns: u64,
    /// Records of lanes.
    pub records: u64,
    /// Full states that were kept to start replays from.
    pub checkpoints: u64,
    /// Effects whose payload or outcome is gone. Ids and the keys of issues stay.
    pub effects: u64,
    /// Approvals of which ids are left.
    pub approvals: u64,
    /// Answers to requests, and events that were not taken in.
    pub deliveries: u64,
    /// Facts of epics and channels, where all of them go; else they go with the turns.
    pub facts: u64,
    /// Documents: issues of the embedded tracker, titles of conversations, names.
    pub documents: u64,
}

/// For whom to make a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInLinkFor {
    /// A configured user's id.
    pub user: String,
}

/// A link for one person: it signs them in, or joins them to their account on Telegram, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInLink {
    /// Where it leads.
    pub url: String,
    /// Whom it is for.
    pub user: String,
    /// Until when it works.
    pub expires_at: String,
}
