//! Descriptions of options: tables of sentences in both languages, and generated prices.

use serde_json::{Value, json};

use super::*;
use crate::data::field::{FieldValue, Fields};

/// A list in the chat: labels with their fields.
fn listed(options: &[(&str, Value)]) -> OptionSet {
    let option = |(label, fields): &(&str, Value)| {
        let fields: Fields = fields
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), FieldValue::from_json(value.clone()).unwrap()))
            .collect();
        SetOption { fields, ..SetOption::named(*label, *label).running("open") }
    };
    let shown = OptionsShown {
        scope: Scope::Chat,
        scope_instance: "lane-1".into(),
        title: Some("Hotels".into()),
        user: None,
        options: options.iter().map(option).collect(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    };
    OptionSet::from_shown(&shown, OptionSetOrigin::Host).unwrap()
}

fn hotels() -> OptionSet {
    listed(&[
        (
            "Casa Azul",
            json!({ "price": { "value": 120, "unit": "EUR" }, "rating": 4.1, "breakfast": true, "city": "Berlin",
                "opened": { "at": "2019-05-01" }, "amenities": ["pool", "free wifi"], "stops": 2 }),
        ),
        (
            "Lisbon Inn",
            json!({ "price": { "value": 85.5, "unit": "EUR" }, "rating": 4.7, "breakfast": false, "city": "Porto",
                "opened": { "at": "2024-02-01" }, "amenities": ["bar"], "stops": 0 }),
        ),
        (
            "Porto Palace",
            json!({ "price": { "value": 240, "unit": "EUR" }, "rating": 4.6, "breakfast": true, "city": "Budapest",
                "opened": { "at": "2011-09-30" }, "amenities": ["bar", "gym"], "stops": 1 }),
        ),
    ])
}

/// A view in which the list was just shown, and nobody asked.
fn shown(set: &OptionSet) -> View {
    View { pending_clarifier_type: ClarifierType::None, ..active(set) }
}

fn read(set: &OptionSet, text: &str) -> String {
    told(&shown(set), &[set], text, &on())
}

/// The text and its ruling, where that is not the one expected, whichever option a question names first.
fn differs(set: &OptionSet, text: &str, expected: &str) -> Option<String> {
    let seen = read(set, text);
    let same = seen == expected || expected.starts_with("C ") && seen.starts_with(&format!("{expected} "));
    (!same).then(|| format!("{text}: {seen}, expected {expected}"))
}

#[test]
fn what_denotes_one_option_runs_it() {
    let set = hotels();
    let mut wrong = Vec::new();
    let (azul, inn, palace) = ("Casa Azul", "Lisbon Inn", "Porto Palace");
    for (text, option) in [
        ("the cheapest", inn),
        ("cheapest", inn),
        ("the cheapest one please", inn),
        ("i want the cheapest", inn),
        ("open the most expensive", palace),
        ("the least expensive one", inn),
        ("the newest", inn),
        ("the oldest one", palace),
        ("the latest", inn),
        ("best rated", inn),
        ("the best one", inn),
        ("the one with the highest rating", inn),
        ("the worst rated", azul),
        ("lowest price", inn),
        ("the one with the best price", inn),
        ("fewest stops", inn),
        ("the one with the most stops", azul),
        ("under 100", inn),
        ("I'll take the cheapest", inn),
        ("let's go with the cheapest, thanks", inn),
        ("below 90 euros", inn),
        ("at most 85.50", inn),
        ("over 200 euros", palace),
        ("more than €200", palace),
        ("between 100 and 150", azul),
        ("from 100 to 200", azul),
        ("the one for 120 euros", azul),
        ("cheaper than 100", inn),
        ("more expensive than 200", palace),
        ("price under 100", inn),
        ("with a rating above 4.65", inn),
        ("the one without breakfast", inn),
        ("with pool", azul),
        ("the one with a gym", palace),
        ("the one with wifi", azul),
        ("the cheapest with breakfast", azul),
        ("the cheapest hotel with breakfast", azul),
        ("the most expensive with a bar and breakfast", palace),
        ("under 130 with breakfast", azul),
        ("the one in berlin", azul),
        ("the hotel in budapest", palace),
        ("the budapest one", palace),
        ("das günstigste", inn),
        ("die billigste bitte", inn),
        ("nimm das teuerste", palace),
        ("das neueste", inn),
        ("am besten bewertet", inn),
        ("mit der höchsten Bewertung", inn),
        ("unter 100", inn),
        ("bis 90 Euro", inn),
        ("unter 90,50 Euro", inn),
        ("unter 90,50", inn),
        ("ich nehme das günstigste", inn),
        ("über 200", palace),
        ("mindestens 200", palace),
        ("zwischen 100 und 150", azul),
        ("das ohne breakfast", inn),
        ("das günstigste mit breakfast", azul),
        ("das in Berlin", azul),
        ("das günstigste Hotel", inn),
        ("teurer als 200", palace),
    ] {
        wrong.extend(differs(&set, text, &format!("X {option} described")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_in_doubt_is_asked_about() {
    let (set, mut wrong) = (hotels(), Vec::new());
    for (text, expected) in [
        ("the cheaper one", "C description_open"),
        ("the one with breakfast", "C description_open"),
        ("under 130", "C description_open"),
        ("under 10", "C description_open"),
        ("under 100 dollars", "C description_open"),
        ("the cheapest and the newest", "C description_open"),
        ("das günstigere", "C description_open"),
        ("das mit breakfast", "C description_open"),
        ("the smallest", "C no_deterministic_match"),
        ("the one with a sauna", "C no_deterministic_match"),
        ("das mit Sauna", "C no_deterministic_match"),
        ("the cheapest flight", "C no_deterministic_match"),
        ("not that one", "C reference_unresolved"),
        ("nicht das", "C reference_unresolved"),
        ("delete the cheapest", "C command_selection_collision"),
        ("lösche das günstigste", "C command_selection_collision"),
        ("the cheapest if it rains", "C conditional"),
        ("das günstigste, wenn es regnet", "C conditional"),
        ("not the cheapest", "C repair_remaining"),
        ("nicht das günstigste", "C repair_remaining"),
        ("the first and the cheapest", "C multiple_requested"),
        ("is the cheapest one good?", "P question_intent"),
        ("which one is the cheapest", "P question_intent"),
        ("welches ist das günstigste?", "P question_intent"),
        ("find me the cheapest flight to madrid", "P not_selection_like"),
        ("book a table with breakfast for two in rome", "P not_selection_like"),
        ("create a ticket for the cheapest rate bug", "P not_selection_like"),
    ] {
        wrong.extend(differs(&set, text, expected));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut view = shown(&set);
    view.rejected_of = Some(set.id.clone());
    view.recent_rejected_choice_ids = vec!["Lisbon Inn".into()];
    assert_eq!(told(&view, &[&set], "the cheaper one", &on()), "X Casa Azul described");
    assert_eq!(told(&view, &[&set], "the cheapest", &on()), "C reference_unresolved");
}

#[test]
fn labels_and_descriptions_collide() {
    let fields = |price: i64| json!({ "price": price });
    let set = listed(&[("The cheapest", fields(30)), ("Beta", fields(10)), ("Gamma", fields(20))]);
    assert_eq!(differs(&set, "the cheapest", "C reading_collision"), None);
    let set = listed(&[("The cheapest", fields(5)), ("Beta", fields(10)), ("Gamma", fields(20))]);
    assert_eq!(read(&set, "the cheapest"), "X The cheapest exact_label");
    // A place is none of the words that an option happens to have.
    let note = |text: &str| json!({ "note": text });
    let set = listed(&[
        ("Budget", note("changed first thing today")),
        ("Roadmap", note("changed last week")),
        ("sample2", note("second draft")),
    ]);
    for (text, option) in [
        ("the last one", "sample2"),
        ("the first one", "Budget"),
        ("the second one", "Roadmap"),
        ("das letzte", "sample2"),
    ] {
        assert_eq!(read(&set, text), format!("X {option} ordinal"), "{text}");
    }
}

#[test]
fn words_of_one_label_name_it() {
    let (none, mut wrong) = (|| json!({}), Vec::new());
    let set = listed(&[
        ("Hotel Budapest Centre", none()),
        ("Hotel Berlin Mitte", none()),
        ("Hotel Lisbon", none()),
    ]);
    for (text, expected) in [
        ("the budapest one", "X Hotel Budapest Centre described"),
        ("the one in berlin", "X Hotel Berlin Mitte described"),
        ("das in Berlin", "X Hotel Berlin Mitte described"),
        ("lisbon please", "X Hotel Lisbon distinctive_words"),
        ("I'd like the Berlin one", "X Hotel Berlin Mitte described"),
        ("the blue one", "C no_deterministic_match"),
        ("das blaue", "P not_selection_like"),
        ("the cheapest", "C no_deterministic_match"),
        ("das günstigste", "C no_deterministic_match"),
        ("the one in paris", "C no_deterministic_match"),
        ("hotel", "C multi_match_no_exact_winner"),
        ("what is the weather in berlin", "P question_intent"),
        ("book a flight to berlin tomorrow", "P not_selection_like"),
    ] {
        wrong.extend(differs(&set, text, expected));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Decides a text that replies to a message.
fn replying(set: &OptionSet, text: &str, reply: &ReplyTo) -> Resolution {
    let message = Words::of(text);
    let (view, policy) = (shown(set), on());
    resolve(&ResolveInput {
        lexicon: super::super::super::lexicon(&message),
        view: &view,
        sets: &[set],
        message: &message,
        reply,
        since: Timestamp(9),
        others: &[],
        contested: false,
        left_since: false,
        place: None,
        yes: None,
        policy: &policy,
        now: Timestamp(9),
    })
}

#[test]
fn a_reply_means_the_appearance_it_replies_to() {
    let mut set = hotels();
    for (at, order) in [[0u8, 1, 2], [2, 1, 0], [1, 0, 2]].into_iter().enumerate() {
        let moment = i64::try_from(at).unwrap();
        set.show(
            None,
            Some(format!("m{at}").as_str().into()),
            order.into(),
            &(1..4),
            (at as u64, Timestamp(moment)),
        );
    }
    for (at, first) in ["Casa Azul", "Porto Palace", "Lisbon Inn"].into_iter().enumerate() {
        let reply = ReplyTo::Message(format!("m{at}").as_str().into());
        for (text, option) in
            [("the first one", first), ("the cheapest", "Lisbon Inn"), ("das in Berlin", "Casa Azul")]
        {
            let Resolution::Act(act) = replying(&set, text, &reply) else {
                panic!("{text} in reply to m{at}")
            };
            assert_eq!(act.chosen.identity().option, option, "{text} in reply to m{at}");
        }
    }
    for reply in [ReplyTo::Unknown, ReplyTo::Message("elsewhere".into())] {
        for text in [
            "the first one",
            "Casa Azul",
            "casa azul please",
            "the cheapest",
            "lisbon",
            "das in Berlin",
            "under 100",
            "that one",
        ] {
            let seen = replying(&set, text, &reply);
            assert!(!matches!(seen, Resolution::Act(_)), "{text} in reply to {reply:?}: {seen:?}");
        }
    }
}

/// Prices of up to six options, some of them missing or of another currency.
fn prices() -> impl proptest::strategy::Strategy<Value = Vec<Option<(u8, bool)>>> {
    use proptest::prelude::*;
    let known = (0u8..6, prop::bool::weighted(0.9));
    prop::collection::vec(prop::option::weighted(0.9, known), 2..7)
}

proptest::proptest! {
    /// An extreme runs exactly if every price is known, all are of one currency, and one alone is the least.
    #[test]
    fn only_a_certain_extreme_runs(prices in prices(), word in 0usize..4) {
        let options: Vec<(String, Value)> = prices
            .iter()
            .enumerate()
            .map(|(at, price)| {
                let unit = |euro| if euro { "EUR" } else { "USD" };
                let fields = price.map_or(json!({ "rooms": 3 }), |(value, euro)| {
                    json!({ "price": { "value": value, "unit": unit(euro) }, "rooms": 3 })
                });
                (format!("Option {at} {}", ["Alpha", "Beta", "Gamma", "Delta", "Omega", "Zeta"][at]), fields)
            })
            .collect();
        let set = listed(&options.iter().map(|(label, fields)| (label.as_str(), fields.clone())).collect::<Vec<_>>());
        let (text, most) = [
            ("the cheapest", false),
            ("open the most expensive one", true),
            ("das günstigste bitte", false),
            ("am teuersten", true),
        ][word];
        let known: Option<Vec<(u8, bool)>> = prices.iter().copied().collect();
        let certain = known.filter(|known| known.iter().all(|(_, euro)| *euro == known[0].1)).and_then(|known| {
            let values = known.iter().map(|(value, _)| *value);
            let best = if most { values.clone().max() } else { values.clone().min() }?;
            let mut at = values.enumerate().filter(|(_, value)| *value == best).map(|(at, _)| at);
            at.next().filter(|_| at.next().is_none())
        });
        let seen = read(&set, text);
        match certain {
            Some(at) => proptest::prop_assert_eq!(seen, format!("X {} described", options[at].0)),
            None if prices.iter().all(Option::is_none) => proptest::prop_assert_eq!(seen, "C no_deterministic_match"),
            None => proptest::prop_assert_eq!(seen, "C description_open"),
        }
    }

    /// A bound runs an option exactly if it alone is within it.
    #[test]
    fn only_the_one_within_a_bound_runs(values in proptest::collection::vec(0u16..300, 2..6), bound in 0u16..300) {
        let options: Vec<(String, Value)> = values
            .iter()
            .enumerate()
            .map(|(at, value)| (["Alpha", "Beta", "Gamma", "Delta", "Omega"][at].to_string(), json!({ "price": value })))
            .collect();
        let set = listed(&options.iter().map(|(label, fields)| (label.as_str(), fields.clone())).collect::<Vec<_>>());
        for (text, fits) in [
            (format!("under {bound}"), &(|value| value < bound) as &dyn Fn(u16) -> bool),
            (format!("at least {bound}"), &|value| value >= bound),
            (format!("höchstens {bound}"), &|value| value <= bound),
            (format!("über {bound}"), &|value| value > bound),
        ] {
            let mut within = options.iter().zip(&values).filter(|(_, value)| fits(**value)).map(|(option, _)| &option.0);
            let expected = match (within.next(), within.next()) {
                (Some(one), None) => format!("X {one} described"),
                _ => "C description_open".to_string(),
            };
            proptest::prop_assert_eq!(read(&set, &text), expected, "{}", text);
        }
    }
}
