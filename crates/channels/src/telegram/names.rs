//! Names that every part of the channel uses: the channel's own, the bot's, and those of messages.

/// The name of this channel in lane keys.
pub const CHANNEL: &str = "telegram";

/// The identity of the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bot {
    /// The first part of its token, which is the app in lane keys.
    pub id: i64,
    /// The user name without the at sign. Empty until Telegram has told it; until then no mention is the bot's.
    pub username: String,
    /// The configured slash command without its slash. `/maro status` is the same as `/status`.
    pub command: String,
}

/// The id of a message in the channel's format, which the store maps to the lane's id.
#[must_use]
pub fn channel_id(chat: i64, message: i64) -> String {
    format!("{chat}:{message}")
}

/// The chat and message of an id made by [`channel_id`].
#[must_use]
pub fn chat_and_message(channel_id: &str) -> Option<(i64, i64)> {
    let (chat, message) = channel_id.split_once(':')?;
    Some((chat.parse().ok()?, message.parse().ok()?))
}
