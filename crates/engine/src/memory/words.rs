//! The words that facts are read by: of every language, in `data`.

use crate::recognize::lexicon::{self, MEMORY, MEMORY_NAMES, SectionId};

/// They begin a sentence and say nothing.
pub(super) const ARTICLE: SectionId = named("fact.article");
/// They turn a sentence round.
pub(super) const NEGATION: SectionId = named("fact.negation");
/// What the sections of contracted negations are called: behind it stands what is left without the negation.
const WITHOUT: &str = "fact.without.";

/// The section of that name in the lexicons of facts.
pub(super) const fn named(name: &str) -> SectionId {
    lexicon::named(MEMORY_NAMES, name)
}

/// Whether a folded word is one of a section's.
pub(super) fn is(section: SectionId, word: &str) -> bool {
    MEMORY.iter().any(|lexicon| lexicon.section(section).spelled(word).is_some())
}

/// What a word says without the negation in it: `Some("")` of "not", `Some("will")` of "wont", `None` of any other.
pub(super) fn affirmed(word: &str) -> Option<&'static str> {
    if is(NEGATION, word) {
        return Some("");
    }
    MEMORY_NAMES.iter().find_map(|name| {
        let left = name.strip_prefix(WITHOUT)?;
        is(lexicon::find(MEMORY_NAMES, name)?, word).then_some(left)
    })
}
