//! Words that could be a place in a list and are none: "just a second", "I want two", "-1", "Top!".

use crate::lexicon::{Lexicon, Section, SectionId};
use crate::section;
use crate::words::{Word, Words};

const ORDINAL: SectionId = section("ordinal");
const CARDINAL: SectionId = section("selection.cardinal");
const FIRST: SectionId = section("selection.first");
const LAST: SectionId = section("selection.last");
const ANOTHER: SectionId = section("selection.another");
const MEASURE: SectionId = section("selection.measure");
const AMOUNT: SectionId = section("selection.amount");

/// The most words of a phrase that stands before an amount: "I would like".
const BEFORE: usize = 4;

/// True if the word at `at` says how many or how much, or praises, so that it names no place in a list.
///
/// # Examples
///
/// ```
/// use throughline_language::{Words, lexicon::ANSWERS, names_no_place};
///
/// let english = ANSWERS.lexicon("en".parse()?);
/// assert!(names_no_place(english, &Words::of("just a second"), 2));
/// assert!(!names_no_place(english, &Words::of("the second"), 1));
/// # Ok::<(), throughline_language::UnknownLanguage>(())
/// ```
#[must_use]
pub fn names_no_place(lexicon: &'static Lexicon, message: &Words, at: usize) -> bool {
    let words = message.all();
    let Some(word) = words.get(at) else { return false };
    let list = |id| lexicon.section(id);
    let ordinal = list(ORDINAL).value(word).is_some();
    if word.digit || ordinal || list(CARDINAL).value(word).is_some() {
        // "Open two" and "at number 2" count no twos, "a 2" does.
        let another = follows(list(ANOTHER), words, at) && (ordinal || !follows(list(MEASURE), words, at));
        return another || !ordinal && (signed(message, at) || follows(list(AMOUNT), words, at));
    }
    if list(LAST).at(words, at) && follows(list(ANOTHER), words, at) {
        // "At last!"
        return true;
    }
    let praised = message.text().get(word.end..).is_some_and(|rest| rest.trim_start().starts_with('!'));
    words.len() == 1 && praised && list(FIRST).at(words, at)
}

/// True if a phrase of the section ends right before `at`.
fn follows(section: Section, words: &[Word], at: usize) -> bool {
    (1..=BEFORE.min(at)).any(|length| section.ends(words, at - length) & 1 << length != 0)
}

/// True if a sign makes the number one below zero or a difference: "-1", "+2".
fn signed(message: &Words, at: usize) -> bool {
    let Some(word) = message.all().get(at) else { return false };
    let before = message.text().get(..word.at).unwrap_or_default();
    let sign = before.chars().next_back();
    let own = before.chars().rev().nth(1).is_none_or(char::is_whitespace);
    own && matches!(sign, Some('-' | '+' | '\u{2212}' | '\u{2013}' | '\u{b1}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::ANSWERS;

    #[test]
    fn amounts_idioms_and_signs_name_no_place() {
        let none = |language: &str, text: &str| {
            let words = Words::of(text);
            let lexicon = ANSWERS.lexicon(language.parse().unwrap());
            (0..words.all().len()).any(|at| names_no_place(lexicon, &words, at))
        };
        for text in [
            "just a second",
            "one second",
            "I'd like a second one",
            "I second",
            "give me another third",
            "I want two",
            "we need 3",
            "a 2",
            "just a 2",
            "an 8th",
            "I would like two",
            "-1",
            "\u{2212}1",
            "+2",
            "Top!",
        ] {
            assert!(none("en", text), "{text}");
        }
        for text in
            ["2", "second", "the second one", "option 2", "#2", "last", "top", "open two", "2-3", "item - 2"]
        {
            assert!(!none("en", text), "{text}");
        }
        for text in ["ich will zwei", "eine 2", "noch ein zweites", "einen zweiten bitte", "-1"] {
            assert!(none("de", text), "{text}");
        }
        for text in ["die zweite", "2", "nimm zwei", "das letzte"] {
            assert!(!none("de", text), "{text}");
        }
    }
}
