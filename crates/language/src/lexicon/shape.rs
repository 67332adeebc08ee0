//! Shapes: phrases some of whose sections are *parts* with a value, as in `<time.n> past <time.n>`.
//!
//! The caller decides which sections are parts and what they are worth at each place ([`Parts`]); all other elements
//! are read as in any phrase. A shape may be read in several ways, each with its own parts.

use core::ops::Range;

use super::table::{Element, Times, What};
use super::{DEPTH, Lexicon, Reader, Section, SectionId};
use crate::budget::count;
use crate::words::Word;

/// The most ways one part is read at one place.
const WAYS: usize = 4;
/// The most parts of one shape.
const CAUGHT: usize = 6;

/// Says what the parts of shapes are.
pub trait Parts {
    /// The value of a part.
    type Part: Copy;

    /// The ways to read a section as a part at `at`, by their numbers; `None` when it is no part but a list of phrases.
    fn ways(&self, section: SectionId, at: usize) -> Option<Range<usize>>;

    /// The word behind the last one of a way.
    fn end(&self, way: usize) -> usize;

    /// The value of a way.
    fn part(&self, way: usize) -> Self::Part;
}

/// Some ways to read something: each with where it ends.
#[derive(Clone, Copy, Debug)]
pub struct Few<T> {
    ways: [Option<(usize, T)>; WAYS],
}

impl<T: Copy> Few<T> {
    /// No way at all.
    pub const NONE: Self = Self { ways: [None; WAYS] };

    /// A further way; the first ones of an end are kept, and no more than there is room for.
    pub fn add(&mut self, end: usize, part: T) {
        for way in &mut self.ways {
            match way {
                None => return *way = Some((end, part)),
                Some((there, _)) if *there == end => return,
                Some(_) => {}
            }
        }
    }

    /// The only way, if there is one.
    pub fn extend(&mut self, way: Option<(usize, T)>) {
        if let Some((end, part)) = way {
            self.add(end, part);
        }
    }

    /// Each of them, in the order they were added.
    pub fn each(&self) -> impl Iterator<Item = (usize, T)> + '_ {
        self.ways.iter().map_while(|way| *way)
    }
}

/// The parts a shape caught, in their order.
#[derive(Debug)]
pub struct Caught<T> {
    parts: [Option<(SectionId, T)>; CAUGHT],
    count: usize,
}

impl<T: Copy> Caught<T> {
    const fn nothing() -> Self {
        Self { parts: [None; CAUGHT], count: 0 }
    }

    fn each(&self) -> impl Iterator<Item = &(SectionId, T)> {
        self.parts.iter().take(self.count).flatten()
    }

    /// The parts of one section.
    pub fn of(&self, section: SectionId) -> impl Iterator<Item = T> + '_ {
        self.each().filter(move |(from, _)| *from == section).map(|(_, part)| *part)
    }

    /// All parts.
    pub fn all(&self) -> impl Iterator<Item = T> + '_ {
        self.each().map(|(_, part)| *part)
    }
}

impl Section {
    /// Tells every way a shape of the section begins at `at`: where it ends, and what it caught.
    pub fn shapes<P: Parts>(
        self,
        words: &[Word],
        at: usize,
        parts: &P,
        told: &mut dyn FnMut(usize, &Caught<P::Part>),
    ) {
        let Some(word) = words.get(at) else { return };
        let lexicon = self.lexicon;
        let mut walk = Walk { lexicon, words, parts, caught: Caught::nothing(), told };
        let number = word.digit.then_some(super::WordId::NUMBER);
        for id in [Some(word.id), number].into_iter().flatten() {
            for start in lexicon.starting(self.id, id) {
                count(1);
                walk.on(start.phrase.of(lexicon.elements), at);
            }
        }
    }
}

struct Walk<'w, P: Parts> {
    lexicon: &'static Lexicon,
    words: &'w [Word],
    parts: &'w P,
    /// The parts caught so far.
    caught: Caught<P::Part>,
    told: &'w mut dyn FnMut(usize, &Caught<P::Part>),
}

impl<P: Parts> Walk<'_, P> {
    fn on(&mut self, phrase: &[Element], at: usize) {
        let Some((element, rest)) = phrase.split_first() else { return (self.told)(at, &self.caught) };
        // A part that repeats would catch without end: no shape has one.
        if element.times != Times::One {
            self.on(rest, at);
        }
        if let What::Section(section) = element.what
            && let Some(ways) = self.parts.ways(section, at)
        {
            return ways.for_each(|way| self.catch(section, way, rest));
        }
        let mut reader =
            Reader { lexicon: self.lexicon, words: self.words, depth: DEPTH, last: None, memo: None };
        let mut ends = reader.once(element.what, at) & !1;
        while ends != 0 {
            let end = at + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            self.on(if element.times == Times::Repeated { phrase } else { rest }, end);
        }
    }

    /// Goes on behind a part. Parts that there is no room for are read and not kept.
    fn catch(&mut self, section: SectionId, way: usize, rest: &[Element]) {
        let end = self.parts.end(way);
        if !self.may_go_on(rest, end) {
            return;
        }
        let count = self.caught.count;
        if let Some(free) = self.caught.parts.get_mut(count) {
            *free = Some((section, self.parts.part(way)));
            self.caught.count += 1;
        }
        self.on(rest, end);
        self.caught.count = count;
    }

    /// True if the rest of a shape may begin at `at`: most shapes end here.
    fn may_go_on(&self, rest: &[Element], at: usize) -> bool {
        for element in rest {
            if self.may_stand(element.what, at) {
                return true;
            }
            if element.times == Times::One {
                return false;
            }
        }
        true
    }

    fn may_stand(&self, what: What, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        match what {
            What::Word(id) => word.id == id,
            What::OneOf(words) => words.of(self.lexicon.spellings).contains(&word.id),
            What::Section(section) => self.lexicon.section(section).may_begin(self.words, at),
            What::Rows(_) | What::Any | What::Number => true,
        }
    }
}
