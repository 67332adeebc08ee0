//! One of the named options (`spec 02 §6`, `selection`): by label, number, ordinal or letter, or by words of one label
//! that no other option has.
//!
//! [`compare`] finds what of the options stands in the message, [`position`] what says a place in the list. An option
//! is picked when one of them, and what may stand around an answer ([`frame`]), is all of the message, and no other
//! option can be read like that. What two options share, what asks for something else, what says "not" picks nothing:
//! there is no choice by elimination (`spec 04 §10`) and no guess at a misspelling (`spec 04 §7`, *Advisory*).

mod compare;
mod frame;
mod normal;
mod position;

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::Range;

use super::lexicon::{Lexicon, SectionId};
use super::words::{Gap, Word, Words};
use super::{Context, Match, NoMatch, Value, clause, named};
use compare::{Compared, Mention, Set};
use frame::{Frame, Piece};
use position::{Position, Positions, Said};

pub(crate) const LEAD: SectionId = named("selection.lead");

/// Reads a choice, with a remainder when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    options: &[String],
) -> Result<Match, NoMatch> {
    let choice = Choice::of(lexicon, message, context, options);
    let whole = choice.pick(message.all());
    if let Some(reason) = choice.open.get() {
        return Err(NoMatch { reason });
    }
    let value = |option: usize| Value::Selection(options[option].clone());
    if let Some(option) = whole {
        return Ok(Match { value: value(option), remainder: None });
    }
    let found = clause::read(lexicon, message, |said| choice.pick(said).map(value))?;
    Ok(found)
}

/// Where the message names options, whatever else it says: whole labels, and words of one option only. Positions are
/// not among them: a number in a sentence may count anything.
pub(crate) fn values(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    options: &[String],
) -> Vec<(Range<usize>, Value)> {
    let choice = Choice::of(lexicon, message, context, options);
    let mut named: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < message.all().len() {
        match choice.named(at) {
            Some(mention) => {
                at = mention.words.end;
                named.push(mention);
            }
            None => at += 1,
        }
    }
    let value = |mention: Mention| (mention.words, Value::Selection(options[mention.option].clone()));
    named.into_iter().map(value).collect()
}

struct Choice<'m> {
    message: &'m Words,
    found: Compared,
    frame: Frame<'m>,
    positions: Positions<'m>,
    /// Why nothing can be picked whatever else is tried: two options fit, or the list is shorter.
    open: Cell<Option<&'static str>>,
}

impl<'m> Choice<'m> {
    fn of(
        lexicon: &'static Lexicon,
        message: &'m Words,
        context: &'m Context<'_>,
        options: &[String],
    ) -> Self {
        Self {
            message,
            found: Compared::of(lexicon, message, options),
            frame: Frame::of(lexicon, message, context),
            positions: Positions { lexicon, message, count: options.len() },
            open: Cell::new(None),
        }
    }

    /// The option these words of the message are, if they do nothing else. The first tier that has one decides.
    fn pick(&self, said: &[Word]) -> Option<usize> {
        let from = said.first().map(|word| compare::place(self.message, word))?;
        let words = from..from + said.len();
        // "Swansea?" asks.
        if said.len() == 1 && said[0].after == Gap::Question {
            return None;
        }
        self.whole(&words).or_else(|| self.whole_label(&words)).or_else(|| self.by_words(&words))
    }

    /// The words are a label, and nothing else.
    fn whole(&self, words: &Range<usize>) -> Option<usize> {
        let mut fitting: Vec<usize> =
            self.found.labels.iter().filter(|label| label.words == *words).map(|label| label.option).collect();
        if *words == (0..self.message.all().len()) && !self.found.whole.is_empty() {
            fitting.clone_from(&self.found.whole);
        }
        let place = self.positions.among(words.clone()).flatten().find(|p| p.mention.words == *words && !p.letter);
        match (fitting.as_slice(), place) {
            ([], _) => None,
            // A list of "2" and "1", and somebody says "2".
            ([one], Some(other)) if other.mention.option != *one => self.ask("ambiguous"),
            ([one], _) => Some(*one),
            _ => self.ask("ambiguous"),
        }
    }

    /// A whole label or a position, and what may stand around it.
    fn whole_label(&self, words: &Range<usize>) -> Option<usize> {
        let within = |mention: &&Mention| mention.words.start >= words.start && mention.words.end <= words.end;
        let mut pieces: Vec<Piece> =
            self.found.labels.iter().filter(within).map(|label| Piece::of(label.clone(), false)).collect();
        let labelled = !pieces.is_empty();
        let mut beyond = false;
        for position in self.positions.among(words.clone()) {
            match position {
                Some(Position { letter: true, .. }) if labelled => {}
                Some(position) => pieces.push(Piece::of(position.mention, position.said == Said::Bare)),
                None => beyond = true,
            }
        }
        let picked = self.explained(words, &pieces, false);
        if picked.is_none() && beyond && pieces.is_empty() && self.by_words(words).is_none() {
            return self.ask_when("out of range", self.frame.only_numbers(words));
        }
        picked
    }

    /// Words of one label, with one among them that no other label has, and what may stand around them.
    fn by_words(&self, words: &Range<usize>) -> Option<usize> {
        let mut pieces = Vec::new();
        let (mut telling, mut shared): (Set, bool) = (0, false);
        for word in words.clone() {
            let holders = self.found.holders(word);
            if holders == 0 || !self.found.exact(word) && self.frame.explains(word) {
                continue;
            }
            if !self.frame.explains(word) {
                if holders.count_ones() == 1 { telling |= holders } else { shared = true }
            }
            pieces.extend(options(holders).map(|option| Piece::of(Mention { words: word..word + 1, option }, false)));
        }
        for (name, holders) in self.found.names() {
            if name.start < words.start || name.end > words.end {
                continue;
            }
            if holders.count_ones() == 1 { telling |= holders } else { shared = true }
            pieces.extend(options(holders).map(|option| Piece::of(Mention { words: name.clone(), option }, false)));
        }
        if telling == 0 {
            return self.ask_when("ambiguous", shared);
        }
        pieces.retain(|piece| telling & 1 << piece.mention.option != 0);
        self.explained(words, &pieces, true)
    }

    /// The one option whose pieces explain all of the words.
    fn explained(&self, words: &Range<usize>, pieces: &[Piece], scattered: bool) -> Option<usize> {
        let mut tried: Vec<usize> = pieces.iter().map(|piece| piece.mention.option).collect();
        tried.sort_unstable();
        tried.dedup();
        let mut fitting = tried.into_iter().filter(|option| {
            self.frame.holds(words, pieces.iter().filter(|piece| piece.mention.option == *option), scattered)
        });
        match (fitting.next(), fitting.next()) {
            (Some(_), Some(_)) => self.ask("ambiguous"),
            (one, _) => one,
        }
    }

    /// The longest thing at this word that names one option and no other.
    fn named(&self, at: usize) -> Option<Mention> {
        let longest = self.found.labels.iter().filter(|label| label.words.start == at).max_by_key(|l| l.words.end);
        let only = |set: Set| (set.count_ones() == 1).then(|| set.trailing_zeros() as usize);
        let word = || {
            let own = self.found.exact(at) || !self.frame.explains(at);
            let option = only(self.found.holders(at)).filter(|_| own && !self.frame.explains(at))?;
            Some(Mention { words: at..at + 1, option })
        };
        let name = || {
            let (words, options) = self.found.names().filter(|(words, _)| words.start == at).last()?;
            Some(Mention { words: words.clone(), option: only(options)? })
        };
        longest.cloned().or_else(word).or_else(name)
    }

    /// Nothing is picked, and nothing will be.
    fn ask(&self, reason: &'static str) -> Option<usize> {
        self.open.set(Some(reason));
        None
    }

    fn ask_when(&self, reason: &'static str, so: bool) -> Option<usize> {
        if so { self.ask(reason) } else { None }
    }
}

fn options(set: Set) -> impl Iterator<Item = usize> {
    (0..compare::MOST).filter(move |option| set & 1 << option != 0)
}

#[cfg(test)]
mod tests;
