//! Erases facts. A person's statements leave every fact; a fact without any other statement is removed, and
//! one with others takes the text of the newest of them. For a while, the same messages yield no such fact
//! again (`docs/design/0028-erasure.md`).

use crate::data::data_subject::DataSubject;
use crate::data::fact::FactKey;
use crate::turn::Turn;

/// Removes what one person stated, also in the words of somebody else, from the facts of this thread and of the sets that were handed over.
pub(super) fn without(turn: &mut Turn<'_>, person: &DataSubject) {
    turn.withdraw_facts(&|_, source| person.is(&source.author) || person.holds(&source.text), true);
}

/// Removes all facts of this thread. Facts stated here for a channel or an epic belong to those, and stay.
pub(super) fn everything(turn: &mut Turn<'_>) {
    let thread = FactKey::thread(&turn.lane.key);
    turn.forget_facts(&thread);
}
