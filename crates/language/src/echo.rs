//! Words of the question that the answer repeats: "the city is Swansea", "number of people: 3", "A shared ride is fine"
//! after "Would you like a shared ride?".
//!
//! Such words say nothing new. Recognisers of values skip them ([`Echo::longest`]); yes and no read them as one word,
//! `@` in the phrases of a lexicon ([`Echo::merged`]).

use alloc::vec::Vec;

use super::budget::LONGEST;
use super::lexicon::{Lexicon, Section, SectionId, WordId};
use super::section;
use super::words::{Gap, MOST, Word, Words};

/// Stand before and behind words of the question in an answer: "the number of … is".
const BEFORE: SectionId = section("echo.before");
const AFTER: SectionId = section("echo.after");
/// Never say what a question is about: "time" in "What time do you want the car?".
const LIGHT: SectionId = section("light");
/// Words that carry the sentence, not what it is about: they are never an echo by themselves.
const SMALL: SectionId = section("echo.small");
/// Small words that are always written large.
const NEVER: SectionId = section("echo.never");
/// Endings of a word that leave it the same word.
pub(crate) const ENDING: SectionId = section("ending");
/// The number of small words that may be between two words of an echo: "the curse of the house".
const BETWEEN: usize = 2;

/// A message read against the question it answers.
#[derive(Clone, Copy)]
pub(crate) struct Echo<'e> {
    lexicon: &'static Lexicon,
    message: &'e Words,
    question: &'e Words,
}

impl<'e> Echo<'e> {
    pub(crate) fn of(lexicon: &'static Lexicon, message: &'e Words, question: &'e Words) -> Self {
        Self { lexicon, message, question }
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    /// Counts the words from `at` on that echo the question: its words, what leads to them, and "is" behind them.
    pub(crate) fn longest(&self, words: &[Word], at: usize) -> usize {
        let mut to = at;
        loop {
            let noun = to + self.list(BEFORE).longest(words, to);
            match words.get(noun) {
                Some(word) if self.is_asked(word) => to = noun + 1,
                _ => break,
            }
        }
        if to == at { 0 } else { to + self.list(AFTER).longest(words, to) - at }
    }

    /// True if the question has the word, and the word says what is asked about.
    pub(crate) fn is_asked(&self, word: &Word) -> bool {
        self.has(word) && !self.list(LIGHT).is(core::slice::from_ref(word))
    }

    /// True if the question has the word, maybe with another ending. A number repeats nothing.
    pub(crate) fn has(&self, word: &Word) -> bool {
        let (endings, said) = (self.list(ENDING), self.message.folded(word));
        let asked = |asked: &Word| akin(endings, self.question.folded(asked), said);
        !word.digit && self.question.all().iter().take(MOST).any(asked)
    }

    /// The words of the message with every echo as one word; `None` without an echo. Only the sentence that asks can be
    /// repeated: the sentences before it are no question.
    pub(crate) fn merged(&self) -> Option<Vec<Word>> {
        let (words, asked) = (self.message.all(), sentence(self.question.all()));
        if asked.is_empty() || words.len() > MOST {
            return None;
        }
        let mut merged: Vec<Word> = Vec::with_capacity(words.len());
        let mut at = 0;
        while at < words.len() {
            let end = self.end(at, asked);
            let mut word = words[at];
            if end > at {
                let last = words[end - 1];
                (word.id, word.digit, word.end, word.after) = (WordId::ECHO, false, last.end, last.after);
            }
            merged.push(word);
            at = end.max(at + 1);
        }
        merged.iter().any(|word| word.id == WordId::ECHO).then_some(merged)
    }

    /// Finds where the echo that begins at `from` ends; `from` when there is none. An echo begins and ends with no
    /// small word.
    fn end(&self, from: usize, asked: &[Word]) -> usize {
        let words = self.message.all();
        let (mut end, mut next) = (from, from);
        while next < words.len() && next <= end + BETWEEN {
            let named = words[next].capital
                && !self.list(NEVER).at(words, next)
                && (names(words[next].id, asked) || self.names(&words[next]));
            let small = self.list(SMALL).at(words, next) && !named;
            if next == from && small || !self.repeats(next, small, asked) {
                break;
            }
            next += 1;
            end = if small { end } else { next };
            if words[next - 1].after > Gap::Space {
                break;
            }
        }
        end
    }

    /// True if a word is one of a name anywhere in the question: "I found True Grit. Would you like to see it?"
    fn names(&self, word: &Word) -> bool {
        let all = self.question.all();
        let name = |pair: &[Word]| {
            pair[0].after == Gap::Space
                && pair[1].capital
                && self.question.folded(&pair[1]) == self.message.folded(word)
        };
        word.capital && all[..all.len().min(MOST)].windows(2).any(name)
    }

    /// True if the question has this word of the message too. A number has to be first, or behind the same word: "for
    /// 7" does not repeat "for 2 at 7".
    fn repeats(&self, at: usize, small: bool, asked: &[Word]) -> bool {
        let (words, text) = (self.message.all(), self.message.folded(&self.message.all()[at]));
        let said = |word: &Word| self.question.folded(word);
        match words[at] {
            word if small => asked.iter().any(|asked| asked.id == word.id),
            word if word.digit && at == 0 => asked.iter().any(|asked| said(asked) == text),
            word if word.digit => asked
                .windows(2)
                .any(|pair| said(&pair[1]) == text && said(&pair[0]) == self.message.folded(&words[at - 1])),
            word => asked.iter().any(|word| akin(self.list(ENDING), said(word), text)) || self.names(&word),
        }
    }
}

/// True if a word has a capital inside the question: small words make names too, as in "True Grit".
fn names(word: WordId, asked: &[Word]) -> bool {
    asked.windows(2).any(|pair| pair[0].after == Gap::Space && pair[1].capital && pair[1].id == word)
}

/// The sentence that asks: the last one with a question mark, else the last one. "How about that?" asks for what the
/// one before it says.
pub(crate) fn sentence(question: &[Word]) -> &[Word] {
    const SHORT: usize = 5;
    let end = question.iter().rposition(|w| w.after == Gap::Question).map_or(question.len(), |at| at + 1);
    let begin = |end: usize| {
        let before = question[..end.saturating_sub(1)].iter();
        before.clone().rposition(|w| w.after >= Gap::Hard).map_or(0, |at| at + 1)
    };
    let mut from = begin(end);
    if end - from < SHORT {
        from = begin(from);
    }
    &question[from.max(end.saturating_sub(MOST))..end]
}

/// True if two words differ in their endings only. Longer texts than a word may be are the same or different.
pub(crate) fn akin(endings: Section, one: &str, other: &str) -> bool {
    one == other
        || one.get(..3) == other.get(..3)
            && (3..=LONGEST).contains(&one.len())
            && other.len() <= LONGEST
            && stem(endings, one) == stem(endings, other)
}

/// A word without the endings the language lists, each with how many letters it leaves at least.
fn stem(endings: Section, word: &str) -> &str {
    let mut stem = word;
    // A plural of a plural there is not, but "moderately" ends in "ly" and then in "e".
    for _ in 0..2 {
        let shorter = (1..=5).rev().find_map(|length| {
            let root = stem.get(..stem.len().checked_sub(length)?)?;
            let least = endings.spelled(&stem[root.len()..])?;
            (root.chars().count() as u64 >= least).then_some(root)
        });
        let Some(shorter) = shorter else { break };
        stem = shorter;
    }
    // "running" is "runn" now.
    let mut ends = stem.char_indices().rev();
    match (ends.next(), ends.next()) {
        (Some((at, last)), Some((_, before))) if last == before && stem.len() < word.len() => &stem[..at],
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::ANSWERS;

    #[test]
    fn words_that_are_one_but_for_their_endings() {
        for (language, one, other, same) in [
            ("en", "leave", "leaving", true),
            ("en", "travel", "travelling", true),
            ("en", "ticket", "tickets", true),
            ("en", "share", "shared", true),
            ("en", "car", "card", false),
            ("en", "depart", "department", false),
            ("de", "abfahrt", "abfahrten", true),
            ("de", "übergabe", "übergaben", true),
        ] {
            let endings = ANSWERS.lexicon(language.parse().unwrap()).section(ENDING);
            assert_eq!(akin(endings, one, other), same, "{one} {other}");
        }
    }
}
