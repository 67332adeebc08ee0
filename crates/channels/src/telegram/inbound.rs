//! From an update to an event of a lane: pure and total.
//!
//! What only the store can tell, which lane a replied-to message or a button belongs to, is left as a [`Place`] for
//! whoever has one.

use serde_json::Value;
use throughline_engine::canon::{hex, sha256};
use throughline_engine::event::{Attached, Posted, Press};
use throughline_engine::given::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Timestamp};

use super::addressing::{facts, mentions, replied, utf16};
use super::update::{CallbackQuery, Entity, Kind, Membership, Message, Update, User, read};

/// The name of this channel in lane keys.
pub const CHANNEL: &str = "telegram";

/// What update kinds are asked for; every other kind is not even sent.
pub const ALLOWED_UPDATES: [&str; 4] = ["message", "edited_message", "callback_query", "my_chat_member"];

/// Which bot we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// The first part of its token: the app in lane keys.
    pub id: i64,
    /// Without the at sign. Empty until Telegram told it: then no mention is ours.
    pub username: String,
    /// The engine's command without its slash: `/maro status` is `/status`.
    pub command: String,
}

/// An update, as far as it can be understood without a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// Every identity of the delivery, the delivery key first (`spec 06 §2.1`).
    pub keys: Vec<String>,
    /// The chat.
    pub chat: i64,
    /// Where in it.
    pub place: Place,
    /// What happened. `received_at` is the caller's to say.
    pub event: Event,
    /// How it was addressed.
    pub addressing: Addressing,
    /// Who acted, with a name to call them.
    pub person: Option<User>,
    /// What the edge does beside delivering it.
    pub also: Also,
}

/// Where in a chat an update belongs (`spec 07 §3.2`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The topic it was written in. Of an update in no topic: none, and the message it is about says more.
    pub topic: Option<i64>,
    /// The message it replies to, or whose button was pressed.
    pub about: Option<About>,
}

/// A message that an update is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its channel id.
    pub message: String,
    /// What its buttons send.
    pub tokens: Vec<String>,
    /// The topic its payload names.
    pub topic: Option<i64>,
}

/// What an update asks of the edge beside its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Also {
    /// Nothing.
    Nothing,
    /// Answer this press.
    Answer {
        /// By this id.
        query: String,
    },
    /// The chat goes on under another number.
    Migrate {
        /// This one.
        to: i64,
    },
    /// We may speak there, or may not any more.
    Speak(bool),
    /// Join this person to an account: `/start TOKEN` of a link (`spec 07 §3.3`).
    Link {
        /// The token.
        token: String,
    },
}

/// A message's id as the message map knows it.
#[must_use]
pub fn channel_id(chat: i64, message: i64) -> String {
    format!("{chat}:{message}")
}

/// Chat and message of such an id.
#[must_use]
pub fn chat_and_message(channel_id: &str) -> Option<(i64, i64)> {
    let (chat, message) = channel_id.split_once(':')?;
    Some((chat.parse().ok()?, message.parse().ok()?))
}

/// The lane of a chat or of a topic in it. `conversation` is the chat's first number: what it migrated to is its alias.
#[must_use]
pub fn lane(tenant: &str, bot: &Bot, conversation: &str, topic: Option<i64>) -> LaneKey {
    let topic = topic.map(|topic| topic.to_string()).unwrap_or_default();
    LaneKey::new(tenant, &bot.id.to_string(), CHANNEL, conversation, &topic)
}

/// Reads an update. One that is no update at all is still a delivery: it is kept under the hash of its bytes and
/// ignored (`spec 06 §2`, I6).
#[must_use]
pub fn inbound(value: &Value, bot: &Bot) -> Incoming {
    match read(value) {
        Some(update) => of_update(update, bot),
        None => {
            let key = format!("raw:{}", hex(&sha256(&[value.to_string().as_bytes()])));
            ignored(vec![key], 0, "not_an_update")
        }
    }
}

fn of_update(Update { id, kind }: Update, bot: &Bot) -> Incoming {
    let key = format!("tg:upd:{}:{id}", bot.id);
    match kind {
        Kind::Message(message) => posted(key, &message, bot),
        Kind::Edited(message) => edited(key, &message, bot),
        Kind::Pressed(query) => pressed(key, query, bot),
        Kind::Membership(membership) => member(key, &membership),
        Kind::Other(name) => ignored(vec![key], 0, &name),
    }
}

/// Accepted, kept and ignored.
fn ignored(keys: Vec<String>, chat: i64, name: &str) -> Incoming {
    let id = keys.first().cloned().unwrap_or_default();
    Incoming {
        keys,
        chat,
        place: Place::default(),
        event: event(id, None, EventKind::Unknown { name: name.into() }),
        addressing: Addressing::default(),
        person: None,
        also: Also::Nothing,
    }
}

fn event(id: String, by: Option<&User>, kind: EventKind) -> Event {
    let actor = by.map(|user| user.id.to_string()).unwrap_or_default();
    Event { id, received_at: Timestamp(0), actor, kind }
}

fn posted(key: String, message: &Message, bot: &Bot) -> Incoming {
    let of_message = format!("tg:msg:{}:{}:{}", bot.id, message.chat.id, message.message_id);
    let keys = vec![key.clone(), of_message];
    if let Some(to) = message.migrate_to_chat_id {
        let base = ignored(keys, message.chat.id, "migrate_to_chat_id");
        return Incoming { also: Also::Migrate { to }, ..base };
    }
    let files: Vec<Attached> = message.attached().into_iter().collect();
    let (text, entities) = match message.words() {
        Some(words) => words,
        None if files.is_empty() => return ignored(keys, message.chat.id, "message.no_text"),
        None => Default::default(),
    };
    let mut addressing = facts(message, bot);
    let (kind, also) = match command(text, entities, bot) {
        // What comes with a command is to be told of too, so it stays a message; the engine knows its own command.
        Some(Command::Ours(text)) if !files.is_empty() => {
            // A command is to us, named or not.
            addressing.mentioned = true;
            (written(message, format!("/{} {text}", bot.command), files), Also::Nothing)
        }
        Some(Command::Ours(text)) => match text.strip_prefix("start ") {
            Some(token) => {
                (EventKind::Command { text: "help".into() }, Also::Link { token: token.trim().into() })
            }
            None => (
                EventKind::Command { text: text.strip_prefix("start").unwrap_or(&text).into() },
                Also::Nothing,
            ),
        },
        Some(Command::OfAnotherBot) => return ignored(keys, message.chat.id, "command.of_another_bot"),
        None => (written(message, without_our_name(text, entities, bot), files), Also::Nothing),
    };
    // A command of another program or of nobody in particular is as little ours as its message would be.
    if (addressing.bot || addressing.own) && matches!(kind, EventKind::Command { .. }) {
        return ignored(keys, message.chat.id, "command.of_a_bot");
    }
    Incoming {
        keys,
        chat: message.chat.id,
        place: place(message),
        event: event(key, message.from.as_ref(), kind),
        addressing,
        person: message.from.clone(),
        also,
    }
}

/// What somebody wrote, with what it replies to.
fn written(message: &Message, text: String, files: Vec<Attached>) -> EventKind {
    let to = replied(message);
    let quote = message.quote.as_ref().map(|quote| quote.text.clone());
    let quote = quote.or_else(|| to.and_then(|to| to.words().map(|(text, _)| text.to_owned())));
    EventKind::MessagePosted(Posted {
        text,
        message_id: Some(channel_id(message.chat.id, message.message_id)),
        reply_to: to.map(|to| channel_id(to.chat.id, to.message_id)),
        quote,
        task: None,
        files,
    })
}

fn edited(key: String, message: &Message, bot: &Bot) -> Incoming {
    let id = channel_id(message.chat.id, message.message_id);
    let of_edit = format!(
        "tg:msg:{}:{id}:edit:{}",
        bot.id,
        message.edit_date.map(|date| date.to_string()).unwrap_or_default()
    );
    let text = message.words().map(|(text, entities)| without_our_name(text, entities, bot));
    let kind = EventKind::MessageEdited {
        message: id,
        metadata_only: text.is_none(),
        text: text.unwrap_or_default(),
    };
    Incoming {
        keys: vec![key.clone(), of_edit],
        chat: message.chat.id,
        place: place(message),
        event: event(key, message.from.as_ref(), kind),
        addressing: facts(message, bot),
        person: message.from.clone(),
        also: Also::Nothing,
    }
}

fn pressed(key: String, query: CallbackQuery, bot: &Bot) -> Incoming {
    let CallbackQuery { id, from, message, data } = query;
    let keys = vec![key.clone(), format!("tg:cbq:{}:{id}", bot.id)];
    let token = data.unwrap_or_default();
    let message = message.unwrap_or_default();
    let topic = message.message_thread_id.filter(|_| message.is_topic_message);
    let about = About {
        message: channel_id(message.chat.id, message.message_id),
        tokens: vec![token.clone()],
        topic,
    };
    let place = Place { topic: None, about: Some(about) };
    let kind = EventKind::CardPressed { press: Press::Token(token), remember: false };
    Incoming {
        keys,
        chat: message.chat.id,
        place,
        event: event(key, Some(&from), kind),
        addressing: Addressing::default(),
        person: Some(from),
        also: Also::Answer { query: id },
    }
}

fn member(key: String, membership: &Membership) -> Incoming {
    let speak = !matches!(membership.new_chat_member.status.as_str(), "left" | "kicked");
    let base = ignored(vec![key], membership.chat.id, "my_chat_member");
    Incoming { also: Also::Speak(speak), ..base }
}

/// A topic is a lane. Groups without topics fill the same field for chains of replies, and there it says nothing; the
/// General topic is the root (`spec 07 §3.2`).
fn place(message: &Message) -> Place {
    let topic = |message: &Message| message.message_thread_id.filter(|_| message.is_topic_message);
    let about = replied(message).map(|to| {
        let buttons = to.reply_markup.iter().flat_map(|markup| markup.inline_keyboard.iter().flatten());
        About {
            message: channel_id(to.chat.id, to.message_id),
            tokens: buttons.filter_map(|button| button.callback_data.clone()).collect(),
            topic: topic(to),
        }
    });
    Place { topic: topic(message), about }
}

enum Command {
    /// The words after the slash.
    Ours(String),
    OfAnotherBot,
}

/// A text that begins with a command: `/status`, `/ticket@our_bot the login fails`.
fn command(text: &str, entities: &[Entity], bot: &Bot) -> Option<Command> {
    let entity = entities.iter().find(|entity| entity.kind == "bot_command" && entity.offset == 0)?;
    let name = utf16(text, 0, entity.length);
    let rest = text.get(name.len()..).unwrap_or_default().trim();
    let word = name.strip_prefix('/')?;
    let (word, of) = word.split_once('@').unwrap_or((word, ""));
    if !of.is_empty() && !of.eq_ignore_ascii_case(&bot.username) {
        return Some(Command::OfAnotherBot);
    }
    let text = if word.eq_ignore_ascii_case(&bot.command) {
        rest.to_owned()
    } else {
        format!("{word} {rest}").trim().into()
    };
    Some(Command::Ours(text))
}

/// The text without the mention that only addresses us.
fn without_our_name(text: &str, entities: &[Entity], bot: &Bot) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let ours = entities.iter().filter(|entity| entity.kind == "mention" && mentions(text, entity, bot));
    let mut kept = vec![true; units.len()];
    for entity in ours {
        kept.iter_mut().skip(entity.offset).take(entity.length).for_each(|unit| *unit = false);
    }
    let units: Vec<u16> =
        units.into_iter().zip(kept).filter_map(|(unit, kept)| kept.then_some(unit)).collect();
    String::from_utf16_lossy(&units).trim().to_owned()
}

#[cfg(test)]
mod tests;
