//! Times, dates, moments and durations.
//!
//! A message is cut into fine words (`tokens`), its shapes are read as the lexicon lists them (`grammar`, `meaning`)
//! and valued on the person's calendar (`clock`, `day`, `duration`, `holiday`), values that belong together are put
//! together (`items`), and a message of nothing else answers the question (`answer`).

mod answer;
mod clock;
mod day;
mod duration;
mod grammar;
mod holiday;
mod items;
mod meaning;
#[cfg(test)]
mod tests;
mod tokens;

use alloc::vec::Vec;
use core::ops::Range;

use super::embedded::Candidate;
use super::lexicon::{Lexicon, SectionId, anywhere};
use super::words::Words;
use super::{Context, Found, Match, NoMatch, is_acknowledgement, remainder, section};
use crate::read::AnswerReader;
pub(crate) use answer::Reader;
use day::Said;
use grammar::Grammar;
pub(crate) use items::Kind;
use tokens::Tokens;

/// A language without shapes of a date reads none of the four types.
pub(crate) const OWN: SectionId = section("time.date");
const TURN: SectionId = section("turn");
const PAST: SectionId = section("time.past");
const ENDS: [SectionId; 4] = [section("thats_it"), section("closing"), section("bye"), section("greeting")];

impl<'m> Reader<'m> {
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
        // "That's all for today" closes; "tomorrow would be great, thanks" answers.
        let ends = |id| lexicon.section(id).within(message.all());
        let closes = ENDS.into_iter().any(ends) && is_acknowledgement(message, &Context::default());
        let found = if closes { Vec::new() } else { items::all(&grammar, kind) };
        Self { grammar, closes, found, context, kind }
    }
}

impl AnswerReader for Reader<'_> {
    fn answer(&self) -> Result<Match, NoMatch> {
        if self.closes {
            return Err(NoMatch { reason: "acknowledgement" });
        }
        let message = self.grammar.tokens.message;
        let whole = |words: Range<usize>| {
            let value = self.whole(words.clone())?;
            Some(Found::of(value, &message.all()[words]))
        };
        let takes_back = |cut| anywhere(message.languages(), TURN, message.all(), cut) > 0 && !self.adds(cut);
        remainder::Parts { whole, takes_back }.read(self.grammar.lexicon, message)
    }

    /// Every value that a message holds. A bare number is one only when it is the message.
    fn values(&self) -> Vec<Candidate> {
        let tokens = &self.grammar.tokens;
        let said = self.said(&(0..tokens.all.len())).into_iter();
        let sure = said.filter(|said| !said.weak || said.tokens.len() == tokens.all.len());
        let found = sure.map(|said| Found { value: said.value, span: tokens.bytes(said.tokens) });
        found.map(|found| Candidate { found, fit: 0 }).collect()
    }
}
