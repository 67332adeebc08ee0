//! The words that facts are read by: of every language, in `data`.

use crate::recognize::lexicon::{self, MEMORY, MEMORY_NAMES, SectionId, VOCABULARY, WordId};

/// They begin a sentence and say nothing.
pub(super) const ARTICLE: SectionId = named("fact.article");
/// They turn a sentence round.
pub(super) const NEGATION: SectionId = named("fact.negation");

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
    let id = VOCABULARY.id(word);
    let is = |section| MEMORY.iter().any(|lexicon| lexicon.section(section).counts(id).is_some());
    if id == WordId::UNKNOWN {
        return None;
    }
    if is(NEGATION) {
        return Some("");
    }
    CONTRACTED.iter().find(|(section, _)| is(*section)).map(|(_, left)| *left)
}

/// Contracted negations, each with what is left without the negation.
const CONTRACTED: [(SectionId, &str); 15] = [
    (named("fact.without.will"), "will"),
    (named("fact.without.would"), "would"),
    (named("fact.without.can"), "can"),
    (named("fact.without.could"), "could"),
    (named("fact.without.should"), "should"),
    (named("fact.without.shall"), "shall"),
    (named("fact.without.must"), "must"),
    (named("fact.without.is"), "is"),
    (named("fact.without.are"), "are"),
    (named("fact.without.was"), "was"),
    (named("fact.without.were"), "were"),
    (named("fact.without.has"), "has"),
    (named("fact.without.have"), "have"),
    (named("fact.without.had"), "had"),
    (named("fact.without.need"), "need"),
];
