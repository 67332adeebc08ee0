//! Statements of clauses, over sentences made of their roles.

use alloc::format;
use alloc::string::String;

use super::*;
use crate::Words;
use crate::lexicon::ANSWERS;

/// The statement of a whole clause; `@` stands for words that repeat the question.
fn says(language: &str, text: &str) -> Option<Says> {
    let text = text.replace('@', "echoword");
    let words = Words::of(&text);
    let mut all = words.all().to_vec();
    let echo = |word: &&mut Word| words.folded(word) == "echoword";
    all.iter_mut().filter(echo).for_each(|word| word.id = WordId::ECHO);
    let roles = Roles::of(ANSWERS.lexicon(language.parse().unwrap()), &all);
    roles.clauses(0).find(|(to, _)| *to == all.len()).map(|(_, says)| says)
}

/// Holds every sentence of these parts to say the same.
fn all_say(language: &str, parts: [&[&str]; 4], expected: Option<Says>) {
    let [first, second, third, last] = parts;
    for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
        for (c, d) in third.iter().flat_map(|c| last.iter().map(move |d| (c, d))) {
            let words = [*a, *b, *c, *d].into_iter().filter(|word| !word.is_empty());
            let text = words.fold(String::new(), |text, word| format!("{text} {word}"));
            assert_eq!(says(language, text.trim()), expected, "{text}");
        }
    }
}

#[test]
fn a_denial_turns_a_wish() {
    let things = ["it", "that", "@", "to book @", "to do that"];
    let times = ["", "right now", "at the moment", "please"];
    all_say("en", [&["I", "we really"], &["want", "would love", "wish"], &things, &times], Some(Says::Wants));
    let denied =
        ["do not want", "don't need", "wouldn't like", "won't require", "no longer want", "never wanted"];
    all_say("en", [&["I", "we", "honestly I"], &denied, &things, &times], Some(Says::Refuses));
    let things = ["es", "das", "@"];
    all_say(
        "de",
        [&["ich", "wir"], &["will", "möchte", "brauche"], &things, &["", "jetzt", "gerade"]],
        Some(Says::Wants),
    );
    let denied = ["nicht", "jetzt nicht", "gar nicht", "wirklich nicht"];
    all_say("de", [&["ich", "wir"], &["will", "möchte", "brauche"], &things, &denied], Some(Says::Refuses));
    all_say(
        "de",
        [&["möchte", "will"], &["gerade", "jetzt", ""], &["keine @", "kein @"], &["", "buchen"]],
        Some(Says::Refuses),
    );
}

#[test]
fn a_denial_turns_praise_and_blame() {
    let subjects = ["that", "it", "@", "everything"];
    let is = ["is", "looks", "would be"];
    all_say(
        "en",
        [&subjects, &is, &["fine", "correct", "really good"], &["", "to me", "for now"]],
        Some(Says::Approves),
    );
    all_say(
        "en",
        [&subjects, &is, &["wrong", "incorrect", "too late"], &["", "for me"]],
        Some(Says::Rejects),
    );
    all_say(
        "en",
        [&subjects, &["is", "looks"], &["not"], &["right", "good for me", "correct"]],
        Some(Says::Rejects),
    );
    all_say(
        "en",
        [&["that", "it", "@"], &["wouldn't", "does not"], &["bother"], &["me", "us at all"]],
        Some(Says::Approves),
    );
    all_say(
        "de",
        [&["das", "@"], &["ist", "klingt"], &["gut", "richtig", "sehr gut"], &[""]],
        Some(Says::Approves),
    );
    all_say("de", [&["das", "@"], &["ist"], &["nicht"], &["gut", "richtig", "korrekt"]], Some(Says::Rejects));
}

#[test]
fn what_is_put_off_ends_or_thanks() {
    all_say(
        "en",
        [&["let's", "I'll", "we can"], &["do that", "book it"], &["later", "in a bit", "next time"], &[""]],
        Some(Says::Defers),
    );
    all_say(
        "en",
        [
            &["that's", "that will be", "this is"],
            &["all", "everything"],
            &["I need", "we wanted"],
            &["", "for now"],
        ],
        Some(Says::Ends),
    );
    all_say(
        "en",
        [
            &["I", "we"],
            &["don't need", "don't want"],
            &["anything else", "any more help", "further assistance"],
            &[""],
        ],
        Some(Says::Ends),
    );
    all_say(
        "en",
        [
            &["thanks", "thank you"],
            &["for"],
            &["your patience", "booking the room", "sorting that out"],
            &[""],
        ],
        Some(Says::Thanks),
    );
    all_say(
        "de",
        [&["danke"], &["für"], &["die Auskunft", "das schnelle Buchen"], &[""]],
        Some(Says::Thanks),
    );
}

#[test]
fn a_word_without_a_role_leaves_a_clause_unread() {
    let open = ["a table", "the purple giraffe", "some soup"];
    all_say("en", [&["I", "we"], &["want", "don't want", "would like"], &open, &["", "please"]], None);
    for text in ["is it good", "do I want it", "I can't do it", "maybe I want it", "I am good", "not great"] {
        assert_eq!(says("en", text), None, "{text}");
    }
    for text in ["I do not not want it", "\"I want it\""] {
        assert_eq!(says("en", text), None, "{text}");
    }
}
