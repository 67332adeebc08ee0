//! Outcomes of effects: of one attempt, as an adapter reports it, and of the whole effect, as the lane sees
//! it.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::ask::Answer;
use crate::data::call::RemoteQuestion;
use crate::data::fault::{Fault, FieldFault};
use crate::data::handover::HostAnswer;
use crate::data::issue_change::IssueState;
use crate::data::set_option::SetOption;
use crate::data::time::Millis;

/// Outcome of one attempt, with the proof that each needs (`docs/design/0031-effects-and-retries.md`). Every
/// adapter returns it.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt<T> {
    /// Applied: the far side reported success with a usable result.
    Applied(T),
    /// Not applied: no byte of the request was sent, or the far side says that it did not process it.
    NotApplied {
        /// Reason.
        why: Fault,
        /// Time to wait before the next attempt, in milliseconds, as the far side asks.
        hint: Option<Millis>,
    },
    /// Refused for good by the far side.
    Rejected {
        /// Reason, for a person.
        text: Fault,
        /// Faults by field.
        errors: Vec<FieldFault>,
    },
    /// Unknown: a timeout, a reset, an unreadable answer.
    Unknown {
        /// Reason.
        why: Fault,
    },
}

impl<T> Attempt<T> {
    /// Converts the result of an applied attempt; other outcomes are kept.
    pub fn map<U>(self, result: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Self::Applied(applied) => Attempt::Applied(result(applied)),
            Self::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            Self::Rejected { text, errors } => Attempt::Rejected { text, errors },
            Self::Unknown { why } => Attempt::Unknown { why },
        }
    }
}

/// Outcome of an effect, as the lane sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Outcome {
    /// Applied.
    Done {
        /// Result.
        result: EffectResult,
    },
    /// Ended without being applied.
    Failed {
        /// Stable word: `rejected`, `dry_run`, `dependency`, `gave_up`.
        reason: String,
        /// Reason, for a person.
        text: Fault,
        /// Faults by field.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<FieldFault>,
    },
    /// Unknown. A person is asked; the effect is not sent again without them.
    Uncertain {
        /// Reason, for a person.
        text: Fault,
    },
}

/// Result of an applied effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum EffectResult {
    /// Delivered message.
    Delivered {
        /// Message id of the channel, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel_id: Option<String>,
    },
    /// Dry run that the tracker accepted.
    Checked,
    /// Issue that exists.
    Found {
        /// Issue key: `DEMO-1`.
        key: String,
        /// Title, for comparison.
        title: String,
        /// Web address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// Epic it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// State; `None` if the far side does not tell it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<IssueState>,
        /// Person it is given to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignee: Option<String>,
    },
    /// Issues that carry the marker. An empty list does not prove that nothing was created.
    Sought {
        /// Issue keys and web addresses, oldest first.
        issues: Vec<(String, Option<String>)>,
    },
    /// Changed issue.
    Updated,
    /// Post in the channel.
    Posted {
        /// Web address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// Created issue.
    Issue {
        /// Issue key: `DEMO-1`.
        key: String,
        /// Web address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// Answer of a model.
    Answered(Answer),
    /// Current content of a list, as its host reports it.
    Snapshot {
        /// Options. Those that the list did not hold before are ignored.
        options: Vec<SetOption>,
        /// Id of the focused option.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        focused: Option<String>,
    },
    /// Answer of a tool or a sub-agent. It is data, never an instruction.
    Said {
        /// Text.
        text: String,
    },
    /// Answer of the host's agent to a turn that it was handed.
    Handled(Box<HostAnswer>),
    /// Question of a tool or a sub-agent, which waits for the answer.
    Asked(RemoteQuestion),
    /// End of a sub-agent's work before it was done.
    Stopped {
        /// Text of the sub-agent.
        text: String,
    },
}
