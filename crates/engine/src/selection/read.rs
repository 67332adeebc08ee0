//! What a text denotes among options, exactly (`spec 04 §7`): a label, a place in the list, a badge, the other one. What
//! only resembles an option is `hint.rs`'s and never executes.

use core::ops::Range;

use super::Listed;
use super::parse::Parses;
use crate::recognize::lexicon::{Lexicon, Section, SectionId};
use crate::recognize::named;
use crate::recognize::selection::normal;
use crate::recognize::words::{Gap, Word};

const ORDINAL: SectionId = named("ordinal");
const CARDINAL: SectionId = named("selection.cardinal");
const BEFORE: SectionId = named("list.place.before");
const AFTER: SectionId = named("list.place.after");
const COUNT: SectionId = named("list.place.count");
const LAST: SectionId = named("list.last");
const FIRST: SectionId = named("list.first");
const BADGE: SectionId = named("list.badge");
const OTHER: SectionId = named("list.other");
const REFERENCE: SectionId = named("list.reference");
const REPEAT: SectionId = named("list.repeat");
const SEVERAL: SectionId = named("list.several");
const AND: SectionId = named("list.and");

/// Options as a set: bit `i` is option `i` of the base order. A list has at most 50.
pub(crate) type Options = u64;

/// The options a text may mean, as its reader was shown them.
pub(crate) struct Pool<'p> {
    pub(crate) options: &'p Listed,
    /// Places in the base order, as displayed.
    pub(crate) order: &'p [u8],
    /// How many of them were displayed.
    pub(crate) displayed: usize,
    /// Whether places and references mean this list.
    pub(crate) positional: bool,
    /// The options that were rejected or executed: with one of two marked, "the other" is the unmarked one.
    pub(crate) marked: Options,
}

/// By what an option was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum By {
    Label,
    Sublabel,
    Alias,
    Ordinal,
    Badge,
    Other,
}

/// What a text denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// This option, and no other.
    One(usize, By),
    /// Several have this label.
    Tie(Options),
    /// Readings of different kinds name different options.
    Collision(Options),
    /// A place the list does not have.
    OutOfRange,
    /// More than one is wanted.
    Several,
    /// Something that was done or shown; `again` says to do it once more.
    Reference { again: bool },
    /// Nothing exact.
    Nothing,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    labels: Options,
    by: Option<By>,
    others: Options,
    other_by: Option<By>,
    beyond: bool,
}

impl Found {
    fn label(&mut self, options: Options, by: By) {
        if options != 0 {
            self.labels |= options;
            self.by = Some(self.by.map_or(by, |known| known.min(by)));
        }
    }

    fn other(&mut self, option: usize, by: By) {
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

impl Pool<'_> {
    /// The option whose label is the whole text, or those that share it.
    pub(crate) fn whole(&self, text: &str) -> (Options, By) {
        self.options.names().whole(text)
    }

    /// What a text denotes; nothing of what a scope cue or a frame of politeness adds.
    pub(crate) fn read(&self, parses: &Parses<'_>) -> Reading {
        self.read_beside(parses, self.whole(parses.message.text()))
    }

    /// The same, where it is known what the whole text is called.
    pub(crate) fn read_beside(&self, parses: &Parses<'_>, (whole, by): (Options, By)) -> Reading {
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
        if let Some(reading) = found.reading() {
            return reading;
        }
        let mut cores = parses.cores();
        cores.find_map(|core| self.points(parses, &core)).unwrap_or(Reading::Nothing)
    }

    /// Places, badges and "the other one".
    fn place(&self, parses: &Parses<'_>, core: &Range<usize>, found: &mut Found) {
        let words = &parses.message.all()[core.clone()];
        let list = |id| parses.lexicon.section(id);
        let alone = core.len() == parses.message.all().len();
        if self.positional {
            let nth = Places { lexicon: parses.lexicon, parses, count: self.displayed }.nth(words, alone);
            match nth.map(|nth| {
                nth.checked_sub(1).and_then(|at| self.order.get(at).filter(|_| at < self.displayed))
            }) {
                Some(Some(option)) => found.other(usize::from(*option), By::Ordinal),
                Some(None) => found.beyond = true,
                None => {}
            }
        }
        if let Some(option) = self.badge(parses, core, list(BADGE)) {
            found.other(option, By::Badge);
        }
        if list(OTHER).is(words) && self.options.len() == 2 && self.marked.count_ones() == 1 {
            found.other(if self.marked & 1 == 0 { 0 } else { 1 }, By::Other);
        }
    }

    fn badge(&self, parses: &Parses<'_>, core: &Range<usize>, lead: Section) -> Option<usize> {
        let words = parses.message.all();
        let own = |from: usize| self.options.names().badge(parses.written(&(from..core.end)));
        let led = core.len() == 2 && lead.is(&words[core.start..=core.start]);
        own(core.start).or_else(|| led.then(|| own(core.start + 1)).flatten())
    }

    /// References, and more than one at once.
    fn points(&self, parses: &Parses<'_>, core: &Range<usize>) -> Option<Reading> {
        let words = &parses.message.all()[core.clone()];
        let list = |id| parses.lexicon.section(id);
        // "Hi all" greets people; "open all" and "all" are said of options.
        let said = core.start == 0 || parses.has_verb();
        if said && list(SEVERAL).is(words) || self.joined(parses, core) {
            return Some(Reading::Several);
        }
        if list(REFERENCE).is(words) || list(REPEAT).is(words) || list(OTHER).is(words) {
            return Some(Reading::Reference { again: list(REPEAT).is(words) });
        }
        None
    }

    /// Whether a core is exact readings joined by "and", "or", a comma: "first and third".
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
            // One part alone joins nothing.
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
        let places = Places { lexicon: parses.lexicon, parses, count: self.displayed };
        let article = usize::from(parses.lexicon.section(BEFORE).is(&words[..1])).min(words.len() - 1);
        let names = self.options.names();
        names.same(parses.written(&(part.start + article..part.end))).0 != 0
            || names.same(parses.written(part)).0 != 0
            || self.positional && places.nth(words, false).is_some()
            || self.badge(parses, part, parses.lexicon.section(BADGE)).is_some()
    }
}

/// Places in a list of so many.
struct Places<'p, 'm> {
    lexicon: &'static Lexicon,
    parses: &'p Parses<'m>,
    count: usize,
}

impl Places<'_, '_> {
    /// The place these words are, counted from 1; 0 and what lies behind the end are places the list does not have.
    fn nth(&self, words: &[Word], alone: bool) -> Option<usize> {
        let list = |id| self.lexicon.section(id);
        let (first, rest) = words.split_first()?;
        // The bare word "one" is a place only when nothing else is said.
        if words.len() == 1 && list(CARDINAL).value(first) == Some(1) {
            return alone.then_some(1);
        }
        if !rest.is_empty() && list(COUNT).is(&words[..1]) {
            return self.number(rest).or_else(|| self.cardinal(rest));
        }
        let words = if !rest.is_empty() && list(BEFORE).is(&words[..1]) { rest } else { words };
        let cut = words.len() - 1;
        let words = if cut > 0 && list(AFTER).is(&words[cut..]) { &words[..cut] } else { words };
        if list(FIRST).is(words) {
            return Some(1);
        }
        if list(LAST).is(words) {
            return Some(self.count);
        }
        let [word] = words else { return self.number(words) };
        let ordinal = list(ORDINAL).value(word).and_then(|nth| usize::try_from(nth).ok());
        // "The one" points at something; it is no place.
        ordinal.or_else(|| self.cardinal(words).filter(|nth| *nth > 1)).or_else(|| self.number(words))
    }

    fn cardinal(&self, words: &[Word]) -> Option<usize> {
        let [word] = words else { return None };
        self.lexicon.section(CARDINAL).value(word).and_then(|nth| usize::try_from(nth).ok())
    }

    /// "2", "#2".
    fn number(&self, words: &[Word]) -> Option<usize> {
        let folded = |word: &Word| self.parses.message.folded(word);
        match words {
            [word] => normal::number(folded(word)),
            [sign, word] if folded(sign) == "#" => normal::number(folded(word)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
