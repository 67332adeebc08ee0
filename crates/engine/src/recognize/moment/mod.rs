//! Times, dates, moments and lengths of time (`spec 02 §6`, `time`, `date`, `datetime`, `duration`).
//!
//! A message is cut into fine words (`tokens`), its shapes are read as the lexicon lists them (`grammar`, `meaning`), what they
//! are worth is reckoned on the person's calendar (`clock`, `day`, `length`), values that belong together are put
//! together (`items`), and a message that is nothing else answers the question (`answer`).

mod answer;
mod clock;
mod day;
mod feast;
mod grammar;
mod items;
mod length;
mod meaning;
#[cfg(test)]
mod tests;
mod tokens;

use alloc::vec::Vec;
use core::ops::Range;

use answer::Maker;
use day::Said;
use grammar::Grammar;
use items::Kind;
use tokens::Tokens;

use super::lexicon::{Lexicon, SectionId, anywhere};
use super::more::Inside;
use super::words::Words;
use super::{Context, Expected, Found, Match, NoMatch, acknowledgement, clause, named};

/// A language without shapes of a date reads none of the four types.
pub(crate) const OWN: SectionId = named("time.date");
const TURN: SectionId = named("turn");
const PAST: SectionId = named("time.past");

/// Reads an answer, with a remainder when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    expected: &Expected,
) -> Result<Match, NoMatch> {
    // "That's all for today" names a day and answers nothing.
    let own = if closes(message) {
        None
    } else {
        with(lexicon, message, context, expected, |maker| {
            let whole = |words: Range<usize>| {
                let value = maker.whole(words.clone())?;
                Some(Found::of(value, &message.all()[words]))
            };
            let takes_back = |cut| anywhere(TURN, message.all(), cut) > 0 && !maker.adds(cut);
            clause::Parts { whole, takes_back }.read(lexicon, message)
        })
    };
    own.unwrap_or(Err(NoMatch { reason: "acknowledgement" }))
}

/// Whether a message is over with something, whatever it names.
fn closes(message: &Words) -> bool {
    acknowledgement(message, &Context::default())
}

/// Every value of a type that a message holds. A bare number is one only when it is the message.
pub(crate) fn values(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    expected: &Expected,
) -> Vec<Inside> {
    if closes(message) {
        return Vec::new();
    }
    let all = with(lexicon, message, context, expected, |maker| {
        let tokens = &maker.grammar.tokens;
        let said = maker.values(&(0..tokens.all.len())).into_iter();
        let sure = said.filter(|said| !said.weak || said.tokens.len() == tokens.all.len());
        let found = sure.map(|said| Found { value: said.value, span: tokens.bytes(said.tokens) });
        found.map(|found| Inside { found, fit: 0 }).collect()
    });
    all.unwrap_or_default()
}

/// Reads a message for one of the four types.
fn with<T>(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    expected: &Expected,
    then: impl FnOnce(&Maker<'_, '_>) -> T,
) -> Option<T> {
    let kind = match expected {
        Expected::Time => Kind::Time,
        Expected::Date => Kind::Date,
        Expected::DateTime => Kind::DateTime,
        Expected::Duration => Kind::Duration,
        _ => return None,
    };
    let tokens = Tokens::of(message);
    let said = Said { now: context.local(), past: lexicon.section(PAST).within(&tokens.all) };
    let grammar = Grammar::new(lexicon, &tokens, said);
    let found = items::all(&grammar, kind);
    Some(then(&Maker { grammar: &grammar, found, context, kind }))
}
