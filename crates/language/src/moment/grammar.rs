//! Reads shapes of the lexicon and their parts. The words and their order are data (`data/*/answers/time.txt`);
//! `meaning` has the meaning of each shape.

use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::ops::Range;

use super::clock::Clock;
use super::day::{Day, Said};
use super::duration::{Length, WHOLE};
use super::holiday::{Holiday, RULES};
use super::meaning::{Meaning, meaning};
use super::tokens::Tokens;
use crate::lexicon::{Few, Lexicon, Parts, SectionId};
use crate::section;
use crate::words::{Gap, Word};

use jiff::civil::DateTime;

/// The value of a part of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    /// A number, and with how many digits it was written: none for words.
    Number(i64, u8),
    /// A time of day.
    Clock(Clock),
    /// A day or several.
    Day(Day),
    /// A length.
    Length(Length),
    /// A moment: "in two hours".
    At(DateTime),
    /// A holiday of some year.
    Holiday(Holiday),
}

/// Sections that are read by their own rule.
pub(super) const N: SectionId = section("time.n");
pub(super) const TWO: SectionId = section("time.two");
const FIVES: SectionId = section("time.fives");
pub(super) const DAY_NUMBER: SectionId = section("time.nth");
pub(super) const YEAR: SectionId = section("time.year");
pub(super) const SHORT_YEAR: SectionId = section("time.yy");
pub(super) const COUNT: SectionId = section("time.count");

/// Sections of words with values.
const CARDINAL: SectionId = section("time.cardinal");
const ORDINAL: SectionId = section("time.ordinal");
const ORDINAL_END: SectionId = section("time.ordinal_end");
const HUNDRED: SectionId = section("time.hundred");
const THOUSAND: SectionId = section("time.thousand");
const NUMBER_AND: SectionId = section("time.number_and");
const NOUGHT: SectionId = section("time.nought");
const QUANTITY: SectionId = section("time.quantity");
const AND_HALF: SectionId = section("time.and_half");
pub(super) const MONTH: SectionId = section("time.month");
pub(super) const WEEKDAY: SectionId = section("time.weekday");
pub(super) const ZONE: SectionId = section("time.zone");
pub(super) const ZONE_US: SectionId = section("time.zone_us");
pub(super) const ZONE_EU: SectionId = section("time.zone_eu");
pub(super) const UNIT: SectionId = section("time.unit");
pub(super) const MONTHS: SectionId = section("time.months");
pub(super) const RELATIVE: SectionId = section("time.relative");
pub(super) const SHIFT: SectionId = section("time.shift");
pub(super) const FIXED: SectionId = section("time.fixed");
pub(super) const QUARTERS: SectionId = section("time.quarters");
pub(super) const PART: SectionId = section("time.part");

/// Sections that name further sections, any of which they may be.
pub(super) const POINT: SectionId = section("time.point");
pub(super) const FEW: SectionId = section("time.few");
pub(super) const CLOCK: SectionId = section("time.clock");
const HALF: SectionId = section("time.half");
pub(super) const BARE: SectionId = section("time.bare");
const CORE: SectionId = section("time.core");
pub(super) const DATE: SectionId = section("time.date");
const NAMED_DATE: SectionId = section("time.named_date");
pub(super) const PERIOD: SectionId = section("time.period");
pub(super) const HOLIDAY: SectionId = section("time.holiday");
pub(super) const LENGTH: SectionId = section("time.length");
const ONE_LENGTH: SectionId = section("time.one_length");
pub(super) const AT: SectionId = section("time.at");

/// A message being read: sections of the lexicon as parts, at each place.
pub(crate) struct Grammar<'m> {
    pub(crate) lexicon: &'static Lexicon,
    pub(crate) tokens: Tokens<'m>,
    pub(crate) said: Said,
    depth: Cell<u8>,
    /// True if something was not read because its sections are nested too deep.
    cut: Cell<bool>,
    /// Every way something was read, one after the other.
    ways: RefCell<Vec<(usize, Item)>>,
    /// The last readings, by section and place: many shapes begin alike.
    read: [Cell<Option<Read>>; READ],
}

/// A section at a place, and the ways it was read there.
#[derive(Clone, Copy)]
struct Read {
    section: SectionId,
    at: u32,
    ways: (u32, u32),
}

/// The number of readings kept: those of a few places.
const READ: usize = 128;

/// The ways a section was read at a place.
pub(crate) struct Ways<'g> {
    grammar: &'g Grammar<'g>,
    numbers: Range<usize>,
}

impl<'g> Ways<'g> {
    /// Each of them, in the order they were found.
    pub(crate) fn each(self) -> impl Iterator<Item = (usize, Item)> + 'g {
        self.numbers.map(|way| self.grammar.ways.borrow()[way])
    }

    /// The one that ends last.
    pub(crate) fn longest(self) -> Option<(usize, Item)> {
        self.each().max_by_key(|(end, _)| *end)
    }
}

/// No name of a holiday has more words.
const LONGEST_NAME: usize = 8;

/// The depth to which shapes may name each other.
const DEPTH: u8 = 8;
/// The sections of lists may end a phrase here without ending the sentence: "Oct. 2".
const SHORT: SectionId = section("time.short");

impl<'m> Grammar<'m> {
    pub(crate) fn new(lexicon: &'static Lexicon, tokens: Tokens<'m>, said: Said) -> Self {
        let (depth, cut, ways) = (Cell::new(0), Cell::new(false), RefCell::default());
        Self { lexicon, tokens, said, depth, cut, ways, read: [const { Cell::new(None) }; READ] }
    }

    /// Adds every way to read a section's shapes at `at`, as the section means them.
    fn shapes(&self, section: SectionId, at: usize, meaning: Meaning, few: &mut Few<Item>) {
        if self.depth.get() < DEPTH {
            self.depth.set(self.depth.get() + 1);
            self.lexicon.section(section).shapes(&self.tokens.all, at, self, &mut |end, caught| {
                if self.joined(at, end)
                    && let Some(item) = meaning(self, caught)
                {
                    few.add(end, item);
                }
            });
            self.depth.set(self.depth.get() - 1);
        } else {
            self.cut.set(true);
        }
    }

    /// True if no sentence ends between these tokens.
    fn joined(&self, at: usize, end: usize) -> bool {
        let short = |at| {
            self.lexicon.section(SHORT).at(&self.tokens.all, at)
                || [MONTH, WEEKDAY].into_iter().any(|section| self.valued(section, at).is_some())
        };
        (at..end.saturating_sub(1)).all(|i| self.tokens.all[i].after < Gap::Hard || short(i))
    }

    /// Words of a section with a value.
    fn valued(&self, section: SectionId, at: usize) -> Option<(usize, Item)> {
        let (value, end) = self.lexicon.section(section).valued(&self.tokens.all, at)?;
        Some((end, Item::Number(value, 0)))
    }

    /// The longest name of a holiday. A hyphen inside says nothing: "Jamat Ul-Vida".
    fn holiday(&self, at: usize) -> Option<(usize, Item)> {
        let all = &self.tokens.all;
        let longest = |words: &[Word], at: usize| {
            let named = RULES.into_iter().filter_map(|(section, rule)| {
                let (written, end) = self.lexicon.section(section).valued(words, at)?;
                Some((end, Item::Holiday(Holiday { rule, written })))
            });
            named.max_by_key(|(end, _)| *end)
        };
        let hyphen = |at: &usize| self.tokens.is_hyphen(*at);
        if !(at + 1..all.len().min(at + LONGEST_NAME)).any(|at| hyphen(&at)) {
            return longest(all, at);
        }
        let (mut words, mut ends, mut count) = ([*all.get(at)?; LONGEST_NAME], [at; LONGEST_NAME], 0);
        for word in (at..all.len()).filter(|at| !hyphen(at)).take(LONGEST_NAME) {
            (words[count], ends[count]) = (all[word], word + 1);
            count += 1;
        }
        let (end, holiday) = longest(&words[..count], 0)?;
        Some((ends[end - 1], holiday))
    }

    /// Skips words of a section from `at` on, and returns where they end.
    pub(super) fn skip(&self, section: SectionId, at: usize) -> usize {
        at + self.lexicon.section(section).longest(&self.tokens.all, at)
    }

    /// Adds a whole number: digits, or words up to 99. "twenty five" is also a 20.
    fn number(&self, at: usize, few: &mut Few<Item>) {
        if let Some((n, digits)) = self.tokens.digits(at) {
            return few.add(at + 1, Item::Number(n, digits));
        }
        let Some((n, end)) = self.lexicon.section(CARDINAL).valued(&self.tokens.all, at) else { return };
        if n >= 20
            && n % 10 == 0
            && let Some((ones, next)) = self.lexicon.section(CARDINAL).valued(&self.tokens.all, end)
            && (1..10).contains(&ones)
        {
            few.add(next, Item::Number(n + ones, 0));
        }
        few.add(end, Item::Number(n, 0));
    }

    fn numbers(&self, at: usize) -> Few<Item> {
        let mut few = Few::NONE;
        self.number(at, &mut few);
        few
    }

    /// A day of the month as a number of its kind: "3rd", "third", "twenty first".
    fn day_number(&self, at: usize) -> Option<(usize, Item)> {
        if let Some((n, digits)) = self.tokens.digits(at) {
            let end = self.skip(ORDINAL_END, at + 1);
            return (end > at + 1 && digits <= 2).then_some((end, Item::Number(n, 0)));
        }
        self.valued(ORDINAL, at).or_else(|| {
            let (tens, end) = self.lexicon.section(CARDINAL).valued(&self.tokens.all, at)?;
            let (ones, end) = self.lexicon.section(ORDINAL).valued(&self.tokens.all, end)?;
            (matches!(tens, 20 | 30) && ones < 10).then_some((end, Item::Number(tens + ones, 0)))
        })
    }

    /// A year: four digits, or "nineteen seventy two", "two thousand and five".
    fn year(&self, at: usize) -> Option<(usize, Item)> {
        if let Some((year, digits)) = self.tokens.digits(at) {
            return ((1000..3000).contains(&year) && digits == 4).then_some((at + 1, Item::Number(year, 4)));
        }
        let below_hundred = |at: usize| -> Option<(i64, usize)> {
            let (end, Item::Number(n, 0)) = self.numbers(at).each().max_by_key(|(end, _)| *end)? else {
                return None;
            };
            Some((n, end))
        };
        let (first, mut end) = below_hundred(at)?;
        let thousand = self.skip(THOUSAND, end);
        if thousand > end && first < 3 {
            let (rest, end) = below_hundred(self.skip(NUMBER_AND, thousand)).unwrap_or((0, thousand));
            return Some((end, Item::Number(first * 1000 + rest, 4)));
        }
        if !(10..30).contains(&first) {
            return None;
        }
        let hundred = self.skip(HUNDRED, end);
        let bare = hundred == end;
        end = self.skip(NUMBER_AND, hundred);
        // "nineteen oh one": a nought said before a single digit.
        let nought = self.skip(NOUGHT, end);
        if bare && nought > end {
            let (ones, end) = below_hundred(nought)?;
            return (ones < 10).then_some((end, Item::Number(first * 100 + ones, 4)));
        }
        match below_hundred(end) {
            Some((rest, end)) if !bare || rest >= 10 => Some((end, Item::Number(first * 100 + rest, 4))),
            _ if !bare => Some((hundred, Item::Number(first * 100, 4))),
            _ => None,
        }
    }

    /// Adds a count of units, in sixtieths: "two", "2.5", "3/4", "a", "half an", "two and a half".
    fn count(&self, at: usize, few: &mut Few<Item>) {
        let mut add = |count: i64, end: usize| {
            let half = self.skip(AND_HALF, end);
            if half > end {
                few.add(half, Item::Number(count + WHOLE / 2, 0));
            }
            few.add(end, Item::Number(count, 0));
        };
        if let Some((n, _)) = self.tokens.digits(at) {
            let sign = self.tokens.all.get(at + 1).map(|sign| self.tokens.message.raw(sign));
            match (sign, self.tokens.digits(at + 2)) {
                (Some("."), Some((tenths, 1))) => add(n * WHOLE + tenths * WHOLE / 10, at + 3),
                (Some("/" | "⁄"), Some((of, _))) if n < of && WHOLE * n % of == 0 => {
                    add(WHOLE * n / of, at + 3)
                }
                _ => {}
            }
            return add(n * WHOLE, at + 1);
        }
        if let Some((quantity, end)) = self.lexicon.section(QUANTITY).valued(&self.tokens.all, at) {
            add(quantity, end);
        }
        for (end, item) in self.numbers(at).each() {
            if let Item::Number(n, _) = item {
                add(n * WHOLE, end);
            }
        }
    }

    pub(super) fn day_of_year(&self, month: i64, day: i64) -> Option<Item> {
        Some(Item::Day(self.said.yearly(month, day)?))
    }
}

impl Parts for Grammar<'_> {
    type Part = Item;

    fn ways(&self, section: SectionId, at: usize) -> Option<Range<usize>> {
        if !self.lexicon.section(section).may_begin(&self.tokens.all, at) {
            return Some(0..0);
        }
        let place = &self.read[(usize::from(section.0) * 31 + at * 7) % READ];
        let known = place.get().filter(|read| read.section == section && read.at as usize == at);
        match known {
            Some(Read { ways, .. }) => Some(ways.0 as usize..ways.1 as usize),
            None => self.anew(section, at, place),
        }
    }

    fn end(&self, way: usize) -> usize {
        self.ways.borrow()[way].0
    }

    fn part(&self, way: usize) -> Item {
        self.ways.borrow()[way].1
    }
}

impl Grammar<'_> {
    /// Reads a section at a place and keeps it, unless something was too deep to be read.
    #[inline(never)]
    fn anew(&self, section: SectionId, at: usize, place: &Cell<Option<Read>>) -> Option<Range<usize>> {
        let outer = self.cut.replace(false);
        let mut few = Few::NONE;
        let ways = self.parse(section, at, &mut few).then(|| {
            let mut all = self.ways.borrow_mut();
            let from = all.len();
            few.each().for_each(|way| all.push(way));
            from..all.len()
        });
        if let Some(ways) = ways.clone().filter(|_| !self.cut.get()) {
            let ways = (ways.start as u32, ways.end as u32);
            place.set(Some(Read { section, at: at as u32, ways }));
        }
        self.cut.set(self.cut.get() || outer);
        ways
    }

    /// The ways to read a section at a place.
    pub(crate) fn parts(&self, section: SectionId, at: usize) -> Option<Ways<'_>> {
        self.ways(section, at).map(|numbers| Ways { grammar: self, numbers })
    }

    /// Reads a section at a place; `false` when it is no part.
    fn parse(&self, section: SectionId, at: usize, few: &mut Few<Item>) -> bool {
        match section {
            N => self.number(at, few),
            TWO => {
                let said =
                    |(_, item): &(usize, Item)| matches!(item, Item::Number(_, 2) | Item::Number(10.., 0));
                self.numbers(at).each().filter(said).for_each(|(end, item)| few.add(end, item));
            }
            FIVES => {
                let fives = |(_, item): &(usize, Item)| matches!(item, Item::Number(n, _) if n % 5 == 0);
                self.numbers(at).each().filter(fives).for_each(|(end, item)| few.add(end, item));
            }
            DAY_NUMBER => few.extend(self.day_number(at)),
            YEAR => few.extend(self.year(at)),
            SHORT_YEAR => {
                let two = |(_, digits): &(i64, u8)| *digits == 2;
                let short = self.tokens.digits(at).filter(two);
                let short = short.map(|(n, digits)| (at + 1, Item::Number(n, digits)));
                few.extend(short.or_else(|| self.year(at)));
            }
            COUNT => self.count(at, few),
            MONTH | WEEKDAY | ZONE | ZONE_US | ZONE_EU | UNIT | MONTHS | RELATIVE | SHIFT | FIXED
            | QUARTERS | PART => few.extend(self.valued(section, at)),
            HOLIDAY => few.extend(self.holiday(at)),
            POINT | FEW | CLOCK | HALF | BARE | CORE | DATE | NAMED_DATE | PERIOD | LENGTH | ONE_LENGTH
            | AT => self.shapes(section, at, |_, caught| caught.all().next(), few),
            _ => {
                let Some(meaning) = meaning(section) else { return false };
                self.shapes(section, at, meaning, few);
            }
        }
        true
    }
}
