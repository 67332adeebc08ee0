//! What Telegram sends, as far as it is read. Unknown kinds and fields are skipped, optional ones may be missing:
//! the `update_id` is read before anything else, so that no update can stop the ones behind it.

use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_engine::event::Attached;

/// One update.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// Counts up; the offset of polling and the key of the delivery.
    pub id: i64,
    /// What happened.
    pub kind: Kind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Somebody wrote.
    Message(Message),
    /// Somebody changed what they wrote.
    Edited(Message),
    /// Somebody pressed a button of ours, or says so.
    Pressed(CallbackQuery),
    /// We were added to a chat, removed from it or blocked.
    Membership(Membership),
    /// A kind that is not read, or one whose fields are not what the Bot API promises: its name.
    Other(String),
}

/// Reads an update. `None`: it has no `update_id`, so it is none.
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
    /// The number that stays; names change.
    pub id: i64,
    /// A program.
    #[serde(default)]
    pub is_bot: bool,
    /// What they call themselves.
    #[serde(default)]
    pub first_name: String,
    /// The rest of it.
    #[serde(default)]
    pub last_name: Option<String>,
    /// Without the at sign.
    #[serde(default)]
    pub username: Option<String>,
}

impl User {
    /// What to call them.
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

/// A message. Of a message that is no longer accessible only chat and id are there.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Message {
    /// Its number in the chat.
    pub message_id: i64,
    /// Where.
    pub chat: Chat,
    /// Who wrote it; absent in channels.
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
    /// Whether that is a topic.
    #[serde(default)]
    pub is_topic_message: bool,
    /// When it was last changed, in seconds.
    #[serde(default)]
    pub edit_date: Option<i64>,
    /// What it says.
    #[serde(default)]
    pub text: Option<String>,
    /// Mentions, commands, links in the text.
    #[serde(default)]
    pub entities: Vec<Entity>,
    /// What it says under a picture or file.
    #[serde(default)]
    pub caption: Option<String>,
    /// The same in the caption.
    #[serde(default)]
    pub caption_entities: Vec<Entity>,
    /// The message it replies to.
    #[serde(default)]
    pub reply_to_message: Option<Box<Message>>,
    /// The part of it that was marked.
    #[serde(default)]
    pub quote: Option<Quote>,
    /// The buttons under it.
    #[serde(default)]
    pub reply_markup: Option<Markup>,
    /// The chat becomes a supergroup under another number.
    #[serde(default)]
    pub migrate_to_chat_id: Option<i64>,
    /// The message that began its topic: every message of the topic seems to reply to it.
    #[serde(default)]
    pub forum_topic_created: Option<Value>,
    /// Every other field: among them what came with the words.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The fields that hold what came with a message, and what people call it. An animation comes with a document of its own,
/// so the first that is there counts.
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
    /// What came with it, if anything did.
    #[must_use]
    pub fn attached(&self) -> Option<Attached> {
        let found = |(field, kind)| Some((self.rest.get(field)?, kind));
        let (file, kind): (&Value, &str) = ATTACHED.into_iter().find_map(found)?;
        // Of a photo there are several sizes, the largest last.
        let file = file.as_array().and_then(|sizes| sizes.last()).unwrap_or(file);
        let text = |name: &str| file[name].as_str().map(str::to_owned);
        let bytes = file["file_size"].as_u64();
        Some(Attached { kind: kind.into(), name: text("file_name"), mime: text("mime_type"), bytes })
    }

    /// Its words and what is marked in them.
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
    /// Where it begins.
    pub offset: usize,
    /// How long it is.
    pub length: usize,
    /// Of a `text_mention`, who.
    #[serde(default)]
    pub user: Option<User>,
}

/// A marked part of the replied-to message.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Quote {
    /// Its words.
    pub text: String,
}

/// Buttons.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Markup {
    /// Rows of them.
    #[serde(default)]
    pub inline_keyboard: Vec<Vec<MarkupButton>>,
}

/// One button.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct MarkupButton {
    /// What a press of it sends.
    #[serde(default)]
    pub callback_data: Option<String>,
}

/// A press, or what claims to be one: a changed client may send any data.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct CallbackQuery {
    /// What it is answered by.
    pub id: String,
    /// Who pressed.
    pub from: User,
    /// The message with the button.
    #[serde(default)]
    pub message: Option<Message>,
    /// What the button sends.
    #[serde(default)]
    pub data: Option<String>,
}

/// Our own place in a chat changed.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Membership {
    /// Where.
    pub chat: Chat,
    /// Who did it.
    pub from: User,
    /// What we are now.
    pub new_chat_member: Member,
}

/// What somebody is in a chat.
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
