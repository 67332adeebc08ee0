//! Updates as Telegram sends them. Unknown kinds and fields are skipped, optional ones may be missing, and the
//! `update_id` is read before anything else: so no update can stop the ones behind it.

use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_engine::data::attachment::Attachment;

/// One update.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// Counts up; the offset of polling and the key of the delivery.
    pub id: i64,
    /// The kind and content.
    pub kind: Kind,
}

/// The kind and content.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Somebody wrote.
    Message(Message),
    /// Somebody changed what they wrote.
    Edited(Message),
    /// A button was pressed, or a client claims so.
    Pressed(CallbackQuery),
    /// The bot was added to a chat, removed from it or blocked.
    Membership(Membership),
    /// A kind that is not read, or a body that does not fit the Bot API; its name.
    Other(String),
}

/// Decodes an update. `None` without an `update_id`.
#[must_use]
pub fn read(value: &Value) -> Option<Update> {
    let id = value.get("update_id")?.as_i64()?;
    let name = value.as_object()?.keys().find(|key| *key != "update_id").cloned().unwrap_or_default();
    let body = &value[name.as_str()];
    fn typed<T: for<'de> Deserialize<'de>>(body: &Value) -> Option<T> {
        T::deserialize(body).ok()
    }
    let kind = match name.as_str() {
        "message" => typed(body).map(Kind::Message),
        "edited_message" => typed(body).map(Kind::Edited),
        "callback_query" => typed(body).map(Kind::Pressed),
        "my_chat_member" => typed(body).map(Kind::Membership),
        _ => None,
    };
    Some(Update { id, kind: kind.unwrap_or(Kind::Other(name)) })
}

/// A person, or a bot.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct User {
    /// The person's number; it stays when names change.
    pub id: i64,
    /// True for a bot.
    #[serde(default)]
    pub is_bot: bool,
    /// The first name.
    #[serde(default)]
    pub first_name: String,
    /// The last name.
    #[serde(default)]
    pub last_name: Option<String>,
    /// The user name without the at sign.
    #[serde(default)]
    pub username: Option<String>,
}

impl User {
    /// The display name.
    #[must_use]
    pub fn name(&self) -> String {
        let last = self.last_name.as_deref().unwrap_or_default();
        let name = format!("{} {last}", self.first_name).trim().to_owned();
        if name.is_empty() { self.id.to_string() } else { name }
    }
}

/// A chat.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Chat {
    /// Negative for groups.
    pub id: i64,
    /// `private`, `group`, `supergroup`, `channel`.
    #[serde(rename = "type", default)]
    pub kind: String,
}

/// A message. One that is no longer accessible has only chat and number.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Message {
    /// Its number in the chat.
    pub message_id: i64,
    /// The chat.
    pub chat: Chat,
    /// The author; absent in channels.
    #[serde(default)]
    pub from: Option<User>,
    /// The chat on whose behalf it was written: an anonymous administrator or a linked channel.
    #[serde(default)]
    pub sender_chat: Option<Chat>,
    /// The inline bot it came through.
    #[serde(default)]
    pub via_bot: Option<User>,
    /// The topic, and in groups without topics the first message of a chain of replies.
    #[serde(default)]
    pub message_thread_id: Option<i64>,
    /// True if the thread is a topic.
    #[serde(default)]
    pub is_topic_message: bool,
    /// The time of the last edit, in Unix seconds.
    #[serde(default)]
    pub edit_date: Option<i64>,
    /// The text.
    #[serde(default)]
    pub text: Option<String>,
    /// Mentions, commands, links in the text.
    #[serde(default)]
    pub entities: Vec<Entity>,
    /// The text under a picture or file.
    #[serde(default)]
    pub caption: Option<String>,
    /// Mentions, commands, links in the caption.
    #[serde(default)]
    pub caption_entities: Vec<Entity>,
    /// The message it replies to.
    #[serde(default)]
    pub reply_to_message: Option<Box<Message>>,
    /// The quoted part of that message.
    #[serde(default)]
    pub quote: Option<Quote>,
    /// The buttons under it.
    #[serde(default)]
    pub reply_markup: Option<Markup>,
    /// The chat becomes a supergroup under another number.
    #[serde(default)]
    pub migrate_to_chat_id: Option<i64>,
    /// Present in the message that began a topic. Every message of the topic is marked as a reply to it.
    #[serde(default)]
    pub forum_topic_created: Option<Value>,
    /// Every other field, among them attachments.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Fields that hold attachments, and a name for each. An animation comes with a document too, so the first field that
/// is present counts.
const ATTACHED: [(&str, &str); 17] = [
    ("animation", "animation"),
    ("photo", "photo"),
    ("live_photo", "photo"),
    ("video", "video"),
    ("video_note", "video message"),
    ("voice", "voice message"),
    ("audio", "audio file"),
    ("document", "file"),
    ("sticker", "sticker"),
    ("paid_media", "picture"),
    ("story", "story"),
    ("venue", "place"),
    ("location", "place"),
    ("contact", "contact"),
    ("poll", "poll"),
    ("checklist", "checklist"),
    ("dice", "dice"),
];

impl Message {
    /// The attachment, if there is one.
    #[must_use]
    pub fn attached(&self) -> Option<Attachment> {
        let found = |(field, kind)| Some((self.rest.get(field)?, kind));
        let (file, kind): (&Value, &str) = ATTACHED.into_iter().find_map(found)?;
        // A photo comes in several sizes, the largest last.
        let file = file.as_array().and_then(|sizes| sizes.last()).unwrap_or(file);
        let text = |name: &str| file[name].as_str().map(str::to_owned);
        let bytes = file["file_size"].as_u64();
        let (name, mime) = (text("file_name"), text("mime_type"));
        Some(Attachment { kind: kind.into(), name, mime, bytes, ..Attachment::default() })
    }

    /// The text or caption, with its entities.
    #[must_use]
    pub fn words(&self) -> Option<(&str, &[Entity])> {
        match (&self.text, &self.caption) {
            (Some(text), _) => Some((text, &self.entities)),
            (None, Some(caption)) => Some((caption, &self.caption_entities)),
            (None, None) => None,
        }
    }
}

/// A marked part of a text; offsets count UTF-16 units.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Entity {
    /// `mention`, `text_mention`, `bot_command`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// The start.
    pub offset: usize,
    /// The length.
    pub length: usize,
    /// The person of a `text_mention`.
    #[serde(default)]
    pub user: Option<User>,
}

/// The quoted part of the replied-to message.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Quote {
    /// The text.
    pub text: String,
}

/// The buttons under a message.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Markup {
    /// Rows of buttons.
    #[serde(default)]
    pub inline_keyboard: Vec<Vec<MarkupButton>>,
}

/// One button.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct MarkupButton {
    /// The data that a press sends.
    #[serde(default)]
    pub callback_data: Option<String>,
}

/// A press. A changed client may send any data.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct CallbackQuery {
    /// The id to answer it with.
    pub id: String,
    /// The person who pressed.
    pub from: User,
    /// The message with the button.
    #[serde(default)]
    pub message: Option<Message>,
    /// The button's data.
    #[serde(default)]
    pub data: Option<String>,
}

/// The bot's own membership in a chat has changed.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Membership {
    /// The chat.
    pub chat: Chat,
    /// The person who changed it.
    pub from: User,
    /// The new membership.
    pub new_chat_member: Member,
}

/// A membership in a chat.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Member {
    /// `member`, `administrator`, `left`, `kicked`, …
    #[serde(default)]
    pub status: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_is_never_lost_for_what_is_in_it() {
        let unknown = read(&json!({"update_id": 7, "holiday_wish": {"from": 1}})).unwrap();
        assert_eq!(unknown, Update { id: 7, kind: Kind::Other("holiday_wish".into()) });
        let odd = read(&json!({"update_id": 8, "message": {"message_id": "not a number"}})).unwrap();
        assert_eq!(odd.kind, Kind::Other("message".into()));
        assert_eq!(read(&json!({"update_id": 9})).unwrap().kind, Kind::Other(String::new()));
        assert_eq!(read(&json!({"message": {}})), None);
        assert_eq!(read(&json!([])), None);
    }

    #[test]
    fn reads_a_message_with_fields_it_does_not_know() {
        let update = read(&json!({"update_id": 1, "message": {
            "message_id": 5, "date": 1, "chat": {"id": -10, "type": "group", "title": "Team"},
            "from": {"id": 3, "is_bot": false, "first_name": "Ana", "last_name": "Lima"},
            "text": "hello", "new_in_11": {"x": 1}}}));
        let Some(Update { kind: Kind::Message(message), .. }) = update else { panic!("{update:?}") };
        assert_eq!(message.words().unwrap().0, "hello");
        assert_eq!(message.from.unwrap().name(), "Ana Lima");
    }
}
