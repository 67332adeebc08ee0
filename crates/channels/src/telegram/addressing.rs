//! How a message was addressed: facts only. What they mean is rung 1's to say (`spec 02 §2`).

use throughline_engine::given::Addressing;

use super::inbound::Bot;
use super::update::{Entity, Message};

/// The facts of a message.
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
    }
}

/// The message it replies to, when a person chose to reply: every message of a topic seems to reply to the one that
/// began the topic.
#[must_use]
pub fn replied(message: &Message) -> Option<&Message> {
    let to = message.reply_to_message.as_deref()?;
    let began_topic = to.forum_topic_created.is_some()
        || (message.is_topic_message && message.message_thread_id == Some(to.message_id));
    (!began_topic).then_some(to)
}

/// The entity mentions us.
pub(super) fn mentions(text: &str, entity: &Entity, bot: &Bot) -> bool {
    match entity.kind.as_str() {
        "mention" => utf16(text, entity.offset, entity.length)
            .strip_prefix('@')
            .is_some_and(|name| name.eq_ignore_ascii_case(&bot.username)),
        "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == bot.id),
        _ => false,
    }
}

/// A part of a text, counted in UTF-16 units as Telegram counts. What is not there is empty.
pub(super) fn utf16(text: &str, offset: usize, length: usize) -> String {
    let units: Vec<u16> = text.encode_utf16().skip(offset).take(length).collect();
    String::from_utf16_lossy(&units)
}
