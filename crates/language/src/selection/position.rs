//! Positions in the list: a number, an ordinal, a letter, "last", "top".

use alloc::string::String;
use alloc::vec::Vec;

use super::amount::names_no_place;
use super::compare::Mention;
use crate::lexicon::{Lexicon, Section, SectionId};
use crate::normal;
use crate::section;
use crate::words::{Gap, MOST, Word, Words};

const ORDINAL: SectionId = section("ordinal");
const CARDINAL: SectionId = section("selection.cardinal");
const MONTH: SectionId = section("time.month");
const WEEKDAY: SectionId = section("time.weekday");
const LAST: SectionId = section("selection.last");
const FIRST: SectionId = section("selection.first");
const MIDDLE: SectionId = section("selection.middle");
const COUNT: SectionId = section("selection.count");
const MEASURE: SectionId = section("selection.measure");
const SIDE: SectionId = section("selection.side");

/// The way a position is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// "the second": what it is one of may follow.
    Ordinal,
    /// "2", "two", "b": a word behind it would make it a quantity or an article.
    Bare,
}

/// A position in the message.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) mention: Mention,
    pub(super) said: Said,
    /// True of a letter, which yields to a label.
    pub(super) letter: bool,
}

/// The words for positions in a language, for a list of so many options.
#[derive(Clone, Copy)]
pub(super) struct Positions<'m> {
    pub(super) lexicon: &'static Lexicon,
    pub(super) message: &'m Words,
    pub(super) count: usize,
    /// The day of each option, in a list of dates; else empty.
    pub(super) days: &'m [u64],
}

/// The days that options name, where each of them is a date: "Monday, June 8". Empty if one is none, and for a message
/// that names no day.
pub(super) fn days(lexicon: &'static Lexicon, message: &Words, options: &[String]) -> Vec<u64> {
    let ordinal = |word: &Word| word.digit && lexicon.section(ORDINAL).value(word).is_some();
    if !message.all().iter().any(ordinal) {
        return Vec::new();
    }
    let day = |option: &String| {
        let option = Words::of(option);
        let words = &option.all()[..option.all().len().min(MOST)];
        let named = |id| words.iter().any(|word| lexicon.section(id).value(word).is_some());
        let number = |word: &&Word| word.digit;
        let day = words
            .iter()
            .find(number)
            .and_then(|word| normal::number(option.folded(word).trim_end_matches(char::is_alphabetic)));
        day.filter(|_| named(MONTH) || named(WEEKDAY)).and_then(|day| u64::try_from(day).ok())
    };
    options.iter().map(day).collect::<Option<_>>().unwrap_or_default()
}

/// One reading of the words at some place.
struct Read {
    nth: usize,
    to: usize,
    said: Said,
    letter: bool,
}

impl Positions<'_> {
    /// The positions among these words of the message. One that the list does not have is `None`.
    pub(super) fn among(self, words: core::ops::Range<usize>) -> impl Iterator<Item = Option<Position>> {
        words.clone().filter_map(move |at| self.at(words.clone(), at)).map(move |(at, read)| {
            let option = self.option(at, read.nth)?;
            let mention = Mention { words: at..read.to, option };
            Some(Position { mention, said: read.said, letter: read.letter })
        })
    }

    /// The option at a position. In a list of dates "the 1st" is a day, and "the first" the one on top.
    fn option(self, at: usize, nth: usize) -> Option<usize> {
        if self.days.is_empty() || !self.message.all()[at].digit {
            return nth.checked_sub(1).filter(|option| *option < self.count);
        }
        let mut fitting =
            (0..self.days.len()).filter(|option| usize::try_from(self.days[*option]) == Ok(nth));
        fitting.next().filter(|_| fitting.next().is_none())
    }

    fn at(self, among: core::ops::Range<usize>, at: usize) -> Option<(usize, Read)> {
        if names_no_place(self.lexicon, self.message, at) {
            return None;
        }
        let all = &self.message.all()[..among.end];
        let read = self.read(&all[among.start..], at - among.start)?;
        let read = Read { to: read.to + among.start, ..read };
        // "Upper right" and "the left one" are places on a screen nobody described.
        let beside = |at: usize| all.get(at).is_some_and(|_| self.list(SIDE).at(all, at));
        let sided = beside(read.to) && all[read.to - 1].after == Gap::Space
            || at > among.start && all[at - 1].after == Gap::Space && beside(at - 1);
        (!sided).then_some((at, read))
    }

    fn read(self, words: &[Word], at: usize) -> Option<Read> {
        let ordinal = |nth: usize, to: usize| Some(Read { nth, to, said: Said::Ordinal, letter: false });
        let long = |id| Some(self.list(id).longest(words, at)).filter(|length| *length > 0);
        if let Some(nth) = self.list(ORDINAL).value(&words[at]) {
            return ordinal(usize::try_from(nth).ok()?, at + 1);
        }
        if let Some(middle) = long(MIDDLE) {
            // Of an even number no option is in the middle.
            return if self.count % 2 == 1 { ordinal(self.count / 2 + 1, at + middle) } else { None };
        }
        match (long(LAST), long(FIRST)) {
            (None, None) => self.bare(words, at),
            (None, Some(first)) => ordinal(1, at + first),
            (Some(last), _) => ordinal(self.count, at + last),
        }
    }

    /// "2", "#2", "two", "b".
    fn bare(self, words: &[Word], at: usize) -> Option<Read> {
        let counted = at > 0 && words[at - 1].after == Gap::Space && self.list(COUNT).at(words, at - 1);
        let alone = words.len() == 1;
        if !counted && at > 0 && words[at - 1].after == Gap::Space && self.list(MEASURE).at(words, at - 1) {
            return None;
        }
        let word = self.message.folded(&words[at]);
        if word == "#" {
            let nth = normal::number(self.message.folded(words.get(at + 1)?))?;
            return Some(Read { nth, to: at + 2, said: Said::Bare, letter: false });
        }
        let read = |nth, letter| Some(Read { nth, to: at + 1, said: Said::Bare, letter });
        if let Some(nth) = normal::number(word) {
            return read(nth, false);
        }
        if let Some(nth) = self.list(CARDINAL).value(&words[at]).filter(|nth| *nth > 1 || counted || alone) {
            return read(usize::try_from(nth).ok()?, false);
        }
        let letter = letter(word)?;
        // "a" and "I" are letters only where nothing else can stand.
        (counted || alone || !self.little(&words[at..])).then_some(())?;
        read(letter, true)
    }

    fn little(self, words: &[Word]) -> bool {
        self.list(super::LEAD).ends(words, 0) & 2 != 0
    }

    fn list(self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }
}

fn letter(word: &str) -> Option<usize> {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some(c @ 'a'..='z'), None) => Some(c as usize - 'a' as usize + 1),
        _ => None,
    }
}
