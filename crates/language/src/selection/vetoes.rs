//! Words around a position that make it none, generated: what counts, measures, agrees or praises picks no option.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::{Context, Expected, Value, Words, read};

const HOUSES: [&str; 4] = ["Alder House", "Birch House", "Cedar House", "Dogwood House"];
const DATES: [&str; 4] = ["Monday, June 3", "Tuesday, June 4", "Saturday, June 1", "Sunday, June 2"];
const TAILS: [&str; 5] = ["", ", please", "!", ", thanks", " bitte"];

fn pick(options: &[&str], text: &str) -> Option<String> {
    let options = Expected::Selection(options.iter().map(ToString::to_string).collect());
    match read(&options, &Words::of(text), &Context::default().to("Which one?")).ok()?.value {
        Value::Selection(option) => Some(option),
        _ => None,
    }
}

/// Holds every combination to pick nothing.
fn none_is_picked(before: &[&str], positions: &[&str]) {
    let mut wrong = Vec::new();
    for (before, position) in before.iter().flat_map(|before| positions.iter().map(move |p| (before, p))) {
        for tail in TAILS {
            let text = format!("{before}{position}{tail}");
            wrong.extend(pick(&HOUSES, &text).map(|option| format!("{text} → {option}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_counts_or_measures_is_no_pick() {
    none_is_picked(
        &[
            "a ",
            "just a ",
            "give me a ",
            "I want a ",
            "another ",
            "I want another ",
            "I second ",
            "I'd like a ",
        ],
        &["second", "third", "fourth", "2nd", "3rd", "second one", "third try"],
    );
    none_is_picked(
        &["I want ", "we need ", "just a ", "a ", "I would like ", "another ", "at least ", "-", "+", "for "],
        &["2", "3", "4"],
    );
    none_is_picked(
        &["I want ", "we need ", "I would like ", "another ", "at most "],
        &["two", "three", "four"],
    );
    none_is_picked(
        &["ein ", "nur ein ", "noch ein ", "ich möchte ein ", "gib mir ein ", "einen "],
        &["zweites", "drittes", "zweiten", "dritten"],
    );
    none_is_picked(
        &["ich will ", "wir brauchen ", "noch ", "ich möchte ", "mindestens ", "eine ", "nur eine ", "-"],
        &["2", "3", "zwei", "drei"],
    );
    for text in ["Top!", "top !", "I second that", "we second it", "Top, danke!", "spitze!"] {
        assert_eq!(pick(&HOUSES, text), None, "{text}");
    }
}

#[test]
fn a_place_in_the_list_stays_one() {
    let ordinals =
        [("first", 0), ("second", 1), ("third", 2), ("fourth", 3), ("1st", 0), ("2nd", 1), ("3rd", 2)];
    for (before, after) in
        [("", ""), ("the ", ""), ("I want the ", ""), ("the ", " one"), ("give me the ", " one, please")]
    {
        for (ordinal, at) in ordinals {
            let text = format!("{before}{ordinal}{after}");
            assert_eq!(pick(&HOUSES, &text).as_deref(), Some(HOUSES[at]), "{text}");
        }
    }
    for (text, at) in [("2", 1), ("number 3", 2), ("top", 0), ("das zweite", 1), ("nimm die dritte", 2)] {
        assert_eq!(pick(&HOUSES, text).as_deref(), Some(HOUSES[at]), "{text}");
    }
}

#[test]
fn where_options_are_dates_a_numeral_is_the_day() {
    for (text, at) in [("1st", Some(2)), ("2nd", Some(3)), ("3rd", Some(0)), ("4th", Some(1)), ("5th", None)]
    {
        for (before, tail) in ["", "the ", "on the ", "I want the "]
            .iter()
            .flat_map(|b| ["", ", please", "!"].map(|tail| (b, tail)))
        {
            let text = format!("{before}{text}{tail}");
            assert_eq!(pick(&DATES, &text).as_deref(), at.map(|at: usize| DATES[at]), "{text}");
        }
    }
    for (text, at) in [("the first one", 0), ("the second", 1), ("the last one", 3)] {
        assert_eq!(pick(&DATES, text).as_deref(), Some(DATES[at]), "{text}");
    }
}
