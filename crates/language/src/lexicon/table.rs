//! The tables of a compiled lexicon: numbers, sorted to be looked up.
//!
//! `compile.rs` makes them when the crate is built, and `pack.rs` hands them to the crate.

/// A word, by its place in the vocabulary. The first places are no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordId(pub(crate) u16);

impl WordId {
    /// A word of a message that no lexicon has.
    pub const UNKNOWN: Self = Self(0);
    /// The number under which phrases are found that can begin with any word.
    pub(crate) const ANY: Self = Self(1);
    /// The number under which phrases are found that can begin with any word that begins with a digit.
    pub(crate) const NUMBER: Self = Self(2);
    /// The words of the question that a message repeats, as one word: see `echo.rs`.
    pub(crate) const ECHO: Self = Self(3);
}

/// A section, by its place among the names of all languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SectionId(pub(crate) u16);

/// From one place of a table to before another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span(pub(crate) u16, pub(crate) u16);

impl Span {
    /// That part of a table.
    #[inline]
    pub(crate) fn of<T>(self, table: &[T]) -> &[T] {
        table.get(usize::from(self.0)..usize::from(self.1)).unwrap_or(&[])
    }
}

/// A phrase, found under a word it can begin with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// The phrase, in the table of elements.
    pub(crate) phrase: Span,
    /// The phrase's value, if it has one.
    pub(crate) value: Option<i64>,
}

/// The phrases of one section that begin with one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    /// The phrases, in the table of starts.
    pub(crate) starts: Span,
    /// The value of the word alone.
    pub(crate) value: Option<i64>,
}

/// The sections that begin with a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// The sections that do, in the table of sets; many words share one.
    pub(crate) set: u16,
    /// The list of the first of them, in the table of lists; the others follow.
    pub(crate) lists: u16,
}

/// Some sections of a set: most questions end here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Block {
    /// A bit for each of [`Block::SIZE`] sections.
    pub(crate) sections: u64,
    /// The number of sections of the set in the blocks before.
    pub(crate) before: u16,
}

impl Block {
    /// So many sections a block.
    pub(crate) const SIZE: u16 = 64;

    /// True if this section is in the set.
    #[inline]
    pub(crate) const fn has(self, section: SectionId) -> bool {
        self.sections & Self::bit(section) != 0
    }

    /// The number of sections of the set before this one.
    #[inline]
    pub(crate) const fn rank(self, section: SectionId) -> u16 {
        self.before + (self.sections & (Self::bit(section) - 1)).count_ones() as u16
    }

    /// The bit of a section in its block.
    #[inline]
    pub(crate) const fn bit(section: SectionId) -> u64 {
        1 << (section.0 % Self::SIZE)
    }
}

/// A part of a phrase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// The text it matches.
    pub(crate) what: What,
    /// The number of times it matches.
    pub(crate) times: Times,
}

/// The text an element matches.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// `word`.
    Word(WordId),
    /// `a|b`: words in the table of spellings.
    OneOf(Span),
    /// `a|b+c`: rows of words in the table of spellings, divided by [`WordId::UNKNOWN`].
    Rows(Span),
    /// `<section>`.
    Section(SectionId),
    /// `_`.
    Any,
    /// `#`.
    Number,
}

/// The number of times an element may match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    /// Once.
    One,
    /// `?`.
    Optional,
    /// `*`.
    Repeated,
}
