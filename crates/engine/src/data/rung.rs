//! Rungs, the stages of the routing order (`docs/design/0012-routing-order.md`).

use alloc::string::String;
use serde::{Deserialize, Serialize};
use throughline_messages::{self as say, Language};

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
    pub fn title(self, language: Language) -> String {
        say::why_rung(language, self.as_str())
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Addressing => "addressing",
            Self::Workflow => "workflow",
            Self::Settled => "settled",
            Self::Focus => "focus",
            Self::Interrupt => "interrupt",
            Self::Pending => "pending",
            Self::Selection => "selection",
            Self::Review => "review",
            Self::Intent => "intent",
            Self::Remembered => "remembered",
            Self::Gate => "gate",
        }
    }
}
