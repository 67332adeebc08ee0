//! Names that every part of the channel uses: the channel's own, the app's, and those of messages.

/// The name of this channel in lane keys.
pub const CHANNEL: &str = "slack";

/// The app as one workspace knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct App {
    /// The workspace, `T…`.
    pub team: String,
    /// The user id of the app's bot, `U…`.
    pub user: String,
    /// The bot's own id, `B…`, which messages of the bot carry.
    pub bot: String,
    /// The app's id, `A…`. Empty where Slack has not told it: then no message is the app's own by it.
    pub id: String,
    /// The configured slash command without its slash.
    pub command: String,
}

/// The id of a message in the channel's format, which the store maps to the lane's id.
#[must_use]
pub fn channel_id(channel: &str, ts: &str) -> String {
    format!("{channel}:{ts}")
}

/// The conversation and time stamp of an id made by [`channel_id`].
#[must_use]
pub fn channel_and_ts(channel_id: &str) -> Option<(&str, &str)> {
    channel_id.split_once(':')
}

/// True for a conversation with one person, whose ids begin with a D.
#[must_use]
pub fn is_direct(channel: &str) -> bool {
    channel.starts_with('D')
}
