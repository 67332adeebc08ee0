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

use super::lexicon::{Lexicon, SectionId, anywhere};
use super::more::Inside;
use super::words::Words;
use super::{Context, Found, Match, NoMatch, Reads, acknowledgement, clause, named};
pub(crate) use answer::Maker;
use day::Said;
use grammar::Grammar;
pub(crate) use items::Kind;
use tokens::Tokens;

/// A language without shapes of a date reads none of the four types.
pub(crate) const OWN: SectionId = named("time.date");
const TURN: SectionId = named("turn");
const PAST: SectionId = named("time.past");

impl<'m> Maker<'m> {
    /// Reads a message for one of the four types.
    pub(crate) fn of(
        lexicon: &'static Lexicon,
        message: &'m Words,
        context: &'m Context<'m>,
        kind: Kind,
    ) -> Self {
        let tokens = Tokens::of(message);
        let said = Said { now: context.local(), past: lexicon.section(PAST).within(&tokens.all) };
        let grammar = Grammar::new(lexicon, tokens, said);
        let closes = acknowledgement(message, &Context::default());
        let found = if closes { Vec::new() } else { items::all(&grammar, kind) };
        Self { grammar, closes, found, context, kind }
    }
}

impl Reads for Maker<'_> {
    fn answer(&self) -> Result<Match, NoMatch> {
        if self.closes {
            return Err(NoMatch { reason: "acknowledgement" });
        }
        let message = self.grammar.tokens.message;
        let whole = |words: Range<usize>| {
            let value = self.whole(words.clone())?;
            Some(Found::of(value, &message.all()[words]))
        };
        let takes_back = |cut| anywhere(TURN, message.all(), cut) > 0 && !self.adds(cut);
        clause::Parts { whole, takes_back }.read(self.grammar.lexicon, message)
    }

    /// Every value that a message holds. A bare number is one only when it is the message.
    fn values(&self) -> Vec<Inside> {
        let tokens = &self.grammar.tokens;
        let said = self.said(&(0..tokens.all.len())).into_iter();
        let sure = said.filter(|said| !said.weak || said.tokens.len() == tokens.all.len());
        let found = sure.map(|said| Found { value: said.value, span: tokens.bytes(said.tokens) });
        found.map(|found| Inside { found, fit: 0 }).collect()
    }
}
