//! One of the named options: by label, number, ordinal or letter, or by words of one label that no other option has.
//!
//! [`compare`] finds the parts of options in the message, [`position`] the places in the list. An option is picked when
//! one of them, and what may stand around an answer ([`frame`]), is all of the message, and no other option can be read
//! like that. Words that two options share, that ask for something else or that say "not" pick nothing: there is no
//! choice by elimination and no guess at a misspelling (`docs/design/0022-choosing-an-option.md`).

mod amount;
mod compare;
mod condition;
mod frame;
mod position;

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::Range;

use super::embedded::Candidate;
use super::lexicon::{ANSWERS, Lexicon, SectionId};
use super::words::{Gap, Words};
use super::{Context, Found, Match, NoMatch, Value, remainder, section};
use crate::read::AnswerReader;
pub use amount::names_no_place;
use compare::{Compared, Mention, Set};
pub use condition::begins_condition;
use frame::{Frame, Piece};
use position::{Position, Positions, Said};

pub(crate) const LEAD: SectionId = section("selection.lead");
const ORDINAL: SectionId = section("ordinal");
const TURN: SectionId = section("turn");
const ONWARD: SectionId = section("selection.onward");
const ASIDE: SectionId = section("turn.any");

/// Reads the options a message names.
pub(crate) struct Reader<'r> {
    lexicon: &'static Lexicon,
    message: &'r Words,
    context: &'r Context<'r>,
    options: &'r [String],
    found: Compared,
    days: Vec<u64>,
}

impl<'r> Reader<'r> {
    pub(crate) fn of(
        lexicon: &'static Lexicon,
        message: &'r Words,
        context: &'r Context<'r>,
        options: &'r [String],
    ) -> Self {
        let found = Compared::of(lexicon, message, options);
        Self { lexicon, message, context, options, found, days: position::days(lexicon, message, options) }
    }

    fn choice(&self) -> Choice<'_> {
        let Self { lexicon, message, context, options, found, days } = self;
        let positions = Positions { lexicon, message, count: options.len(), days };
        let frame = Frame::of(lexicon, message, context, (found, options.len()));
        Choice { message, found, frame, positions, open: Cell::new(None) }
    }
}

impl AnswerReader for Reader<'_> {
    fn answer(&self) -> Result<Match, NoMatch> {
        let choice = self.choice();
        let parts = remainder::Parts {
            whole: |said: Range<usize>| choice.pick(said).map(|mention| choice.found(mention, self.options)),
            takes_back: |cut: usize| choice.takes_back(cut),
        };
        let read = parts.read(self.lexicon, self.message);
        read.map_err(|no| choice.open.get().map_or(no, |reason| NoMatch { reason }))
    }

    /// Finds the options that the message names, whatever else it says: by whole labels, and by words of one option
    /// only. Positions do not count, for a number in a sentence may count anything; nor does anything where something
    /// is excluded.
    fn values(&self) -> Vec<Candidate> {
        self.named(|_, _| true)
    }

    /// A text that mentions an option does not choose it: "Seaview is too far" says something about it.
    fn told(&self) -> Vec<Candidate> {
        self.named(|choice, mention| choice.frame.chooses(&mention.words))
    }
}

impl Reader<'_> {
    fn named(&self, counts: impl Fn(&Choice<'_>, &Mention) -> bool) -> Vec<Candidate> {
        let words = self.message.all();
        if self.message.languages().lexicons(&ANSWERS).any(|lexicon| lexicon.section(ASIDE).within(words)) {
            return Vec::new();
        }
        let choice = self.choice();
        let (mut all, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let named = choice.named(at);
            at = named.as_ref().map_or(at + 1, |mention| mention.words.end);
            let named = named.filter(|mention| counts(&choice, mention));
            all.extend(named.map(|mention| Candidate { found: choice.found(mention, self.options), fit: 0 }));
        }
        all
    }
}

/// The result of one way of choosing: an option, or the reason why the person has to be asked.
type Tier = Result<Mention, &'static str>;

const AMBIGUOUS: &str = "ambiguous";

struct Choice<'m> {
    message: &'m Words,
    found: &'m Compared,
    frame: Frame<'m>,
    positions: Positions<'m>,
    /// The reason to ask: two options fit, or the list is shorter. Then nothing else is tried.
    open: Cell<Option<&'static str>>,
}

impl<'m> Choice<'m> {
    fn found(&self, mention: Mention, options: &[String]) -> Found {
        Found::of(Value::Selection(options[mention.option].clone()), &self.message.all()[mention.words])
    }

    /// The option these words of the message are, if they do nothing else. The first tier that has one decides.
    fn pick(&self, words: Range<usize>) -> Option<Mention> {
        let said = &self.message.all()[words.clone()];
        // "Swansea?" asks.
        if self.open.get().is_some() || said.len() == 1 && said[0].after == Gap::Question {
            return None;
        }
        let tier = self.whole(&words).or_else(|| self.by_label(&words)).or_else(|| self.by_words(&words))?;
        tier.map_err(|reason| self.open.set(Some(reason))).ok()
    }

    /// The words are a label, and nothing else.
    fn whole(&self, words: &Range<usize>) -> Option<Tier> {
        let mut fitting: Vec<usize> = self
            .found
            .labels
            .iter()
            .filter(|label| label.words == *words)
            .map(|label| label.option)
            .collect();
        if *words == (0..self.message.all().len()) && !self.found.whole.is_empty() {
            fitting.clone_from(&self.found.whole);
        }
        let positions = self.positions.among(words.clone()).flatten();
        let other = |option: usize| {
            let differs = |place: Position| place.mention.words == *words && place.mention.option != option;
            positions.filter(|place| !place.letter).any(differs)
        };
        match fitting.as_slice() {
            [] => None,
            // A list of "2" and "1", and somebody says "2".
            [option] if !other(*option) => Some(Ok(Mention { words: words.clone(), option: *option })),
            _ => Some(Err(AMBIGUOUS)),
        }
    }

    /// A whole label or a position, and phrases around it.
    fn by_label(&self, words: &Range<usize>) -> Option<Tier> {
        let mut pieces: Vec<Piece> =
            self.labels(words).map(|label| self.frame.piece(label.clone())).collect();
        let labelled = !pieces.is_empty();
        let mut beyond = false;
        for position in self.positions.among(words.clone()) {
            match position {
                Some(Position { letter: true, .. }) if labelled => {}
                Some(Position { mention, said, .. }) => {
                    // "The second one", where an option is "Second Street".
                    let others = options(self.found.exactly(mention.words.start));
                    pieces
                        .extend(others.map(|option| {
                            self.frame.piece(Mention { words: mention.words.clone(), option })
                        }));
                    pieces.push(Piece { mention, strict: said == Said::Bare });
                }
                None => beyond = true,
            }
        }
        let beyond = || beyond && self.frame.all_but_one(words) && self.by_words(words).is_none();
        self.explained(words, &pieces, false).or_else(|| beyond().then_some(Err("out of range")))
    }

    /// Words of one label, one of them in no other label, and phrases around them.
    fn by_words(&self, words: &Range<usize>) -> Option<Tier> {
        let mut pieces = Vec::new();
        let (mut telling, mut shared): (Set, bool) = (0, false);
        for (part, holders, tells) in self.parts(words) {
            match holders.count_ones() {
                1 if tells => telling |= holders,
                _ => shared |= tells,
            }
            let mention = |option| Mention { words: part.clone(), option };
            pieces.extend(options(holders).map(|option| Piece { mention: mention(option), strict: false }));
        }
        if telling == 0 {
            return shared.then_some(Err(AMBIGUOUS));
        }
        pieces.retain(|piece| telling & 1 << piece.mention.option != 0);
        self.explained(words, &pieces, true)
    }

    /// The words of options among these, with the options that have them, and true if they tell one option from
    /// another.
    fn parts(&self, words: &Range<usize>) -> impl Iterator<Item = (Range<usize>, Set, bool)> {
        let single = words.clone().filter_map(|word| {
            let (holders, framed) = (self.found.holders(word), self.frame.explains(word));
            // What frames have counts only as it is, "check" is not the option "checking", and tells nothing but behind
            // an article: "open the house" does not name Open House, "the open one" does.
            let counts = holders != 0 && (!framed || self.found.exactly(word) != 0);
            let tells = !framed || self.frame.definite(word);
            counts.then(|| (word..word + 1, holders, tells))
        });
        let within = words.clone();
        let names =
            self.found.names().filter(move |(name, _)| name.start >= within.start && name.end <= within.end);
        single.chain(names.map(|(name, holders)| (name.clone(), holders, true)))
    }

    fn labels(&self, words: &Range<usize>) -> impl Iterator<Item = &'m Mention> {
        let (start, end) = (words.start, words.end);
        self.found.labels.iter().filter(move |label| label.words.start >= start && label.words.end <= end)
    }

    /// The one option whose pieces explain all of the words.
    fn explained(&self, words: &Range<usize>, pieces: &[Piece], scattered: bool) -> Option<Tier> {
        let mut tried: Vec<usize> = pieces.iter().map(|piece| piece.mention.option).collect();
        tried.sort_unstable();
        tried.dedup();
        let own = |option: usize| pieces.iter().filter(move |piece| piece.mention.option == option);
        let mut fitting = tried.into_iter().filter(|option| self.frame.holds(words, own(*option), scattered));
        let option = fitting.next()?;
        if fitting.next().is_some() || self.names_another(words, option, own(option)) {
            return Some(Err(AMBIGUOUS));
        }
        let all = own(option).map(|piece| piece.mention.words.clone());
        let words = all.reduce(|all, next| all.start.min(next.start)..all.end.max(next.end))?;
        Some(Ok(Mention { words, option }))
    }

    /// True if another option's whole label is beside these pieces: "I want to watch", of Watch and Read.
    fn names_another<'p>(
        &self,
        words: &Range<usize>,
        option: usize,
        pieces: impl Iterator<Item = &'p Piece> + Clone,
    ) -> bool {
        self.labels(words).any(|label| {
            let apart = |piece: &Piece| {
                let words = &piece.mention.words;
                words.end <= label.words.start || words.start >= label.words.end
            };
            label.option != option && !self.frame.little(&label.words) && pieces.clone().all(apart)
        })
    }

    /// True if a clause that begins here changes what was said before it, or names options as well.
    fn takes_back(&self, cut: usize) -> bool {
        let words = self.message.all();
        let list = |id| self.positions.lexicon.section(id);
        // "Second, I need a crib" counts what is said.
        if cut == 1 && words[0].after == Gap::Soft && list(ORDINAL).value(&words[0]).is_some() {
            return true;
        }
        let end =
            (cut..words.len()).find(|at| words[*at].after >= Gap::Hard).map_or(words.len(), |at| at + 1);
        // "Dumbo is good. But now find me a song" goes on; "Dumbo is good. But not today" does not.
        let onward = words[cut - 1].after >= Gap::Hard
            && list(ONWARD).at(words, cut)
            && !(cut + 1..end).any(|at| list(ASIDE).at(words, at));
        list(TURN).at(words, cut) && !onward
    }

    /// The longest thing at this word that is the whole label of one option, at least but for its ending or by its
    /// everyday name. Single words of a longer label describe as often as they name.
    fn named(&self, at: usize) -> Option<Mention> {
        let here = || self.found.labels.iter().filter(|label| label.words.start == at);
        if let Some(longest) = here().max_by_key(|label| label.words.end) {
            let alone = here().filter(|label| label.words == longest.words).count() == 1;
            return (alone && !self.frame.qualified(at)).then(|| longest.clone());
        }
        let rest = at..self.message.all().len();
        let tells = self.parts(&rest).filter(|(words, holders, tells)| {
            words.start == at && *tells && holders.count_ones() == 1 && self.found.nearly(words) == *holders
        });
        let (words, holders, _) = tells.max_by_key(|(words, ..)| words.end)?;
        let option = holders.trailing_zeros() as usize;
        (!self.frame.unlike(at)).then_some(Mention { words, option })
    }
}

fn options(set: Set) -> impl Iterator<Item = usize> {
    (0..compare::MOST).filter(move |option| set & 1 << option != 0)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vetoes;
