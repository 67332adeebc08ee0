//! Names that every part of the channel uses: the channel's own, the app's, and those of messages.

/// The name of this channel in lane keys.
pub const CHANNEL: &str = "slack";

/// The prefix of principals that are user groups: `slack-group:S0614TZR7`.
pub const GROUP: &str = "slack-group:";

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

/// The id of a message in a thread that is part of its channel's root lane: it names the thread, where it is answered.
#[must_use]
pub fn channel_id_within(channel: &str, ts: &str, thread: &str) -> String {
    format!("{channel}:{ts}/{thread}")
}

/// The conversation and time stamp of an id made by [`channel_id`] or [`channel_id_within`].
#[must_use]
pub fn channel_and_ts(channel_id: &str) -> Option<(&str, &str)> {
    let (channel, rest) = channel_id.split_once(':')?;
    Some((channel, rest.split_once('/').map_or(rest, |(ts, _)| ts)))
}

/// The thread that an id made by [`channel_id_within`] names; empty for any other.
#[must_use]
pub fn thread_of(channel_id: &str) -> &str {
    channel_id.split_once('/').map_or("", |(_, thread)| thread)
}

/// True for a conversation with one person, whose ids begin with a D.
#[must_use]
pub fn is_direct(channel: &str) -> bool {
    channel.starts_with('D')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_conversation_time_and_thread() {
        let root = channel_id("C1", "17.004");
        assert_eq!((channel_and_ts(&root), thread_of(&root)), (Some(("C1", "17.004")), ""));
        let within = channel_id_within("C1", "18.005", "17.004");
        assert_eq!((channel_and_ts(&within), thread_of(&within)), (Some(("C1", "18.005")), "17.004"));
        assert_eq!(channel_and_ts("no id"), None);
    }
}
