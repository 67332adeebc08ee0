//! Shapes: phrases some of whose sections stand for *parts* with a value, as in `<time.n> past <time.n>`.
//!
//! Who asks says which sections are parts and what they are worth where they stand ([`Parts`]); all other elements are
//! read as in any phrase. A shape may be read in several ways, each with what it caught.

use super::table::{Element, Times, What};
use super::{DEPTH, Lexicon, Reader, Section, SectionId};
use crate::recognize::words::Word;

/// The most ways one part is read at one place.
const WAYS: usize = 4;
/// The most parts of one shape.
const CAUGHT: usize = 6;

/// Says what the parts of shapes are.
pub(crate) trait Parts {
    /// What a part is worth.
    type Part: Copy;

    /// The ways to read a section as a part at `at`; `None` when it is no part but a list of phrases.
    fn parts(&self, section: SectionId, at: usize) -> Option<Few<Self::Part>>;
}

/// Some ways to read something: each with where it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Few<T> {
    ways: [Option<(usize, T)>; WAYS],
}

impl<T: Copy> Few<T> {
    /// No way at all.
    pub(crate) const NONE: Self = Self { ways: [None; WAYS] };

    /// The only way, if there is one.
    pub(crate) fn one(way: Option<(usize, T)>) -> Self {
        let mut few = Self::NONE;
        few.ways[0] = way;
        few
    }

    /// A further way; the first ones of an end are kept, and no more than there is room for.
    pub(crate) fn add(&mut self, end: usize, part: T) {
        if self.each().any(|(there, _)| there == end) {
            return;
        }
        if let Some(free) = self.ways.iter_mut().find(|way| way.is_none()) {
            *free = Some((end, part));
        }
    }

    /// Each of them, in the order they were added.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, T)> + '_ {
        self.ways.iter().flatten().copied()
    }

    /// The one that ends last.
    pub(crate) fn longest(&self) -> Option<(usize, T)> {
        self.each().max_by_key(|(end, _)| *end)
    }
}

/// The parts a shape caught, in their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caught<T> {
    parts: [Option<(SectionId, T)>; CAUGHT],
}

impl<T: Copy> Caught<T> {
    fn with(&self, section: SectionId, part: T) -> Self {
        let mut more = *self;
        if let Some(free) = more.parts.iter_mut().find(|part| part.is_none()) {
            *free = Some((section, part));
        }
        more
    }

    /// The parts of one section.
    pub(crate) fn of(&self, section: SectionId) -> impl Iterator<Item = T> + '_ {
        self.parts.iter().flatten().filter(move |(from, _)| *from == section).map(|(_, part)| *part)
    }

    /// All parts.
    pub(crate) fn all(&self) -> impl Iterator<Item = T> + '_ {
        self.parts.iter().flatten().map(|(_, part)| *part)
    }
}

impl Section {
    /// Tells every way a shape of the section begins at `at`: where it ends, and what it caught.
    pub(crate) fn shapes<P: Parts>(
        self,
        words: &[Word],
        at: usize,
        parts: &P,
        told: &mut dyn FnMut(usize, &Caught<P::Part>),
    ) {
        let Some(word) = words.get(at) else { return };
        let lexicon = self.lexicon;
        let (walk, nothing) = (Walk { lexicon, words, parts }, Caught { parts: [None; CAUGHT] });
        let number = word.digit.then_some(super::WordId::NUMBER);
        for id in [Some(word.id), number].into_iter().flatten() {
            for start in lexicon.starting(self.id, id) {
                walk.on(start.phrase.of(lexicon.elements), at, &nothing, told);
            }
        }
    }
}

struct Walk<'w, P> {
    lexicon: &'static Lexicon,
    words: &'w [Word],
    parts: &'w P,
}

impl<P: Parts> Walk<'_, P> {
    fn on(
        &self,
        phrase: &[Element],
        at: usize,
        caught: &Caught<P::Part>,
        told: &mut dyn FnMut(usize, &Caught<P::Part>),
    ) {
        let Some((element, rest)) = phrase.split_first() else { return told(at, caught) };
        // A part that repeats would catch without end: no shape has one.
        if element.times != Times::One {
            self.on(rest, at, caught, told);
        }
        if let What::Section(section) = element.what
            && let Some(few) = self.parts.parts(section, at)
        {
            return few.each().for_each(|(end, part)| self.on(rest, end, &caught.with(section, part), told));
        }
        let mut reader =
            Reader { lexicon: self.lexicon, words: self.words, depth: DEPTH, last: None, memo: None };
        let mut ends = reader.once(element.what, at) & !1;
        while ends != 0 {
            let end = at + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            self.on(if element.times == Times::Repeated { phrase } else { rest }, end, caught, told);
        }
    }
}
