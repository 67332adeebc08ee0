//! Reads which option a text denotes exactly: a label, a position, a badge, "the other one". Resemblance is
//! found by `similarity.rs` and never executes anything (docs/design/0022-choosing-an-option.md).

use core::ops::Range;

use crate::data::indexed_options::IndexedOptions;
use crate::data::option_names::MatchedBy;
use crate::data::set_option::OptionMask;
use crate::selection::describe::{ListFacts, describe, describe_text};
use crate::selection::parse::Parses;
use throughline_language::lexicon::{Lexicon, Section, SectionId};
use throughline_language::words::{Gap, Word, Words};
use throughline_language::{names_no_place, normal, section};

const ORDINAL: SectionId = section("ordinal");
const CARDINAL: SectionId = section("selection.cardinal");
const BEFORE: SectionId = section("list.place.before");
const AFTER: SectionId = section("list.place.after");
const COUNT: SectionId = section("list.place.count");
const SUFFIX: SectionId = section("list.place.suffix");
const LAST: SectionId = section("list.last");
const FIRST: SectionId = section("list.first");
const BADGE: SectionId = section("list.badge");
const OTHER: SectionId = section("list.other");
const REFERENCE: SectionId = section("list.reference");
const REPEAT: SectionId = section("list.repeat");
const SEVERAL: SectionId = section("list.several");
const AND: SectionId = section("list.and");

/// The options a text may mean, as the person was shown them.
pub(crate) struct CandidatePool<'p> {
    pub(crate) options: &'p IndexedOptions,
    /// Base-order indexes, in the order displayed.
    pub(crate) order: &'p [u8],
    /// The number of options displayed; positions count only as far.
    pub(crate) displayed: usize,
    /// Words and numbers by which people may mean a place of this list.
    pub(crate) places: Places,
    /// The options that were rejected or executed: with one of two marked, "the other" is the unmarked one.
    pub(crate) marked: OptionMask,
    /// Facts that descriptions are read against; `None` where only names and positions count.
    pub(crate) facts: Option<ListFacts<'p>>,
}

/// Words and numbers by which people may mean a place of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// None: something else with places was shown since.
    Unmeant,
    /// Words and numbers, which count from 1.
    Counted,
    /// Numbers alone, which begin with this one: on a later page "the second one" may be the second of the page, or of
    /// the whole list.
    Numbered(usize),
}

impl Places {
    /// Places of a list whose options are shown with numbers from this one.
    pub(crate) fn from(number: usize) -> Self {
        if number > 1 { Self::Numbered(number) } else { Self::Counted }
    }
}

/// The exact meaning of a text among the options of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Exactly this option, by its base-order index.
    One(usize, MatchedBy),
    /// Several options share this label.
    Tie(OptionMask),
    /// Readings of different kinds name different options.
    Collision(OptionMask),
    /// A position the list does not have.
    OutOfRange,
    /// A description that denotes no one option beyond doubt; these are to be asked about first.
    Compared(OptionMask),
    /// More than one option is wanted.
    Several,
    /// A reference to something done or shown before; `again` asks to do it once more.
    Reference { again: bool },
    /// Nothing exact.
    Nothing,
}

/// The options found so far: by name, and by position, badge or "the other one".
#[derive(Default)]
struct Found {
    labels: OptionMask,
    by: Option<MatchedBy>,
    others: OptionMask,
    other_by: Option<MatchedBy>,
    beyond: bool,
}

impl Found {
    fn label(&mut self, options: OptionMask, by: MatchedBy) {
        if options != 0 {
            self.labels |= options;
            self.by = Some(self.by.map_or(by, |known| known.min(by)));
        }
    }

    fn other(&mut self, option: usize, by: MatchedBy) {
        self.others |= 1 << option;
        self.other_by = Some(self.other_by.map_or(by, |known| known.min(by)));
    }

    fn reading(&self) -> Option<Reading> {
        let all = self.labels | self.others;
        match (all.count_ones(), self.by.or(self.other_by)) {
            (1, Some(by)) => Some(Reading::One(all.trailing_zeros() as usize, by)),
            (0, _) | (_, None) => self.beyond.then_some(Reading::OutOfRange),
            _ if self.others & !self.labels == 0 => Some(Reading::Tie(all)),
            _ => Some(Reading::Collision(all)),
        }
    }
}

impl CandidatePool<'_> {
    /// Returns the option whose name is the whole text, or those that share it; no bit is set if there is
    /// none.
    pub(crate) fn whole(&self, text: &str) -> (OptionMask, MatchedBy) {
        self.options.names().whole(text)
    }

    /// Reads a text exactly. A scope cue has to be cut off before.
    pub(crate) fn read(&self, parses: &Parses<'_>) -> Reading {
        self.read_beside(parses, self.whole(parses.message.text()))
    }

    /// Like [`CandidatePool::read`], for a caller that already has the result of [`CandidatePool::whole`].
    pub(crate) fn read_beside(&self, parses: &Parses<'_>, (whole, by): (OptionMask, MatchedBy)) -> Reading {
        let names = self.options.names();
        let mut found = Found::default();
        found.label(whole, by);
        for core in parses.cores() {
            if whole == 0 {
                let (options, by) = names.same(parses.written(&core));
                found.label(options, by);
            }
            self.place(parses, &core, &mut found);
        }
        if whole == 0
            && let Some(pictures) = parses.only_pictures()
        {
            let (options, by) = names.same(&pictures);
            found.label(options, by);
        }
        // "The last one" is a place, even where an option was changed "last week".
        let described = if found.others == 0 { describe_text(parses, self) } else { None };
        if let Some(option) = described.and_then(|described| described.option) {
            found.other(option, MatchedBy::Described);
        }
        if let Some(reading) = found.reading() {
            return reading;
        }
        if let Some(described) = described {
            return Reading::Compared(described.ahead);
        }
        let mut cores = parses.cores();
        cores.find_map(|core| self.points(parses, &core)).unwrap_or(Reading::Nothing)
    }

    /// Collects positions, badges and "the other one".
    fn place(&self, parses: &Parses<'_>, core: &Range<usize>, found: &mut Found) {
        let words = &parses.message.all()[core.clone()];
        let list = |id| parses.lexicon.section(id);
        let alone = core.len() == parses.message.all().len();
        let idle = |at| names_no_place(parses.lexicon, parses.message, at);
        if self.places != Places::Unmeant && !core.clone().any(idle) {
            let nth = self.positions(parses).nth(words, alone);
            match nth.map(|nth| {
                nth.checked_sub(1).and_then(|at| self.order.get(at).filter(|_| at < self.displayed))
            }) {
                Some(Some(option)) => found.other(usize::from(*option), MatchedBy::Ordinal),
                Some(None) => found.beyond = true,
                None => {}
            }
        }
        if let Some(option) = self.badge(parses, core, list(BADGE)) {
            found.other(option, MatchedBy::Badge);
        }
        if list(OTHER).is(words) && self.options.len() == 2 && self.marked.count_ones() == 1 {
            found.other(if self.marked & 1 == 0 { 0 } else { 1 }, MatchedBy::Other);
        }
    }

    fn badge(&self, parses: &Parses<'_>, core: &Range<usize>, lead: Section) -> Option<usize> {
        let words = parses.message.all();
        let own = |from: usize| self.options.names().badge(parses.written(&(from..core.end)));
        let led = core.len() == 2 && lead.is(&words[core.start..=core.start]);
        own(core.start).or_else(|| led.then(|| own(core.start + 1)).flatten())
    }

    /// Reads references, and requests for more than one option.
    fn points(&self, parses: &Parses<'_>, core: &Range<usize>) -> Option<Reading> {
        let words = &parses.message.all()[core.clone()];
        let list = |id| parses.lexicon.section(id);
        // "Hi all" greets people; "all" and "open all" mean options.
        let said = core.start == 0 || parses.has_verb();
        if said && list(SEVERAL).is(words) || self.joined(parses, core) {
            return Some(Reading::Several);
        }
        if list(REFERENCE).is(words) || list(REPEAT).is(words) || list(OTHER).is(words) {
            return Some(Reading::Reference { again: list(REPEAT).is(words) });
        }
        None
    }

    /// True if a core joins several exact readings by "and", "or" or a comma: "first and third".
    fn joined(&self, parses: &Parses<'_>, core: &Range<usize>) -> bool {
        let words = parses.message.all();
        let and = parses.lexicon.section(AND);
        let (mut parts, mut from) = (0, core.start);
        for at in core.clone() {
            let joins = and.is(&words[at..=at]);
            let ends = joins || at + 1 == core.end || words[at].after == Gap::Soft;
            if !ends {
                continue;
            }
            let to = if joins { at } else { at + 1 };
            // A single part is no enumeration.
            if to > from {
                let alone = parts == 0 && at + 1 == core.end;
                if alone || !self.exact(parses, &(from..to)) {
                    return false;
                }
                parts += 1;
            }
            from = at + 1;
        }
        parts > 1
    }

    fn exact(&self, parses: &Parses<'_>, part: &Range<usize>) -> bool {
        let words = &parses.message.all()[part.clone()];
        let places = self.positions(parses);
        let article = usize::from(parses.lexicon.section(BEFORE).is(&words[..1])).min(words.len() - 1);
        let names = self.options.names();
        names.same(parses.written(&(part.start + article..part.end))).0 != 0
            || names.same(parses.written(part)).0 != 0
            || self.places != Places::Unmeant
                && !part.clone().any(|at| names_no_place(parses.lexicon, parses.message, at))
                && places.nth(words, false).is_some()
            || self.badge(parses, part, parses.lexicon.section(BADGE)).is_some()
            || describe(parses, part, self).is_some_and(|described| described.option.is_some())
    }

    fn positions<'r, 'm>(&self, parses: &'r Parses<'m>) -> Positions<'r, 'm> {
        Positions { lexicon: parses.lexicon, parses, places: self.places, count: self.displayed }
    }

    /// The words that bound or exclude something in a description, and so neither deny nor put off: "without breakfast",
    /// "bis 150". Bit `k` is word `k`.
    pub(crate) fn bounds(&self, parses: &Parses<'_>) -> u64 {
        let described = describe_text(parses, self);
        described.map_or(0, |described| described.bounds)
    }
}

/// Reads positions in a list of `count` options.
struct Positions<'p, 'm> {
    lexicon: &'static Lexicon,
    parses: &'p Parses<'m>,
    places: Places,
    count: usize,
}

/// A position that the list does not have, or that only part of a longer list has.
const NOWHERE: usize = 0;

impl Positions<'_, '_> {
    /// Returns the position these words name, counted from 1. The result may be 0 or behind the end:
    /// positions the list does not have.
    fn nth(&self, words: &[Word], alone: bool) -> Option<usize> {
        match self.places {
            Places::Unmeant => None,
            Places::Counted => self.said(words, alone),
            Places::Numbered(from) => {
                let written = self.written(words).map(|number| (number + 1).saturating_sub(from));
                let last = self.lexicon.section(LAST).is(self.bare(words)).then_some(self.count);
                written.or(last).or_else(|| self.said(words, alone).map(|_| NOWHERE))
            }
        }
    }

    /// Returns the number in digits that these words are: "number 53", "the 53", "#53", "53".
    fn written(&self, words: &[Word]) -> Option<usize> {
        let counted = words.len() > 1 && self.lexicon.section(COUNT).is(&words[..1]);
        self.number(if counted { &words[1..] } else { self.bare(words) })
    }

    /// Returns words without what may stand before and behind a place.
    fn bare<'w>(&self, words: &'w [Word]) -> &'w [Word] {
        let list = |id| self.lexicon.section(id);
        let words = if words.len() > 1 && list(BEFORE).is(&words[..1]) { &words[1..] } else { words };
        let cut = words.len().saturating_sub(1);
        if cut > 0 && list(AFTER).is(&words[cut..]) { &words[..cut] } else { words }
    }

    fn said(&self, words: &[Word], alone: bool) -> Option<usize> {
        let list = |id| self.lexicon.section(id);
        let (first, rest) = words.split_first()?;
        // The word "one" is a position only if it is the whole text.
        if words.len() == 1 && list(CARDINAL).value(first) == Some(1) {
            return alone.then_some(1);
        }
        if !rest.is_empty() && list(COUNT).is(&words[..1]) {
            return self.number(rest).or_else(|| self.cardinal(rest));
        }
        let words = self.bare(words);
        if list(FIRST).is(words) {
            return Some(1);
        }
        if list(LAST).is(words) {
            return Some(self.count);
        }
        let [word] = words else { return self.number(words) };
        let ordinal = list(ORDINAL).value(word).and_then(|nth| usize::try_from(nth).ok());
        // "The one" is a reference, not a position.
        ordinal.or_else(|| self.cardinal(words).filter(|nth| *nth > 1)).or_else(|| self.number(words))
    }

    fn cardinal(&self, words: &[Word]) -> Option<usize> {
        let [word] = words else { return None };
        self.lexicon.section(CARDINAL).value(word).and_then(|nth| usize::try_from(nth).ok())
    }

    /// A number in digits: "2", "#2", "2nd".
    fn number(&self, words: &[Word]) -> Option<usize> {
        let folded = |word: &Word| self.parses.message.folded(word);
        match words {
            [word] => normal::number(folded(word)).or_else(|| self.counted(folded(word))),
            [sign, word] if folded(sign) == "#" => normal::number(folded(word)),
            _ => None,
        }
    }

    /// The digits of a word that counts in digits: "21st".
    fn counted(&self, word: &str) -> Option<usize> {
        let (digits, suffix) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
        let number = normal::number(digits)?;
        self.lexicon.section(SUFFIX).is(Words::of(suffix).all()).then_some(number)
    }
}

#[cfg(test)]
mod tests;
