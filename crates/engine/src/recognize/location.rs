//! Places by shape (`spec 02 §6`, `location`): an optional frame, an optional preposition, a name, an optional tail.
//!
//! Without a gazetteer a name is a short run of words that are none of the common ones, so "swansea" is a place and
//! "delegate that to writer" is not. A capital helps: a name written with capitals may be longer and hold small
//! words ("Isle of Man", "5th and Main").

use alloc::string::ToString;
use alloc::vec::Vec;

use super::lexicon::{Lexicon, Section, SectionId, skip};
use super::more::Inside;
use super::words::{Gap, Word, Words};
use super::{Context, Found, Match, NoMatch, Value, all_quoted, clause, named};

const LEAD: [SectionId; 2] = [named("location.lead"), named("location.prep")];
const TAIL: [SectionId; 3] = [named("location.tail"), named("filler"), named("thanks")];
pub(crate) const COMMON: SectionId = named("common");
const INNER: SectionId = named("location.inner");
const FIRST: SectionId = named("location.first");
/// What a message does rather than names; the last two are polite.
const ACTS: [SectionId; 8] = [
    named("bye"),
    named("yes.word"),
    named("yes.phrase"),
    named("yes.weak"),
    named("no.word"),
    named("no.phrase"),
    named("thanks"),
    named("greeting"),
];

/// The most words of a name in lower case, and of one with capitals.
const LOWER: usize = 3;
const CAPITAL: usize = 7;

/// Reads a place, with a remainder when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    _context: &Context<'_>,
) -> Result<Match, NoMatch> {
    if all_quoted(message.all()) {
        return Err(NoMatch { reason: "quoted" });
    }
    let shape = Shape::of(lexicon, message);
    clause::read(lexicon, message, |words| {
        shape.name(words).map(|name| Found::of(Value::Location(message.slice(name).to_string()), name))
    })
}

/// The places in a message: names with capitals behind a preposition of place.
pub(crate) fn values(lexicon: &'static Lexicon, message: &Words, _context: &Context<'_>) -> Vec<Inside> {
    let (shape, words) = (Shape::of(lexicon, message), message.all());
    let (mut all, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let from = at + shape.lead[1].longest(words, at);
        let run = words[from..].iter().take(CAPITAL).take_while(|w| w.capital || shape.is_inner(w)).count();
        let name = |n: &usize| words[from].capital && shape.is_name(&words[from..from + n]);
        let Some(n) = (1..=run).rev().find(name).filter(|_| from > at) else {
            at += 1;
            continue;
        };
        let name = &words[from..from + n];
        let found = Found::of(Value::Location(message.slice(name).to_string()), name);
        all.push(Inside { found, fit: 0 });
        at = from + n;
    }
    all
}

struct Shape<'m> {
    message: &'m Words,
    lead: [Section; 2],
    tail: [Section; 3],
    common: Section,
    inner: Section,
    first: Section,
    acts: [Section; 8],
}

impl<'m> Shape<'m> {
    fn of(lexicon: &'static Lexicon, message: &'m Words) -> Self {
        let list = |id| lexicon.section(id);
        Self {
            message,
            lead: LEAD.map(list),
            tail: TAIL.map(list),
            common: list(COMMON),
            inner: list(INNER),
            first: list(FIRST),
            acts: ACTS.map(list),
        }
    }

    /// The name these words are, if they are nothing else.
    fn name<'w>(&self, words: &'w [Word]) -> Option<&'w [Word]> {
        let from = skip(&self.lead, words, 0);
        // In lower case only a bare name or one behind a preposition: "swansea", "in swansea", not "i want coffee".
        let placed = (0..from).any(|at| at + self.lead[1].longest(words, at) == from);
        let plain = (from == 0 || placed) && !self.acts[1..].iter().any(|act| act.at(words, 0));
        let name = &words[from..];
        let most = name.len().min(CAPITAL);
        (1..=most).rev().find_map(|n| {
            let ends = skip(&self.tail, words, from + n) == words.len();
            // "Swansea?" asks; "can you look in Swansea?" answers politely.
            let asks = from < 2 && name[n - 1].after == Gap::Question;
            let name = &name[..n];
            (ends && !asks && self.is_name(name) && (plain || self.proper(words, name))).then_some(name)
        })
    }

    /// A name that its capital alone makes one: not the first word of the message, nor one in capitals throughout.
    fn proper(&self, words: &[Word], name: &[Word]) -> bool {
        let thanked = self.acts[6..].iter().any(|act| act.at(words, 0));
        name[0].at != words[0].at && name[0].capital && !thanked
    }

    fn is_name(&self, name: &[Word]) -> bool {
        let (Some(first), Some(last)) = (name.first(), name.last()) else { return false };
        let capitals = name.iter().any(|w| w.capital);
        let most = if capitals { CAPITAL } else { LOWER };
        let inside = &name[..name.len() - 1];
        let folded = |word| self.message.folded(word);
        name.len() <= most
            && !inside.iter().any(|w| w.after >= Gap::Hard)
            && inside.iter().filter(|w| w.after == Gap::Soft).count() <= 2
            && name.iter().any(|w| folded(w).chars().any(char::is_alphabetic))
            && name.iter().all(|w| folded(w).chars().all(|c| c.is_alphanumeric() || ".-#".contains(c)))
            && (capitals || !name.iter().any(|w| folded(w).starts_with(char::is_numeric)))
            && !self.inner_only(first, capitals && first.capital)
            && !self.inner_only(last, capitals && last.capital)
            && (self.free(first, capitals) || (name.len() > 1 && self.first.is(&name[..1])))
            && name.windows(2).all(|pair| self.free(&pair[1], capitals) || self.region(pair))
            && !self.acts.iter().any(|act| act.is(name))
    }

    /// "of" and the like begin or end no name; "The Hague" and "Los Angeles" do begin with one, in capitals.
    fn inner_only(&self, word: &Word, capital: bool) -> bool {
        self.is_inner(word) && !capital && self.is_common(word)
    }

    fn free(&self, word: &Word, capitals: bool) -> bool {
        !self.is_common(word) || (capitals && self.is_inner(word))
    }

    fn is_inner(&self, word: &Word) -> bool {
        self.inner.is(core::slice::from_ref(word))
    }

    fn is_common(&self, word: &Word) -> bool {
        self.common.is(core::slice::from_ref(word))
    }

    /// "OR" behind "Portland," is a state, whatever the word means.
    fn region(&self, pair: &[Word]) -> bool {
        let raw = self.message.raw(&pair[1]);
        pair[0].after == Gap::Soft && raw.len() == 2 && raw.bytes().all(|b| b.is_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use crate::recognize::{Expected, Value, matches};

    #[test]
    fn places() {
        for (text, expected) in [
            ("Swansea", "Swansea"),
            ("swansea", "swansea"),
            ("in Swansea please", "Swansea"),
            ("Swansea Wales", "Swansea Wales"),
            ("Swansea, Wales", "Swansea, Wales"),
            ("San Francisco", "San Francisco"),
            ("near Union Square", "Union Square"),
            ("I'd like to go to New York, please.", "New York"),
            ("the city is Swansea", "Swansea"),
            ("Seattle, WA would be great", "Seattle, WA"),
            ("to the Isle of Man", "Isle of Man"),
            ("5th and Main", "5th and Main"),
            ("Köln", "Köln"),
            ("東京", "東京"),
            ("St. Louis", "St. Louis"),
        ] {
            let found = matches(&Expected::Location, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!((found.value, found.remainder), (Value::Location(expected.into()), None), "{text}");
        }
        let found = matches(&Expected::Location, "Swansea, and mail Bob the plan").unwrap();
        assert_eq!(
            (found.value, found.remainder.as_deref()),
            (Value::Location("Swansea".into()), Some("mail Bob the plan"))
        );
    }

    #[test]
    fn near_misses() {
        for text in [
            "thanks",
            "write an email",
            "yes",
            "send it to Bob",
            "do that via sub-agent",
            "delegate that to writer",
            "Swansea?",
            "Swansea or Cardiff",
            "hello",
            "no",
            "what about the database",
            "42",
            "I don't know",
            "ok",
            "Never mind the rain",
            "tell me a joke",
            "\"Swansea\"",
            "monday",
            "goodbye",
            "lol",
        ] {
            assert!(matches(&Expected::Location, text).is_err(), "{text}");
        }
    }
}
