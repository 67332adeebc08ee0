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
//! A phrase is a list of elements:
//!
//! | Element | Matches |
//! | --- | --- |
//! | `word` | that word, folded: lower case, no apostrophes (`don't` is `dont`), a hyphen divides |
//! | `a\|b` | either word |
//! | `a+b\|c` | either `a b` or `c` |
//! | `<section>` | a phrase of that section |
//! | `_` | any word |
//! | `#` | a word that begins with a digit |
//! | `@` | words of the question that the answer repeats |
//! | `element?` | the element or nothing |
//! | `element*` | the element any number of times, up to 16 |
//!
//! `word=3` is no phrase but gives the word a value; `some words=3` is a phrase with one. A section `[class.…]` lists
//! single words, each of which can be asked for all its classes at once: see [`Lexicon::classes`].
//!
//! A language is a folder of `data`, with a folder for each [`Family`]; the files in it are read as if they were one.
//! The build script compiles them into tables of numbers (`docs/design/0005-lexicons-are-compiled.md`): a phrase is
//! only looked at when the next word can begin it, nothing is allocated, and a phrase covers no more than 63 words, so
//! that reading is linear in the text.

#[cfg(test)]
mod compile;
mod cover;
mod memo;
mod pack;
mod shape;
mod table;
#[cfg(test)]
mod tests;
mod vocabulary;

/// The lexicons of all languages, in the order they are tried.
mod compiled {
    use super::vocabulary::Vocabulary;
    use super::{Family, Lexicon, pack};

    #[cfg(not(test))]
    include!(concat!(env!("OUT_DIR"), "/lexicons.rs"));
    #[cfg(test)]
    include!(concat!(env!("OUT_DIR"), "/lexicons_of_tests.rs"));
}

pub(crate) use compiled::CODES;
pub use compiled::{ANSWERS, MEMORY, REQUESTS, REVIEW, TICKETS, VOCABULARY};
pub use cover::{Cover, Piece};
pub(crate) use memo::Memo;
pub use shape::{Caught, Few, Parts};
pub use table::{SectionId, WordId};
pub use vocabulary::Vocabulary;

use alloc::vec;
use alloc::vec::Vec;
use core::cell::{Cell, OnceCell};

use super::budget::count;
use super::words::{Word, Words};
use crate::{Language, Languages};
use table::{Block, Element, Head, List, Start, Times, What};

/// The depth to which sections may name each other; a phrase that goes deeper does not match.
const DEPTH: u8 = 4;

/// The words of one language, as the tables that `compile.rs` describes.
pub struct Lexicon {
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
pub struct Section {
    lexicon: &'static Lexicon,
    id: SectionId,
}

/// A family of lexicons: one for each language, with sections of the same names.
///
/// A vocabulary of your own is a folder of the same name in the folder of each language: see the build script.
pub struct Family {
    pub(crate) names: &'static [&'static str],
    lexicons: [Lexicon; CODES.len()],
}

impl Family {
    /// The section of a name. Used in constants: a name that no language has fails the build.
    #[inline]
    #[must_use]
    pub const fn section(&self, name: &str) -> SectionId {
        let mut at = 0;
        while at < self.names.len() {
            if same(self.names[at].as_bytes(), name.as_bytes()) {
                return SectionId(at as u16);
            }
            at += 1;
        }
        panic!("no lexicon has a section of this name")
    }

    /// The bit of a class by name: see [`Lexicon::classes`]. Used in constants: a name that no language has fails the
    /// build.
    #[must_use]
    pub const fn class(&self, name: &str) -> u64 {
        let (mut at, mut bit) = (0, 1);
        while at < self.names.len() {
            if same(self.names[at].as_bytes(), name.as_bytes()) {
                return bit;
            }
            if begins(self.names[at].as_bytes(), b"class.") {
                bit <<= 1;
            }
            at += 1;
        }
        panic!("no lexicon has a class of this name")
    }

    /// The number of sections whose name begins with `prefix`.
    #[must_use]
    pub const fn count(&self, prefix: &str) -> usize {
        let (mut at, mut found) = (0, 0);
        while at < self.names.len() {
            found += begins(self.names[at].as_bytes(), prefix.as_bytes()) as usize;
            at += 1;
        }
        found
    }

    /// The sections whose name begins with `prefix`; [`count`](Self::count) says how many.
    #[must_use]
    pub const fn sections<const N: usize>(&self, prefix: &str) -> [SectionId; N] {
        let (mut at, mut found, mut all) = (0, 0, [SectionId(0); N]);
        while at < self.names.len() {
            if begins(self.names[at].as_bytes(), prefix.as_bytes()) {
                all[found] = SectionId(at as u16);
                found += 1;
            }
            at += 1;
        }
        all
    }

    /// The section of a name that is known at run time only.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<SectionId> {
        let at = self.names.iter().position(|known| *known == name)?;
        u16::try_from(at).ok().map(SectionId)
    }

    /// The names of all sections.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }

    /// The lexicon of a language.
    #[inline]
    #[must_use]
    pub fn lexicon(&self, language: Language) -> &Lexicon {
        &self.lexicons[language.index()]
    }

    /// The lexicons of every language that is compiled in.
    #[inline]
    pub fn iter(&self) -> core::slice::Iter<'_, Lexicon> {
        self.lexicons.iter()
    }
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
    /// A lexicon of no words.
    pub(crate) const EMPTY: Self = Self {
        heads: &[],
        sets: &[],
        lists: &[],
        starts: &[],
        elements: &[],
        spellings: &[],
        valued: &[],
        sections: &[],
        classes: &[],
    };

    /// A section, empty when the language has none of that name.
    #[inline]
    pub fn section(&'static self, id: SectionId) -> Section {
        Section { lexicon: self, id }
    }

    /// A bit for each class that lists the word: one look-up where asking section by section would be dozens.
    #[inline]
    pub fn classes(&self, word: &Word) -> u64 {
        self.classes.get(usize::from(word.id.0)).copied().unwrap_or(0)
    }

    /// True if the language has the section.
    #[inline]
    pub fn has(&self, id: SectionId) -> bool {
        self.sections.binary_search(&id).is_ok()
    }

    /// True if no other language of the message knows more of its words.
    pub fn knows_most(&self, message: &Words) -> bool {
        let known = self.knows(message.all());
        message.languages().lexicons(&ANSWERS).all(|other| other.knows(message.all()) <= known)
    }

    /// The number of words that can begin something of the language.
    pub fn knows(&self, words: &[Word]) -> usize {
        let first = |id: usize| self.heads.get(id).map_or(self.lists.len(), |head| usize::from(head.lists));
        let begins = |word: &&Word| first(word.id.0.into()) < first(usize::from(word.id.0) + 1);
        words.iter().filter(|word| word.id != WordId::UNKNOWN).filter(begins).count()
    }

    /// True if something of a section begins with a word.
    #[inline]
    fn begins(&self, section: SectionId, word: WordId) -> bool {
        self.block(section, word).is_some_and(|(_, block)| block.has(section))
    }

    /// True if something of one of these sections may begin at `at`.
    pub fn may_begin(&self, sections: &Sections, words: &[Word], at: usize) -> bool {
        let begins = |word: WordId| {
            let blocks =
                self.heads.get(usize::from(word.0)).and_then(|head| self.sets.get(head.set.into()..));
            blocks.is_some_and(|all| all.iter().zip(&sections.0).any(|(all, some)| all.sections & some != 0))
        };
        words.get(at).is_some_and(|word| {
            begins(word.id) || word.digit && begins(WordId::NUMBER) || begins(WordId::ANY)
        })
    }

    /// The phrases of a section that begin with a word.
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
pub struct Sections([u64; ANSWERS.names.len().div_ceil(Block::SIZE as usize)]);

impl Sections {
    /// These sections.
    pub const fn of(ids: &[SectionId]) -> Self {
        let mut blocks = [0; ANSWERS.names.len().div_ceil(Block::SIZE as usize)];
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
    /// The findings of other sections on the same words, when many are asked at the same places.
    memo: Option<&'w Memo>,
}

impl Times {
    /// The most times that an element matches in a row. Nobody says 16 fillers, and without a bound each of a hundred
    /// "please" begins a row of its own.
    const fn most(self) -> u8 {
        match self {
            Self::One | Self::Optional => 1,
            Self::Repeated => 16,
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
            let mut times = element.times.most();
            while open != 0 && times > 0 {
                times -= 1;
                let mut ends = 0;
                while open != 0 {
                    let offset = open.trailing_zeros();
                    open &= open - 1;
                    ends |= self.once(element.what, at + offset as usize).checked_shl(offset).unwrap_or(0);
                }
                open = ends & !next;
                next |= ends;
            }
            reached = next;
            if reached == 0 {
                break;
            }
        }
        reached
    }

    /// Like [`Self::phrase`], for one element that is there once.
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

    /// Like [`Self::phrase`], for a section.
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
    pub fn ends(self, words: &[Word], at: usize) -> u64 {
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
                count(1);
                ends |= reader.phrase(start.phrase.of(self.lexicon.elements), at);
            }
        }
        ends
    }

    /// The number of words that the longest phrase at `at` covers; 0 when none begins there.
    ///
    /// ```
    /// use throughline_language::lexicon::{ANSWERS, SectionId};
    /// use throughline_language::Words;
    ///
    /// const THANKS: SectionId = ANSWERS.section("thanks");
    ///
    /// let words = Words::of("many thanks for the plan");
    /// let english = ANSWERS.lexicon("en".parse()?);
    /// assert_eq!(english.section(THANKS).longest(words.all(), 0), 2);
    /// # Ok::<(), throughline_language::UnknownLanguage>(())
    /// ```
    #[inline]
    pub fn longest(self, words: &[Word], at: usize) -> usize {
        self.ends(words, at).checked_ilog2().unwrap_or(0) as usize
    }

    /// Like [`Self::longest`], where many sections that have parts in common are asked at the same places.
    pub(crate) fn longest_known(self, words: &[Word], at: usize, memo: &Memo) -> usize {
        self.ends_at(words, at, DEPTH, Some(memo)).checked_ilog2().unwrap_or(0) as usize
    }

    /// True if one of the phrases is exactly these words.
    #[inline]
    pub fn is(self, words: &[Word]) -> bool {
        let bit = u32::try_from(words.len()).ok().and_then(|n| 1u64.checked_shl(n)).unwrap_or(0);
        self.ends(words, 0) & bit & !1 != 0
    }

    /// True if something of the section may begin at `at`, judged by one word.
    #[inline]
    pub fn may_begin(self, words: &[Word], at: usize) -> bool {
        let begins = |id| self.lexicon.begins(self.id, id);
        words.get(at).is_some_and(|word| {
            begins(word.id) || word.digit && begins(WordId::NUMBER) || begins(WordId::ANY)
        })
    }

    /// True if a phrase begins at `at`.
    #[inline]
    pub fn at(self, words: &[Word], at: usize) -> bool {
        self.longest(words, at) > 0
    }

    /// True if a phrase begins anywhere in these words.
    #[inline]
    pub fn within(self, words: &[Word]) -> bool {
        (0..words.len()).any(|at| self.at(words, at))
    }

    /// The single words that count for something, and how they are spelled.
    pub fn words(self) -> impl Iterator<Item = (WordId, &'static str)> {
        let valued = self.lexicon.valued;
        let from = valued.partition_point(|(section, _)| *section < self.id);
        let own = valued[from..].iter().take_while(move |(section, _)| *section == self.id);
        own.map(|(_, word)| (*word, VOCABULARY.words[usize::from(word.0)]))
    }

    /// The value of a word in this section.
    #[inline]
    pub fn value(self, word: &Word) -> Option<u64> {
        self.counts(word.id)
    }

    /// The value of a word, or a part of one, by its spelling.
    pub fn spelled(self, text: &str) -> Option<u64> {
        self.counts(VOCABULARY.id(text))
    }

    /// The value of a word by its number.
    #[inline]
    pub fn counts(self, word: WordId) -> Option<u64> {
        self.signed(word).and_then(|value| u64::try_from(value).ok())
    }

    fn signed(self, word: WordId) -> Option<i64> {
        self.lexicon.list(self.id, word)?.value
    }

    /// The value of the longest phrase at `at` that has one, and where the phrase ends.
    pub fn valued(self, words: &[Word], at: usize) -> Option<(i64, usize)> {
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

/// The number of words that the longest phrase of a section at `at` covers in any of these languages. Words that one
/// language refuses no other one may take.
pub(crate) fn anywhere(languages: Languages, id: SectionId, words: &[Word], at: usize) -> usize {
    languages.lexicons(&ANSWERS).map(|lexicon| lexicon.section(id).longest(words, at)).max().unwrap_or(0)
}

/// The most words a [`Cover`] or [`skip`] looks at; a longer row of stock phrases says nothing.
const WINDOW: usize = 48;

/// The words from `at` on, as far as phrases of these sections cover them, the longest first and at most a window
/// full; returns where that ends.
pub fn skip(sections: &[Section], words: &[Word], mut at: usize) -> usize {
    let most = at + WINDOW;
    while at < most
        && let Some(n) = sections.iter().map(|s| s.longest(words, at)).max().filter(|&n| n > 0)
    {
        at += n;
    }
    at
}

/// [`skip`] for one section, which many clauses of a message begin with: each word is looked at once, however many clauses
/// lead over it.
pub struct Skips<'w> {
    section: Section,
    words: &'w [Word],
    /// The longest phrase at each word, or [`UNREAD`]; empty for a message too short to repeat anything.
    longest: OnceCell<Vec<Cell<u8>>>,
}

/// No phrase covers as many words.
const UNREAD: u8 = u8::MAX;

impl<'w> Skips<'w> {
    /// The phrases of a section in these words.
    pub fn of(section: Section, words: &'w [Word]) -> Self {
        Self { section, words, longest: OnceCell::new() }
    }

    /// The words from `at` on, as far as phrases cover them and at most a window full; returns where that ends.
    pub fn skip(&self, at: usize) -> usize {
        if self.words.len() <= WINDOW {
            return skip(&[self.section], self.words, at);
        }
        let mut to = at;
        while to < at + WINDOW
            && let n = self.longest(to)
            && n > 0
        {
            to += n;
        }
        to
    }

    fn longest(&self, at: usize) -> usize {
        let all = self.longest.get_or_init(|| vec![Cell::new(UNREAD); self.words.len()]);
        let Some(place) = all.get(at) else { return 0 };
        if place.get() == UNREAD {
            place.set(self.section.longest(self.words, at) as u8);
        }
        place.get().into()
    }
}
