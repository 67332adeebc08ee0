//! The body of `POST /v1/events`, as JSON. What its members mean together is read in `normalise.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::limits::Problem;
use super::options::{ClosedRequest, FocusRequest, ShownRequest};
use super::read::read;

/// An event as a host delivers it. Which members it needs depends on its kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventRequest {
    /// Where it happened.
    pub lane: LaneRequest,
    /// Who did it; otherwise the token's own user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<ActorRequest>,
    /// What happened: a kind of `spec 02 §1`.
    pub kind: String,
    /// The words: of a message, of an edit, or after a command's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The host's id of the message that was posted, edited or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The task the host says it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The message it replies to, by the host's id or ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The text of that message, for when we do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The panel of a web page; it is the lane's thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel: Option<String>,
    /// The button that was pressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub press: Option<PressRequest>,
    /// The form that came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<FormRequest>,
    /// What the host's own agent said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assistant: Option<AssistantRequest>,
    /// Where a task stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportRequest>,
    /// The list that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownRequest>,
    /// The list that was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<ClosedRequest>,
    /// Where somebody looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<FocusRequest>,
    /// The edit changed no word: an unfurl, a pin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_only: Option<bool>,
    /// The host's id of the event: delivered twice, it is one event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// When it happened, RFC 3339 in UTC. Told, never used for order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// The caller's part of a lane key; tenant and app are the token's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LaneRequest {
    /// `api` when it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The room, chat or session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The thread in it, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActorRequest {
    /// The host's user id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What to call them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A pressed button; or an option, pressed where the host shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PressRequest {
    /// The button's token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The option's list, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// What of the list was seen: its `exec_rev`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The option, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// *Remember for this thread* was ticked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remember: Option<bool>,
}

/// A form that was filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormRequest {
    /// The token of the button that opened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What was filled in, by field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, String>>,
}

/// What a host's own agent said, and maybe asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssistantRequest {
    /// `answer`, `question`, `card` or `notification`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The answer it waits for: `boolean`, `number`, `location`, `text` or `selection:A|B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Who is asked; nobody named is everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// Until when, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// Where a task stands, as the host sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportRequest {
    /// The host's id of the task, or ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// `queued`, `running`, `completed`, `blocked`, `failed` or `cancelled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Since when, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// Why it is blocked, or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// Where objects belong.
const OBJECTS: [&[&str]; 12] = [
    &[],
    &["lane"],
    &["actor"],
    &["press"],
    &["form"],
    &["assistant"],
    &["report"],
    &["shown"],
    &["shown", "options", "*"],
    &["shown", "options", "*", "metadata"],
    &["closed"],
    &["focus"],
];

/// Why a body is none of our requests.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no JSON: 400.
    #[error("the body is not JSON: {0}")]
    Malformed(String),
    /// It is JSON of another shape: 422.
    #[error("the body is not what belongs here: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Problem>),
}

impl EventRequest {
    /// Reads a body.
    ///
    /// # Errors
    ///
    /// It is no JSON, or members are unknown or of another type; each is named with its pointer.
    pub fn from_json(body: &[u8]) -> Result<Self, Refused> {
        read(body, &OBJECTS)
    }
}

impl ShownRequest {
    /// Reads a body that is a list of options.
    ///
    /// # Errors
    ///
    /// As [`EventRequest::from_json`].
    pub fn from_json(body: &[u8]) -> Result<Self, Refused> {
        read(body, &[&[], &["options", "*"], &["options", "*", "metadata"]])
    }
}

impl FocusRequest {
    /// Reads a body that says where somebody looks.
    ///
    /// # Errors
    ///
    /// As [`EventRequest::from_json`].
    pub fn from_json(body: &[u8]) -> Result<Self, Refused> {
        read(body, &[&[]])
    }
}
