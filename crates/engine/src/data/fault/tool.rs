//! Faults of tools and sub-agents.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Reason why a tool or a sub-agent did not do something, with the values that its sentence names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolFault {
    /// A tool that is not set up.
    NoTool {
        /// Name.
        name: String,
    },
    /// A sub-agent that is not set up.
    NoAgent {
        /// Name.
        name: String,
    },
    /// A tool where a sub-agent belongs.
    NotAgent,
    /// An option, which its host runs.
    HostRuns,
    /// A change of an issue, which its tracker makes.
    TrackerChanges,
    /// A tool that its server has no more.
    Withdrawn {
        /// Name.
        name: String,
    },
    /// A sub-agent whose pin was taken away.
    Unpinned,
    /// Something that describes itself otherwise than when it was pinned.
    Changed,
    /// Something that nobody pinned.
    Unseen,
    /// A tool that its server does not list.
    ServerLacks {
        /// Name.
        name: String,
    },
    /// A server that is busy with other calls.
    Busy,
    /// A server or an agent that cannot be reached.
    OutOfReach,
    /// A server that failed just now, and is called again in a moment.
    Resting,
    /// A connection that broke off while an answer was awaited.
    BrokenOff,
    /// A server or an agent that answered with an error of its own.
    Failing {
        /// Status of the HTTP answer.
        status: u16,
    },
    /// A list of a server's tools that cannot be read.
    Unlisted,
    /// A card of a sub-agent that cannot be read, or names no address that may be used.
    CardUnusable,
    /// Pins that cannot be read.
    PinsUnread,
    /// Several calls that asked for something at once.
    AskedTogether,
    /// An answer that is too long.
    AnswerLong,
    /// A question for a model's answer.
    WantsModel,
    /// A question for folders.
    WantsFolders,
    /// Several questions at once.
    WantsSeveral,
    /// A server that only wants to be asked again.
    AsksAgain,
    /// A token that the server does not take.
    RefusesToken,
    /// A server that somebody has to connect first, or again.
    Unconnected,
    /// A server that wants rights which nobody granted for it.
    LacksRights,
    /// A token that could not be got or renewed.
    NoToken,
    /// No answer in time.
    NotInTime,
    /// A connection that is closed.
    Closed,
    /// A server that takes no more for now.
    TooOften,
    /// A server that does not know the session any more.
    Forgot,
    /// An answer that is no result.
    NoResult,
    /// An answer that is neither a task nor a message.
    NoTaskOrMessage,
    /// A task without an id.
    TaskUnnamed,
    /// A task in no known state.
    TaskUnclear,
    /// An argument that is none of the values that the tool takes.
    NotOf {
        /// Name of the argument.
        name: String,
        /// Values that it takes.
        known: Vec<String>,
        /// Text that was written.
        text: String,
    },
    /// An argument that is no whole number.
    NotWhole {
        /// Name of the argument.
        name: String,
        /// Text that was written.
        text: String,
    },
    /// An argument that is no number.
    NotNumeric {
        /// Name of the argument.
        name: String,
        /// Text that was written.
        text: String,
    },
    /// An argument that is neither yes nor no.
    NotYesNo {
        /// Name of the argument.
        name: String,
        /// Text that was written.
        text: String,
    },
    /// An argument that no text can be.
    NotWords {
        /// Name of the argument.
        name: String,
    },
    /// An argument that the tool's schema refuses; the validator's words.
    RefusedArgument {
        /// Name of the argument.
        name: String,
        /// Reason, in the words of whoever gave it.
        why: String,
    },
    /// Arguments that the tool's schema refuses together; the validator's words.
    RefusedArguments {
        /// Reason, in the words of whoever gave it.
        why: String,
    },
    /// A schema that arguments cannot be compared with; the validator's words.
    SchemaUnusable {
        /// Reason, in the words of whoever gave it.
        why: String,
    },
    /// A form without fields.
    AsksNothing,
    /// A form with too many fields.
    AsksMany {
        /// Number.
        count: usize,
        /// Most that people are asked for.
        most: usize,
    },
    /// A field of a form that is no single word.
    AsksStructure {
        /// Name of the field.
        name: String,
    },
    /// A question that is answered on a web page.
    WantsPage,
    /// A task that the sub-agent does not know any more; its words.
    Unknown {
        /// Reason, in the words of whoever gave it.
        why: String,
    },
    /// A task that ended without a result.
    Ended {
        /// End.
        how: TaskEnd,
    },
    /// A task that ended without a result; the sub-agent's words.
    EndedWith {
        /// End.
        how: TaskEnd,
        /// Reason, in the words of whoever gave it.
        why: String,
    },
}

/// End of a sub-agent's task without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEnd {
    /// Somebody has to sign in at the sub-agent.
    SignIn,
    /// The sub-agent does not take it.
    Refused,
    /// It failed.
    Failed,
}

impl TaskEnd {
    /// Returns the stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}
