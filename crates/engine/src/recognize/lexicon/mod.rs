//! Lexicons: the words and short patterns of one language, in text files compiled with the crate.
//!
//! A file holds sections; a section holds phrases, separated by commas or line ends; `#` starts a comment line:
//!
//! ```text
//! [good]
//! good, great, fine
//! [yes.proposal]
//! that? sounds|looks <good> <to_me>?
//! ```
//!
//! A phrase is a list of elements. `word` is that word, folded as [`super::words`] folds it (lower case, no
//! apostrophes); `a|b` is either word and `a+b|c` either `a b` or `c`; `<section>` is a phrase of that section, `_` any
//! one word, `#` a word that begins with a digit, `@` what is repeated of the question. `?` after an element makes it
//! optional, `*` lets it repeat or be absent. `word=3` is no phrase: it gives the word a value; `some words=3` is a
//! phrase with one. A section `[class.…]` lists single words only, and is asked of a word rather than of a place: see
//! [`Lexicon::classes`].
//!
//! `compile.rs` makes of each file tables of numbers (`table.rs`); a phrase is only looked at when it can begin with the
//! word that stands there. Nothing is allocated, and a phrase covers no more than 63 words: linear in the text.
//!
//! A language is a folder of such files in each `data` folder; its files are read as if they were one.

#[cfg(test)]
mod compile;
mod cover;
mod shape;
mod table;
#[cfg(test)]
mod tests;
mod vocabulary;

/// The lexicons of all languages, in the order they are tried.
mod compiled {
    use super::Lexicon;
    use super::table::{Block, Element, Head, List, SectionId, Span, Start, Times::*, What::*, WordId};
    use super::vocabulary::Vocabulary;

    include!(concat!(env!("OUT_DIR"), "/lexicons.rs"));
}

pub(crate) use compiled::{
    DRAFT, DRAFT_NAMES, INTENT, INTENT_NAMES, LANGUAGES, MEMORY, MEMORY_NAMES, RECOGNIZE, RECOGNIZE_NAMES,
    REVIEW, REVIEW_NAMES, VOCABULARY,
};
pub(crate) use cover::{Cover, Piece};
pub(crate) use shape::{Caught, Few, Parts};
pub(crate) use table::{SectionId, WordId};
pub(crate) use vocabulary::Vocabulary;

use core::cell::Cell;

use super::words::Word;
use table::{Block, Element, Head, List, Start, Times, What};

/// How deep sections may name each other; what goes deeper simply does not match.
const DEPTH: u8 = 4;

/// The words of one language, as the tables that `compile.rs` describes.
pub(crate) struct Lexicon {
    heads: &'static [Head],
    sets: &'static [Block],
    lists: &'static [List],
    starts: &'static [Start],
    elements: &'static [Element],
    spellings: &'static [WordId],
    valued: &'static [(SectionId, WordId)],
    sections: &'static [SectionId],
    classes: &'static [u64],
}

/// The phrases of one section in one language.
#[derive(Clone, Copy)]
pub(crate) struct Section {
    lexicon: &'static Lexicon,
    id: SectionId,
}

/// The section of that name among `names`. Used in constants: a name that no language has fails the build.
pub(crate) const fn named(names: &[&str], name: &str) -> SectionId {
    let mut at = 0;
    while at < names.len() {
        if same(names[at].as_bytes(), name.as_bytes()) {
            return SectionId(at as u16);
        }
        at += 1;
    }
    panic!("no lexicon has a section of this name")
}

/// The section of that name among `names`, when there is one.
pub(crate) fn find(names: &[&str], name: &str) -> Option<SectionId> {
    let at = names.iter().position(|known| *known == name)?;
    u16::try_from(at).ok().map(SectionId)
}

/// The bit of the class of that name: see [`Lexicon::classes`]. Used in constants as [`named`] is.
pub(crate) const fn class(names: &[&str], name: &str) -> u64 {
    let (mut at, mut bit) = (0, 1);
    while at < names.len() {
        if same(names[at].as_bytes(), name.as_bytes()) {
            return bit;
        }
        if begins(names[at].as_bytes(), b"class.") {
            bit <<= 1;
        }
        at += 1;
    }
    panic!("no lexicon has a class of this name")
}

/// How many sections have a name that begins like this.
pub(crate) const fn count(names: &[&str], prefix: &str) -> usize {
    let (mut at, mut found) = (0, 0);
    while at < names.len() {
        found += begins(names[at].as_bytes(), prefix.as_bytes()) as usize;
        at += 1;
    }
    found
}

/// Those sections: [`count`] says how many.
pub(crate) const fn all<const N: usize>(names: &[&str], prefix: &str) -> [SectionId; N] {
    let (mut at, mut found, mut all) = (0, 0, [SectionId(0); N]);
    while at < names.len() {
        if begins(names[at].as_bytes(), prefix.as_bytes()) {
            all[found] = SectionId(at as u16);
            found += 1;
        }
        at += 1;
    }
    all
}

const fn begins(text: &[u8], with: &[u8]) -> bool {
    text.len() >= with.len() && same(text.split_at(with.len()).0, with)
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

impl Lexicon {
    /// A section, empty when the language has none of that name.
    pub(crate) fn section(&'static self, id: SectionId) -> Section {
        Section { lexicon: self, id }
    }

    /// A bit for each class that lists the word: one look-up where asking section by section would be dozens.
    pub(crate) fn classes(&self, word: &Word) -> u64 {
        self.classes.get(usize::from(word.id.0)).copied().unwrap_or(0)
    }

    /// Whether the language has a section: a recogniser is only asked in the languages that have its own.
    pub(crate) fn has(&self, id: SectionId) -> bool {
        self.sections.binary_search(&id).is_ok()
    }

    /// Whether no other language knows more of these words.
    pub(crate) fn knows_most(&self, words: &[Word]) -> bool {
        let known = self.knows(words);
        RECOGNIZE.iter().all(|other| other.knows(words) <= known)
    }

    /// How many of these words can begin something of the language.
    pub(crate) fn knows(&self, words: &[Word]) -> usize {
        let first = |id: usize| self.heads.get(id).map_or(self.lists.len(), |head| usize::from(head.lists));
        let begins = |word: &&Word| first(word.id.0.into()) < first(usize::from(word.id.0) + 1);
        words.iter().filter(|word| word.id != WordId::UNKNOWN).filter(begins).count()
    }

    /// Whether something of a section begins with a word.
    #[inline]
    fn begins(&self, section: SectionId, word: WordId) -> bool {
        self.block(section, word).is_some_and(|(_, block)| block.has(section))
    }

    /// Whether something of one of these sections may begin at `at`.
    pub(crate) fn may_begin(&self, sections: &Sections, words: &[Word], at: usize) -> bool {
        let begins = |word: WordId| {
            let blocks =
                self.heads.get(usize::from(word.0)).and_then(|head| self.sets.get(head.set.into()..));
            blocks.is_some_and(|all| all.iter().zip(&sections.0).any(|(all, some)| all.sections & some != 0))
        };
        words.get(at).is_some_and(|word| {
            begins(word.id) || word.digit && begins(WordId::NUMBER) || begins(WordId::ANY)
        })
    }

    /// What of a section begins with a word.
    #[inline]
    fn list(&self, section: SectionId, word: WordId) -> Option<&'static List> {
        let (head, block) = self.block(section, word).filter(|(_, block)| block.has(section))?;
        self.lists.get(usize::from(head.lists + block.rank(section)))
    }

    #[inline]
    fn block(&self, section: SectionId, word: WordId) -> Option<(&'static Head, &'static Block)> {
        let head = self.heads.get(usize::from(word.0))?;
        Some((head, self.sets.get(usize::from(head.set + section.0 / Block::SIZE))?))
    }

    /// The phrases of a section that are found under a word.
    fn starting(&self, section: SectionId, word: WordId) -> &'static [Start] {
        self.list(section, word).map_or(&[], |list| list.starts.of(self.starts))
    }
}

/// Sections of the recognisers' lexicons that are asked for together.
pub(crate) struct Sections([u64; RECOGNIZE_NAMES.len().div_ceil(Block::SIZE as usize)]);

impl Sections {
    pub(crate) const fn of(ids: &[SectionId]) -> Self {
        let mut blocks = [0; RECOGNIZE_NAMES.len().div_ceil(Block::SIZE as usize)];
        let mut at = 0;
        while at < ids.len() {
            blocks[(ids[at].0 / Block::SIZE) as usize] |= Block::bit(ids[at]);
            at += 1;
        }
        Self(blocks)
    }
}

/// Reads phrases of one section, so deep in others.
struct Reader<'w> {
    lexicon: &'static Lexicon,
    words: &'w [Word],
    depth: u8,
    /// The section that was last looked for, where, and what it covered: many phrases of a section begin alike.
    last: Option<(SectionId, usize, u64)>,
    /// What other sections covered of the same words, when many are asked at the same places.
    memo: Option<&'w Memo>,
}

/// What sections cover of the same words, each looked for once: a place holds what was asked there last.
struct Memo([Cell<(u64, u64)>; Self::PLACES]);

impl Memo {
    const PLACES: usize = 256;

    fn new() -> Self {
        Self([const { Cell::new((0, 0)) }; Self::PLACES])
    }

    fn of(&self, id: SectionId, at: usize, depth: u8, read: impl FnOnce() -> u64) -> u64 {
        // An empty place has the key 0, which is no section's.
        let key = ((u64::from(id.0) + 1) << 32) | ((at as u64) << 8) | u64::from(depth);
        let place =
            usize::from(id.0).wrapping_mul(37).wrapping_add(at * 5).wrapping_add(usize::from(depth) * 101);
        let place = &self.0[place % Self::PLACES];
        match place.get() {
            (known, ends) if known == key => ends,
            _ => {
                let ends = read();
                place.set((key, ends));
                ends
            }
        }
    }
}

impl Reader<'_> {
    /// Bit `k` is set when `phrase` is the `k` words from `at` on.
    fn phrase(&mut self, phrase: &[Element], at: usize) -> u64 {
        let mut reached: u64 = 1;
        for element in phrase {
            let mut next = if element.times == Times::One { 0 } else { reached };
            let mut open = reached;
            while open != 0 {
                let offset = open.trailing_zeros();
                open &= open - 1;
                let once = self.once(element.what, at + offset as usize).checked_shl(offset).unwrap_or(0);
                if element.times == Times::Repeated {
                    open |= once & !next;
                }
                next |= once;
            }
            reached = next;
            if reached == 0 {
                break;
            }
        }
        reached
    }

    /// The same for one element, standing there once.
    fn once(&mut self, what: What, at: usize) -> u64 {
        let Some(word) = self.words.get(at) else { return 0 };
        match what {
            What::Word(id) => u64::from(word.id == id) << 1,
            What::OneOf(words) => u64::from(words.of(self.lexicon.spellings).contains(&word.id)) << 1,
            What::Rows(rows) => {
                let rows = rows.of(self.lexicon.spellings).split(|id| *id == WordId::UNKNOWN);
                rows.fold(0, |all, row| all | spelled(row, &self.words[at..]))
            }
            What::Section(id) => self.section(id, at),
            What::Any => 2,
            What::Number => u64::from(word.digit) << 1,
        }
    }

    /// The same for a section.
    fn section(&mut self, id: SectionId, at: usize) -> u64 {
        match self.last {
            _ if self.depth == 0 => 0,
            Some((section, there, ends)) if section == id && there == at => ends,
            _ => {
                let (depth, section) = (self.depth - 1, self.lexicon.section(id));
                let read = || section.ends_at(self.words, at, depth, self.memo);
                let ends = self.memo.map_or_else(read, |memo| memo.of(id, at, depth, read));
                self.last = Some((id, at, ends));
                ends
            }
        }
    }
}

/// Bit `k` when `row` is the first `k` of these words.
fn spelled(row: &[WordId], words: &[Word]) -> u64 {
    let there = (0..).zip(row).all(|(at, id)| words.get(at).is_some_and(|word| word.id == *id));
    if there { 1u64.checked_shl(row.len() as u32).unwrap_or(0) } else { 0 }
}

impl Section {
    /// Bit `k` is set when a phrase of the section is the `k` words from `at` on.
    #[inline]
    pub(crate) fn ends(self, words: &[Word], at: usize) -> u64 {
        self.ends_at(words, at, DEPTH, None)
    }

    #[inline]
    fn ends_at(self, words: &[Word], at: usize, depth: u8, memo: Option<&Memo>) -> u64 {
        if self.may_begin(words, at) { self.phrases(words, at, depth, memo) } else { 0 }
    }

    fn phrases(self, words: &[Word], at: usize, depth: u8, memo: Option<&Memo>) -> u64 {
        let mut reader = Reader { lexicon: self.lexicon, words, depth, last: None, memo };
        let number = words[at].digit.then_some(WordId::NUMBER);
        let mut ends = 0;
        for id in [Some(words[at].id), number, Some(WordId::ANY)].into_iter().flatten() {
            for start in self.lexicon.starting(self.id, id) {
                ends |= reader.phrase(start.phrase.of(self.lexicon.elements), at);
            }
        }
        ends
    }

    /// How many words from `at` on the longest phrase covers; 0 when none does.
    #[inline]
    pub(crate) fn longest(self, words: &[Word], at: usize) -> usize {
        self.ends(words, at).checked_ilog2().unwrap_or(0) as usize
    }

    /// Whether one of the phrases is these words exactly.
    pub(crate) fn is(self, words: &[Word]) -> bool {
        let bit = u32::try_from(words.len()).ok().and_then(|n| 1u64.checked_shl(n)).unwrap_or(0);
        self.ends(words, 0) & bit & !1 != 0
    }

    /// Whether something of the section may begin at `at`: its first word does.
    #[inline]
    pub(crate) fn may_begin(self, words: &[Word], at: usize) -> bool {
        let begins = |id| self.lexicon.begins(self.id, id);
        words.get(at).is_some_and(|word| {
            begins(word.id) || word.digit && begins(WordId::NUMBER) || begins(WordId::ANY)
        })
    }

    /// Whether a phrase begins at `at`.
    pub(crate) fn at(self, words: &[Word], at: usize) -> bool {
        self.longest(words, at) > 0
    }

    /// Whether a phrase begins anywhere.
    pub(crate) fn within(self, words: &[Word]) -> bool {
        (0..words.len()).any(|at| self.at(words, at))
    }

    /// The single words that count for something, and how they are spelled.
    pub(crate) fn words(self) -> impl Iterator<Item = (WordId, &'static str)> {
        let valued = self.lexicon.valued;
        let from = valued.partition_point(|(section, _)| *section < self.id);
        let own = valued[from..].iter().take_while(move |(section, _)| *section == self.id);
        own.map(|(_, word)| (*word, VOCABULARY.words[usize::from(word.0)]))
    }

    /// What the section says a word counts for.
    pub(crate) fn value(self, word: &Word) -> Option<u64> {
        self.counts(word.id)
    }

    /// The same for a word, or a part of one, that is spelled like this.
    pub(crate) fn spelled(self, text: &str) -> Option<u64> {
        self.counts(VOCABULARY.id(text))
    }

    /// The same for a word that is only a part of a message's.
    pub(crate) fn counts(self, word: WordId) -> Option<u64> {
        self.signed(word).and_then(|value| u64::try_from(value).ok())
    }

    fn signed(self, word: WordId) -> Option<i64> {
        self.lexicon.list(self.id, word)?.value
    }

    /// What the longest phrase with a value counts for that begins at `at`, and where it ends.
    pub(crate) fn valued(self, words: &[Word], at: usize) -> Option<(i64, usize)> {
        let word = words.get(at)?;
        let single = self.signed(word.id).map(|value| (value, at + 1));
        let mut reader = Reader { lexicon: self.lexicon, words, depth: DEPTH, last: None, memo: None };
        let mut longest = single;
        for start in self.lexicon.starting(self.id, word.id) {
            let Some(value) = start.value else { continue };
            let ends = reader.phrase(start.phrase.of(self.lexicon.elements), at);
            let end = at + ends.checked_ilog2().unwrap_or(0) as usize;
            if end > longest.map_or(at, |(_, end)| end) {
                longest = Some((value, end));
            }
        }
        longest
    }
}

/// How many words from `at` on the longest phrase of this section covers in any language: what one language refuses,
/// no other one may take.
pub(crate) fn anywhere(id: SectionId, words: &[Word], at: usize) -> usize {
    RECOGNIZE.iter().map(|lexicon| lexicon.section(id).longest(words, at)).max().unwrap_or(0)
}

/// The most words a [`Cover`] or [`skip`] looks at; a longer row of stock phrases says nothing.
const WINDOW: usize = 48;

/// The words from `at` on, as far as phrases of these sections cover them, the longest first and at most a window
/// full; returns where that ends.
pub(crate) fn skip(sections: &[Section], words: &[Word], mut at: usize) -> usize {
    let most = at + WINDOW;
    while at < most
        && let Some(n) = sections.iter().map(|s| s.longest(words, at)).max().filter(|&n| n > 0)
    {
        at += n;
    }
    at
}
