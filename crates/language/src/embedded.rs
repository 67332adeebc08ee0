//! A value inside a longer text: "I'm leaving from Vancouver on the 10th" answers "When do you plan to leave?".
//!
//! The message is no strict answer, but it informs rather than asks for something else ([`request`]), and it holds one
//! value of the expected type, or one of several that is clearly the one asked for.
//!
//! The rest is no remainder: it says more about the answer and asks for nothing.

use alloc::vec::Vec;

use super::lexicon::{Lexicon, SectionId, anywhere};
use super::words::{Gap, Word};
use super::{Context, Found, Match, NoMatch, Words, request, section};

const REFUSES: SectionId = section("more.not");
/// Begins what follows from the words before.
const FOLLOWS: SectionId = section("more.so");

/// A value somewhere in a message.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) found: Found,
    /// The number of words around it that suit the question; of several values only the best one counts.
    pub(crate) fit: u8,
}

/// The values along a message: `read` says of the one that begins at a word where it ends, and what it is worth when it
/// counts. No value begins inside another.
pub(crate) fn along(
    words: &[Word],
    read: impl Fn(usize) -> Option<(usize, Option<Candidate>)>,
) -> Vec<Candidate> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let Some((next, inside)) = read(at) else {
            at += 1;
            continue;
        };
        all.extend(inside);
        at = next;
    }
    all
}

/// True if the language has the words to tell an answer in a longer text from a request.
pub(crate) fn has(lexicon: &Lexicon) -> bool {
    lexicon.has(request::ACT)
}

/// Reads the one value of a message that informs; `values` finds all it holds.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    values: impl FnOnce() -> Vec<Candidate>,
) -> Result<Match, NoMatch> {
    if context.question().all().is_empty() {
        return Err(NoMatch { reason: "nobody knows the question" });
    }
    if let Some(reason) = request::other(lexicon, message, context.question()) {
        return Err(NoMatch { reason });
    }
    let found = one(values())?;
    if refused(message, &found) {
        return Err(NoMatch { reason: "a correction" });
    }
    Ok(found.and(None))
}

/// True if the clause with the value denies something: "I don't want to drive so book it for the 10th" does not.
fn refused(message: &Words, found: &Found) -> bool {
    let mut clauses = message.all().chunk_by(|word, _| word.after == Gap::Space);
    let holds = |clause: &&[Word]| clause.last().is_some_and(|last| found.span.start < last.end);
    let own = clauses.find(holds).unwrap_or_default();
    let before = own.iter().take_while(|word| word.at < found.span.start).count();
    let follows =
        (0..before).rev().find(|at| anywhere(message.languages(), FOLLOWS, own, *at) > 0).unwrap_or(0);
    let own = &own[follows..];
    (0..own.len()).any(|at| anywhere(message.languages(), REFUSES, own, at) > 0)
}

/// The value that fits best, when no other value fits as well.
pub(crate) fn one(values: Vec<Candidate>) -> Result<Found, NoMatch> {
    let best = values.iter().map(|inside| inside.fit).max().ok_or(NoMatch { reason: "no value" })?;
    let mut fitting = values.into_iter().filter(|inside| inside.fit == best).map(|inside| inside.found);
    let first = fitting.next().ok_or(NoMatch { reason: "no value" })?;
    if fitting.all(|other| other.value == first.value) {
        Ok(first)
    } else {
        Err(NoMatch { reason: "two values" })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, Expected, Match, NoMatch, Words};

    fn read(expected: &Expected, asked: &str, text: &str) -> Result<Match, NoMatch> {
        crate::read(expected, &Words::of(text), &Context::default().to(asked))
    }

    #[test]
    fn what_says_more_than_was_asked_is_an_answer() {
        for (asked, text, expected) in [
            ("How many people?", "I'm leaving on the 10th with 3 friends", "3"),
            ("How many seats do you need?", "There are four of us, two bags in all.", "4"),
            ("For how many nights?", "One room for 6 nights, please.", "6"),
            ("How many rooms?", "One room for 6 nights, please.", "1"),
            ("How many tickets do you want?", "Book two tickets for the show in Leeds", "2"),
        ] {
            let found =
                read(&Expected::Number, asked, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!((found.value.text(), found.remainder), (expected, None), "{text}");
        }
        let found = read(
            &Expected::Location,
            "Where are you leaving from?",
            "I'm leaving from Seattle with two friends",
        );
        assert_eq!(found.unwrap().value.text(), "Seattle");
    }

    #[test]
    fn what_asks_for_something_else_is_none() {
        for (asked, text) in [
            ("How many people?", "Find me a house with 3 bedrooms"),
            ("How many bedrooms do you need?", "Can you find a bus for 3 people?"),
            ("How many people?", "Is there room for 3 people?"),
            ("How many tickets?", "I need a hotel with 2 rooms"),
            ("How many people?", "3 people, or 4 people"),
            ("How many people?", "not 3 people in one car"),
            ("How many people?", "It is 3 adults with 2 kids in one car"),
            ("", "what about the 3 rooms in the attic"),
            ("How many people?", "\"a party of 3 people in Leeds\""),
        ] {
            assert!(read(&Expected::Number, asked, text).is_err(), "{asked} {text}");
        }
    }
}
