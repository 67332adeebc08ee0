//! Facts, when somebody is erased (`spec 05 §12`): what they stated leaves every fact, one that rests on nothing else
//! goes, and one that does says what the newest statement left says. Their messages yield no such fact again for a while.

use super::Person;
use crate::memory::FactKey;
use crate::turn::Turn;

/// The facts of this thread, and of the sets that were handed over, without what one person stated.
pub(super) fn without(turn: &mut Turn<'_>, person: &Person) {
    turn.withdraw_facts(&|_, source| person.is(&source.author), true);
}

/// No facts of this thread at all. What was said here of a channel or an epic is theirs, and stays.
pub(super) fn everything(turn: &mut Turn<'_>) {
    let thread = FactKey::thread(&turn.lane.key);
    turn.forget_facts(&thread);
}
