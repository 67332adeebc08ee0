//! Builds calls of the Web API: method and arguments. Pure.

use serde_json::{Map, Value, json};
use throughline_engine::LaneKey;

use super::read_back::PostedFor;
use super::render::Message;

/// A call of the Web API.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The method.
    pub method: &'static str,
    /// Its arguments. Those that are no text, number or flag are sent as JSON within the form: every method reads that.
    pub arguments: Map<String, Value>,
}

impl Call {
    /// Creates a call.
    #[must_use]
    pub fn new(method: &'static str, arguments: Value) -> Self {
        let arguments = if let Value::Object(fields) = arguments { fields } else { Map::new() };
        Self { method, arguments }
    }

    fn with(mut self, name: &str, value: Option<&str>) -> Self {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.arguments.insert(name.into(), json!(value));
        }
        self
    }
}

/// The destination of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// The conversation.
    pub channel: &'a str,
    /// The thread; empty for the conversation itself.
    pub thread: &'a str,
}

impl<'a> Target<'a> {
    /// The place of a lane.
    #[must_use]
    pub fn of(lane: &'a LaneKey) -> Self {
        Self { channel: &lane.conversation, thread: &lane.thread }
    }
}

/// Posts a message. What it was posted for is kept with it, so that it can be found again.
#[must_use]
pub fn post(to: Target<'_>, message: &Message, of: PostedFor<'_>) -> Call {
    let body = json!({"channel": to.channel, "text": message.text, "blocks": message.blocks,
        "unfurl_links": false, "unfurl_media": false, "metadata": of.metadata()});
    Call::new("chat.postMessage", body).with("thread_ts", Some(to.thread))
}

/// A time from or until which a conversation is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span<'a> {
    /// From this second on, with the metadata of messages.
    Since(i64),
    /// Before the message with this time stamp.
    Before(&'a str),
}

/// Asks for a page of what was said in a thread, or at the conversation's root. An empty cursor is the first page.
#[must_use]
pub fn said(at: Target<'_>, span: Span<'_>, cursor: &str) -> Call {
    let method = if at.thread.is_empty() { "conversations.history" } else { "conversations.replies" };
    let mut body = json!({"channel": at.channel, "limit": 200});
    match span {
        Span::Since(second) => {
            body["oldest"] = json!(second.to_string());
            body["inclusive"] = json!(true);
            body["include_all_metadata"] = json!(true);
        }
        Span::Before(ts) => body["latest"] = json!(ts),
    }
    Call::new(method, body).with("ts", Some(at.thread)).with("cursor", Some(cursor))
}

/// Shows a message to one person only, until they reload.
#[must_use]
pub fn post_ephemeral(to: Target<'_>, user: &str, message: &Message) -> Call {
    let body = json!({"channel": to.channel, "user": user, "text": message.text, "blocks": message.blocks});
    Call::new("chat.postEphemeral", body).with("thread_ts", Some(to.thread))
}

/// Shows other content in a message.
#[must_use]
pub fn update(channel: &str, ts: &str, message: &Message) -> Call {
    let body = json!({"channel": channel, "ts": ts, "text": message.text, "blocks": message.blocks});
    Call::new("chat.update", body)
}

/// Begins a message in a thread that is written piece by piece, for a person of a workspace.
#[must_use]
pub fn start_stream(to: Target<'_>, person: Option<&str>, team: &str, chunks: &[Value]) -> Call {
    let call = Call::new("chat.startStream", json!({"channel": to.channel, "chunks": chunks}));
    let team = person.map(|_| team);
    call.with("thread_ts", Some(to.thread)).with("recipient_user_id", person).with("recipient_team_id", team)
}

/// Adds pieces to a message.
#[must_use]
pub fn append_stream(to: Target<'_>, ts: &str, chunks: &[Value]) -> Call {
    Call::new("chat.appendStream", json!({"channel": to.channel, "ts": ts, "chunks": chunks}))
}

/// Ends a message with the last pieces and what it is from now on.
#[must_use]
pub fn stop_stream(channel: &str, ts: &str, chunks: &[Value], message: &Message, of: PostedFor<'_>) -> Call {
    let mut body = json!({"channel": channel, "ts": ts, "blocks": message.blocks, "metadata": of.metadata()});
    if !chunks.is_empty() {
        body["chunks"] = json!(chunks);
    }
    Call::new("chat.stopStream", body)
}

/// Ends a message as it is.
#[must_use]
pub fn end_stream(channel: &str, ts: &str) -> Call {
    Call::new("chat.stopStream", json!({"channel": channel, "ts": ts}))
}

/// Shows a message in the place of one that is not written any more.
#[must_use]
pub fn fill(channel: &str, ts: &str, message: &Message, of: PostedFor<'_>) -> Call {
    let mut call = update(channel, ts, message);
    call.arguments.insert("metadata".into(), of.metadata());
    call
}

/// Removes a message.
#[must_use]
pub fn delete(channel: &str, ts: &str) -> Call {
    Call::new("chat.delete", json!({"channel": channel, "ts": ts}))
}

/// Opens a view for whoever pressed.
#[must_use]
pub fn open_view(trigger: &str, view: &Value) -> Call {
    Call::new("views.open", json!({"trigger_id": trigger, "view": view}))
}

/// Renews a person's Home.
#[must_use]
pub fn publish_home(user: &str, view: &Value) -> Call {
    Call::new("views.publish", json!({"user_id": user, "view": view}))
}

/// Reacts to a message.
#[must_use]
pub fn react(channel: &str, ts: &str, name: &str) -> Call {
    Call::new("reactions.add", json!({"channel": channel, "timestamp": ts, "name": name}))
}

/// Shows what the app is doing in a thread; an empty text shows nothing.
#[must_use]
pub fn status(to: Target<'_>, text: &str) -> Call {
    let body = json!({"channel_id": to.channel, "thread_ts": to.thread, "status": text});
    Call::new("assistant.threads.setStatus", body)
}

/// Names a thread of the agent's view.
#[must_use]
pub fn title(to: Target<'_>, text: &str) -> Call {
    let body = json!({"channel_id": to.channel, "thread_ts": to.thread, "title": text});
    Call::new("assistant.threads.setTitle", body)
}

/// Suggests what can be asked in a thread of the agent's view.
#[must_use]
pub fn suggest(to: Target<'_>, title: &str, prompts: &[String]) -> Call {
    let prompts: Vec<Value> = prompts.iter().map(|text| json!({"title": text, "message": text})).collect();
    let body = json!({"channel_id": to.channel, "thread_ts": to.thread, "title": title, "prompts": prompts});
    Call::new("assistant.threads.setSuggestedPrompts", body)
}

/// Asks who the token is for.
#[must_use]
pub fn auth_test() -> Call {
    Call::new("auth.test", json!({}))
}

/// Asks for the address of a socket, with the app's own token.
#[must_use]
pub fn open_connection() -> Call {
    Call::new("apps.connections.open", json!({}))
}

/// Asks for a person's profile.
#[must_use]
pub fn user(user: &str) -> Call {
    Call::new("users.info", json!({"user": user, "include_locale": true}))
}

/// Asks for the members of a user group.
#[must_use]
pub fn group_members(group: &str) -> Call {
    Call::new("usergroups.users.list", json!({"usergroup": group}))
}

/// Asks for the workspace's user groups.
#[must_use]
pub fn groups() -> Call {
    Call::new("usergroups.list", json!({}))
}

/// Asks for the app's bot.
#[must_use]
pub fn bot(bot: &str) -> Call {
    Call::new("bots.info", json!({"bot": bot}))
}

/// Asks where a file of this name and size can be put.
#[must_use]
pub fn upload_address(name: &str, bytes: usize) -> Call {
    Call::new("files.getUploadURLExternal", json!({"filename": name, "length": bytes}))
}

/// Shows an uploaded file in a thread.
#[must_use]
pub fn share_file(to: Target<'_>, file: &str, title: &str) -> Call {
    let body = json!({"files": [{"id": file, "title": title}], "channel_id": to.channel});
    Call::new("files.completeUploadExternal", body).with("thread_ts", Some(to.thread))
}
