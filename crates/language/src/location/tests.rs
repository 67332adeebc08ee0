//! Places that are taken, and what is none.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Reader;
use crate::read::AnswerReader;
use crate::tests::english;
use crate::tests::matches;
use crate::{Context, Expected, Languages, Value, Words, read};

fn place(text: &str) -> Option<String> {
    matches(&Expected::Location, text).ok().map(|found| found.value.text().to_string())
}

fn answered(asked: &str, text: &str) -> Option<String> {
    let found = read(&Expected::Location, &Words::of(text), &Context::default().to(asked));
    found.ok().map(|found| found.value.text().to_string())
}

#[test]
fn places() {
    for (text, expected) in [
        ("Swansea", "Swansea"),
        ("swansea", "swansea"),
        ("in Swansea please", "Swansea"),
        ("Swansea Wales", "Swansea Wales"),
        ("Swansea, Wales", "Swansea, Wales"),
        ("San Francisco", "San Francisco"),
        ("near Union Square", "Union Square"),
        ("I'd like to go to New York, please.", "New York"),
        ("the city is Swansea", "Swansea"),
        ("my destination is Leeds", "Leeds"),
        ("Seattle, WA would be great", "Seattle, WA"),
        ("to the Isle of Man", "Isle of Man"),
        ("Köln", "Köln"),
        ("Coeur d'Alene, Idaho", "Coeur d'Alene, Idaho"),
        ("東京", "東京"),
        ("St. Louis", "St. Louis"),
        ("SF", "SF"),
        ("from LAX", "LAX"),
        ("downtown", "downtown"),
        ("I'm at the airport", "the airport"),
        ("the train station please", "the train station"),
        ("the north side of town", "the north side of town"),
        // Unknown, but with capitals or right behind a preposition.
        ("Woodside", "Woodside"),
        ("Hintertupfing am See", "Hintertupfing am See"),
        ("in hintertupfing", "hintertupfing"),
        ("I'm leaving from Little Snoring", "Little Snoring"),
        // Everyday words that are places behind a preposition and with a capital.
        ("in Reading", "Reading"),
        ("I'm going to Nice", "Nice"),
        // Addresses and crossings.
        ("5th and Main", "5th and Main"),
        ("near Forbes and Murray", "Forbes and Murray"),
        ("1450 East Cotati Avenue please", "1450 East Cotati Avenue"),
        ("355 Santana Row #1060", "355 Santana Row #1060"),
        ("16 mint plaza", "16 mint plaza"),
        ("to 10 Downing Street, London", "10 Downing Street, London"),
        ("Portland, OR", "Portland, OR"),
    ] {
        let found = matches(&Expected::Location, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!((found.value, found.remainder), (Value::Location(expected.into()), None), "{text}");
    }
    let found = matches(&Expected::Location, "Swansea, and mail Bob the plan").unwrap();
    assert_eq!(
        (found.value, found.remainder.as_deref()),
        (Value::Location("Swansea".into()), Some("mail Bob the plan"))
    );
}

#[test]
fn near_misses() {
    for text in [
        "thanks",
        "write an email",
        "yes",
        "send it to Bob",
        "do that via sub-agent",
        "delegate that to writer",
        "The lamp flickers.",
        "the printer jams",
        "my cat sneezes",
        "Nice.",
        "Nice!",
        "Great idea",
        "same",
        "Swansea?",
        "in Swansea?",
        "Swansea or Cardiff",
        "Swansea and Cardiff",
        "hello",
        "no",
        "what about the database",
        "42",
        "2 star hotel 2 rooms",
        "I don't know",
        "ok",
        "Never mind the rain",
        "tell me a joke",
        "\"Swansea\"",
        "monday",
        "goodbye",
        "lol",
        "blorp",
        "I want coffee",
        "in a minute",
        "Just stop and let me talk to somebody",
        "at 5",
        // German sentences, read in English.
        "Vielen Dank",
        "Gute Idee!",
        "Schreib eine Mail",
        "Die Lampe flackert.",
        "Keine Ahnung",
    ] {
        assert_eq!(place(text), None, "{text}");
    }
}

#[test]
fn german_places() {
    for (text, expected) in [
        ("München", "München"),
        ("in muenchen bitte", "muenchen"),
        ("nach Köln", "Köln"),
        ("bei Halle", "Halle"),
        ("in der Nähe von Bad Tölz", "Bad Tölz"),
        ("Ich fahre nach Wien", "Wien"),
        ("am Hauptbahnhof", "Hauptbahnhof"),
        ("vom Flughafen", "Flughafen"),
        ("Frankfurt am Main", "Frankfurt am Main"),
        ("Hauptstraße 5", "Hauptstraße 5"),
        ("in die Schweiz, danke", "die Schweiz"),
    ] {
        let message = Words::new(text, Languages::preferring("de"));
        let found = read(&Expected::Location, &message, &Context::default());
        let found = found.unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!((found.value.text(), found.remainder), (expected, None), "{text}");
    }
}

#[test]
fn the_question_decides_between_two() {
    let (from, to) = ("Which city are you leaving from?", "Where are you going?");
    for (asked, text, expected) in [
        (from, "from LA to Chicago", Some("LA")),
        (to, "from LA to Chicago", Some("Chicago")),
        (to, "I'm flying to Chicago from LA please", Some("Chicago")),
        ("Which city?", "from LA to Chicago", None),
        (to, "to Chicago to Boston", None),
    ] {
        assert_eq!(answered(asked, text).as_deref(), expected, "{asked} {text}");
    }
}

/// Answers to who asks where to look, which say what for as well.
#[test]
fn what_is_looked_for_is_said_with_the_place() {
    for asked in [
        "What city should I look in?",
        "In which city?",
        "Where are you located?",
        "Which area would you like?",
    ] {
        for seeks in [
            "Find a salon in",
            "I want a hotel in",
            "Look for movies in",
            "I'd like to see a movie in",
            "Find me attractions in",
        ] {
            for place in ["San Jose", "London", "Napa", "Seattle, WA"] {
                let text = alloc::format!("{seeks} {place}.");
                assert_eq!(answered(asked, &text).as_deref(), Some(place), "{asked} {text}");
            }
        }
    }
    let text = "Find me a movie in Napa";
    assert_eq!(
        answered("In which city should I look for a hotel?", text),
        None,
        "another thing than the question is about"
    );
}

#[test]
fn a_proposed_place_is_taken_with_a_yes() {
    for (asked, text, expected) in [
        ("Are you going to 2492 Channing Way?", "Yes, that's correct.", Some("2492 Channing Way")),
        ("Is 5614 Bay Street Suite 220 the destination?", "yep", Some("5614 Bay Street Suite 220")),
        ("Would you like a hotel in Swansea?", "Yes", Some("Swansea")),
        ("Would you like a hotel in Swansea?", "no", None),
        ("Would you like a hotel in Swansea?", "yes, in Cardiff", Some("Cardiff")),
        ("Where in Swansea?", "yes", None),
        ("In Swansea or in Cardiff?", "yes", None),
        ("Are you there?", "yes", None),
    ] {
        assert_eq!(answered(asked, text).as_deref(), expected, "{asked} {text}");
    }
}

#[test]
fn every_place_of_a_message_is_found() {
    let said = |asked: &str, text: &str| -> Vec<String> {
        let (message, context) = (Words::of(text), Context::default().to(asked));
        let found = Reader::of(english(), &message, &context).values();
        found.into_iter().map(|inside| inside.found.value.text().to_string()).collect()
    };
    assert_eq!(said("", "Look for something in Philadelphia on March 12th."), ["Philadelphia"]);
    assert_eq!(said("", "I need a ride from Hospital to Airport in a Honda"), ["Hospital", "Airport"]);
    assert_eq!(said("Where are you going?", "from NYC to Chi-town with two people"), ["Chi-town"]);
    assert_eq!(said("", "I like Paris Hilton and Delta Airlines"), [""; 0]);
    assert_eq!(said("", "write an email to the team"), [""; 0]);
}

#[test]
fn configured_names_are_known() {
    let configured = ["Halle C".to_string(), "the lab".to_string()];
    let context = Context::default().knowing(&configured);
    for (text, expected) in [("halle c", "halle c"), ("in the lab please", "the lab"), ("Halle C", "Halle C")]
    {
        let found = read(&Expected::Location, &Words::of(text), &context);
        assert_eq!(found.unwrap().value.text(), expected, "{text}");
    }
    assert_eq!(place("the lab"), None);
}
