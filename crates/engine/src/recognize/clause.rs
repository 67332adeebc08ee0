//! An answer and more: the message begins or ends with a clause that is a whole answer (`spec 02 §5.4`).

use alloc::string::{String, ToString};
use core::ops::Range;

use super::lexicon::{Lexicon, Section, SectionId, anywhere};
use super::words::{Gap, MOST, Word, Words};
use super::{Found, Match, NoMatch, named};

/// An answer clause is short; a longer one is a sentence of its own.
const LONGEST: usize = 16;
/// So far into a message an answer and its rest reach: who prepares more than that does it for nothing.
pub(super) const REACH: usize = LONGEST + MOST;

const JOINER: SectionId = named("joiner");
const TURN: SectionId = named("turn");
const LIGHT: SectionId = named("light");
const ECHO_BEFORE: SectionId = named("echo.before");
const ECHO_AFTER: SectionId = named("echo.after");

/// How a recogniser reads the parts of a message.
pub(crate) struct Parts<W, T> {
    /// The answer these words of the message are, if they are nothing else.
    pub(crate) whole: W,
    /// Whether the clause that begins at this word changes what was said before it.
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
    Parts { whole, takes_back: |cut| anywhere(TURN, message.all(), cut) > 0 }.read(lexicon, message)
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

    /// The longest first clause that is an answer, with a rest that is none and takes nothing back.
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

/// The question's own words in an answer: "the city is Swansea", "number of people: 3" (`spec 02 §6`).
pub(crate) struct Echo<'e> {
    lexicon: &'static Lexicon,
    message: &'e Words,
    question: &'e Words,
}

impl<'e> Echo<'e> {
    pub(crate) fn of(lexicon: &'static Lexicon, message: &'e Words, question: &'e Words) -> Self {
        Self { lexicon, message, question }
    }

    /// How many words from `at` on echo the question: its words, what leads to them, and "is" behind them.
    pub(crate) fn longest(&self, words: &[Word], at: usize) -> usize {
        let list = |id| self.lexicon.section(id);
        let mut to = at;
        loop {
            let noun = to + list(ECHO_BEFORE).longest(words, to);
            match words.get(noun) {
                Some(word) if self.is_asked(word) => to = noun + 1,
                _ => break,
            }
        }
        if to == at { 0 } else { to + list(ECHO_AFTER).longest(words, to) - at }
    }

    /// Whether the question has the word, and it says what is asked about.
    pub(crate) fn is_asked(&self, word: &Word) -> bool {
        let said = self.message.folded(word);
        let asked = |asked: &Word| akin(self.question.folded(asked), said);
        !word.digit
            && self.question.all().iter().take(MOST).any(asked)
            && !self.lexicon.section(LIGHT).is(core::slice::from_ref(word))
    }
}

/// Two words of which this much is the same at their beginning have one stem: "leave" and "leaving".
const STEM: usize = 4;

/// Words of one stem, as far as their beginnings tell.
pub(crate) fn akin(one: &str, other: &str) -> bool {
    if one.as_bytes().first() != other.as_bytes().first() {
        return false;
    }
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    one == other || (same >= STEM && longest - same <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_stem() {
        for (one, other, same) in [
            ("leave", "leaving", true),
            ("transfer", "transferring", false),
            ("ticket", "tickets", true),
            ("car", "card", false),
            ("depart", "department", false),
            ("über", "übers", true),
        ] {
            assert_eq!(akin(one, other), same, "{one} {other}");
        }
    }
}
