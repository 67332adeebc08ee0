//! Facts, when somebody is erased (`spec 05 §12`): their sources leave every fact, one without sources goes, one with
//! others takes the newest that is left.

use super::Person;
use crate::turn::Turn;

/// The facts of this thread without what one person said.
pub(super) fn without(_turn: &mut Turn<'_>, _person: &Person) {}

/// No facts of this thread at all.
pub(super) fn everything(_turn: &mut Turn<'_>) {}
