//! The values of a message: which of its words are times, days, lengths and moments, and what they mean together.

use alloc::vec::Vec;

use super::clock::{Clock, Window};
use super::day::Day;
use super::duration::Length;
use super::grammar::{AT, BARE, CLOCK, DATE, Grammar, Item, LENGTH, PART, Ways};
use crate::lexicon::{SectionId, Sections};
use crate::section;
use crate::words::Gap;

use jiff::civil::DateTime;

const LEAD: SectionId = section("time.lead");
const DATE_LEAD: SectionId = section("date.lead");
const DOUBTFUL: SectionId = section("date.doubtful");
const TO: SectionId = section("range.to");
const AND: SectionId = section("range.and");
const BETWEEN: SectionId = section("range.between");
const FROM: SectionId = section("range.from");
const AFTER: SectionId = section("range.after");
const BEFORE: SectionId = section("range.before");
const LATER: SectionId = section("range.later");
const EARLIER: SectionId = section("range.earlier");
const ARTICLE: SectionId = section("time.article");
const NOW: SectionId = section("at.now");
const PRESENT: SectionId = section("at.present");
const IN_MINUTES: SectionId = section("at.in_minutes");

/// The type that is expected: it decides between readings of the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Time,
    Date,
    DateTime,
    Duration,
}

/// Something of a message that has a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) what: What,
    /// Its first token, words that belong to it ("after", "between") included, and the one behind its last.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Only a number, or a word that mostly means something else: it counts where nothing else is there.
    pub(crate) weak: bool,
    /// It is only a number, whatever leads it: "for 2" is a time where nothing else is one.
    pub(crate) bare: bool,
}

/// The parts of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Clock(Clock),
    /// From one time to another; an end may be open.
    Clocks(Option<Clock>, Option<Clock>),
    Part(Window),
    Day(Day),
    Length(Length),
    At(DateTime),
}

impl What {
    pub(crate) fn is_clock(self) -> bool {
        matches!(self, Self::Clock(_) | Self::Clocks(..))
    }
}

/// The values of a message from left to right, none inside another.
pub(crate) fn all(grammar: &Grammar<'_>, kind: Kind) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < grammar.tokens.all.len() {
        match one(grammar, at, kind) {
            Some(item) => {
                at = item.to;
                found.push(item);
            }
            None => at += 1,
        }
    }
    ranges(grammar, &mut found);
    opened(grammar, &mut found);
    found
}

const ANY: Sections = Sections::of(&[AT, BARE, CLOCK, DATE, LENGTH, PART]);

/// The longest value that begins at `at`; of equally long ones, the one of the kind that is asked for.
fn one(grammar: &Grammar<'_>, at: usize, kind: Kind) -> Option<Found> {
    if !grammar.lexicon.may_begin(&ANY, &grammar.tokens.all, at) {
        return None;
    }
    let mut best: Option<Found> = None;
    let order: [SectionId; 6] = match kind {
        Kind::Time => [CLOCK, AT, PART, DATE, LENGTH, BARE],
        Kind::Date => [DATE, AT, CLOCK, PART, LENGTH, BARE],
        Kind::DateTime => [AT, CLOCK, DATE, PART, LENGTH, BARE],
        Kind::Duration => [LENGTH, CLOCK, DATE, PART, BARE, BARE],
    };
    for section in order {
        // "tonight" is a day and a part of one; the day is added when the two are put together.
        let Some(ways) = grammar.parts(section, at) else { continue };
        let whole = |(to, _): &(usize, Item)| {
            !(broken(grammar, section, at, *to) || section == CLOCK && is_date(grammar, at, *to))
        };
        let Some((to, item)) = ways.each().filter(whole).max_by_key(|(to, _)| *to) else { continue };
        let weak = section == BARE
            || section == DATE && doubtful(grammar, at, to)
            || section == AT && now(grammar, at, to, kind);
        if best.as_ref().is_none_or(|best| to > best.to || best.weak && !weak && to == best.to) {
            let what = match item {
                Item::Clock(clock) => What::Clock(clock),
                Item::Day(day) => What::Day(day),
                Item::Length(length) => What::Length(length),
                Item::At(moment) => What::At(moment),
                Item::Number(written, _) if section == PART => What::Part(Window::hours(written)?),
                Item::Number(..) | Item::Holiday(_) => continue,
            };
            best = Some(Found { what, from: at, to, weak, bare: section == BARE });
        }
    }
    best.map(|best| Found { weak: best.weak && !led(grammar, &best), ..best })
}

/// True if what may be a time is a date too and is sooner that: "14.10 14:55", "am 3.12", "3.12.".
fn is_date(grammar: &Grammar<'_>, at: usize, to: usize) -> bool {
    let reads = |section, at| grammar.parts(section, at).map(Ways::each);
    let dated = || reads(DATE, at).is_some_and(|mut ways| ways.any(|(end, _)| end == to));
    let led = || before(grammar, DATE_LEAD, at).is_some();
    let stopped = || {
        let message = grammar.tokens.message;
        message.text().get(grammar.tokens.bytes(at..to).end..).is_some_and(|rest| rest.starts_with('.'))
    };
    let timed = || reads(CLOCK, grammar.skip(LEAD, to)).is_some_and(|mut ways| ways.next().is_some());
    (led() || stopped() || timed()) && dated()
}

/// A month or day of the week that is also another word, and no more than that word.
fn doubtful(grammar: &Grammar<'_>, at: usize, to: usize) -> bool {
    let doubtful = grammar.lexicon.section(DOUBTFUL);
    next(grammar, at) + 1 == to && doubtful.at(&grammar.tokens.all, to - 1)
}

/// "now" is more often a word of time than a time, and "in 15" says minutes only where a time is asked for.
/// "Right now" is a moment where one is asked for.
fn now(grammar: &Grammar<'_>, at: usize, to: usize, kind: Kind) -> bool {
    let way = |section| grammar.parts(section, at).is_some_and(|ways| ways.each().any(|(end, _)| end == to));
    way(NOW) || kind != Kind::DateTime && way(PRESENT) || way(IN_MINUTES)
}

/// A part of a longer row of digits and signs is no value: "133-03-03-2020", "650.650.6500". Nor is the hour of a
/// time part of a date: "Thursday, 2 pm".
fn broken(grammar: &Grammar<'_>, section: SectionId, at: usize, to: usize) -> bool {
    let tokens = &grammar.tokens;
    let digit = |at: usize| tokens.all.get(at).is_some_and(|token| token.digit);
    let ranges = section != DATE && tokens.digits(at).is_some_and(|(_, digits)| digits < 3);
    // "28.11. 18:30": a blank ends a row.
    let tight = |a: usize, b: usize| {
        let (a, b) = (tokens.all.get(a.min(b)), tokens.all.get(a.max(b)));
        a.zip(b).is_some_and(|(a, b)| a.end == b.at)
    };
    let goes_on = |sign: usize, beyond: usize, own: usize| {
        let raw = tokens.all.get(sign).map_or("", |token| tokens.message.raw(token));
        tokens.is_sign(sign)
            && digit(beyond)
            && digit(own)
            && !(raw == "-" && ranges)
            && (raw == "-" || matches!(raw, "/" | "." | ":") && tight(sign, beyond) && tight(sign, own))
    };
    // "The 27." of "27.11.2017" is no day.
    let ordinal = section == DATE && tokens.is_sign(to - 1) && digit(to) && tight(to - 1, to);
    let hour = section == DATE
        && digit(to - 1)
        && grammar.parts(CLOCK, to - 1).and_then(|ways| ways.longest()).is_some_and(|(end, _)| end > to);
    // "from 10 to 11" is no ten minutes to eleven.
    let ends = section == CLOCK && digit(at) && grammar.skip(TO, at + 1) > at + 1;
    let range = ends && [FROM, BETWEEN].into_iter().any(|from| before(grammar, from, at).is_some());
    ordinal || range || hour || goes_on(to, to + 1, to - 1) || at >= 2 && goes_on(at - 1, at - 2, at)
}

/// True if the words before make a weak value a strong one.
fn led(grammar: &Grammar<'_>, found: &Found) -> bool {
    // "for now" says that something does for the time being.
    let section = match found.what {
        What::At(_) => return false,
        What::Clock(_) | What::Clocks(..) => LEAD,
        _ => DATE_LEAD,
    };
    before(grammar, section, found.from).is_some()
}

/// The place where words of a section begin that end right before `at`.
fn before(grammar: &Grammar<'_>, section: SectionId, at: usize) -> Option<usize> {
    let words = &grammar.tokens.all;
    let section = grammar.lexicon.section(section);
    let near = (at.saturating_sub(5)..at).find(|from| section.ends(words, *from) >> (at - from) & 1 == 1)?;
    words[near..at].iter().all(|word| word.after < Gap::Hard).then_some(near)
}

/// "5 to 7 pm", "Mon - Wed", "between the 3rd and the 5th": two values become one.
fn ranges(grammar: &Grammar<'_>, found: &mut Vec<Found>) {
    let mut i = 0;
    while i + 1 < found.len() {
        let (a, b) = (found[i], found[i + 1]);
        let between = before(grammar, BETWEEN, a.from);
        let joint = grammar.skip(if between.is_some() { AND } else { TO }, a.to);
        let from = between.or_else(|| before(grammar, FROM, a.from)).unwrap_or(a.from);
        let weak = a.weak && b.weak && from == a.from;
        if joint > a.to
            && (joint == b.from || next(grammar, joint) == b.from)
            && let Some(what) = range(a.what, b.what)
        {
            found[i] = Found { what, from, to: b.to, weak, bare: weak };
            found.remove(i + 1);
        }
        i += 1;
    }
}

/// Over an article to the next word.
fn next(grammar: &Grammar<'_>, at: usize) -> usize {
    grammar.skip(ARTICLE, at)
}

fn range(a: What, b: What) -> Option<What> {
    match (a, b) {
        (What::Clock(a), What::Clock(b)) => {
            let b = if b.open() && !a.open() { b.after(a) } else { b };
            let a = if a.open() && !b.open() { a.before(b) } else { a };
            // "5 to 7 pm PST": a zone is that of both.
            let (a, b) = (a.beside(b), b.beside(a));
            Some(What::Clocks(Some(a), Some(b)))
        }
        (What::Day(a), What::Day(b)) => {
            let from = a.from?;
            Day::span(from, b.end_behind(from)?).map(What::Day)
        }
        _ => None,
    }
}

/// "after 3", "before Friday", "5 or later".
fn opened(grammar: &Grammar<'_>, found: &mut [Found]) {
    for item in found {
        let (after, later) = (before(grammar, AFTER, item.from), grammar.skip(LATER, item.to));
        let (earlier, sooner) = (before(grammar, BEFORE, item.from), grammar.skip(EARLIER, item.to));
        let (from, to, open) = if let Some(from) = after {
            (from, item.to, true)
        } else if let Some(from) = earlier {
            (from, item.to, false)
        } else if later > item.to {
            (item.from, later, true)
        } else if sooner > item.to {
            (item.from, sooner, false)
        } else {
            continue;
        };
        let what = match item.what {
            What::Clock(clock) if open => What::Clocks(Some(clock), None),
            What::Clock(clock) => What::Clocks(None, Some(clock)),
            What::Day(day) if open => What::Day(Day { to: None, or: None, ..day }),
            What::Day(day) => What::Day(Day { from: None, or: None, ..day }),
            _ => continue,
        };
        *item = Found { what, from, to, weak: false, bare: item.bare };
    }
}
