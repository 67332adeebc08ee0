//! Messages that begin or end with a clause that is a whole answer; the rest is handed back.

use alloc::string::{String, ToString};
use core::ops::Range;

use super::lexicon::{Lexicon, Section, SectionId, anywhere};
use super::words::{Gap, MOST, Word, Words};
use super::{Found, Match, NoMatch, section};

/// An answer clause is short; a longer one is a sentence of its own.
const LONGEST: usize = 16;
/// So far into a message an answer and its rest reach: who prepares more than that does it for nothing.
pub(super) const REACH: usize = LONGEST + MOST;

const JOINER: SectionId = section("joiner");
const TURN: SectionId = section("turn");

/// The functions by which a reader reads the parts of a message.
pub(crate) struct Parts<W, T> {
    /// The answer these words of the message are, if they are nothing else.
    pub(crate) whole: W,
    /// True if the clause that begins at this word changes what was said before it.
    pub(crate) takes_back: T,
}

/// Reads the whole message with `whole`, or its first or last clause when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    whole: impl Fn(&[Word]) -> Option<Found>,
) -> Result<Match, NoMatch> {
    read_at(lexicon, message, |at| whole(&message.all()[at]))
}

/// [`read`], for who needs to know where in the message the words are.
pub(crate) fn read_at(
    lexicon: &'static Lexicon,
    message: &Words,
    whole: impl Fn(Range<usize>) -> Option<Found>,
) -> Result<Match, NoMatch> {
    Parts { whole, takes_back: |cut| anywhere(message.languages(), TURN, message.all(), cut) > 0 }
        .read(lexicon, message)
}

impl<W: Fn(Range<usize>) -> Option<Found>, T: Fn(usize) -> bool> Parts<W, T> {
    /// [`read`], with another idea of what takes an answer back.
    pub(crate) fn read(&self, lexicon: &'static Lexicon, message: &Words) -> Result<Match, NoMatch> {
        if let Some(found) = self.whole(0..message.all().len()) {
            return Ok(found.and(None));
        }
        self.first(message, lexicon.section(JOINER))
            .or_else(|| self.last(message))
            .ok_or(NoMatch { reason: "unexplained word" })
    }

    fn whole(&self, words: Range<usize>) -> Option<Found> {
        if words.len() > MOST { None } else { (self.whole)(words) }
    }

    /// The longest first clause that is an answer, if the rest is none and takes nothing back.
    fn first(&self, message: &Words, joiner: Section) -> Option<Match> {
        let words = message.all();
        (1..words.len().min(LONGEST + 1)).rev().find_map(|cut| {
            let joined = joiner.at(words, cut);
            if words[cut - 1].after == Gap::Space && !joined {
                return None;
            }
            // "Swansea?" asks; "Swansea, or …" and "3, no 4" have not decided.
            if words[cut - 1].after == Gap::Question || (self.takes_back)(cut) {
                return None;
            }
            let rest = cut + usize::from(joined)..words.len();
            let found = self.whole(0..cut)?;
            (rest.len() > 1 && self.whole(rest.clone()).is_none())
                .then(|| found.and(remainder(message, rest.start, rest.end)))
        })
    }

    /// A last sentence that is an answer: only behind a full stop, since "…, for two" belongs to what it follows.
    fn last(&self, message: &Words) -> Option<Match> {
        let words = message.all();
        let cut = (1..words.len()).rev().find(|&i| words[i - 1].after >= Gap::Hard)?;
        let before = words[..cut].iter().rposition(|w| w.after == Gap::Question);
        if cut < 2 || words.len() - cut > LONGEST || before.is_some() || (self.takes_back)(cut) {
            return None;
        }
        Some(self.whole(cut..words.len())?.and(remainder(message, 0, cut)))
    }
}

/// The words from `from` to `to` as the user wrote them, with their punctuation.
pub(crate) fn remainder(message: &Words, from: usize, to: usize) -> Option<String> {
    Some(message.clause(from, to).to_string()).filter(|rest| !rest.is_empty())
}
