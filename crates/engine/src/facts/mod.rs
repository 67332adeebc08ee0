//! Facts as values: read from words, merged, contradicted, limited and chosen for a prompt. Nothing here
//! depends on a turn.

use crate::data::data_subject::Personal;
use crate::data::fact::Fact;

pub(crate) mod canonical;
pub mod contradiction;
pub mod eviction;
pub mod merge;
pub mod prompt_facts;
pub mod proposal_check;
pub mod rekey;
pub(crate) mod rules;
pub(crate) mod vocabulary;

impl Personal for Fact {}
