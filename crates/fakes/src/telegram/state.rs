//! The state of the fake: chats, messages, people, and the updates that wait for the bot.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use super::html;

/// The time until an unfetched press expires, in milliseconds.
const PRESS_LIFETIME: i64 = 150_000;
/// The time within which a press can be answered, in milliseconds.
const QUERY_LIFETIME: i64 = 15_000;
/// The time until any other unfetched update expires, in milliseconds.
const UPDATE_LIFETIME: i64 = 86_400_000;

/// A message in a chat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// The id in the chat.
    pub id: i64,
    /// The user id of the author.
    pub from: i64,
    /// The text, without markup.
    pub text: String,
    /// The formatting entities.
    pub entities: Vec<Value>,
    /// The topic it is in.
    pub topic: Option<i64>,
    /// The message it replies to.
    pub reply_to: Option<i64>,
    /// The labels and data of its buttons, row by row.
    pub keyboard: Vec<Vec<(String, String)>>,
    /// The texts of its reply keyboard.
    pub words: Vec<String>,
    /// The placeholder, if the message forces a reply.
    pub force_reply: Option<String>,
    /// The attachment: its field and value.
    pub attached: Option<(String, Value)>,
    /// The bot's reaction to it.
    pub reaction: Option<String>,
    /// The number of edits.
    pub edits: u32,
    /// The time it was sent, in milliseconds since 1970.
    pub at: i64,
}

impl Message {
    /// Returns the data of the button with a label.
    #[must_use]
    pub fn button(&self, label: &str) -> Option<&str> {
        self.keyboard.iter().flatten().find(|(text, _)| text == label).map(|(_, data)| data.as_str())
    }

    /// Returns the labels of all buttons.
    #[must_use]
    pub fn labels(&self) -> Vec<&str> {
        self.keyboard.iter().flatten().map(|(label, _)| label.as_str()).collect()
    }
}

#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) kind: String,
    pub(super) messages: BTreeMap<i64, Message>,
    pub(super) topics: Vec<i64>,
    /// The reactions it allows; all if `None`.
    pub(super) reactions: Option<Vec<String>>,
    pub(super) migrated_to: Option<i64>,
    pub(super) closed: Option<&'static str>,
    pub(super) next: i64,
}

/// A press that can be answered.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) at: i64,
    pub(super) answered: bool,
}

/// An answer to a press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PressAnswer {
    /// The id of the callback query.
    pub query: String,
    /// The text.
    pub text: String,
    /// True if it is shown as an alert.
    pub alert: bool,
}

/// A typing indication of the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typing {
    /// The chat.
    pub chat: i64,
    /// The topic in the chat.
    pub topic: Option<i64>,
    /// The time, in milliseconds since 1970.
    pub at: i64,
}

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) update: Value,
    /// The queue it is delivered in: a chat's messages or a person's presses.
    pub(super) queue: String,
    until: i64,
}

#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) rooms: BTreeMap<i64, Room>,
    pub(super) names: BTreeMap<i64, String>,
    pub(super) queries: BTreeMap<String, Query>,
    pub(super) answers: Vec<PressAnswer>,
    pub(super) waiting: VecDeque<Waiting>,
    pub(super) dropped: usize,
    /// The command menus, by language.
    pub(super) commands: BTreeMap<String, Value>,
    pub(super) typing: Vec<Typing>,
    pub(super) webhook: Option<(String, Option<String>)>,
    pub(super) bot: i64,
    pub(super) bot_name: String,
    updates: i64,
}

impl World {
    pub(super) fn new(bot: i64, bot_name: &str) -> Self {
        Self { bot, bot_name: bot_name.into(), updates: 100_000, ..Self::default() }
    }

    pub(super) fn room(&mut self, chat: i64) -> &mut Room {
        let kind = if chat > 0 { "private" } else { "supergroup" };
        self.rooms.entry(chat).or_insert_with(|| Room { kind: kind.into(), next: 1, ..Room::default() })
    }

    pub(super) fn user(&self, id: i64) -> Value {
        if id == self.bot {
            return json!({"id": id, "is_bot": true, "first_name": "Maro", "username": self.bot_name});
        }
        let name = self.names.get(&id).cloned().unwrap_or_else(|| format!("User {id}"));
        json!({"id": id, "is_bot": false, "first_name": name})
    }

    pub(super) fn chat(&self, id: i64) -> Value {
        match self.rooms.get(&id) {
            Some(room) if room.kind != "private" => {
                let mut chat = json!({"id": id, "type": room.kind, "title": "Team"});
                if !room.topics.is_empty() {
                    chat["is_forum"] = json!(true);
                }
                chat
            }
            _ => {
                let name = self.names.get(&id).cloned().unwrap_or_else(|| format!("User {id}"));
                json!({"id": id, "type": "private", "first_name": name})
            }
        }
    }

    /// Returns a message as the Bot API sends it, with the message it replies to, one level deep.
    pub(super) fn message(&self, chat: i64, id: i64) -> Value {
        let mut message = self.bare(chat, id);
        let reply_to = self.rooms.get(&chat).and_then(|room| room.messages.get(&id)).and_then(|m| m.reply_to);
        if let Some(to) = reply_to {
            message["reply_to_message"] = self.bare(chat, to);
        }
        message
    }

    fn bare(&self, chat: i64, id: i64) -> Value {
        let Some(shown) = self.rooms.get(&chat).and_then(|room| room.messages.get(&id)) else {
            return json!({"message_id": id, "date": 0, "chat": self.chat(chat)});
        };
        let mut message = json!({
            "message_id": id, "date": shown.at / 1_000, "chat": self.chat(chat),
            "from": self.user(shown.from),
        });
        let (text, entities) = match &shown.attached {
            Some((field, file)) => {
                message[field] = file.clone();
                ("caption", "caption_entities")
            }
            None => ("text", "entities"),
        };
        if shown.attached.is_none() || !shown.text.is_empty() {
            message[text] = json!(shown.text);
        }
        if !shown.entities.is_empty() {
            message[entities] = json!(shown.entities);
        }
        if let Some(topic) = shown.topic {
            message["message_thread_id"] = json!(topic);
            message["is_topic_message"] = json!(true);
        }
        if shown.edits > 0 {
            message["edit_date"] = json!(shown.at / 1_000 + i64::from(shown.edits));
        }
        if !shown.keyboard.is_empty() {
            let row = |row: &Vec<(String, String)>| {
                row.iter()
                    .map(|(label, data)| json!({"text": label, "callback_data": data}))
                    .collect::<Vec<_>>()
            };
            let rows: Vec<_> = shown.keyboard.iter().map(row).collect();
            message["reply_markup"] = json!({"inline_keyboard": rows});
        }
        message
    }

    /// Adds a message to a chat. Returns its id.
    pub(super) fn write(&mut self, chat: i64, shown: Message) -> i64 {
        let room = self.room(chat);
        let id = room.next;
        room.next += 1;
        room.messages.insert(id, Message { id, ..shown });
        id
    }

    /// Queues an update for the bot. Returns its id.
    pub(super) fn queue_update(&mut self, kind: &str, body: Value, queue: String, now: i64) -> i64 {
        self.updates += 1;
        let lives = if kind == "callback_query" { PRESS_LIFETIME } else { UPDATE_LIFETIME };
        let update = json!({"update_id": self.updates, kind: body});
        self.waiting.push_back(Waiting { update, queue, until: now + lives });
        self.updates
    }

    /// Drops the updates that have expired.
    pub(super) fn expire(&mut self, now: i64) {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| now <= waiting.until);
        self.dropped += before - self.waiting.len();
    }

    pub(super) fn query_open(&self, id: &str, now: i64) -> bool {
        self.queries.get(id).is_some_and(|query| !query.answered && now - query.at <= QUERY_LIFETIME)
    }

    /// Returns the entities that a client adds to a typed text: commands and mentions.
    pub(super) fn typed(&self, text: &str) -> Vec<Value> {
        let mut found = Vec::new();
        let mut at = 0;
        for word in text.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end();
            let kind = match bare.chars().next() {
                Some('/') if bare.len() > 1 => Some("bot_command"),
                Some('@') if bare.len() > 1 => Some("mention"),
                _ => None,
            };
            if let Some(kind) = kind {
                found.push(json!({"type": kind, "offset": at, "length": html::utf16_len(bare)}));
            }
            at += html::utf16_len(word);
        }
        found
    }
}
