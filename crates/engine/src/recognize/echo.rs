//! What a message repeats of the question it answers: "A shared ride is fine" after "Would you like a shared ride?"
//! (`spec 02 §6`: an echo of the question's own noun).
//!
//! Such words say nothing new, so they are read as one word, which phrases of a lexicon name `@`. Only the sentence that
//! asks can be repeated: what was told before it is not what was asked.

use alloc::vec::Vec;

use super::lexicon::{Lexicon, SectionId, WordId};
use super::named;
use super::words::{Gap, MOST, Word, Words};

/// Words that carry the sentence, not what it is about: they are never an echo by themselves.
const SMALL: SectionId = named("echo.small");
/// Small words that are always written large.
const NEVER: SectionId = named("echo.never");
/// How many small words may stand between two words of an echo: "the curse of the house".
const BETWEEN: usize = 2;

/// The words of a message with every echo as one word; nothing when it has none.
pub(crate) fn merged(lexicon: &'static Lexicon, message: &Words, question: &Words) -> Option<Vec<Word>> {
    let asked = sentence(question.all());
    let (small, never) = (lexicon.section(SMALL), lexicon.section(NEVER));
    if asked.is_empty() || message.all().len() > MOST {
        return None;
    }
    let words = message.all();
    let mut merged: Vec<Word> = Vec::with_capacity(words.len());
    let (mut at, mut found) = (0, false);
    while at < words.len() {
        let from = at;
        let (mut end, mut next) = (from, from);
        while next < words.len() && next <= end + BETWEEN {
            let named = words[next].capital && !never.at(words, next) && names(words[next].id, asked);
            let is_small = small.at(words, next) && !named;
            if next == from && is_small || !repeats(message, next, is_small, question, asked) {
                break;
            }
            next += 1;
            if !is_small {
                end = next;
            }
            if words[next - 1].after > Gap::Space {
                break;
            }
        }
        if end > from {
            let (mut echo, last) = (words[from], words[end - 1]);
            (echo.id, echo.digit, echo.end, echo.after) = (WordId::ECHO, false, last.end, last.after);
            merged.push(echo);
            (at, found) = (end, true);
        } else {
            merged.push(words[from]);
            at += 1;
        }
    }
    found.then_some(merged)
}

/// Whether a word is written large inside the question: small words make names too, as "True Grit".
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

/// Whether the question has this word too. A number has to stand first, or behind the same word: "for 7" does
/// not repeat "for 2 at 7".
fn repeats(message: &Words, at: usize, small: bool, question: &Words, asked: &[Word]) -> bool {
    let word = &message.all()[at];
    let text = message.folded(word);
    (0..asked.len()).any(|i| {
        if small {
            return asked[i].id == word.id;
        }
        if !word.digit {
            return alike(text, question.folded(&asked[i]));
        }
        let before = at.checked_sub(1).zip(i.checked_sub(1));
        question.folded(&asked[i]) == text
            && (at == 0
                || before
                    .is_some_and(|(at, i)| message.folded(&message.all()[at]) == question.folded(&asked[i])))
    })
}

/// Whether two words are one, but for an ending: "share", "shared", "sharing"; "reserve", "reservation".
fn alike(a: &str, b: &str) -> bool {
    const STEM: usize = 4;
    const ENDING: usize = 3;
    const LONG_STEM: usize = 6;
    const LONG_ENDING: usize = 5;
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    same == long
        || (same >= STEM && long - same <= ENDING)
        || (same >= LONG_STEM && short - same <= 1 && long - same <= LONG_ENDING)
        || (same == short && same + 1 == STEM && long - same == ENDING)
}
