//! Words that make a wish depend on something, or put it off: "if it rains", "tomorrow".

use crate::lexicon::{Lexicon, SectionId};
use crate::section;
use crate::words::{Gap, Words};

const CONDITION: SectionId = section("list.condition");
const COURTESY: SectionId = section("list.courtesy");
const CLOSING: SectionId = section("list.post");
const ASKS_WHEN: SectionId = section("list.when");

/// Returns true if a condition or a delay begins at `at`. A wish that asks only whether it can be met is unconditional,
/// and so is one beside a question about time.
///
/// # Examples
///
/// ```
/// use throughline_language::{Words, begins_condition, lexicon::ANSWERS};
///
/// let english = ANSWERS.lexicon("en".parse()?);
/// let conditional = |text: &str| {
///     let words = Words::of(text);
///     (0..words.all().len()).any(|at| begins_condition(english, &words, at))
/// };
/// assert!(conditional("Berlin, if it rains"));
/// assert!(!conditional("Berlin, if possible"));
/// # Ok::<(), throughline_language::UnknownLanguage>(())
/// ```
#[must_use]
pub fn begins_condition(lexicon: &'static Lexicon, message: &Words, at: usize) -> bool {
    let words = message.all();
    let list = |id| lexicon.section(id);
    if !list(CONDITION).at(words, at) || list(ASKS_WHEN).at(words, at) {
        return false;
    }
    let polite = list(COURTESY).longest(words, at);
    // "If you can" is polite; "if you can add the date" is a condition.
    let ends = |next: usize| {
        next == words.len() || words[next - 1].after >= Gap::Soft || list(CLOSING).at(words, next)
    };
    polite == 0 || !ends(at + polite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::ANSWERS;

    #[test]
    fn what_only_asks_whether_it_can_be_done_is_no_condition() {
        let conditional = |language: &str, text: &str| {
            let words = Words::of(text);
            let lexicon = ANSWERS.lexicon(language.parse().unwrap());
            (0..words.all().len()).any(|at| begins_condition(lexicon, &words, at))
        };
        for (language, text) in [
            ("en", "open berlin if it rains"),
            ("en", "if Bob agrees, open berlin"),
            ("en", "berlin, unless it is taken"),
            ("en", "berlin if you can add the date"),
            ("en", "berlin if possible tomorrow"),
            ("en", "open berlin when it is done"),
            ("en", "berlin as soon as possible after lunch"),
            ("en", "open berlin later"),
            ("de", "wenn es regnet, öffne berlin"),
            ("de", "berlin, falls bob zustimmt"),
            ("de", "berlin wenn du die karte findest"),
            ("de", "öffne berlin morgen"),
        ] {
            assert!(conditional(language, text), "{text}");
        }
        for (language, text) in [
            ("en", "berlin if possible"),
            ("en", "If possible, berlin"),
            ("en", "I'd like berlin, if that's possible."),
            ("en", "berlin if you can find it please"),
            ("en", "Berlin, if you don't mind"),
            ("en", "open berlin if you can"),
            ("en", "berlin if one is available"),
            ("en", "Berlin sounds good. When is it?"),
            ("en", "Berlin would be great, when can I see it"),
            ("de", "berlin wenn möglich"),
            ("de", "Wenn's geht, berlin"),
            ("de", "berlin, falls verfügbar, bitte"),
            ("de", "berlin wenn du magst"),
        ] {
            assert!(!conditional(language, text), "{text}");
        }
    }
}
