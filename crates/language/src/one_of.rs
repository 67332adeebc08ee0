//! A value of a closed set: the value or a synonym of it, with frames around it.
//!
//! Unlike an option of a list that is shown, a value has no place in a row: "the second" names none, and neither does a
//! part of a value.

use alloc::vec::Vec;

use super::echo::Echo;
use super::embedded::{self, Candidate};
use super::lexicon::{Lexicon, SectionId, skip};
use super::words::{Gap, Word, Words};
use super::{Choice, Context, Found, Match, NoMatch, Value, remainder, section};
use crate::read::AnswerReader;

pub(crate) const LEAD: SectionId = section("selection.lead");
const TAIL: [SectionId; 3] = [section("selection.tail"), section("filler"), section("thanks")];

/// Reads the values of a set in a message.
pub(crate) struct Reader<'r> {
    lexicon: &'static Lexicon,
    message: &'r Words,
    names: Names<'r>,
    echo: Echo<'r>,
}

impl<'r> Reader<'r> {
    pub(crate) fn of(
        lexicon: &'static Lexicon,
        message: &'r Words,
        context: &'r Context<'_>,
        choices: &'r [Choice],
    ) -> Self {
        let echo = Echo::of(lexicon, message, context.question());
        Self { lexicon, message, names: Names::of(message, choices), echo }
    }

    /// The value these words are, with a frame around it.
    fn whole(&self, words: &[Word]) -> Option<Found> {
        let tail = TAIL.map(|id| self.lexicon.section(id));
        if words.last()?.after == Gap::Question && words.len() < 3 {
            return None;
        }
        let mut from = 0;
        loop {
            if let Some((value, next)) = self.names.at(words, from)
                && skip(&tail, words, next + self.echo.longest(words, next)) == words.len()
            {
                return Some(Found::of(value, &words[from..next]));
            }
            match self.lexicon.section(LEAD).longest(words, from).max(self.echo.longest(words, from)) {
                0 => return None,
                n => from += n,
            }
        }
    }
}

impl AnswerReader for Reader<'_> {
    fn answer(&self) -> Result<Match, NoMatch> {
        remainder::read(self.lexicon, self.message, |words| self.whole(words))
    }

    fn values(&self) -> Vec<Candidate> {
        let words = self.message.all();
        embedded::along(words, |at| {
            let (value, next) = self.names.at(words, at)?;
            Some((next, Some(Candidate { found: Found::of(value, &words[at..next]), fit: 0 })))
        })
    }
}

/// The values and their synonyms.
struct Names<'n> {
    message: &'n Words,
    choices: &'n [Choice],
    words: Words,
    /// The words of each name, and its value.
    names: Vec<(core::ops::Range<usize>, usize)>,
}

impl<'n> Names<'n> {
    fn of(message: &'n Words, choices: &'n [Choice]) -> Self {
        let called = |choice: &'n Choice| core::iter::once(&choice.value).chain(&choice.synonyms);
        let (words, ranges) = Words::each(choices.iter().flat_map(called).map(|name| name.as_str()));
        let owners = choices.iter().enumerate().flat_map(|(i, choice)| called(choice).map(move |_| i));
        Self { message, choices, names: ranges.into_iter().zip(owners).collect(), words }
    }

    /// The value with the longest name that begins at `at`, and where it ends; none when two values are called so.
    fn at(&self, words: &[Word], at: usize) -> Option<(Value, usize)> {
        let fitting = self.names.iter().filter(|(name, _)| {
            let name = &self.words.all()[name.clone()];
            let same = |(n, w): (&Word, &Word)| self.words.folded(n) == self.message.folded(w);
            !name.is_empty() && words[at..].len() >= name.len() && name.iter().zip(&words[at..]).all(same)
        });
        let longest = fitting.clone().max_by_key(|(name, _)| name.len())?;
        let rivals = |(name, owner): &&(core::ops::Range<usize>, usize)| {
            name.len() == longest.0.len() && *owner != longest.1
        };
        let unique = !fitting.clone().any(|other| rivals(&other));
        unique.then(|| (Value::OneOf(self.choices[longest.1].value.clone()), at + longest.0.len()))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, Expected, Words, read};
    use alloc::string::ToString;

    fn pick(text: &str) -> alloc::string::String {
        let set: Expected =
            "one_of:red=crimson,scarlet|blue=navy|light blue|burgundy=wine red,crimson".parse().unwrap();
        let context = Context::default().to("Which colour would you like the cover in?");
        read(&set, &Words::of(text), &context)
            .map_or_else(|_| "-".into(), |found| found.value.text().to_string())
    }

    #[test]
    fn values_and_synonyms() {
        for (text, value) in [
            ("red", "red"),
            ("Scarlet, please", "red"),
            ("the colour should be navy", "blue"),
            ("Let's go with light blue", "light blue"),
            ("light-blue", "light blue"),
            ("wine red would be great", "burgundy"),
            ("The cover of my book is to be blue in the end", "blue"),
        ] {
            assert_eq!(pick(text), value, "{text}");
        }
        for text in [
            "crimson",
            "red or blue",
            "not red",
            "light",
            "the second",
            "green",
            "which blue do you have?",
            "find me a red car",
            "thanks",
            "",
        ] {
            assert_eq!(pick(text), "-", "{text}");
        }
    }
}
