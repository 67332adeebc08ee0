//! Why a turn decided what it did: every rung tried, and the predicate each losing one failed on.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::decision::{Decision, Reason};
use crate::focus::FocusSource;
use crate::id::{MessageId, TaskId, TurnId};
use crate::time::Timestamp;

/// One stage of the routing order (`spec 02 §2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// 0: the delivery key was seen. Intake answers; no step runs.
    Duplicate,
    /// 1: not ours to answer.
    Addressing,
    /// 2: a press, a command, a form.
    Workflow,
    /// 3: a settled effect, a due timer, a host's event.
    Settled,
    /// 4: always computed, never decides alone.
    Focus,
    /// 5: the whole message is a stop.
    Interrupt,
    /// 6: an answer to what was asked.
    Pending,
    /// 7: one of the options shown.
    Selection,
    /// 8: feedback on the active review.
    Review,
    /// 9: what the user wants.
    Intent,
    /// 10: what the thread remembers.
    Remembered,
    /// 11: ask.
    Gate,
}

impl Rung {
    /// The routing order, top to bottom.
    pub const ALL: [Self; 12] = [
        Self::Duplicate,
        Self::Addressing,
        Self::Workflow,
        Self::Settled,
        Self::Focus,
        Self::Interrupt,
        Self::Pending,
        Self::Selection,
        Self::Review,
        Self::Intent,
        Self::Remembered,
        Self::Gate,
    ];

    /// Its number in the routing order.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name for a person.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Duplicate => "Duplicate delivery",
            Self::Addressing => "Not ours to answer",
            Self::Workflow => "Workflow event",
            Self::Settled => "Settled effect, timer or host event",
            Self::Focus => "Focus",
            Self::Interrupt => "Hard interrupt",
            Self::Pending => "Conversational pending",
            Self::Selection => "Selection",
            Self::Review => "Active review",
            Self::Intent => "Intent",
            Self::Remembered => "Remembered intent",
            Self::Gate => "Scope gate",
        }
    }
}

/// One rung that did not decide, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passed {
    /// Which.
    pub rung: Rung,
    /// The predicate that failed, in words.
    pub predicate: Cow<'static, str>,
}

/// What a step looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The rungs that did not decide, in order.
    pub passed: Vec<Passed>,
    /// What happened on the way: a pending cleared, one left alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Reason>,
    /// The focus, for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<FocusTrace>,
    /// The rule that spoke, or the model's label and confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Cow<'static, str>>,
    /// Ids a model was offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// The focus without any text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FocusTrace {
    /// How it was found.
    pub source: FocusSource,
    /// The anchor, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<MessageId>,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
}

/// One turn, as much of it as an explanation needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnSummary {
    /// Its id.
    pub turn: TurnId,
    /// When it was decided.
    pub at: Timestamp,
    /// What it was about: an event kind.
    pub event: String,
    /// What was decided.
    pub decision: Decision,
    /// What was looked at.
    pub trace: Trace,
    /// The classes of the effects it planned, with their ids.
    pub effects: Vec<(String, String)>,
}

impl TurnSummary {
    /// The turn in plain words, one thought a line: what `why` prints everywhere.
    #[must_use]
    pub fn explain(&self) -> String {
        crate::say::why(self)
    }
}
