//! Body of `POST /v1/events`, as the OpenAPI document describes it. The API channel parses the body; a test keeps the
//! two equal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::vocabulary::{
    ActTitle, AssistantKind, ExpectedType, FileName, HostId, HostIdOrNone, HostKind, Line, Moment, TaskId,
    TaskState, Text, WebAddress, Whole, Words,
};
use super::{ClosedBody, FocusBody, ShownBody};

/// Event delivered by a host. Its kind determines which members it needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventBody {
    /// Conversation in which it happened.
    pub lane: EventLane,
    /// Person who acted; the token's own principal if absent. Naming another person needs the scope `act_as`.
    pub actor: Option<EventActor>,
    /// Kind: `message.posted`, `message.edited`, `message.deleted`, `card.pressed`, `command`, `form.submitted`,
    /// `assistant.posted`, `approval.requested`, `task.reported`, `options.shown`, `options.closed`, `focus.changed`.
    #[schema(value_type = HostKind, inline, example = "message.posted")]
    pub kind: String,
    /// Text of a message or an edit, or the words after a command's name.
    #[schema(value_type = Option<Text>, inline)]
    pub text: Option<String>,
    /// Host's id of the message that was posted, edited or deleted.
    #[schema(value_type = Option<HostId>, inline)]
    pub message_id: Option<String>,
    /// Task the message belongs to, if the host knows it.
    #[schema(value_type = Option<HostId>, inline)]
    pub task: Option<String>,
    /// Message it replies to, by the host's id or ours.
    #[schema(value_type = Option<HostId>, inline)]
    pub reply_to: Option<String>,
    /// Text of that message, for the case that we do not have it.
    #[schema(value_type = Option<Text>, inline)]
    pub quote: Option<String>,
    /// Files that came with the message, at most 10; then the text may be empty. Nobody reads them but people, and those with an
    /// address are evidence of the ticket that the message is about.
    #[schema(max_items = 10)]
    pub files: Option<Vec<EventFile>>,
    /// Revision of the lane that the writer of the message saw: `turn.revision` of an answer or of the stream. What was shown later is not what
    /// the words are about, so it is asked instead of answered.
    pub seen: Option<u64>,
    /// True if the message is meant for the assistant, which counts as a mention; false keeps it unanswered. If absent the channel decides.
    pub addressed: Option<bool>,
    /// Panel of a web page; it is used as the lane's thread.
    #[schema(value_type = Option<HostIdOrNone>, inline)]
    pub panel: Option<String>,
    /// Button that was pressed.
    pub press: Option<EventPress>,
    /// Form that was submitted.
    pub form: Option<EventForm>,
    /// Message of the host's own agent.
    pub assistant: Option<EventAssistant>,
    /// Act of yours that a person is to approve. Needs the scope `assistant:write` too.
    pub approval: Option<EventApproval>,
    /// Report on a task.
    pub report: Option<EventReport>,
    /// List that is shown. Needs the scope `options:write` too.
    pub shown: Option<ShownBody>,
    /// List that was closed. Needs the scope `options:write` too.
    pub closed: Option<ClosedBody>,
    /// Focus of a user. Needs the scope `options:write` too.
    pub focus: Option<FocusBody>,
    /// True if the edit did not change the text.
    pub metadata_only: Option<bool>,
    /// Host's id of the event: delivered twice, it is one event; another event under it is refused.
    #[schema(value_type = Option<HostId>, inline)]
    pub event_id: Option<String>,
    /// Time it happened, RFC 3339 in UTC. It is recorded and does not influence the order.
    #[schema(value_type = Option<Moment>, inline)]
    pub at: Option<String>,
}

/// Lane, as far as the caller determines it; tenant and app are the token's.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventLane {
    /// Channel; `api` if absent.
    #[schema(value_type = Option<HostId>, inline)]
    pub channel: Option<String>,
    /// Any id of yours for the room, chat or session.
    #[schema(value_type = HostId, inline)]
    pub conversation: String,
    /// Thread within the conversation.
    #[schema(value_type = Option<HostIdOrNone>, inline)]
    pub thread: Option<String>,
}

/// File of a message: one that `POST /v1/files` keeps, by its id alone, or one that you keep, by its name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventFile {
    /// Id of a file of this conversation.
    #[schema(value_type = Option<HostId>, inline)]
    pub id: Option<String>,
    /// Name of your file, on one line.
    #[schema(value_type = Option<FileName>, inline)]
    pub name: Option<String>,
    /// Media type.
    #[schema(value_type = Option<HostId>, inline, example = "image/png")]
    pub mime: Option<String>,
    /// Size in bytes.
    #[schema(value_type = Option<Whole>, inline)]
    pub bytes: Option<u32>,
    /// Address at which whoever reads the conversation can open it.
    #[schema(value_type = Option<WebAddress>, inline)]
    pub url: Option<String>,
}

/// Person.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventActor {
    /// Host's id of the user.
    #[schema(value_type = Option<HostId>, inline)]
    pub id: Option<String>,
    /// Display name.
    #[schema(value_type = Option<Line>, inline)]
    pub name: Option<String>,
}

/// Press of a button, named by its token; or of an option that you show, named by its list, version and id.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPress {
    /// Token of the button.
    #[schema(value_type = Option<HostId>, inline)]
    pub token: Option<String>,
    /// Id of the option's list.
    #[schema(value_type = Option<HostId>, inline)]
    pub set: Option<String>,
    /// Version of the list that was seen: its `exec_rev`.
    #[schema(value_type = Option<Whole>, inline)]
    pub version: Option<u32>,
    /// Id of the option.
    #[schema(value_type = Option<HostId>, inline)]
    pub option: Option<String>,
    /// True if *Remember for this thread* was ticked.
    pub remember: Option<bool>,
}

/// Submitted form.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventForm {
    /// Token of the button that opened it.
    #[schema(value_type = HostId, inline)]
    pub token: String,
    /// Values by field.
    pub values: BTreeMap<String, String>,
}

/// Message of a host's own agent, perhaps a question.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventAssistant {
    /// Kind: `answer`, `question`, `card` or `notification`.
    #[schema(value_type = AssistantKind, inline)]
    pub kind: String,
    /// Task it belongs to.
    #[schema(value_type = Option<HostId>, inline)]
    pub task: Option<String>,
    /// Text.
    #[schema(value_type = Words, inline)]
    pub text: String,
    /// Expected type of the answer: `boolean`, `number`, `location`, `text`, `selection:A|B`, …
    #[schema(value_type = Option<ExpectedType>, inline, example = "location")]
    pub expected: Option<String>,
    /// User who is asked; everybody if absent.
    #[schema(value_type = Option<HostId>, inline)]
    pub asked_of: Option<String>,
    /// Time until which an answer is accepted, RFC 3339 in UTC.
    #[schema(value_type = Option<Moment>, inline)]
    pub expires: Option<String>,
    /// Your own id of the message, if you have posted it. A reply to that id refers to this message.
    #[schema(value_type = Option<HostId>, inline)]
    pub message_id: Option<String>,
}

/// Request that a person approves an act of the host's. Once approved it is offered as an effect `host.act`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventApproval {
    /// Your id of the request, within the conversation. The same id with the same content is the same request; with another
    /// content it is the next version of the card, until the request is decided.
    #[schema(value_type = HostId, inline)]
    pub request_id: String,
    /// Act in a few words, one line: `Deploy web 4.2`.
    #[schema(value_type = ActTitle, inline, example = "Deploy web 4.2")]
    pub title: String,
    /// Thing that it acts on, without blanks. Rules name who may approve it as `act:` with this behind it.
    #[schema(value_type = HostId, inline, example = "web:production")]
    pub target: String,
    /// Content of the act: a JSON object of at most 8192 bytes. People see it, and you are handed back the text that they
    /// approved. Numbers have at most 15 digits.
    pub payload: BTreeMap<String, serde_json::Value>,
    /// Lines for people about the content, at most 20 of 300 characters each.
    pub lines: Option<Vec<String>>,
    /// Time until which it may be approved, RFC 3339 in UTC, if it is to end before every approval does.
    #[schema(value_type = Option<Moment>, inline)]
    pub expires: Option<String>,
}

/// Report on a task, from the host's view. A report older than the known state changes nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventReport {
    /// Id of the task, the host's or ours: at most 128 characters.
    #[schema(value_type = TaskId, inline)]
    pub task_id: String,
    /// Status: `queued`, `running`, `completed`, `blocked`, `failed` or `cancelled`.
    #[schema(value_type = TaskState, inline, example = "completed")]
    pub status: String,
    /// Time since which it has this status, RFC 3339 in UTC.
    #[schema(value_type = Option<Moment>, inline)]
    pub at: Option<String>,
    /// Request that the task fulfils.
    #[schema(value_type = Option<Text>, inline)]
    pub intent: Option<String>,
    /// Reason why it is blocked or failed.
    #[schema(value_type = Option<Text>, inline)]
    pub reason: Option<String>,
    /// Result.
    #[schema(value_type = Option<Text>, inline)]
    pub result: Option<String>,
}

#[cfg(test)]
mod tests {
    use throughline_channels::api::EventRequest;

    use super::super::{ComparisonBody, MetadataBody, OptionBody};
    use super::*;

    fn shown() -> ShownBody {
        let some = || Some("x".to_owned());
        let option = OptionBody {
            id: "o".into(),
            label: "x".into(),
            sublabel: some(),
            badge: some(),
            aliases: vec!["y".into()],
            metadata: Some(MetadataBody { path: some(), kind: some(), owner: some(), recency_rank: Some(1) }),
            fields: [("x".to_owned(), serde_json::json!(1))].into(),
            role: Some("normal".into()),
            repeatable: Some(true),
            exec_ref: some(),
            risk: Some("read".into()),
        };
        ShownBody {
            scope: "chat".into(),
            scope_instance: "c".into(),
            title: some(),
            audience: Some("user".into()),
            user: some(),
            options: vec![option],
            refreshable: Some(true),
            message_id: some(),
            displayed: Some(vec!["o".into()]),
            focused_option: some(),
            numbers_from: Some(51),
            comparisons: Some(vec![ComparisonBody {
                name: "x".into(),
                field: "x".into(),
                least: Some(true),
            }]),
            asked: Some(true),
        }
    }

    /// The document describes exactly the members that the channel reads.
    #[test]
    fn is_what_the_channel_reads() {
        let some = || Some("x".to_owned());
        let body = EventBody {
            lane: EventLane { channel: some(), conversation: "c".into(), thread: some() },
            actor: Some(EventActor { id: some(), name: some() }),
            kind: "message.posted".into(),
            text: some(),
            message_id: some(),
            task: some(),
            reply_to: some(),
            quote: some(),
            files: Some(vec![EventFile {
                id: some(),
                name: some(),
                mime: some(),
                bytes: Some(1),
                url: some(),
            }]),
            seen: Some(0),
            addressed: Some(true),
            panel: some(),
            press: Some(EventPress {
                token: some(),
                set: some(),
                version: Some(1),
                option: some(),
                remember: Some(true),
            }),
            form: Some(EventForm { token: "t".into(), values: BTreeMap::from([("a".into(), "b".into())]) }),
            assistant: Some(EventAssistant {
                kind: "answer".into(),
                task: some(),
                text: "x".into(),
                expected: some(),
                asked_of: some(),
                expires: some(),
                message_id: some(),
            }),
            approval: Some(EventApproval {
                request_id: "r".into(),
                title: "x".into(),
                target: "x".into(),
                payload: BTreeMap::from([("a".into(), serde_json::json!(1))]),
                lines: Some(vec!["x".into()]),
                expires: some(),
            }),
            report: Some(EventReport {
                task_id: "t".into(),
                status: "completed".into(),
                at: some(),
                intent: some(),
                reason: some(),
                result: some(),
            }),
            shown: Some(shown()),
            closed: Some(ClosedBody { set: some(), scope_instance: some() }),
            focus: Some(FocusBody {
                user: some(),
                scope: "chat".into(),
                scope_instance: "c".into(),
                option: some(),
            }),
            metadata_only: Some(true),
            event_id: some(),
            at: some(),
        };
        let text = serde_json::to_vec(&body).unwrap();
        let read = EventRequest::from_json(&text).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::to_value(&body).unwrap());
    }
}
