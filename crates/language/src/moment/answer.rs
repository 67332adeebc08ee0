//! A time, day, moment or length as the answer to a question: strict, or somewhere in a sentence.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::cmp::Ordering;
use core::ops::Range;

use jiff::civil::DateTime;

use super::clock::{Clock, Window};
use super::day::Day;
use super::grammar::{Grammar, Item, PART, PERIOD, Ways};
use super::items::{Found, Kind, What};
use crate::echo::Echo;
use crate::lexicon::{Section, SectionId, anywhere};
use crate::words::{Gap, Word};
use crate::{Context, Reading, Value, section};

const ASKS: SectionId = section("time.asks");
const ASK_WORD: SectionId = section("time.ask_word");
const THE: SectionId = section("time.the");
const LITTLE: SectionId = section("time.little");
const REFUSES: SectionId = section("more.not");
const BUT: SectionId = section("time.but");
const SHOWS: SectionId = section("time.shows");
const MEAL: SectionId = section("time.meal");
const DATE_LEAD: SectionId = section("date.lead");
/// The most words between a time and its part of the day: "tomorrow evening, at about 5".
const APART: usize = 3;
/// Phrases that may be beside a value.
const BESIDE: [SectionId; 11] = [
    section("frame"),
    section("filler"),
    section("tail"),
    section("little"),
    section("thanks"),
    section("time.lead"),
    LITTLE,
    section("joiner"),
    section("time.person"),
    section("time.help"),
    DO,
];
/// The number of these that may be beside a value which is only a word with another meaning too.
const BESIDE_WEAK: usize = 6;
const DO: SectionId = section("time.do");
const NOUN: SectionId = section("time.noun");
/// Things people ask about: beside a value they say what about it they want to know.
const ABOUT: SectionId = section("time.about");

const BEGIN: SectionId = section("asked.begin");
const END: SectionId = section("asked.end");

/// An end of a stretch of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// A value and its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) value: Value,
    pub(crate) tokens: Range<usize>,
    /// Only a number, or a word that is more often something else.
    pub(crate) weak: bool,
    /// True of a weak value that is not even a number: nearly nothing may be beside it.
    pub(crate) alone: bool,
    /// Only a number, with nothing that says what it counts but a preposition.
    bare: bool,
    /// Several days that have one name: "this week".
    rough: bool,
}

/// The values among some tokens, and the words that decide how they are meant.
struct Candidate {
    all: Vec<Found>,
    /// The first day.
    day: Option<Day>,
    clock: bool,
    part: bool,
    clocked: OnceCell<bool>,
}

impl Candidate {
    fn of(all: Vec<Found>) -> Self {
        let clock = all.iter().any(|found| found.what.is_clock());
        let part = all.iter().any(|found| matches!(found.what, What::Part(_)));
        let day = days(&all).next();
        Self { all, day, clock, part, clocked: OnceCell::new() }
    }
}

fn days(found: &[Found]) -> impl Iterator<Item = Day> {
    found.iter().filter_map(|found| if let What::Day(day) = found.what { Some(day) } else { None })
}

/// Makes values of what was found.
pub(crate) struct Reader<'m> {
    pub(crate) grammar: Grammar<'m>,
    /// The message is over with something, whatever it names: nothing of it is a value.
    pub(crate) closes: bool,
    pub(crate) found: Vec<Found>,
    pub(crate) context: &'m Context<'m>,
    pub(crate) kind: Kind,
}

impl Reader<'_> {
    /// Every value of the kind that these tokens hold.
    pub(crate) fn said(&self, within: &Range<usize>) -> Vec<Said> {
        let inside = self.found.iter().filter(|f| within.start <= f.from && f.to <= within.end);
        let inside = Candidate::of(inside.copied().collect());
        let mut values: Vec<Said> = (0..inside.all.len()).filter_map(|i| self.value(&inside, i)).collect();
        // A bare number counts where nothing says more, and a week where no day of it does.
        let lesser: [fn(&Said) -> bool; 3] = [|said| said.weak, |said| said.bare, |said| said.rough];
        for lesser in lesser {
            if !values.iter().all(lesser) {
                values.retain(|said| !lesser(said));
            }
        }
        values
    }

    fn value(&self, inside: &Candidate, i: usize) -> Option<Said> {
        let found = &inside.all[i];
        let value = match (self.kind, found.what) {
            (Kind::Time, What::Clock(clock)) => {
                let (is, or) = self.likely(inside, i, clock);
                let text = |clock| self.time_of(inside, clock);
                Value::Time(Reading { is: text(is), or: or.map(text) })
            }
            (Kind::Time, What::Clocks(from, to)) => {
                Value::Time(Reading { is: self.clocks(inside, i, from, to), or: None })
            }
            (Kind::Time, What::Part(window)) if !self.clocked(inside) => {
                let [from, to] = window.ends();
                Value::Time(Reading { is: span(&from.text(), &to.text()), or: None })
            }
            (Kind::Time, What::At(moment)) => Value::Time(Reading { is: time(moment), or: None }),
            (Kind::Date, What::Day(day)) => {
                let day = self.asked_end(found, day);
                Value::Date(Reading { is: day.text(), or: day.or.map(|or| or.to_string()) })
            }
            (Kind::Date, What::At(moment)) => {
                Value::Date(Reading { is: moment.date().to_string(), or: None })
            }
            (Kind::DateTime, _) => Value::DateTime(self.moment(inside, i)?),
            (Kind::Duration, What::Length(length)) => Value::Duration(length.text()),
            _ => return None,
        };
        let parted = found.what.is_clock() && self.window(inside, i).is_some();
        let (weak, bare) = (found.weak && !parted, found.bare && !parted);
        let tokens = found.from..found.to;
        let alone = weak && !found.what.is_clock();
        let rough = self.rough(found);
        Some(Said { value, tokens, weak, alone, bare, rough })
    }

    /// "From the 10th until the 14th": of both ends the one that was asked for. A week that has a name stays whole.
    fn asked_end(&self, found: &Found, day: Day) -> Day {
        let end = match self.one_end() {
            Some(End::First) => day.from,
            Some(End::Last) => day.to,
            None => None,
        };
        let whole = day.from.is_none() || day.to.is_none() || self.rough(found);
        end.filter(|_| !whole).map_or(day, Day::one)
    }

    /// The end of a stretch that the question is about.
    fn one_end(&self) -> Option<End> {
        let asked = self.context.question().all();
        let within = |id| self.grammar.lexicon.section(id).within(asked);
        match (within(BEGIN), within(END)) {
            (true, false) => Some(End::First),
            (false, true) => Some(End::Last),
            _ => None,
        }
    }

    /// Several days that have one name: "this week".
    fn rough(&self, found: &Found) -> bool {
        let named = |ways: Ways<'_>| ways.longest().is_some_and(|(to, _)| to == found.to);
        self.kind == Kind::Date && self.grammar.parts(PERIOD, found.from).is_some_and(named)
    }

    /// True if a time is more than a number, or has a part of the day beside it.
    fn clocked(&self, inside: &Candidate) -> bool {
        *inside.clocked.get_or_init(|| {
            let sure = |(i, found): (usize, &Found)| !found.weak || self.window(inside, i).is_some();
            inside.all.iter().enumerate().filter(|(_, found)| found.what.is_clock()).any(sure)
        })
    }

    /// A day with a time or a part of one; a time alone is the next such moment, a day alone all of it.
    fn moment(&self, inside: &Candidate, i: usize) -> Option<Reading> {
        let (found, day) = (&inside.all[i], inside.day);
        let plain = |is: String| Some(Reading { is, or: None });
        let on = |day: &Day, clock: Clock| {
            let (date, clock) = clock.local(day.from?, self.context.ahead());
            Some(format!("{date}T{}", clock.text()))
        };
        match found.what {
            What::At(moment) => plain(minute(moment)),
            What::Clock(clock) => {
                let (is, or) = self.likely(inside, i, clock);
                let on = |clock: Clock| on(&day.unwrap_or_else(|| self.next(clock)), clock);
                Some(Reading { is: on(is)?, or: or.and_then(on) })
            }
            What::Clocks(from, to) => {
                let day = day
                    .unwrap_or_else(|| from.or(to).map_or_else(|| Day::one(self.today()), |c| self.next(c)));
                let end = |clock: Option<Clock>| {
                    clock.map_or_else(|| Some("..".to_string()), |clock| on(&day, clock))
                };
                plain(span(&end(from)?, &end(to)?))
            }
            What::Part(window) if !inside.clock => {
                let day = day.unwrap_or_else(|| Day::one(self.today()));
                plain(part_of(&day, window)?)
            }
            What::Day(day) if !inside.clock && !inside.part => {
                if let Some(window) = self.own_window(found) {
                    return plain(part_of(&day, window)?);
                }
                if let (Some(date), Some(hour)) = (day.single(), day.hour) {
                    return plain(format!("{date}T{hour:02}:00"));
                }
                let from = day.from.map(|from| format!("{from}T00:00"));
                let to = match day.to {
                    Some(to) => Some(format!("{}T00:00", to.tomorrow().ok()?)),
                    None => None,
                };
                let open = || "..".to_string();
                plain(span(&from.unwrap_or_else(open), &to.unwrap_or_else(open)))
            }
            _ => None,
        }
    }

    fn today(&self) -> jiff::civil::Date {
        self.grammar.said.today()
    }

    fn minute_of_day(&self) -> u16 {
        let time = self.grammar.said.now.time();
        u16::from(time.hour().unsigned_abs()) * 60 + u16::from(time.minute().unsigned_abs())
    }

    /// The next day on which that time is still to come.
    fn next(&self, clock: Clock) -> Day {
        let today = self.today();
        let (date, local) = clock.local(today, self.context.ahead());
        let over = (date, local.minute()) <= (today, self.minute_of_day());
        Day::one(if over { today.tomorrow().unwrap_or(today) } else { today })
    }

    /// Chooses the half of the day of a time that leaves it open, and returns the other reading too.
    ///
    /// | Beside it | "7" means | Rule |
    /// | --- | --- | --- |
    /// | a part of the day: "7 in the evening", "tonight at 7" | 19:00 | nothing is open |
    /// | today, and it is 10:00 | 19:00 | the one still to come |
    /// | a meal or part of the day in the question: "What time for dinner?" | 19:00 | the one closest to it |
    /// | nothing | 07:00 | the twelve hours from seven in the morning |
    /// | nothing, and it is "6:45 Uhr" | 06:45 | as it is written, where times are written so |
    fn likely(&self, inside: &Candidate, i: usize, clock: Clock) -> (Clock, Option<Clock>) {
        if !clock.open() {
            return (clock, None);
        }
        if let Some(window) = self.window(inside, i) {
            return (clock.within(window), None);
        }
        let is = if days(&inside.all).any(|day| day.single() == Some(self.today())) {
            clock.to_come(self.minute_of_day())
        } else {
            self.asked().map_or_else(|| clock.usual(), |asked| clock.within(asked))
        };
        (is, Some(is.other()))
    }

    /// A time on the person's own clock.
    fn time_of(&self, inside: &Candidate, clock: Clock) -> String {
        let day = inside.day.and_then(|day| day.from).unwrap_or_else(|| self.today());
        clock.local(day, self.context.ahead()).1.text()
    }

    fn clocks(&self, inside: &Candidate, i: usize, from: Option<Clock>, to: Option<Clock>) -> String {
        let from = from.map(|clock| self.likely(inside, i, clock).0);
        let to = to.map(|clock| match from {
            Some(from) if clock.open() => clock.after(from),
            _ => self.likely(inside, i, clock).0,
        });
        let end = |clock: Option<Clock>| clock.map_or_else(|| "..".to_string(), |c| self.time_of(inside, c));
        span(&end(from), &end(to))
    }

    /// The part of the day beside a time, with no other time in between.
    fn window(&self, inside: &Candidate, i: usize) -> Option<Window> {
        let near = |found: &Found| match found.what {
            What::Part(window) => Some(window),
            What::Day(_) => self.own_window(found),
            _ => None,
        };
        let (before, own, behind) = (&inside.all[..i], &inside.all[i], &inside.all[i + 1..]);
        let beside = |found: &&Found| {
            let apart = found.from.max(own.from).saturating_sub(found.to.min(own.to));
            !found.what.is_clock() && apart <= APART
        };
        let behind = behind.iter().take_while(beside).find_map(near);
        behind.or_else(|| before.iter().rev().take_while(beside).find_map(near))
    }

    /// The part of the day that a day's own word names: "tonight".
    fn own_window(&self, found: &Found) -> Option<Window> {
        let (_, item) = self.grammar.parts(PART, found.from)?.longest().filter(|(to, _)| *to == found.to)?;
        if let Item::Number(written, _) = item { Window::hours(written) } else { None }
    }

    /// The part of the day that the question names.
    fn asked(&self) -> Option<Window> {
        let asked = self.context.question().all();
        let parts = [PART, MEAL].map(|id| self.grammar.lexicon.section(id));
        let written = (0..asked.len()).find_map(|at| parts.iter().find_map(|part| part.valued(asked, at)));
        Window::hours(written?.0)
    }

    /// The one value that these words of the message are, with nothing beside it that asks for something else.
    pub(crate) fn whole(&self, words: Range<usize>) -> Option<Value> {
        let within = self.grammar.tokens.tokens(words);
        let cut =
            |found: &Found| [within.start, within.end].iter().any(|at| found.from < *at && *at < found.to);
        if self.found.iter().any(cut) {
            return None;
        }
        let said = self.said(&within);
        let (value, alone) = match said.as_slice() {
            [] => (self.length(&within)?, false),
            // "march on": a word that may be something else is no day when it goes on.
            [only] if only.alone && self.goes_on(only.tokens.end) => return None,
            [only] => (only.value.clone(), only.alone),
            [first, second] => (self.asked_for(within.start, first, second)?.value.clone(), false),
            _ => return None,
        };
        // A sentence before it that is no part of the answer asks for something else.
        let before = 0..within.start;
        (self.explained(&within, alone) && self.explained(&before, false)).then_some(value)
    }

    /// True if the clause that begins there only adds something: "the 14th, but the flight has to be cheap".
    pub(crate) fn adds(&self, word: usize) -> bool {
        let message = self.grammar.tokens.message;
        let words = message.all();
        let denies = |at| anywhere(message.languages(), REFUSES, words, at) > 0;
        let rest = self.grammar.tokens.tokens(word..words.len());
        self.grammar.lexicon.section(BUT).at(words, word)
            && self.said(&rest).is_empty()
            && !(word..words.len()).any(denies)
    }

    /// Reads a length as an answer about a time or a day: "two hours" tells when a meeting ends. The value is the
    /// length.
    fn length(&self, within: &Range<usize>) -> Option<Value> {
        let inside = |found: &&Found| within.start <= found.from && found.to <= within.end;
        let mut inside = self.found.iter().filter(inside);
        match (inside.next()?.what, inside.next()) {
            (What::Length(length), None) => Some(Value::Duration(length.text())),
            _ => None,
        }
    }

    /// Of two values that each have their own verb, the one whose verb the question has; if neither, the first one:
    /// "When are you arriving?" – "on the 12th and leaving on the 24th".
    fn asked_for<'s>(&self, start: usize, first: &'s Said, second: &'s Said) -> Option<&'s Said> {
        let words = &self.grammar.tokens.all;
        let verb = self.grammar.lexicon.section(DO);
        let echo = |at: &usize| verb.at(words, *at) && self.echoes(words, *at);
        let side = self.one_end().map(|end| match end {
            End::First => BEGIN,
            End::Last => END,
        });
        let sides = |at: &usize| side.is_some_and(|id| self.grammar.lexicon.section(id).at(words, *at));
        let echoes = |from: usize, said: &Said| {
            let before = from..said.tokens.start;
            before.clone().filter(echo).count() + usize::from(before.clone().any(|at| sides(&at)))
        };
        let (echoes_1, echoes_2) = (echoes(start, first), echoes(first.tokens.end, second));
        let mut between = first.tokens.end..second.tokens.start;
        let own_verb = between.any(|at| verb.at(words, at) && !self.little(at));
        match echoes_1.cmp(&echoes_2) {
            Ordering::Greater => Some(first),
            Ordering::Less => Some(second),
            Ordering::Equal => own_verb.then_some(first),
        }
    }

    fn goes_on(&self, at: usize) -> bool {
        self.grammar.lexicon.section(DATE_LEAD).at(&self.grammar.tokens.all, at)
    }

    fn little(&self, at: usize) -> bool {
        self.grammar.lexicon.section(LITTLE).at(&self.grammar.tokens.all, at)
    }

    /// True if everything beside the values is in closed lists, an echo of the question, or a known thing.
    fn explained(&self, within: &Range<usize>, weak: bool) -> bool {
        let words = &self.grammar.tokens.all[..within.end];
        let all: Vec<Section> =
            BESIDE.iter().chain(&[NOUN]).map(|id| self.grammar.lexicon.section(*id)).collect();
        let sections = if weak { &all[..BESIDE_WEAK] } else { &all[..] };
        let mut at = within.start;
        while at < within.end {
            if let Some(behind) = self.shown(at) {
                at = behind;
                continue;
            }
            // A sentence that asks, or goes into a thing that one asks about, wants more than the question.
            let begins = at == within.start || words[at - 1].after >= Gap::Hard;
            if begins && self.grammar.lexicon.section(ASKS).at(words, at) || self.asks_about(words, at) {
                return false;
            }
            if let Some(found) = self.found.iter().find(|f| f.from <= at && at < f.to) {
                at = found.to;
                continue;
            }
            let limit = self.found.iter().map(|f| f.from).find(|from| *from > at).unwrap_or(within.end);
            let limit = limit.min(within.end) - at;
            let fits = (2u64.checked_shl(limit as u32).unwrap_or(0)).wrapping_sub(1) & !1;
            let ends = sections.iter().fold(0, |ends, section| ends | section.ends(words, at)) & fits;
            let listed = ends.checked_ilog2().unwrap_or(0) as usize;
            let n = if self.grammar.tokens.is_sign(at) || listed == 0 && !weak && self.echoes(words, at) {
                1
            } else {
                listed.max(if weak { 0 } else { self.known_thing(words, at).min(limit) })
            };
            if n == 0 {
                return false;
            }
            at += n;
        }
        true
    }

    /// Behind "show me", when a value is all there is to show.
    fn shown(&self, at: usize) -> Option<usize> {
        let behind = self.grammar.skip(SHOWS, at);
        self.found.iter().any(|found| found.from == behind && behind > at).then_some(behind)
    }

    /// "my schedule", when the question is about something else.
    fn asks_about(&self, words: &[Word], at: usize) -> bool {
        let section = |id| self.grammar.lexicon.section(id);
        section(THE).at(words, at) && section(ABOUT).at(words, at + 1) && !self.echoes(words, at + 1)
    }

    /// "the car", "my flight": how many words.
    fn known_thing(&self, words: &[Word], at: usize) -> usize {
        let the = self.grammar.lexicon.section(THE);
        let known = words.get(at + 1).is_some_and(|word| !word.digit);
        if the.at(words, at) && words[at].after == Gap::Space && known { 2 } else { 0 }
    }

    /// True if the question has this word too, maybe in another form.
    fn echoes(&self, words: &[Word], at: usize) -> bool {
        let Grammar { lexicon, tokens, .. } = &self.grammar;
        let echo = Echo::of(lexicon, tokens.message, self.context.question());
        !lexicon.section(ASK_WORD).at(words, at) && echo.has(&words[at])
    }
}

fn span(from: &str, to: &str) -> String {
    format!("{from}/{to}")
}

/// `2026-03-03T17:00`.
fn minute(moment: DateTime) -> String {
    format!("{}T{}", moment.date(), time(moment))
}

/// To the second where the moment has seconds.
fn time(moment: DateTime) -> String {
    let (hour, minute, second) = (moment.hour(), moment.minute(), moment.second());
    if second == 0 { format!("{hour:02}:{minute:02}") } else { format!("{hour:02}:{minute:02}:{second:02}") }
}

fn part_of(day: &Day, window: Window) -> Option<String> {
    let (from, [begin, end]) = (day.from?, window.ends());
    let to = if end.minute() <= begin.minute() { from.tomorrow().ok()? } else { from };
    Some(span(&format!("{from}T{}", begin.text()), &format!("{to}T{}", end.text())))
}
