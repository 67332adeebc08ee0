//! The vendor's side of the world: chats, messages, people, and the updates that wait.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use super::html;

/// Presses are dropped after so long, in milliseconds.
const PRESS_LIVES: i64 = 150_000;
/// A press can be answered for so long.
const QUERY_LIVES: i64 = 15_000;
/// Everything else waits a day.
const UPDATE_LIVES: i64 = 86_400_000;

/// A message as people see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Its number in the chat.
    pub id: i64,
    /// Who wrote it.
    pub from: i64,
    /// Its words, without marks.
    pub text: String,
    /// What was marked.
    pub entities: Vec<Value>,
    /// The topic it is in.
    pub topic: Option<i64>,
    /// The message it replies to.
    pub reply_to: Option<i64>,
    /// Labels and data of its buttons, row by row.
    pub keyboard: Vec<Vec<(String, String)>>,
    /// Words that its keyboard offers to say.
    pub words: Vec<String>,
    /// It asks for an answer, with that hint.
    pub force_reply: Option<String>,
    /// What came with it: the field and what is in it.
    pub attached: Option<(String, Value)>,
    /// How the bot reacted to it.
    pub reaction: Option<String>,
    /// How often it was changed.
    pub edits: u32,
    /// When it was written, in milliseconds.
    pub at: i64,
}

impl Shown {
    /// What a press of the button of that label sends.
    #[must_use]
    pub fn button(&self, label: &str) -> Option<&str> {
        self.keyboard.iter().flatten().find(|(text, _)| text == label).map(|(_, data)| data.as_str())
    }

    /// The labels of its buttons.
    #[must_use]
    pub fn labels(&self) -> Vec<&str> {
        self.keyboard.iter().flatten().map(|(label, _)| label.as_str()).collect()
    }
}

#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) kind: String,
    pub(super) messages: BTreeMap<i64, Shown>,
    pub(super) topics: Vec<i64>,
    /// The reactions it allows; all of them when nobody said.
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

/// What a press was answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The press.
    pub query: String,
    /// The words.
    pub text: String,
    /// In a window.
    pub alert: bool,
}

/// The bot says that it is typing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typing {
    /// In which chat.
    pub chat: i64,
    /// In which topic of it.
    pub topic: Option<i64>,
    /// When, in milliseconds.
    pub at: i64,
}

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) update: Value,
    /// Updates of one queue come one after the other: a chat's messages, a person's presses.
    pub(super) queue: String,
    until: i64,
}

#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) rooms: BTreeMap<i64, Room>,
    pub(super) names: BTreeMap<i64, String>,
    pub(super) queries: BTreeMap<String, Query>,
    pub(super) answers: Vec<Answered>,
    pub(super) waiting: VecDeque<Waiting>,
    pub(super) dropped: usize,
    /// Menus, by language.
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

    /// A message as the Bot API tells it; what it replies to is told with it, one deep.
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

    /// Writes a message into a chat and says its number.
    pub(super) fn write(&mut self, chat: i64, shown: Shown) -> i64 {
        let room = self.room(chat);
        let id = room.next;
        room.next += 1;
        room.messages.insert(id, Shown { id, ..shown });
        id
    }

    /// An update on its way to the bot.
    pub(super) fn tell(&mut self, kind: &str, body: Value, queue: String, now: i64) -> i64 {
        self.updates += 1;
        let lives = if kind == "callback_query" { PRESS_LIVES } else { UPDATE_LIVES };
        let update = json!({"update_id": self.updates, kind: body});
        self.waiting.push_back(Waiting { update, queue, until: now + lives });
        self.updates
    }

    /// Drops what nobody fetched in time.
    pub(super) fn expire(&mut self, now: i64) {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| now <= waiting.until);
        self.dropped += before - self.waiting.len();
    }

    pub(super) fn query_open(&self, id: &str, now: i64) -> bool {
        self.queries.get(id).is_some_and(|query| !query.answered && now - query.at <= QUERY_LIVES)
    }

    /// The entities that a client would find in what somebody types.
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
                found.push(json!({"type": kind, "offset": at, "length": html::units(bare)}));
            }
            at += html::units(word);
        }
        found
    }
}
