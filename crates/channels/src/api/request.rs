//! Bodies that the API takes, as JSON. `event.rs` and `options.rs` check what their members mean together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::json_body::read;
use super::problem::BodyError;
use super::whole;

/// An event as a host sends it. The members it needs depend on its kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventRequest {
    /// The lane it belongs to.
    pub lane: LaneRequest,
    /// The person who acted; by default the user of the access token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<ActorRequest>,
    /// The event's kind, such as `message.posted` (`docs/design/0012-routing-order.md`).
    pub kind: String,
    /// The text of a message or an edit, or the words after a command's name.
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
    /// The files that came with the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileRequest>>,
    /// The revision of the lane that the writer of the message saw, as the stream tells it.
    #[serde(deserialize_with = "whole::optional", skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// True if the message is meant for the assistant, which counts as a mention; false keeps it unanswered. If absent the channel decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addressed: Option<bool>,
    /// The panel of a web page; it is the lane's thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel: Option<String>,
    /// The button that was pressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub press: Option<PressRequest>,
    /// The form that came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<FormRequest>,
    /// A message of the host's own agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assistant: Option<AssistantRequest>,
    /// The act of the host's that a person is to approve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRequest>,
    /// The state of a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportRequest>,
    /// The list of options that is shown now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownRequest>,
    /// The list of options that was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<ClosedRequest>,
    /// The place somebody looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<FocusRequest>,
    /// True if the edit changed no word: an unfurl, a pin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_only: Option<bool>,
    /// The host's id of the event. Sent twice, it is one event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// The time it happened, RFC 3339 in UTC. For information; never used for order.
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

/// A file of a message: one that is kept here, by its id, or one that the host keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileRequest {
    /// The id of a file that is kept here. Then the other members are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of a file of the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// The size in bytes.
    #[serde(deserialize_with = "whole::optional", skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// The address at which whoever reads the conversation can open it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActorRequest {
    /// The host's user id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A pressed button, or an option that was pressed where the host shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PressRequest {
    /// The button's token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The option's list, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The `exec_rev` of the list as it was seen.
    #[serde(deserialize_with = "whole::optional", skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The option, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// True if *Remember for this thread* was ticked.
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
    /// The values by field name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, String>>,
}

/// A request that a person approves an act of the host's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalRequest {
    /// The host's id of the request, within the lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The act in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The thing it acts on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The content, which the host is handed back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// Lines for people about the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<String>>,
    /// The time until which it may be approved, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// A message of the host's own agent, which may be a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssistantRequest {
    /// `answer`, `question`, `card` or `notification`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The answer it waits for: `boolean`, `number`, `location`, `text` or `selection:A|B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The user id of who is asked; absent for everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// The time the question expires, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// The host's own id of the message, if it has posted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

/// The state of a task, as the host reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportRequest {
    /// The host's id of the task, or ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// `queued`, `running`, `completed`, `blocked`, `failed` or `cancelled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The time of the change, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The goal of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The reason it is blocked or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// A list of options that a host shows somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShownRequest {
    /// `chat`, `widget`, `dashboard` or `workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The concrete chat, panel, dashboard or workspace: an id of the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_instance: Option<String>,
    /// The display name of that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `lane` or `user`; by default `user` if a user is named, else `lane`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// The user the list is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The options, in an order that does not change when they are displayed in another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<OptionRequest>>,
    /// True if the host can be asked for the list's current options.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshable: Option<bool>,
    /// The host's id of the message that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The option ids in display order; options that are left out are not displayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub displayed: Option<Vec<String>>,
    /// The option that has the focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused_option: Option<String>,
    /// The number of the first option displayed; 1 if absent.
    #[serde(deserialize_with = "whole::optional", skip_serializing_if = "Option::is_none")]
    pub numbers_from: Option<u16>,
    /// Comparisons of the list's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparisons: Option<Vec<ComparisonRequest>>,
    /// True if the list is a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<bool>,
}

/// A comparison that a list names itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComparisonRequest {
    /// The words that ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The field that is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// True if the least value is meant; by default the greatest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<bool>,
}

/// One option.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionRequest {
    /// The option's id in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A second line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sublabel: Option<String>,
    /// A short text shown beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// Other names of the option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    /// Details that tell it from similar options.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MetadataRequest>,
    /// Properties by name: numbers, texts, booleans, lists of texts, `{"at": …}`, `{"value": …, "unit": …}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<BTreeMap<String, serde_json::Value>>,
    /// `normal`, `exit` or `none_of_these`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// True, the default, if the option may run twice without asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeatable: Option<bool>,
    /// The host's reference to the action that runs when the option is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_ref: Option<String>,
    /// `read`, `write` or `destructive`. Anything but `read` waits for an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
}

/// Details that tell similar options apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetadataRequest {
    /// The path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The type of thing it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The rank by last use; 0 is the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole::optional")]
    pub recency_rank: Option<u32>,
}

/// A list that is no longer shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClosedRequest {
    /// The list, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Or all lists of a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_instance: Option<String>,
}

/// The place somebody looks at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FocusRequest {
    /// The user; by default the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// `chat`, `widget`, `dashboard` or `workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The concrete place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_instance: Option<String>,
    /// The option in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
}

/// The places of an event's body where objects belong.
const OBJECTS: [&[&str]; 14] = [
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
    &["shown", "options", "*", "fields"],
    &["shown", "comparisons", "*"],
    &["closed"],
    &["focus"],
];

impl EventRequest {
    /// Decodes a body.
    ///
    /// # Errors
    ///
    /// The body is not JSON, or members are unknown or of another type; each is named with its pointer.
    pub fn from_json(body: &[u8]) -> Result<Self, BodyError> {
        read(body, &OBJECTS)
    }
}

impl ShownRequest {
    /// Decodes a body that is a list of options.
    ///
    /// # Errors
    ///
    /// As [`EventRequest::from_json`].
    pub fn from_json(body: &[u8]) -> Result<Self, BodyError> {
        read(
            body,
            &[
                &[],
                &["options", "*"],
                &["options", "*", "metadata"],
                &["options", "*", "fields"],
                &["comparisons", "*"],
            ],
        )
    }
}

impl FocusRequest {
    /// Decodes a body that says where somebody looks.
    ///
    /// # Errors
    ///
    /// As [`EventRequest::from_json`].
    pub fn from_json(body: &[u8]) -> Result<Self, BodyError> {
        read(body, &[&[]])
    }
}
