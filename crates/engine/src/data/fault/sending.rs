//! Faults on the way to the far side: of the request, of a host, of a channel.

use alloc::string::String;
use serde::{Deserialize, Serialize};

/// Reason why something was not sent, or not taken by a channel, with the values that its sentence names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", deny_unknown_fields)]
pub enum SendingFault {
    /// A stored request that cannot be read.
    Unreadable,
    /// Something it depends on that was not done.
    Dependency,
    /// An attempt whose process ended.
    WorkerGone,
    /// A stored request that was altered.
    Altered,
    /// A request without a consumed approval.
    NoApproval,
    /// A request whose decision is gone.
    NoDecision,
    /// An epic that was not created.
    NoEpicKey,
    /// Issues to link that were not created.
    NoLinkedKeys,
    /// An effect that only a host performs.
    HostOnly,
    /// A host that did not report in time.
    HostSilent,
    /// A host that reported a failure without a reason.
    HostSilentWhy,
    /// A tool, or a sub-agent, without a client.
    NoClient {
        /// Tool or sub-agent.
        target: String,
    },
    /// A call to stop that is just being sent.
    BeingSent,
    /// Work that takes longer than a day.
    NoEnd,
    /// A channel that there is not.
    NoChannel {
        /// Name of the channel.
        channel: String,
    },
    /// A conversation that a channel cannot post in.
    NoPlace {
        /// Name of the channel.
        channel: String,
        /// Conversation.
        to: String,
    },
    /// A channel that took nothing in time.
    ChannelBusy,
    /// A channel that takes no more for now.
    Slower {
        /// Name of the channel.
        channel: String,
    },
    /// A conversation that a channel takes only so many messages in.
    Rationed {
        /// Name of the channel.
        channel: String,
    },
    /// A conversation that a channel does not let us write in; the channel's word for it.
    NotLet {
        /// Name of the channel.
        channel: String,
        /// Reason, in the words of whoever gave it.
        why: String,
    },
    /// A workspace that the app was removed from.
    NotInstalled,
    /// A message that was deleted.
    Gone,
    /// A text that is too long for one message.
    TooLong {
        /// Name of the channel.
        channel: String,
    },
    /// A message that was taken without a name.
    Unnamed {
        /// Name of the channel.
        channel: String,
    },
    /// A message for one person, which nobody else can look for.
    Unfindable,
    /// A message that was looked for and is not there.
    NotThere {
        /// Name of the channel.
        channel: String,
    },
    /// A message that may be there, where not everything can be read.
    NotReadable {
        /// Name of the channel.
        channel: String,
        /// Reason, in the words of whoever gave it.
        why: String,
    },
    /// A channel that has not said yet where the app is installed.
    PlaceUnknown {
        /// Name of the channel.
        channel: String,
    },
    /// An app without the right that a call needs.
    RightMissing {
        /// Name of the channel.
        channel: String,
        /// The right, as the channel names it.
        right: String,
    },
    /// A message that is complete already.
    Complete,
    /// A press whose time to open a window is over.
    TooLate,
    /// A text whose marks a channel cannot read.
    MarksUnread {
        /// Name of the channel.
        channel: String,
    },
    /// A conversation that has another name now.
    Moved,
    /// An effect that no channel delivers.
    NotDelivered,
}
