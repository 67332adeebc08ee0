//! The body of `POST /v1/events` as the OpenAPI document describes it. It is read by the API channel; a test keeps
//! the two alike.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ClosedBody, FocusBody, ShownBody};

/// An event as a host delivers it. Which members it needs depends on its kind.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventBody {
    /// Where it happened.
    pub lane: EventLane,
    /// Who did it; otherwise the token's own principal. Another needs the scope `act_as`.
    pub actor: Option<EventActor>,
    /// `message.posted`, `message.edited`, `message.deleted`, `card.pressed`, `command`, `form.submitted`,
    /// `assistant.posted`, `task.reported`, `options.shown`, `options.closed`, `focus.changed`.
    #[schema(example = "message.posted")]
    pub kind: String,
    /// The words: of a message, of an edit, or after a command's name.
    #[schema(max_length = 40_000)]
    pub text: Option<String>,
    /// The host's id of the message that was posted, edited or deleted.
    pub message_id: Option<String>,
    /// The task the host says it belongs to.
    pub task: Option<String>,
    /// The message it replies to, by the host's id or ours.
    pub reply_to: Option<String>,
    /// The text of that message, for when we do not have it.
    pub quote: Option<String>,
    /// The panel of a web page; it is the lane's thread.
    pub panel: Option<String>,
    /// The button that was pressed.
    pub press: Option<EventPress>,
    /// The form that came back.
    pub form: Option<EventForm>,
    /// What the host's own agent said.
    pub assistant: Option<EventAssistant>,
    /// Where a task stands.
    pub report: Option<EventReport>,
    /// The list that is shown. Needs the scope `options:write` too.
    pub shown: Option<ShownBody>,
    /// The list that was closed. Needs the scope `options:write` too.
    pub closed: Option<ClosedBody>,
    /// Where somebody looks. Needs the scope `options:write` too.
    pub focus: Option<FocusBody>,
    /// The edit changed no word.
    pub metadata_only: Option<bool>,
    /// The host's id of the event: delivered twice, it is one event.
    pub event_id: Option<String>,
    /// When it happened, RFC 3339 in UTC. Told, never used for order.
    pub at: Option<String>,
}

/// The caller's part of a lane; tenant and app are the token's.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventLane {
    /// `api` when it is left out.
    pub channel: Option<String>,
    /// Any id of yours for the room, chat or session.
    pub conversation: String,
    /// The thread in it.
    pub thread: Option<String>,
}

/// A person.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventActor {
    /// The host's user id.
    pub id: Option<String>,
    /// What to call them.
    pub name: Option<String>,
}

/// A pressed button, by its token; or an option, pressed where you show it, by its list, version and id.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPress {
    /// The button's token.
    pub token: Option<String>,
    /// The option's list, by its id.
    pub set: Option<String>,
    /// What of the list was seen: its `exec_rev`.
    pub version: Option<u32>,
    /// The option, by its id.
    pub option: Option<String>,
    /// *Remember for this thread* was ticked.
    pub remember: Option<bool>,
}

/// A form that was filled in.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventForm {
    /// The token of the button that opened it.
    pub token: String,
    /// What was filled in, by field.
    pub values: BTreeMap<String, String>,
}

/// What a host's own agent said, and maybe asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventAssistant {
    /// `answer`, `question`, `card` or `notification`.
    pub kind: String,
    /// The task it belongs to.
    pub task: Option<String>,
    /// The words.
    pub text: String,
    /// The answer it waits for: `boolean`, `number`, `location`, `text`, `selection:A|B`, …
    #[schema(example = "location")]
    pub expected: Option<String>,
    /// Who is asked; nobody named is everybody.
    pub asked_of: Option<String>,
    /// Until when, RFC 3339 in UTC.
    pub expires: Option<String>,
}

/// Where a task stands, as the host sees it. A report that is older than what is known changes nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventReport {
    /// The host's id of the task, or ours: at most 128 bytes.
    pub task_id: String,
    /// `queued`, `running`, `completed`, `blocked`, `failed` or `cancelled`.
    #[schema(example = "completed")]
    pub status: String,
    /// Since when, RFC 3339 in UTC.
    pub at: Option<String>,
    /// What was asked for.
    pub intent: Option<String>,
    /// Why it is blocked, or failed.
    pub reason: Option<String>,
    /// What came of it.
    pub result: Option<String>,
}

#[cfg(test)]
mod tests {
    use throughline_channels::api::EventRequest;

    use super::super::{MetadataBody, OptionBody};
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
        }
    }

    /// The document describes what the channel reads: the same members, no more and no fewer.
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
