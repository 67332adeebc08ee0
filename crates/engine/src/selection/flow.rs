//! What becomes of texts, presses and host events about lists of options.

use crate::decision::{Decision, Reason, Verdict};
use crate::turn::Turn;
use crate::workflow::{Action, Card};

/// A button of a list was pressed.
pub(crate) fn pressed(_turn: &mut Turn<'_>, _card: &Card, _action: Action, _item: &str) -> Decision {
    Decision::new(Verdict::Refused, Reason::StaleStep)
}
