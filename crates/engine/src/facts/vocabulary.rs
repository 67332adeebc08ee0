//! The lexicon sections from which facts are read, in every language.

use throughline_language::lexicon::{MEMORY, SectionId, VOCABULARY, WordId};

/// Articles, which are dropped at the beginning of a sentence.
pub(super) const ARTICLE: SectionId = named("fact.article");
/// Words that negate a sentence.
pub(super) const NEGATION: SectionId = named("fact.negation");

/// The section with this name in the lexicons of facts.
pub(crate) const fn named(name: &str) -> SectionId {
    MEMORY.section(name)
}

/// True if a folded word is in a section, in any language.
pub(crate) fn is(section: SectionId, word: &str) -> bool {
    MEMORY.iter().any(|lexicon| lexicon.section(section).spelled(word).is_some())
}

/// A word without the negation in it: `Some("")` for "not", `Some("will")` for "wont", `None` for a word
/// that negates nothing.
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

/// Contracted negations, each with the word that is left without the negation.
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
