//! Properties of every type: the wire form, interrupts, spans, languages, and any text there is.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::*;
use crate::lexicon::Lexicon;

/// [`read()`] for a text without a context.
pub(crate) fn matches(expected: &Expected, text: &str) -> Result<Match, NoMatch> {
    read(expected, &Words::of(text), &Context::default())
}

use alloc::vec;
use proptest::prelude::*;

/// The English words of answers.
pub(crate) fn english() -> &'static Lexicon {
    ANSWERS.lexicon("en".parse().unwrap())
}

#[test]
fn the_wire_form_goes_both_ways() {
    for wire in [
        "boolean",
        "datetime",
        "person",
        "text",
        "selection:A|B|C",
        "selection:Login bug|Dark mode",
        "one_of:red=crimson,scarlet|blue",
    ] {
        let parsed: Expected = wire.parse().unwrap();
        assert_eq!(parsed.to_string(), wire);
        let json = serde_json::to_string(&parsed).unwrap();
        assert_eq!(serde_json::from_str::<Expected>(&json).unwrap(), parsed);
    }
    for wire in ["", "Boolean", "selection", "selection:", "selection:A||B", "one_of:=a", "gender"] {
        let message = wire.parse::<Expected>().unwrap_err().to_string();
        assert!(message.contains(wire) && message.contains("boolean, time, date"), "{message}");
    }
}

#[test]
fn the_own_language_comes_first_and_every_language_is_read() {
    for (language, text) in
        [("en", "nein"), ("de-AT", "nein"), ("", "no"), ("de", "no"), ("fr", "Nein, danke")]
    {
        let message = Words::new(text, Languages::preferring(language));
        let found = read(&Expected::Boolean, &message, &Context::default()).unwrap();
        assert_eq!(found.value, Value::Boolean(false), "{language} {text}");
    }
}

/// Dutch is a file of tests/languages, written as docs/recipes/language.md says: nothing else knows of it.
#[test]
fn a_folder_makes_a_language() {
    let dutch: Language = "nl-BE".parse().unwrap();
    assert!(Language::all().any(|language| language == dutch));
    let yes_or_no = |text: &str, languages: Languages, asked: &str| {
        let message = Words::new(text, languages);
        read(&Expected::Boolean, &message, &Context::default().to(asked))
            .ok()
            .map(|found| found.value == Value::Boolean(true))
    };
    for (text, yes) in [
        ("jazeker", Some(true)),
        ("Ja, graag!", Some(true)),
        ("doe maar", Some(true)),
        ("doe maar niet", Some(false)),
        ("Nee, dank je wel", Some(false)),
        ("liever niet", Some(false)),
        ("prima", Some(true)),
        ("misschien", None),
        ("Ja, maar liever later", None),
    ] {
        for languages in [Languages::preferring("nl"), Languages::only(&[dutch]), Languages::default()] {
            assert_eq!(yes_or_no(text, languages, "Zal ik het boeken?"), yes, "{text} {languages:?}");
        }
    }
    // The other languages are read as before, and a language that is not among the chosen ones is not.
    assert_eq!(yes_or_no("nein danke", Languages::preferring("nl"), ""), Some(false));
    assert_eq!(yes_or_no("nein danke", Languages::only(&[dutch]), ""), None);
    // What it has no words for it does not read.
    let tomorrow = Words::new("morgen", Languages::only(&[dutch]));
    assert!(read(&Expected::Date, &tomorrow, &Context::default()).is_err());
}

#[test]
fn without_languages_nothing_is_read() {
    for expected in every_type() {
        for text in ["yes", "5", "tomorrow", "Red", "a@b.de", "stop"] {
            let message = Words::new(text, Languages::only(&[]));
            let found = read(&expected, &message, &Context::default());
            assert!(found.is_err() || expected == Expected::Text, "{expected} {text}");
        }
    }
}

#[test]
fn a_match_tells_where_its_value_is() {
    let choice = "selection:Red|Blue".parse().unwrap();
    for (expected, text, said) in [
        (&Expected::Number, "A party of twenty five, please.", "twenty five"),
        (&Expected::Number, "For two people, and mail Bob the plan", "two"),
        (&Expected::Location, "I'd like to go to New York, please.", "New York"),
        (&Expected::Boolean, "Two tickets, yes please", "yes please"),
        (&Expected::Boolean, " Yes! And mail Bob the plan.", "Yes"),
        (&choice, "Blue, and mail Bob the plan", "Blue"),
        (&Expected::Text, "  Dinner with Bob ", "Dinner with Bob"),
    ] {
        assert_eq!(&text[matches(expected, text).unwrap().span], said, "{text}");
    }
}

#[test]
fn text_takes_what_is_no_request() {
    for (text, taken) in [
        ("Italian", true),
        ("The quarterly plan, second draft", true),
        ("a sentence about creating tickets", true),
        ("stop", false),
        ("/etc/hosts", true),
        ("/dashboard shows a blank page", true),
        ("no idea", false),
        ("why do you ask?", false),
        ("create a ticket for the login bug", false),
        ("Can you find me a hotel?", false),
        ("What is their address?", false),
        ("what we agreed yesterday", true),
        ("open /login with an empty cache", true),
        ("find me something", false),
        ("I'd prefer Dr. Zeidler", true),
        ("I want to see the Angels Vs Mariners.", true),
        ("I'd like to book a cab to the theater.", false),
        ("Thanks, that's all.", false),
        ("Thank you, that's everything I need.", false),
        ("Phone number?", false),
        ("And the average rating?", false),
        ("Und die Telefonnummer?", false),
        ("Address", true),
        ("Chinese?", true),
        ("", false),
        ("🎉", false),
    ] {
        assert_eq!(matches(&Expected::Text, text).is_ok(), taken, "{text}");
    }
}

fn every_type() -> Vec<Expected> {
    let plain = Expected::words().map(|word| word.parse().unwrap());
    let others = [
        "one_of:red=crimson,scarlet|blue".parse().unwrap(),
        Expected::Selection(vec!["A".into(), "B".into()]),
        Expected::Selection(vec!["Login bug".into(), "".into(), "30 %".into(), "ﬁne ß".into()]),
    ];
    plain.chain(others).collect()
}

#[test]
fn an_interrupt_answers_nothing() {
    for expected in every_type() {
        for text in ["stop", "never mind", "Please stop!", "cancel", "start over"] {
            assert_eq!(matches(&expected, text), Err(NoMatch { reason: "interrupt" }), "{expected} {text}");
        }
    }
}

#[test]
fn letters_that_folding_moves_are_read_without_panic() {
    // As long folded as written, by two letters that change their length in opposite ways.
    for expected in every_type() {
        let _ = matches(&expected, "\u{11918}:0\u{1d4a9}0\u{9dc}\u{2190}");
    }
}

#[test]
fn a_very_long_message_is_read_in_one_pass() {
    for word in [
        "and ",
        "the ",
        "please ",
        "two ",
        "yes, ",
        "San ",
        "no. ",
        "create a ticket and ",
        "555-",
        "a@b.de ",
        "hundert",
        "$5 ",
        "me and my ",
        "I need a car and ",
        "How many ",
    ] {
        let text = word.repeat(2_000);
        for expected in every_type() {
            let _ = matches(&expected, &text);
        }
        let _ = crate::intent::rules::rule(&Words::of(&text));
    }
}

proptest! {
    #[test]
    fn any_unicode_is_read_without_panic(text in any::<String>()) {
        for expected in every_type() {
            let _ = matches(&expected, &text);
        }
        let message = Words::of(&text);
        let _ = (interrupt(&message), is_acknowledgement(&message, &Context::default()), is_greeting(&message));
    }

    #[test]
    fn any_words_are_read_without_panic(
        parts in prop::collection::vec(prop::sample::select(vec![
            "yes", "no", "ok", "two", "three hundred", "3", "1,5", ",", ".", "?", "and", "but", "Swansea", "the", "B",
            "option", "second", "please", "make it", "thanks", "\"", "👍🏽", "İ", "ß", "\n> ", "San", "ＡＢ", "‍", "in",
            "$", "-", "1.000", "half a", "hundred", "/", "@", "a@b.de", "+49", "555", "me and", "find", "red",
        ]), 0..24),
    ) {
        let text = parts.join(" ");
        for expected in every_type() {
            let context = Context::default().to("How many red rooms in San Jose?");
            let Ok(found) = read(&expected, &Words::of(&text), &context) else { continue };
            prop_assert!(text.get(found.span).is_some_and(|said| !said.is_empty()));
            if let Some(rest) = found.remainder {
                prop_assert!(text.contains(&rest) && !rest.is_empty());
            }
        }
    }
}
