//! The explanation of a turn, as a method of its summary.

use crate::data::trace::TurnSummary;
use alloc::string::String;

impl TurnSummary {
    /// The turn in plain words, one statement per line. Every `why` prints this.
    #[must_use]
    pub fn explain(&self) -> String {
        crate::say::why(self)
    }
}
