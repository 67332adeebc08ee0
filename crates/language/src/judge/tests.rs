//! The judge that comes with the crate: its vetoes over made sentences, and messages whose verdict is plain.

use super::*;
use proptest::prelude::*;
use std::format;
use std::string::ToString;

fn judged(question: &str, message: &str) -> Option<Answer> {
    Model::SHIPPED.answer(&Words::of(message), &Context::default().to(question))
}

/// A yes that a caller could count, whatever margin it asks for.
fn may_be_yes(question: &str, message: &str) -> bool {
    judged(question, message).is_some_and(|answer| answer.yes && answer.margin > 0 && answer.veto.is_none())
}

const OFFERS: [&str; 4] = [
    "Would you like to book a table there?",
    "How about the museum at the river?",
    "Soll ich den Tisch reservieren?",
    "Please confirm: a table at the Ritz. Is that right?",
];
const AGREES: [&str; 6] = [
    "that works for me",
    "yes that sounds wonderful",
    "I would love to book a table",
    "perfect, go ahead and book it",
    "ja das klingt wunderbar",
    "gerne, mach das so",
];
const NEGATORS: [&str; 12] =
    ["not", "never", "no", "nothing", "without", "don't", "cannot", "nicht", "kein", "nie", "ohne", "weder"];
const STOPS: [&str; 10] = [
    "cancel",
    "stop",
    "instead",
    "actually",
    "sorry",
    "wait",
    "abbrechen",
    "stattdessen",
    "storniere",
    "warte",
];
const CONDITIONS: [&str; 8] = ["if it rains", "unless", "provided", "but", "wenn", "falls", "sofern", "aber"];

/// A sentence with these words put in somewhere.
fn with(sentence: &str, words: &str, at: usize) -> String {
    let mut parts: Vec<&str> = sentence.split(' ').collect();
    parts.insert(at % (parts.len() + 1), words);
    parts.join(" ")
}

proptest! {
    #[test]
    fn any_text_is_judged_in_one_way(question in any::<String>(), text in any::<String>(), words in "[a-z ,.?!]{0,400}") {
        for message in [&text, &words] {
            let once = judged(&question, message);
            prop_assert_eq!(&once, &judged(&question, message));
            let context = Context::default().to(&question);
            let end = Model::SHIPPED.end(&Words::of(message), &context);
            prop_assert_eq!(end, Model::SHIPPED.end(&Words::of(message), &context));
            if let Some(rest) = once.and_then(|answer| answer.rest) {
                prop_assert!(message.contains(rest.as_str()), "{:?} of {:?}", rest, message);
            }
        }
    }

    #[test]
    fn no_yes_has_what_takes_it_back(
        offer in 0..OFFERS.len(), agrees in 0..AGREES.len(), at in 0..16_usize,
        negator in 0..NEGATORS.len(), stop in 0..STOPS.len(), condition in 0..CONDITIONS.len(),
    ) {
        let (question, sentence) = (OFFERS[offer], AGREES[agrees]);
        for words in [NEGATORS[negator], STOPS[stop], CONDITIONS[condition]] {
            let message = with(sentence, words, at);
            prop_assert!(!may_be_yes(question, &message), "{}: {}", question, message);
        }
        let asks = format!("{sentence}?");
        prop_assert!(!may_be_yes(question, &asks), "{}: {}", question, asks);
        let quoted = format!("\"{sentence}\"");
        prop_assert!(!may_be_yes(question, &quoted), "{}: {}", question, quoted);
    }

    #[test]
    fn no_confirmation_takes_another_number(agrees in 0..AGREES.len(), number in 2..400_u32, at in 0..16_usize) {
        let question = "Please confirm: a table for 1 at the Ritz. Is that right?";
        let message = with(AGREES[agrees], &number.to_string(), at);
        prop_assert!(!may_be_yes(question, &message), "{}", message);
    }

    #[test]
    fn nothing_that_asks_is_an_end(agrees in 0..AGREES.len()) {
        let asks = format!("{}, thanks?", AGREES[agrees]);
        let end = Model::SHIPPED.end(&Words::of(&asks), &Context::default().to("It is booked."));
        prop_assert!(end.is_none_or(|end| end.margin <= 0 || end.veto.is_some()), "{}", asks);
    }
}

#[test]
fn answers_are_judged() {
    for (question, message, yes, rest) in [
        ("Would you like to book a table there?", "The table would suit me just fine", true, None),
        (
            "How about the Ritz?",
            "That one will suit me just fine. Find me a train to Rome.",
            true,
            Some("Find me a train to Rome."),
        ),
    ] {
        let answer = judged(question, message).unwrap();
        assert!(answer.margin > 0 && answer.veto.is_none(), "{message}: {answer:?}");
        assert_eq!((answer.yes, answer.rest.as_deref()), (yes, rest), "{message}");
        assert!(!answer.words.is_empty(), "{message}");
    }
    for (question, message) in [
        ("Would you like to book a table there?", "Find me a cheap flight to Rome"),
        ("", "That one will suit me just fine"),
        ("How about the Ritz?", ""),
    ] {
        let counts =
            judged(question, message).is_some_and(|answer| answer.margin > 0 && answer.veto.is_none());
        assert!(!counts, "{message}");
    }
}

#[test]
fn what_only_refers_greets_or_thanks_agrees_to_nothing() {
    for message in
        ["that", "that one", "it", "this one", "das da", "das", "thanks", "hello, thank you", "danke"]
    {
        assert!(!may_be_yes("Shall I send the minutes?", message), "{message}");
    }
}

#[test]
fn words_that_may_be_names_are_no_account() {
    let answer = judged("How about the Ritz?", "Xanthippe Quillfeather likes that one, perfect").unwrap();
    assert!(!answer.words.is_empty());
    assert!(answer.words.iter().all(|words| !words.contains("xanthippe") && !words.contains("quillfeather")));
}

/// The bound on the time of a message: no more features than so many for each of the words that are looked at.
#[test]
fn long_messages_are_left_alone() {
    let question = Words::of("Would you like that?");
    for length in [1, 8, MOST] {
        let words = Words::of(&"good, ".repeat(length));
        let found = features(&words, words.all(), &question, Kind::Question, |_| true);
        assert!(found.len() <= 20 * (length + 2), "{} of {length}", found.len());
    }
    assert_eq!(judged("Would you like that?", &"good ".repeat(MOST + 1)), None);
}

#[test]
fn a_model_reads_back() {
    let mut weights = std::vec![[0_i8; HEADS]; PLACES];
    weights[5] = [1, -2, 3, -128];
    let bytes = bytes_of([1, 2, -3, 4], [7], &weights);
    let model = Model::of(&bytes).unwrap();
    let feature = Feature { hash: 5 + PLACES as u32, from: 0, to: 1 };
    assert_eq!(model.scores(&[feature, feature]), [3, -2, 3, -252]);
    assert!(model.is_common(7) && !model.is_common(8));
    assert!(Model::of(&bytes[1..]).is_none() && Model::of(&std::vec![0; SIZE]).is_none());
}

#[test]
fn the_hash_is_that_of_the_documentation() {
    assert_eq!(hash_of(""), 0x811c_9dc5);
    assert_eq!(hash_of("foobar"), 0xbf9c_f968);
}

#[test]
fn ends_are_judged() {
    let end =
        |text: &str| Model::SHIPPED.end(&Words::of(text), &Context::default().to("It is booked.")).unwrap();
    let done = end("That covers all of it, you were a great help");
    assert!(done.margin > 0 && done.veto.is_none() && !done.words.is_empty(), "{done:?}");
    assert!(end("Find me a train").margin < 0);
}
