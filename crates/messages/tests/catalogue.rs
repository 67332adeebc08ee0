//! The catalogues: every message is said in every language, with its values.

use throughline_messages::{IDS, Language, say};

fn named(variable: &str) -> String {
    format!("«{variable}»")
}

#[test]
fn every_message_is_said_in_every_language() {
    for language in Language::ALL.into_iter().chain([Language::Pseudo]) {
        for id in IDS {
            let said = say(language, id, &named).unwrap_or_default();
            assert!(!said.trim().is_empty(), "{id} in {}", language.code());
            assert!(!said.contains(['{', '}']), "{id} in {}: {said}", language.code());
        }
    }
    assert_eq!(say(Language::En, "page-nothing", &named), None);
}

/// A translation that leaves a variable out says less.
#[test]
fn no_language_leaves_a_variable_out() {
    let variables = |text: &str| {
        let mut found: Vec<String> =
            text.split('«').skip(1).filter_map(|rest| Some(rest.split_once('»')?.0.to_owned())).collect();
        found.sort();
        found.dedup();
        found
    };
    for id in IDS {
        let english = say(Language::En, id, &named).unwrap_or_default();
        for language in Language::ALL {
            let other = say(language, id, &named).unwrap_or_default();
            assert_eq!(variables(&other), variables(&english), "{id} in {}", language.code());
        }
    }
}

#[test]
fn a_language_is_found_by_its_code_and_by_what_a_browser_asks_for() {
    let of = |code: &str| Language::of(code).map(Language::code);
    assert_eq!(of("de"), Some("de"));
    assert_eq!(of("de-CH"), Some("de"));
    assert_eq!(of("DE_at"), Some("de"));
    assert_eq!(of("qps-ploc"), Some("qps-ploc"));
    assert_eq!((of("fr"), of(""), of("d")), (None, None, None));
    let accepted = |header: &str| Language::accepted(header).map(Language::code);
    assert_eq!(accepted("de-DE,de;q=0.9,en;q=0.8"), Some("de"));
    assert_eq!(accepted("en;q=0.3, de;q=0.7"), Some("de"));
    assert_eq!(accepted("en, de"), Some("en"));
    assert_eq!(accepted("de;q=0, en;q=0.1"), Some("en"));
    assert_eq!((accepted("fr, *"), accepted(""), accepted(";;q=x,")), (None, None, None));
}
