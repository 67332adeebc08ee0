//! Turns updates into events of a lane. Pure and total.
//!
//! Only the store knows which lane a replied-to message or a button belongs to, so that is left open as a [`Place`].

use serde_json::Value;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::event::{MessagePosted, Press};
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Timestamp};

use super::addressing::{facts, mentions, replied, utf16};
use super::names::{Bot, CHANNEL, channel_id};
use super::update::{CallbackQuery, Entity, Kind, Membership, Message, Update, User, read};

/// The update kinds that are requested; Telegram does not send the others.
pub const ALLOWED_UPDATES: [&str; 4] = ["message", "edited_message", "callback_query", "my_chat_member"];

/// An update, as far as it can be understood without a store.
#[derive(Clone, Debug, PartialEq)]
pub struct IncomingUpdate {
    /// Identity of the delivery beside its delivery key, which is the event's id
    /// (`docs/design/0029-durable-intake.md`).
    pub more_keys: Vec<String>,
    /// The chat.
    pub chat: i64,
    /// The place in the chat.
    pub place: Place,
    /// The event. The caller sets `received_at`.
    pub event: Event,
    /// The facts of how the message was addressed.
    pub addressing: Addressing,
    /// The person who acted.
    pub person: Option<User>,
    /// The action to take beside delivering the event.
    pub follow_up: FollowUp,
}

/// The place in a chat that an update belongs to (`docs/design/0035-channels.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The topic it was written in. Without one, `about` decides.
    pub topic: Option<i64>,
    /// The message it replies to, or whose button was pressed.
    pub about: Option<RelatedMessage>,
}

/// A message that an update is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedMessage {
    /// The message's channel id.
    pub message: String,
    /// The tokens of its buttons.
    pub tokens: Vec<String>,
    /// The topic that its payload names.
    pub topic: Option<i64>,
}

/// An action that an update asks for beside its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// Nothing.
    Nothing,
    /// Answer the press.
    Answer {
        /// The id of the callback query.
        query: String,
    },
    /// The chat goes on under another number.
    Migrate {
        /// The new number.
        to: i64,
    },
    /// The bot may write there now (true), or no longer (false).
    Speak(bool),
    /// Link this person to an account: `/start TOKEN` from a link.
    Link {
        /// The token.
        token: String,
    },
}

/// The key of the lane for a chat or for a topic in it. `conversation` is the chat's first number: the number it
/// migrated to is an alias.
#[must_use]
pub fn lane(tenant: &str, bot: &Bot, conversation: &str, topic: Option<i64>) -> LaneKey {
    let topic = topic.map(|topic| topic.to_string()).unwrap_or_default();
    LaneKey::new(tenant, &bot.id.to_string(), CHANNEL, conversation, &topic)
}

/// Reads an update. A value that is not an update is still a delivery: it is kept under the hash of its bytes and
/// ignored.
#[must_use]
pub fn inbound(value: &Value, bot: &Bot) -> IncomingUpdate {
    match read(value) {
        Some(update) => of_update(update, bot),
        None => {
            let key = format!("raw:{}", hex(&sha256(&[value.to_string().as_bytes()])));
            ignored(key, 0, "not_an_update")
        }
    }
}

fn of_update(Update { id, kind }: Update, bot: &Bot) -> IncomingUpdate {
    let key = format!("tg:upd:{}:{id}", bot.id);
    match kind {
        Kind::Message(message) => posted(key, &message, bot),
        Kind::Edited(message) => edited(key, &message, bot),
        Kind::Pressed(query) => pressed(key, query, bot),
        Kind::Membership(membership) => member(key, &membership),
        Kind::Other(name) => ignored(key, 0, &name),
    }
}

/// An update that is accepted, kept and ignored.
fn ignored(key: String, chat: i64, name: &str) -> IncomingUpdate {
    IncomingUpdate {
        more_keys: Vec::new(),
        chat,
        place: Place::default(),
        event: event(key, None, EventKind::Unknown { name: name.into() }),
        addressing: Addressing::default(),
        person: None,
        follow_up: FollowUp::Nothing,
    }
}

fn event(id: String, by: Option<&User>, kind: EventKind) -> Event {
    let actor = by.map(|user| user.id.to_string()).unwrap_or_default();
    Event { id, received_at: Timestamp(0), actor, kind }
}

fn posted(key: String, message: &Message, bot: &Bot) -> IncomingUpdate {
    let of_message = format!("tg:msg:{}:{}:{}", bot.id, message.chat.id, message.message_id);
    let more_keys = vec![of_message];
    let ignored =
        |why| IncomingUpdate { more_keys: more_keys.clone(), ..ignored(key.clone(), message.chat.id, why) };
    if let Some(to) = message.migrate_to_chat_id {
        return IncomingUpdate { follow_up: FollowUp::Migrate { to }, ..ignored("migrate_to_chat_id") };
    }
    let files: Vec<Attachment> = message.attached().into_iter().collect();
    let (text, entities) = match message.words() {
        Some(words) => words,
        None if files.is_empty() => return ignored("message.no_text"),
        None => Default::default(),
    };
    let mut addressing = facts(message, bot);
    let (kind, follow_up) = match command(text, entities, bot) {
        // A command with files stays a message, so that the files are mentioned; the engine recognises its own
        // command.
        Some(Command::Ours(text)) if !files.is_empty() => {
            // A command addresses the bot even without its name.
            addressing.mentioned = true;
            (written(message, format!("/{} {text}", bot.command), files), FollowUp::Nothing)
        }
        Some(Command::Ours(text)) => match text.strip_prefix("start ") {
            Some(token) => {
                (EventKind::Command { text: "help".into() }, FollowUp::Link { token: token.trim().into() })
            }
            None => (
                EventKind::Command { text: text.strip_prefix("start").unwrap_or(&text).into() },
                FollowUp::Nothing,
            ),
        },
        Some(Command::OfAnotherBot) => return ignored("command.of_another_bot"),
        None => (written(message, without_our_name(text, entities, bot), files), FollowUp::Nothing),
    };
    // A command of another program is no more for the bot than its message would be.
    if (addressing.bot || addressing.own) && matches!(kind, EventKind::Command { .. }) {
        return ignored("command.of_a_bot");
    }
    IncomingUpdate {
        more_keys,
        chat: message.chat.id,
        place: place(message),
        event: event(key, message.from.as_ref(), kind),
        addressing,
        person: message.from.clone(),
        follow_up,
    }
}

/// The event of a message, with the message it replies to.
fn written(message: &Message, text: String, files: Vec<Attachment>) -> EventKind {
    let to = replied(message);
    let quote = message.quote.as_ref().map(|quote| quote.text.clone());
    let quote = quote.or_else(|| to.and_then(|to| to.words().map(|(text, _)| text.to_owned())));
    EventKind::MessagePosted(MessagePosted {
        text,
        message_id: Some(channel_id(message.chat.id, message.message_id)),
        reply_to: to.map(|to| channel_id(to.chat.id, to.message_id)),
        quote,
        task: None,
        files,
        seen: None,
    })
}

fn edited(key: String, message: &Message, bot: &Bot) -> IncomingUpdate {
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
    IncomingUpdate {
        more_keys: vec![of_edit],
        chat: message.chat.id,
        place: place(message),
        event: event(key, message.from.as_ref(), kind),
        // Telegram lets nobody else edit a person's message.
        addressing: Addressing { vouched: true, ..facts(message, bot) },
        person: message.from.clone(),
        follow_up: FollowUp::Nothing,
    }
}

fn pressed(key: String, query: CallbackQuery, bot: &Bot) -> IncomingUpdate {
    let CallbackQuery { id, from, message, data } = query;
    let more_keys = vec![format!("tg:cbq:{}:{id}", bot.id)];
    let token = data.unwrap_or_default();
    let message = message.unwrap_or_default();
    let topic = message.message_thread_id.filter(|_| message.is_topic_message);
    let about = RelatedMessage {
        message: channel_id(message.chat.id, message.message_id),
        tokens: vec![token.clone()],
        topic,
    };
    let place = Place { topic: None, about: Some(about) };
    let kind = EventKind::CardPressed { press: Press::Token(token), remember: false };
    IncomingUpdate {
        more_keys,
        chat: message.chat.id,
        place,
        event: event(key, Some(&from), kind),
        addressing: Addressing::default(),
        person: Some(from),
        follow_up: FollowUp::Answer { query: id },
    }
}

fn member(key: String, membership: &Membership) -> IncomingUpdate {
    let speak = !matches!(membership.new_chat_member.status.as_str(), "left" | "kicked");
    let base = ignored(key, membership.chat.id, "my_chat_member");
    IncomingUpdate { follow_up: FollowUp::Speak(speak), ..base }
}

/// The place of a message. A topic is a lane. Groups without topics use the same field for chains of replies, where
/// it is ignored; the General topic is the root.
fn place(message: &Message) -> Place {
    let topic = |message: &Message| message.message_thread_id.filter(|_| message.is_topic_message);
    let about = replied(message).map(|to| {
        let buttons = to.reply_markup.iter().flat_map(|markup| markup.inline_keyboard.iter().flatten());
        RelatedMessage {
            message: channel_id(to.chat.id, to.message_id),
            tokens: buttons.filter_map(|button| button.callback_data.clone()).collect(),
            topic: topic(to),
        }
    });
    Place { topic: topic(message), about }
}

enum Command {
    /// A command for the bot: the words after the slash.
    Ours(String),
    OfAnotherBot,
}

/// Reads a command at the beginning of a text: `/status`, `/ticket@our_bot the login fails`.
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

/// The text without mentions of the bot, which only address it.
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
