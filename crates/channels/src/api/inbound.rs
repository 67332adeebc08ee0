//! The body of `POST /v1/events`, as JSON. What its members mean together is read in `normalise.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::limits::{Problem, step};

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

/// A pressed button.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PressRequest {
    /// The button's token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
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

/// The members that are objects themselves.
const PARTS: [&str; 6] = ["lane", "actor", "press", "form", "assistant", "report"];

/// Why a body is no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no JSON: 400.
    #[error("the body is not JSON: {0}")]
    Malformed(String),
    /// It is JSON of another shape: 422.
    #[error("the body is not an event: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Problem>),
}

impl EventRequest {
    /// Reads a body.
    ///
    /// # Errors
    ///
    /// It is no JSON, or members are unknown or of another type; each is named with its pointer.
    pub fn from_json(body: &[u8]) -> Result<Self, Refused> {
        let value: Value =
            serde_json::from_slice(body).map_err(|error| Refused::Malformed(error.to_string()))?;
        let mut problems = lists(&value);
        if problems.is_empty() {
            // From the text again, not from the value: a member that is there twice is in the text only.
            let whole = match serde_json::from_slice(body) {
                Ok(request) => return Ok(request),
                Err(error) => error,
            };
            problems = locate(&value);
            if problems.is_empty() {
                problems.push(Problem::new("", whole.to_string()));
            }
        }
        Err(Refused::Invalid(problems))
    }
}

/// Lists where objects belong. Serde would read them as the members in order; nobody means that.
fn lists(value: &Value) -> Vec<Problem> {
    let object = |pointer: String| Problem::new(pointer, "a JSON object belongs here, not a list");
    match value {
        Value::Array(_) => vec![object(String::new())],
        Value::Object(members) => {
            let lists = members.iter().filter(|(_, value)| value.is_array());
            lists
                .filter(|(name, _)| PARTS.contains(&name.as_str()))
                .map(|(name, _)| object(format!("/{name}")))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Which members do not fit. A member fits if an event of nothing else can be read, since nothing is required
/// at this stage; so each can be tried alone, and the members of objects likewise.
fn locate(value: &Value) -> Vec<Problem> {
    let Value::Object(members) = value else {
        return vec![Problem::new("", "an event is a JSON object")];
    };
    let mut problems = Vec::new();
    for (name, value) in members {
        let Err(error) = alone(name, value.clone()) else { continue };
        let pointer = format!("/{}", step(name));
        let mut inner = Vec::new();
        if let Value::Object(members) = value {
            for (inner_name, value) in members {
                let only = Value::Object(Map::from_iter([(inner_name.clone(), value.clone())]));
                if let Err(error) = alone(name, only) {
                    inner.push(Problem::new(format!("{pointer}/{}", step(inner_name)), error.to_string()));
                }
            }
        }
        if inner.is_empty() {
            inner.push(Problem::new(pointer, error.to_string()));
        }
        problems.extend(inner);
    }
    problems
}

fn alone(name: &str, value: Value) -> Result<EventRequest, serde_json::Error> {
    serde_json::from_value(Value::Object(Map::from_iter([(name.to_owned(), value)])))
}
