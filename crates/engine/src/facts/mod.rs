//! Facts as values: read from words, merged, contradicted, limited and chosen for a prompt. Nothing here
//! depends on a turn.

use crate::data::fact::Fact;
use crate::data::person::Personal;

pub(crate) mod canonical;
pub mod contradict;
pub mod extract;
pub mod limit;
pub mod merge;
pub mod rekey;
pub(crate) mod rules;
pub mod shown;
pub(crate) mod words;

impl Personal for Fact {}
