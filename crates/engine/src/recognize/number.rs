//! Quantities (`spec 02 §6`, `number`): digits, number words, "a couple", "half a dozen", "two people".
//!
//! One number, with frames before it and at most what is counted after it. Numbers inside names ("Area 51"), phone
//! numbers, times, dates and amounts of money are none of it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::lexicon::{Lexicon, Section, SectionId, skip};
use super::more::Inside;
use super::words::{Gap, Word, Words};
use super::{Context, Found, Match, NoMatch, Value, all_quoted, clause, named};

pub(crate) const LEAD: SectionId = named("number.lead");
const NOUN: SectionId = named("number.noun");
const NOT: SectionId = named("number.not");
const BEFORE: SectionId = named("number.before");
const ENDS: SectionId = named("number.ends");
const THING: SectionId = named("number.thing");
/// What is counted, by kind: a question about one kind is not answered by a number of another.
const COUNTED: [SectionId; 5] = [
    named("number.people"),
    named("number.time"),
    named("number.room"),
    named("number.bath"),
    named("number.star"),
];
const TAIL: SectionId = named("tail");
const FILLER: SectionId = named("filler");
const THANKS: SectionId = named("thanks");
const UNITS: SectionId = named("number.word");
const TIMES: SectionId = named("number.times");
const ARTICLE: SectionId = named("number.article");
const HALF: SectionId = named("number.half");
const OF: SectionId = named("number.of");
const AND: SectionId = named("number.and");

/// Digits in a row without a separator that make a telephone or account number rather than a quantity.
const TOO_LONG: usize = 7;

/// Reads a number, with a remainder when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    _context: &Context<'_>,
) -> Result<Match, NoMatch> {
    if all_quoted(message.all()) {
        return Err(NoMatch { reason: "quoted" });
    }
    clause::read(lexicon, message, |words| whole(lexicon, message, words))
}

/// The number these words are, if they are nothing else.
fn whole(lexicon: &'static Lexicon, message: &Words, words: &[Word]) -> Option<Found> {
    if words.last().is_some_and(|w| w.after == Gap::Question) && words.len() == 1 {
        return None;
    }
    let from = lead(lexicon, message, words);
    let (value, next) = value(lexicon, message, words, from)?;
    let found = Found::of(Value::Number(value), &words[from..next]);
    let filler = [TAIL, FILLER, THANKS].map(|id| lexicon.section(id));
    let at = next + lexicon.section(NOUN).longest(words, next);
    if skip(&filler, words, at) == words.len() {
        return Some(found);
    }
    // What is counted may be any single word ("3 apples"), unless it makes the number a time, a date or a name.
    let counted = words.get(at).filter(|w| {
        at == next
            && !lexicon.section(NOT).at(words, at)
            && !w.capital
            && message.folded(w).chars().all(char::is_alphabetic)
            && words[at - 1].after == Gap::Space
    })?;
    (message.folded(counted).ends_with('s') && skip(&filler, words, at + 1) == words.len()).then_some(found)
}

/// The quantities in a message: numbers of something, or those that words of quantity lead to.
pub(crate) fn values(lexicon: &'static Lexicon, message: &Words, context: &Context<'_>) -> Vec<Inside> {
    let words = message.all();
    let asked = COUNTED.map(|id| lexicon.section(id).within(context.question().all()));
    let (mut all, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let Some((value, next)) = value(lexicon, message, words, at).filter(|_| starts(message, words, at))
        else {
            at += 1;
            continue;
        };
        let counts = COUNTED.map(|id| lexicon.section(id).at(words, next));
        let fits = counts.iter().zip(asked).any(|(counted, asked)| *counted && asked);
        let other = !fits && counts.contains(&true) && asked.contains(&true);
        let counted = lexicon.section(NOUN).at(words, next);
        let led = at > 0
            && lexicon.section(BEFORE).at(words, at - 1)
            && (next == words.len()
                || words[next - 1].after > Gap::Space
                || lexicon.section(ENDS).at(words, next));
        if !other && !quantified(lexicon, message, words, next) && (counted || led) {
            let found = Found::of(Value::Number(value), &words[at..next]);
            all.push(Inside { found, fit: u8::from(counted) + u8::from(fits) });
        }
        at = next;
    }
    all
}

/// Whether a number may begin here: not behind a sign that makes it something else, nor inside "11:30".
fn starts(message: &Words, words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &words[before]);
    before.is_none_or(|before| {
        let sign = matches!(message.folded(before), "$" | "€" | "£" | "¥" | "#" | "+" | "=");
        let inside = before.digit && words[at].at - before.end < 2;
        !sign && !inside
    })
}

/// Whether what follows makes the number a time, a date, an amount or a name.
fn quantified(lexicon: &'static Lexicon, message: &Words, words: &[Word], next: usize) -> bool {
    words.get(next).is_some_and(|after| {
        let touches = after.digit && after.at - words[next - 1].end < 2;
        let not = words[next - 1].after == Gap::Space && lexicon.section(THING).at(words, next);
        touches
            || not
            || (after.capital && words[next - 1].after == Gap::Space && !message.folded(after).is_empty())
    })
}

/// Skips what may stand before the number, but never the number itself ("one", "a couple").
fn lead(lexicon: &'static Lexicon, message: &Words, words: &[Word]) -> usize {
    let mut at = 0;
    while value(lexicon, message, words, at).is_none() {
        match lexicon.section(LEAD).longest(words, at) {
            0 => break,
            n => at += n,
        }
    }
    at
}

/// The number that begins at `at`, in our own digits, and where it ends.
fn value(lexicon: &'static Lexicon, message: &Words, words: &[Word], at: usize) -> Option<(String, usize)> {
    let word = words.get(at)?;
    if word.digit {
        return digits(message.folded(word)).map(|value| (value, at + 1));
    }
    let (sum, next) = spelled(lexicon, words, at)?;
    Some((sum.to_string(), next))
}

/// `12`, `1,200`, `3.50`: plain decimal digits, without separators and idle zeros.
fn digits(word: &str) -> Option<String> {
    let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = word.split_once('.').map_or((word, None), |(w, f)| (w, Some(f)));
    let mut groups = whole.split(',');
    let first = groups.next().filter(|g| plain(g))?;
    let mut value = first.to_string();
    for group in groups {
        if first.len() > 3 || group.len() != 3 || !plain(group) {
            return None;
        }
        value.push_str(group);
    }
    if value.len() >= TOO_LONG && whole.len() == value.len() && !value.ends_with("000") {
        return None;
    }
    if value.len() > 15 {
        return None;
    }
    let value = match value.trim_start_matches('0') {
        "" => "0",
        v => v,
    };
    match fraction {
        None => Some(value.to_string()),
        Some(f) if plain(f) => match f.trim_end_matches('0') {
            "" => Some(value.to_string()),
            f => Some(format!("{value}.{f}")),
        },
        Some(_) => None,
    }
}

/// "three", "twenty five", "a couple of", "two hundred and fifty", "half a dozen".
fn spelled(lexicon: &'static Lexicon, words: &[Word], from: usize) -> Option<(u64, usize)> {
    let (units, times) = (lexicon.section(UNITS), lexicon.section(TIMES));
    let mut at = from + lexicon.section(HALF).longest(words, from);
    let halved = at > from;
    at += lexicon.section(ARTICLE).longest(words, at);
    let articled = at > from;
    let (mut total, mut group, mut small, mut any) = (0u64, None::<u64>, 0u64, false);
    while let Some(word) = words.get(at) {
        if let Some(n) = units.value(word) {
            // "twenty five" adds up; "two three" are two numbers.
            let adds = group.is_none_or(|g| {
                g % 100 == 0 && g > 0 || (g % 10 == 0 && (20..100).contains(&small) && n < 10)
            });
            if !adds {
                break;
            }
            (group, small) = (Some(group.unwrap_or(0).checked_add(n)?), n);
        } else if let Some(n) = times.value(word).filter(|_| group.is_some() || articled) {
            let multiplied = group.unwrap_or(1).checked_mul(n)?;
            if n >= 1000 {
                total = total.checked_add(multiplied)?;
                (group, small) = (None, 0);
            } else {
                (group, small) = (Some(multiplied), 0);
            }
        } else if any && small == 0 && lexicon.section(AND).at(words, at) && joins(units, words, at) {
            // The "and" of "two hundred and fifty".
        } else {
            break;
        }
        any = true;
        at += 1;
        if words[at - 1].after > Gap::Space {
            break;
        }
    }
    let sum = total.checked_add(group.unwrap_or(0))?;
    let sum = if halved && sum % 2 == 0 {
        sum / 2
    } else if halved {
        return None;
    } else {
        sum
    };
    any.then(|| (sum, at + lexicon.section(OF).longest(words, at)))
}

fn joins(units: Section, words: &[Word], at: usize) -> bool {
    words.get(at + 1).is_some_and(|w| units.value(w).is_some())
}

#[cfg(test)]
mod tests {
    use crate::recognize::{Expected, Value, matches};

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
        ] {
            let found = matches(&Expected::Number, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!((found.value, found.remainder), (Value::Number(expected.into()), None), "{text}");
        }
        let found = matches(&Expected::Number, "For two people, and mail Bob the plan").unwrap();
        assert_eq!(
            (found.value, found.remainder.as_deref()),
            (Value::Number("2".into()), Some("mail Bob the plan"))
        );
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
            "one of them",
            "someone",
            "tenant",
            "two 3",
            "what about the 3 rooms in the attic",
            "thanks",
            "99999999999999999999999",
            "1,2",
            "1.2.3",
            "v2",
        ] {
            assert!(matches(&Expected::Number, text).is_err(), "{text}");
        }
    }
}
