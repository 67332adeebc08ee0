//! Reads how a message was addressed. It reports facts; the engine decides what they mean
//! (`docs/design/0012-routing-order.md`).

use throughline_engine::data::step_input::Addressing;

use super::names::Bot;
use super::update::{Entity, Message};

/// The facts of how a message was addressed.
#[must_use]
pub fn facts(message: &Message, bot: &Bot) -> Addressing {
    let (text, entities) = message.words().unwrap_or_default();
    let from = message.from.as_ref();
    let own = from.is_some_and(|from| from.id == bot.id);
    let program =
        from.is_none_or(|from| from.is_bot) || message.sender_chat.is_some() || message.via_bot.is_some();
    let to_us = |entity: &Entity| mentions(text, entity, bot);
    let first = entities.iter().find(|entity| entity.kind.ends_with("mention"));
    let leading = first.filter(|entity| utf16(text, 0, entity.offset).trim().is_empty());
    Addressing {
        mentioned: entities.iter().any(to_us),
        direct: message.chat.kind == "private",
        reply_to_us: replied(message).and_then(|to| to.from.as_ref()).is_some_and(|from| from.id == bot.id),
        thread_ours: false,
        to_other: leading.is_some_and(|entity| !to_us(entity)),
        bot: program && !own,
        own,
        vouched: false,
        not_to_us: false,
    }
}

/// The message that a person chose to reply to. Telegram also marks every message of a topic as a reply to the one
/// that began the topic.
#[must_use]
pub fn replied(message: &Message) -> Option<&Message> {
    let to = message.reply_to_message.as_deref()?;
    let began_topic = to.forum_topic_created.is_some()
        || (message.is_topic_message && message.message_thread_id == Some(to.message_id));
    (!began_topic).then_some(to)
}

/// True if the entity mentions the bot.
pub(super) fn mentions(text: &str, entity: &Entity, bot: &Bot) -> bool {
    match entity.kind.as_str() {
        "mention" => utf16(text, entity.offset, entity.length)
            .strip_prefix('@')
            .is_some_and(|name| name.eq_ignore_ascii_case(&bot.username)),
        "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == bot.id),
        _ => false,
    }
}

/// A part of a text, in UTF-16 units as Telegram counts them. Empty where the text ends before.
pub(super) fn utf16(text: &str, offset: usize, length: usize) -> String {
    let units: Vec<u16> = text.encode_utf16().skip(offset).take(length).collect();
    String::from_utf16_lossy(&units)
}
