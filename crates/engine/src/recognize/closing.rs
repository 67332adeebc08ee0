//! Messages that are nothing but an acknowledgement, or nothing but a greeting (`spec 03 §1`, `§4`).

use super::lexicon::{Cover, LEXICONS, Lexicon};
use super::text::{Gap, Word, words};

/// Whether the whole message acknowledges or closes: "thanks", "ok", "got it", "thanks, looks good".
///
/// "ok, but what about X?", "not great" and "looks good except …" do not.
#[must_use]
pub fn acknowledgement(text: &str) -> bool {
    let words = words(text);
    LEXICONS.iter().any(|lexicon| closes(lexicon, &words))
}

/// Whether the whole message greets: "hi", "hello there", "good morning, how are you?".
#[must_use]
pub fn greeting(text: &str) -> bool {
    let words = words(text);
    LEXICONS.iter().any(|lexicon| {
        let greeting = lexicon.section("greeting");
        let around = [greeting, lexicon.section("sir"), lexicon.section("please")];
        let cover = Cover::of(&around, None, &words);
        greeting.at(&words, 0) && cover.reaches(words.len())
    })
}

/// How many of [`CLOSES`] close by themselves; the others may stand beside them.
const SAYS: usize = 5;
const CLOSES: [&str; 10] = [
    "thanks",
    "closing",
    "bye",
    "yes.weak",
    "yes.proposal",
    "filler",
    "no.word",
    "no.phrase",
    "yes.word",
    "now",
];

fn closes(lexicon: &'static Lexicon, words: &[Word<'_>]) -> bool {
    let cover = Cover::of(&CLOSES.map(|name| lexicon.section(name)), Some(lexicon.section("joiner")), words);
    cover.reaches(words.len())
        && (cover.sections(words.len()) & ((1 << SAYS) - 1) != 0 || lexicon.section("thanks").within(words))
        && words.last().is_some_and(|w| w.after != Gap::Question)
        && !lexicon.section("turn.close").within(words)
}

#[cfg(test)]
mod tests {
    use super::{acknowledgement, greeting};

    #[test]
    fn acknowledgements() {
        for text in [
            "thanks",
            "Thanks!",
            "ok",
            "got it",
            "Thanks, looks good",
            "perfect 👍",
            "great, thank you so much",
            "Ok, that's all I need. Bye!",
            "No thanks, that's it for now.",
            "sounds good",
            "Thank you for your help today.",
            "Cool. Thanks",
            "I appreciate it",
        ] {
            assert!(acknowledgement(text), "{text}");
        }
        for text in [
            "ok, but what about caching?",
            "ok, but what about X?",
            "not great",
            "looks good except the schema",
            "thanks, now find me a hotel",
            "ok?",
            "thanks but",
            "",
            "no",
            "yes",
            "what about the database",
            "great work on the parser is needed",
            "create a ticket",
            "stop",
        ] {
            assert!(!acknowledgement(text), "{text}");
        }
    }

    #[test]
    fn greetings() {
        for text in ["hi", "Hey!", "hello there", "good morning, how are you?", "Hi all 👋", "what's up"] {
            assert!(greeting(text), "{text}");
        }
        for text in ["hi, create a ticket", "there", "high", "", "how are the builds?", "good"] {
            assert!(!greeting(text), "{text}");
        }
    }
}
