//! Rungs, the stages of the routing order (`docs/design/0012-routing-order.md`).

use serde::{Deserialize, Serialize};

/// One stage of the routing order.
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
    /// 9: the user's intent.
    Intent,
    /// 10: the intent that the thread remembers.
    Remembered,
    /// 11: a question to the user.
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

    /// Returns its number in the routing order.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns its name for a person.
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
