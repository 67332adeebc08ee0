//! A sentence of a message with the class of each of its words.

use core::ops::Range;

use super::class;
use crate::lexicon::{Lexicon, SectionId};
use crate::section;
use crate::words::{Gap, Word};

/// The number of words of a message that are looked at; the words behind them have had their nouns by then.
pub(super) const MOST: usize = 64;

/// Written with a capital.
pub(super) const CAPITAL: u64 = 1 << 63;
/// Begins with a digit.
pub(super) const DIGIT: u64 = 1 << 62;
/// No word: before the first or behind the last.
pub(super) const END: u64 = 1 << 61;

pub(super) const BE: u64 = class("class.be");
/// With the forms of "be".
pub(super) const AUX: u64 = class("class.aux") | BE;
pub(super) const SUBJECT: u64 = class("class.subject");
pub(super) const PRONOUN: u64 = class("class.pronoun");
pub(super) const DETERMINER: u64 = class("class.determiner");
pub(super) const PREPOSITION: u64 = class("class.preposition");
pub(super) const QUESTION: u64 = class("class.question");
pub(super) const CONJUNCTION: u64 = class("class.conjunction");
pub(super) const ADVERB: u64 = class("class.adverb");
pub(super) const INDEFINITE: u64 = class("class.indefinite");
pub(super) const THIS: u64 = class("class.this");
pub(super) const THAT: u64 = class("class.that");
const SMALL: u64 = class("class.small");
const OPENER: u64 = class("class.opener");
const CLOSING: u64 = class("class.closing");
const ASK: u64 = class("class.ask");
const VERB: u64 = class("class.verb");
const IDLE: u64 = class("class.idle");
const IT: u64 = class("class.it");
const REQUEST: SectionId = section("reference.request");

/// The closed classes of grammar. A word of none of them is a noun, a verb or an adjective.
pub(super) const FUNCTION: u64 =
    AUX | PRONOUN | DETERMINER | PREPOSITION | QUESTION | CONJUNCTION | ADVERB | SMALL;

/// The class of a word by its shape.
pub(super) fn shape(word: &Word) -> u64 {
    (if word.capital { CAPITAL } else { 0 }) | (if word.digit { DIGIT } else { 0 })
}

/// True if a word is a noun, a verb or an adjective.
pub(super) fn content(class: u64) -> bool {
    class & (FUNCTION | DIGIT | END) == 0
}

/// True if a word says what a text is about.
pub(super) fn tells(class: u64) -> bool {
    class & (FUNCTION | ASK | VERB | IDLE | OPENER | CLOSING) == 0
}

/// A sentence of a message with the class of each of its words.
pub(super) struct Clause<'m> {
    pub(super) lexicon: &'static Lexicon,
    pub(super) words: &'m [Word],
    classes: &'m [u64],
    /// The place of the first word in the message.
    pub(super) offset: usize,
    /// The first word behind an opening such as "yes, but".
    pub(super) begin: usize,
    /// It asks, or asks for something.
    pub(super) requests: bool,
    /// It asks.
    pub(super) asks: bool,
    /// It thanks or takes leave.
    pub(super) closes: bool,
}

impl<'m> Clause<'m> {
    pub(super) fn of(
        lexicon: &'static Lexicon,
        words: &'m [Word],
        classes: &'m [u64],
        offset: usize,
    ) -> Self {
        let begin = classes.iter().take_while(|class| **class & OPENER != 0).count();
        let first = classes.get(begin).copied().unwrap_or(END);
        let asks =
            words.last().is_some_and(|word| word.after == Gap::Question) || first & (QUESTION | AUX) != 0;
        let requests = asks || first & ASK != 0 || lexicon.section(REQUEST).at(words, begin);
        let closes = classes.iter().any(|class| class & CLOSING != 0);
        Self { lexicon, words, classes, offset, begin, requests, asks, closes }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The class of a word; [`END`] where there is none.
    pub(super) fn at(&self, at: usize) -> u64 {
        self.classes.get(at).copied().unwrap_or(END)
    }

    /// The class of the word so many places before one.
    pub(super) fn before(&self, at: usize, places: usize) -> u64 {
        at.checked_sub(places).map_or(END, |at| self.at(at))
    }

    /// True if a phrase is over before this word: only space joins the words of a phrase.
    pub(super) fn breaks(&self, at: usize) -> bool {
        at >= self.len() || at > 0 && self.words[at - 1].after >= Gap::Soft
    }

    /// The classes of some of its words.
    pub(super) fn some(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = u64> {
        let end = range.end.min(self.len());
        self.classes[range.start.min(end)..end].iter().copied()
    }

    /// True if one of these words is of a class.
    pub(super) fn any(&self, range: Range<usize>, class: u64) -> bool {
        self.some(range).any(|word| word & class != 0)
    }

    /// True if one of these words is a name: written with a capital, and no pronoun. The capital of the first word of a
    /// sentence means nothing.
    pub(super) fn names(&self, range: Range<usize>) -> bool {
        let from = range.start.max(1);
        self.some(from..range.end).any(|word| word & CAPITAL != 0 && word & SUBJECT == 0)
    }

    /// True if it brings something up before this word: "a restaurant", "any meeting".
    pub(super) fn brings_up(&self, end: usize) -> bool {
        (1..end.min(self.len()))
            .any(|at| self.at(at - 1) & INDEFINITE != 0 && content(self.at(at)) && self.at(at) & IDLE == 0)
    }

    /// True if it is a statement long enough for a later "that" to refer to it.
    pub(super) fn states(&self) -> bool {
        let first = self.at(self.begin);
        let full = self.len() >= 6 && (first & SUBJECT != 0 || content(first));
        full && first & (THAT | THIS | IT) == 0
            && self.words.last().is_some_and(|word| word.after != Gap::Question)
    }

    /// True if a word from here on is a known verb.
    pub(super) fn has_verb(&self, from: usize) -> bool {
        self.any(from..self.len(), AUX | VERB | ASK)
    }
}
