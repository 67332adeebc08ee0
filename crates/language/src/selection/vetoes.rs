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

/// Every one of the texts with every one of the names.
fn texts<'t>(forms: &'t [&'t str], names: &'t [&'t str]) -> impl Iterator<Item = (usize, String)> + 't {
    forms.iter().flat_map(|form| names.iter().enumerate().map(|(at, name)| (at, form.replace("NAME", name))))
}

const INNS: [&str; 3] = ["Seaview", "Hotel Alder", "Crown Inn"];

#[test]
fn what_is_said_of_an_option_does_not_choose_it() {
    let forms = [
        "NAME is too far",
        "NAME is far",
        "NAME stinks",
        "NAME burned down",
        "NAME called me yesterday",
        "NAME is bad",
        "NAME was loud",
        "NAME has no parking",
        "NAME is booked out",
        "NAME costs too much",
        "I hate NAME",
        "we stayed at NAME last year",
        "my sister works at NAME",
        "they closed NAME in May",
        "I complained about NAME",
        "it rained when we were at NAME",
        "NAME seems dirty",
        "NAME looks run down",
        "not NAME",
        "anything but NAME",
        "NAME would have been great",
        "NAME used to be a great place",
        "NAME was wonderful for years until it closed",
        "NAME wäre schön gewesen",
        "NAME war früher besser",
        "NAME ist zu weit weg",
        "NAME ist weit",
        "NAME stinkt",
        "NAME ist abgebrannt",
        "NAME hat gestern angerufen",
        "NAME war laut",
        "NAME hat keinen Parkplatz",
        "NAME ist ausgebucht",
        "NAME kostet zu viel",
        "ich hasse NAME",
        "wir waren letztes Jahr im NAME",
        "meine Schwester arbeitet im NAME",
        "NAME ist schlecht",
        "nicht NAME",
        "alles außer NAME",
        "NAME finde ich hässlich",
        "NAME sieht heruntergekommen aus",
    ];
    let wrong: Vec<String> =
        texts(&forms, &INNS).filter_map(|(_, text)| pick(&INNS, &text).map(|_| text)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_choice_is_read_in_any_order_of_its_words() {
    let german = [
        "NAME",
        "NAME bitte",
        "bitte NAME",
        "ich nehme NAME",
        "dann nehme ich NAME",
        "nehmen wir NAME",
        "NAME nehme ich",
        "ich möchte bitte NAME haben",
        "ich hätte gerne NAME",
        "könnte ich bitte NAME haben",
        "ich würde gern NAME nehmen",
        "wir würden lieber NAME buchen",
        "am liebsten hätte ich NAME",
        "mir wäre NAME am liebsten",
        "NAME wäre mir lieber",
        "NAME gefällt mir am besten",
        "mir gefällt NAME",
        "NAME passt mir gut",
        "NAME klingt gut",
        "NAME sieht gut aus",
        "NAME hört sich super an",
        "NAME ist perfekt",
        "ich entscheide mich für NAME",
        "ich bin für NAME",
        "ich tendiere zu NAME",
        "lass uns NAME nehmen",
        "buch mir NAME",
        "reservieren Sie bitte NAME",
        "für mich bitte NAME",
        "meine Wahl ist NAME",
        "es wird NAME",
        "dann doch lieber NAME",
        "okay, dann NAME",
        "ja, nehmen wir NAME",
    ];
    let english = [
        "NAME",
        "NAME please",
        "please, NAME",
        "I'll take NAME",
        "then I'll take NAME",
        "let's book NAME",
        "could I have NAME",
        "I would like to have NAME please",
        "we'd rather go with NAME",
        "I'm leaning towards NAME",
        "put me down for NAME",
        "NAME suits me best",
        "NAME sounds good",
        "NAME looks great to me",
        "NAME is perfect",
        "NAME it is",
        "I think NAME",
        "make it NAME",
        "my choice is NAME",
        "ok then NAME",
        "yes, let's take NAME",
        "go ahead with NAME",
    ];
    for (forms, places) in [
        (&german[..], ["die erste", "die zweite", "die letzte"]),
        (&english[..], ["the first one", "the second", "the last one"]),
    ] {
        for names in [&places[..], &INNS[..]] {
            for (at, text) in texts(forms, names) {
                assert_eq!(pick(&INNS, &text).as_deref(), Some(INNS[at]), "{text}");
            }
        }
    }
}

#[test]
fn a_place_is_counted_from_the_top() {
    for (text, at) in [
        ("the middle one", 1),
        ("the one in the middle", 1),
        ("die mittlere bitte", 1),
        ("das in der Mitte", 1),
        ("the second from the top", 1),
        ("die zweite von oben", 1),
        ("the second inn", 1),
        ("das zweite Hotel", 1),
    ] {
        let asked = Context::default().to("Which hotel or inn? Welches Hotel?");
        let options = Expected::Selection(INNS.map(ToString::to_string).to_vec());
        let found =
            read(&options, &Words::of(text), &asked).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!(found.value, Value::Selection(INNS[at].into()), "{text}");
    }
    for text in [
        "the middle one",
        "die mittlere",
        "second to last",
        "the third from the bottom",
        "die dritte von unten",
        "at last",
        "second, I need a crib",
    ] {
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
