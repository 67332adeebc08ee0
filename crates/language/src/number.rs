//! Quantities: digits, number words, "a couple", "half a dozen", "two people".
//!
//! One number, with frames before it and at most its noun after it. Numbers inside names ("Area 51"), phone numbers,
//! times, dates and amounts of money are no quantities. People may also be counted by naming them: "just me", "me and
//! my wife", "two adults and a child".

use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;

use super::echo::Echo;
use super::embedded::{self, Candidate};
use super::lexicon::{Lexicon, Section, SectionId, anywhere, skip};
use super::numeral::{Decimal, Numerals};
use super::words::{Gap, MOST, Word, Words};
use super::{Context, Found, Match, NoMatch, Value, remainder, section};
use crate::read::AnswerReader;

pub(crate) const LEAD: SectionId = section("number.lead");
const NOUN: SectionId = section("number.noun");
const NOT: SectionId = section("number.not");
const NONE: SectionId = section("number.none");
const CODE: SectionId = section("number.code");
const PEOPLE: SectionId = section("number.people");
const MEMBER: SectionId = section("number.member");
const SELF: SectionId = section("number.self");
const JOIN: SectionId = section("number.join");
const PAIR: SectionId = section("number.pair");
const TURN: SectionId = section("turn");
const REMARK: SectionId = section("number.remark");
const UNSURE: SectionId = section("unsure");
const AFTER: [SectionId; 4] = [section("tail"), section("filler"), section("thanks"), section("number.tail")];
const BEFORE: SectionId = section("number.before");
const FOLLOWS: SectionId = section("more.so");
const ENDS: SectionId = section("number.ends");
const THING: SectionId = section("number.thing");
/// Nouns by kind: a number of one kind is no answer to a question about another.
const COUNTED: [SectionId; 5] =
    [PEOPLE, section("number.time"), section("number.room"), section("number.bath"), section("number.star")];

/// Digits in a row without a separator that make a telephone or account number rather than a quantity.
const TOO_LONG: usize = 7;
/// The number of words before a number that may tell which number it is.
const NEAR: usize = 3;

/// The numbers that are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Integers and decimals.
    Decimal,
    /// Whole numbers.
    Whole,
}

/// The kind of a number's noun, for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NounKind {
    /// The kind that the question asks for.
    Asked,
    /// Something else.
    Other,
    /// No saying: nothing, or what is on no list.
    Any,
}

/// Reads the numbers of a message.
pub(crate) struct Reader<'r> {
    lexicon: &'static Lexicon,
    message: &'r Words,
    kind: Kind,
    numerals: Numerals<'r>,
    echo: Echo<'r>,
    /// The question asks for a number that names something: an account, a room.
    code: bool,
    /// The kinds of things that the question asks for.
    asked: [bool; COUNTED.len()],
}

impl AnswerReader for Reader<'_> {
    fn answer(&self) -> Result<Match, NoMatch> {
        let words = self.message.all();
        let parts = remainder::Parts {
            whole: |said: Range<usize>| self.whole(&words[said]),
            takes_back: |cut: usize| self.takes_back(&words[cut..]),
        };
        parts.read(self.lexicon, self.message)
    }

    /// The quantities in a message: numbers of something, or those that words of quantity lead to.
    fn values(&self) -> Vec<Candidate> {
        let words = self.message.all();
        embedded::along(words, |at| {
            let (value, next) = self.value(words, at).filter(|_| !inside(words, at))?;
            let kind = self.noun_kind(words, next);
            let counted = self.noun(words, next) > 0;
            let ends =
                next == words.len() || words[next - 1].after > Gap::Space || self.list(ENDS).at(words, next);
            let led =
                at > 0 && ends && (self.echo.is_asked(&words[at - 1]) || self.list(BEFORE).at(words, at - 1));
            let counts = kind != NounKind::Other && (counted || led) && !self.qualified(words, next);
            let found = counts.then(|| {
                let named = (0..at).rev().take(NEAR).any(|before| self.echo.is_asked(&words[before]));
                Candidate {
                    found: Found::of(Value::Number(value.to_string()), &words[at..next]),
                    fit: u8::from(counted)
                        + u8::from(kind == NounKind::Asked)
                        + 2 * u8::from(named && self.code),
                }
            });
            Some((next, found))
        })
    }
}

impl<'r> Reader<'r> {
    pub(crate) fn of(
        lexicon: &'static Lexicon,
        message: &'r Words,
        context: &'r Context<'_>,
        kind: Kind,
    ) -> Self {
        Self {
            lexicon,
            message,
            kind,
            numerals: Numerals::of(lexicon, message),
            echo: Echo::of(lexicon, message, context.question()),
            code: lexicon.section(CODE).within(context.question().all()),
            asked: COUNTED.map(|id| lexicon.section(id).within(context.question().all())),
        }
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    /// The number these words are, if they are nothing else.
    fn whole(&self, words: &[Word]) -> Option<Found> {
        if words.last().is_some_and(|w| w.after == Gap::Question) && words.len() == 1 {
            return None;
        }
        let from = self.lead(words);
        if let Some((n, next)) = self.people(words, from) {
            let ends = self.ends(words, next) || self.again(words, Decimal::whole(n), next);
            return ends.then(|| Found::of(Value::Number(n.to_string()), &words[from..next]));
        }
        let (value, next) = self.value(words, from)?;
        let found = Found::of(Value::Number(value.to_string()), &words[from..next]);
        let counted = next + self.noun(words, next);
        if self.noun_kind(words, next) == NounKind::Other {
            return None;
        }
        if self.ends(words, next) || self.ends(words, counted) || self.again(words, value, counted) {
            return Some(found);
        }
        // What is counted may be any single word ("3 apples"), unless it makes the number a time, a date or a name.
        let any = words.get(next).filter(|w| {
            anywhere(self.message.languages(), NOT, words, next) == 0
                && !w.capital
                && self.message.folded(w).chars().all(char::is_alphabetic)
                && words[next - 1].after == Gap::Space
        })?;
        (self.message.folded(any).ends_with('s') && self.ends(words, next + 1)).then_some(found)
    }

    /// True if a clause changes the number before it. "But I can't remember the pin" and "if the hall can hold us" only
    /// comment on it, as long as they name no other number and do not doubt.
    fn takes_back(&self, clause: &[Word]) -> bool {
        let other = || (0..clause.len().min(MOST)).any(|at| self.value(clause, at).is_some());
        let remark = || self.list(REMARK).at(clause, 0) && !self.list(UNSURE).within(clause) && !other();
        anywhere(self.message.languages(), TURN, clause, 0) > 0 && !remark()
    }

    /// The words of the noun at `at`: one of the list, or the question's own.
    fn noun(&self, words: &[Word], at: usize) -> usize {
        let mut to = at;
        while to < words.len() && words[to - 1].after == Gap::Space {
            let n = self.list(NOUN).longest(words, to).max(self.echo.longest(words, to));
            if n == 0 || anywhere(self.message.languages(), NOT, words, to) > 0 {
                break;
            }
            to += n;
        }
        to - at
    }

    /// The number once more, or who they are: "45 (forty five)", "it's just me, so one", "One. Just me."
    fn again(&self, words: &[Word], value: Decimal, at: usize) -> bool {
        let apart = at > 0 && words[at - 1].after != Gap::Space;
        let from = at + self.list(FOLLOWS).longest(words, at);
        if !apart && from == at {
            return false;
        }
        let who = || self.people(words, from).map(|(n, next)| (Decimal::whole(n), next));
        let other = self.value(words, from).or_else(who).filter(|(other, _)| *other == value);
        other.is_some_and(|(_, next)| self.ends(words, next + self.noun(words, next)))
    }

    /// The kind of the noun at `at`.
    fn noun_kind(&self, words: &[Word], at: usize) -> NounKind {
        let counts = COUNTED.map(|id| self.list(id).at(words, at));
        if counts.iter().zip(self.asked).any(|(counts, asked)| *counts && asked) {
            NounKind::Asked
        } else if counts.contains(&true) && self.asked.contains(&true) {
            NounKind::Other
        } else {
            NounKind::Any
        }
    }

    fn ends(&self, words: &[Word], at: usize) -> bool {
        skip(&AFTER.map(|id| self.list(id)), words, at) == words.len()
    }

    /// Skips phrases before the number, but never the number itself ("one", "a couple").
    fn lead(&self, words: &[Word]) -> usize {
        let mut at = 0;
        while self.value(words, at).is_none() {
            match self.list(LEAD).longest(words, at).max(self.echo.longest(words, at)) {
                _ if self.people(words, at).is_some() => break,
                0 => break,
                n => at += n,
            }
        }
        at
    }

    /// The number that begins at `at`, and where it ends.
    fn value(&self, words: &[Word], at: usize) -> Option<(Decimal, usize)> {
        let none = self.list(NONE).longest(words, at);
        if none > 0 {
            return Some((Decimal::whole(0), at + none));
        }
        let word = words.get(at)?;
        let folded = self.message.folded(word);
        let round = folded.ends_with("000");
        let long = folded.len() >= TOO_LONG && !round && folded.bytes().all(|b| b.is_ascii_digit());
        if (long && !self.code) || !unsigned(self.message, words, at) {
            return None;
        }
        let read = self.numerals.read(words, at).filter(|(_, next)| self.numerals.is_all(words, at, *next));
        read.filter(|(value, _)| self.kind == Kind::Decimal || value.is_whole())
    }

    /// Counts people by their names: "me and my wife", "two adults and a child", "both of us".
    fn people(&self, words: &[Word], from: usize) -> Option<(u64, usize)> {
        let pair = self.list(PAIR).longest(words, from);
        if pair > 0 {
            return Some((2, from + pair));
        }
        let (mut sum, mut at, mut members, mut own) = (0u64, from, 0, false);
        let mut end = from;
        loop {
            let member = self.list(MEMBER).longest(words, at);
            let (n, next) = match self.numerals.read(words, at) {
                Some((n, next)) if self.list(PEOPLE).at(words, next) => {
                    (n.count()?, next + self.list(PEOPLE).longest(words, next))
                }
                _ if member > 0 => (1, at + member),
                _ => break,
            };
            own |= self.list(SELF).at(words, at);
            (sum, at, members) = (sum.checked_add(n)?, next, members + 1);
            end = next;
            match self.list(JOIN).longest(words, at) {
                _ if words.get(at).is_none() => break,
                0 if self.message.text()[words[at - 1].end..words[at].at].starts_with(',') => {}
                0 => break,
                n => at += n,
            }
        }
        // One name alone counts nobody, but "me" does, when nothing is added to it; one number is a plain number.
        let alone = || {
            words.get(end).is_none() && self.message.all().last().map(|w| w.at) == words.last().map(|w| w.at)
        };
        let counts = members > 1
            || (members == 1
                && own
                && (alone() || words[end - 1].after >= Gap::Hard || self.list(FOLLOWS).at(words, end)));
        counts.then_some((sum, end)).filter(|(sum, _)| *sum > 0)
    }
}

/// True if no sign before the word makes its number something else than a quantity.
fn unsigned(message: &Words, words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| message.folded(&words[before]));
    !before.is_some_and(|before| matches!(before, "$" | "€" | "£" | "¥" | "+" | "="))
}

/// True if a number is a part of the word before it: the minutes of "11:30".
fn inside(words: &[Word], at: usize) -> bool {
    at > 0 && words[at - 1].digit && words[at].at - words[at - 1].end < 2
}

impl Reader<'_> {
    /// True if the words behind make the number a time, a date, an amount or a name.
    fn qualified(&self, words: &[Word], next: usize) -> bool {
        words.get(next).is_some_and(|after| {
            let touches = after.digit && after.at - words[next - 1].end < 2;
            let spaced = words[next - 1].after == Gap::Space;
            touches
                || (spaced && (after.capital || anywhere(self.message.languages(), THING, words, next) > 0))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::matches;
    use crate::{Context, Expected, Languages, Value, Words, read};

    #[test]
    fn a_whole_number_is_no_decimal() {
        for (text, expected) in [
            ("3", "3"),
            ("two people", "2"),
            ("2.0", "2"),
            ("1,200", "1200"),
            ("2k", "2000"),
            ("-4", "-4"),
            ("just me", "1"),
        ] {
            let found = matches(&Expected::Integer, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!(found.value, Value::Number(expected.into()), "{text}");
        }
        for text in
            ["2.5", "2,5", "one and a half", "3/4", "half", "2.5 people", "about 2.5, please", "zweieinhalb"]
        {
            assert!(matches(&Expected::Integer, text).is_err(), "{text}");
        }
    }

    #[test]
    fn quantities() {
        for (text, expected) in [
            ("3", "3"),
            ("three", "3"),
            ("Three, please.", "3"),
            ("a couple", "2"),
            ("two people", "2"),
            ("half a dozen", "6"),
            ("a dozen", "12"),
            ("twenty-five", "25"),
            ("two hundred and fifty", "250"),
            ("3.50", "3.5"),
            ("1,200", "1200"),
            ("make it 4", "4"),
            ("I'd like three tickets", "3"),
            ("a party of 5", "5"),
            ("just one", "1"),
            ("３", "3"),
            ("3 apples", "3"),
            ("10 would be great, thanks", "10"),
            ("a hundred", "100"),
            ("007", "7"),
            (".77", "0.77"),
            ("-2.50", "-2.5"),
            ("minus four", "-4"),
            ("0.0", "0"),
            ("2k", "2000"),
            ("1.2M", "1200000"),
            ("5 thousand", "5000"),
            ("three dozens", "36"),
            ("half a million", "500000"),
            ("one and a half", "1.5"),
            ("three quarters", "0.75"),
            ("3/4", "0.75"),
            ("seven point five", "7.5"),
            ("twenty-one thousand eleven", "21011"),
            ("45 (forty five)", "45"),
            ("one of them", "1"),
            ("no kids", "0"),
            ("None.", "0"),
            ("just me, so 1", "1"),
            ("just me so one", "1"),
            ("One. Just me.", "1"),
            ("me and my wife, so two", "2"),
            ("just me", "1"),
            ("Me and my wife", "2"),
            ("the two of us", "2"),
            ("two adults and a child", "3"),
            ("me, my husband and two kids", "4"),
            ("It will be me and my boyfriend, 2.", "2"),
        ] {
            let found = matches(&Expected::Number, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!((found.value, found.remainder), (Value::Number(expected.into()), None), "{text}");
        }
        for (text, expected) in [
            ("fünfundzwanzig", "25"),
            ("zweihundertfünfzig", "250"),
            ("eintausendzweihundert", "1200"),
            ("einundzwanzig Personen, bitte", "21"),
            ("Wir sind zu dritt", ""),
            ("ein paar", "2"),
            ("ein Dutzend", "12"),
            ("ein halbes Dutzend", "6"),
            ("1,5", "1.5"),
            ("1.000", "1000"),
            ("1.250,50", "1250.5"),
            ("für drei Personen", "3"),
            ("Meine Frau und ich", "2"),
            ("eine", "1"),
            ("drei Komma fünf", "3.5"),
            ("zwei Millionen", "2000000"),
            ("hundertundeins", "101"),
        ] {
            let message = Words::new(text, Languages::preferring("de"));
            let found = read(&Expected::Number, &message, &Context::default()).ok();
            assert_eq!(found.as_ref().map_or("", |found| found.value.text()), expected, "{text}");
        }
        let found = matches(&Expected::Number, "For two people, and mail Bob the plan").unwrap();
        assert_eq!(
            (found.value, found.remainder.as_deref()),
            (Value::Number("2".into()), Some("mail Bob the plan"))
        );
        for (text, value, rest) in [
            ("12 but we don't know the address yet", "12", "we don't know the address yet"),
            ("I'd like 40 if your hall can hold us", "40", "your hall can hold us"),
        ] {
            let found = matches(&Expected::Number, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!(
                (found.value, found.remainder.as_deref()),
                (Value::Number(value.into()), Some(rest)),
                "{text}"
            );
        }
    }

    #[test]
    fn near_misses() {
        for text in [
            "07700900123",
            "555-123-4567",
            "Area 51",
            "Seven Sisters",
            "3 or 4",
            "3, no 4",
            "3 pm",
            "3rd",
            "$5",
            "5%",
            "5 March",
            "someone",
            "tenant",
            "two 3",
            "what about the 3 rooms in the attic",
            "thanks",
            "99999999999999999999999",
            "1,2",
            "1.2.3",
            "v2",
            "two thirds",
            "twenty fifth",
            "the second",
            "my wife",
            "I also need a cab",
            "half past six",
            "k",
            "hunderteinhundert",
        ] {
            assert!(matches(&Expected::Number, text).is_err(), "{text}");
        }
        for text in
            ["3 but not 4", "5 but make it 6", "3 if not 4", "8 but I'm not sure", "3 unless you have two"]
        {
            assert!(matches(&Expected::Number, text).is_err(), "{text}");
        }
        for (asked, text) in [("How many people?", "two bedrooms"), ("How many rooms?", "for two nights")] {
            let context = Context::default().to(asked);
            assert!(read(&Expected::Number, &Words::of(text), &context).is_err(), "{asked} {text}");
        }
    }
}
