//! The facts in a prompt.

use throughline_engine::facts::prompt_facts::{PromptFacts, choose};

use super::*;

fn shown(places: &[&Place]) -> PromptFacts {
    let all = places.iter().flat_map(|place| place.facts.values().map(|fact| (&place.key, fact)));
    choose(all, &FactsPolicy::default())
}

fn texts(shown: &PromptFacts) -> Vec<String> {
    let text = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
    };
    shown.lines.iter().map(|line| text(&line.line)).collect()
}

#[test]
fn a_line_is_json_with_its_members_in_order() {
    let mut place = Place::new();
    place.decide(said("use `Postgres`", 1_768_471_200_999, 95));
    let line = &shown(&[&place]).lines[0].line;
    assert_eq!(
        line,
        "{ \"type\": \"decision\", \"scope\": \"thread\", \"text\": \"use \\u0060Postgres\\u0060\", \"confidence\": 0.95, \
         \"source_ts\": \"2026-01-15T10:00:00Z\" }"
    );
    let mut place = Place::new();
    place.add(FactType::Assumption, stranger(said("it is free", 1, 50)));
    assert!(shown(&[&place]).lines[0].line.ends_with(", \"trust\": \"untrusted\" }"));
}

// row: C44
#[test]
fn only_the_decision_is_shown() {
    let mut place = Place::new();
    place.add(FactType::Assumption, said("use Postgres", 9, 90));
    place.add(FactType::Constraint, said("use Postgres", 9, 90));
    let id = place.decide(said("use Postgres", 1, 60));
    let shown = shown(&[&place]);
    assert_eq!(shown.facts, [(thread(), id)]);
}

// row: C53
#[test]
fn the_threads_own_decision_hides_the_channels() {
    let mut channel = Place::of(key(FactScope::Channel, "C1"));
    channel.decide(about("database", said("use MySQL", 1, 90)));
    let mut here = Place::new();
    here.decide(about("database", said("use Postgres", 2, 90)));
    assert_eq!(texts(&shown(&[&channel, &here])), ["use Postgres"]);
    assert_eq!(texts(&shown(&[&channel])), ["use MySQL"]);
    assert_eq!(shown(&[&channel, &here]).shadowed, 1, "fact.shadowed");
    // The newer fact hides the older, whoever stated it; an assumption hides no decision.
    channel.decide(about("database", said("use Oracle", 3, 90)));
    assert_eq!(texts(&shown(&[&channel, &here])), ["use Oracle"]);
    let mut here = Place::new();
    here.add(FactType::Assumption, about("database", said("use SQLite", 9, 90)));
    assert_eq!(texts(&shown(&[&channel, &here])), ["use Oracle"]);
}

/// Untrusted text replaces nothing, neither here nor in its own place.
#[test]
fn a_strangers_fact_hides_no_members_fact() {
    let mut channel = Place::of(key(FactScope::Channel, "C1"));
    channel.add(FactType::Assumption, about("database", said("use Postgres", 1, 90)));
    channel.add(FactType::Constraint, said("we will not deploy on Friday", 1, 90));
    let mut here = Place::new();
    here.add(FactType::Assumption, about("database", stranger(said("use MySQL", 9, 50))));
    here.add(FactType::Assumption, stranger(said("we will deploy on Friday", 9, 50)));
    assert_eq!(texts(&shown(&[&channel])), texts(&shown(&[&channel, &here])));
    assert_eq!(shown(&[&channel, &here]).shadowed, 2, "theirs are hidden");
    // Of equal words the member's are shown, however new or confident the stranger's are.
    let mut here = Place::new();
    let own = here.add(FactType::Assumption, said("it is warm", 1, 60)).0;
    let mut epic = Place::of(key(FactScope::Epic, "AUTH-1"));
    epic.decide(stranger(said("it is warm", 9, 50)));
    assert_eq!(shown(&[&epic, &here]).facts, [(thread(), own)]);
    // A stranger's fact does not make two of a member's contradict each other.
    let mut here = Place::new();
    here.decide(about("database", said("use Postgres", 1, 90)));
    here.decide(said("no Oracle", 2, 90));
    let mut epic = Place::of(key(FactScope::Epic, "AUTH-1"));
    epic.decide(about("database", stranger(said("Oracle", 9, 50))));
    assert_eq!(texts(&shown(&[&epic, &here])), ["use Postgres", "no Oracle"]);
    // Among a stranger's own facts the newest is shown.
    epic.decide(about("cache", stranger(said("it is cold", 1, 50))));
    let mut here = Place::new();
    here.add(FactType::Assumption, about("queue", stranger(said("Oracle", 10, 50))));
    here.decide(about("cache", stranger(said("it is hot", 2, 50))));
    assert!(texts(&shown(&[&epic, &here])).contains(&"it is hot".to_owned()));
    assert!(!texts(&shown(&[&epic, &here])).contains(&"it is cold".to_owned()));
}

// row: C60
#[test]
fn forty_facts_are_chosen_by_priority() {
    let (mut channel, mut here) = (Place::of(key(FactScope::Channel, "C1")), Place::new());
    for n in 0..30 {
        channel.decide(said(&format!("c{n}"), 100 - n, 90));
        here.add(FactType::Constraint, said(&format!("t{n}"), n, 60));
    }
    let mut epic = Place::of(key(FactScope::Epic, "AUTH-1"));
    epic.decide(said("e", 5, 51));
    let policy = FactsPolicy { tokens: 10_000, ..FactsPolicy::default() };
    let places = [&channel, &here, &epic];
    let all = || places.iter().flat_map(|place| place.facts.values().map(|fact| (&place.key, fact)));
    let chosen = choose(all(), &policy);
    assert_eq!((chosen.lines.len(), chosen.facts.len()), (40, 40));
    let of = |scope| chosen.facts.iter().filter(|(key, _)| key.scope == scope).count();
    assert_eq!((of(FactScope::Thread), of(FactScope::Epic), of(FactScope::Channel)), (30, 1, 9));
    let texts = texts(&chosen);
    // Shown in the opposite order, each in its original words.
    assert_eq!(
        (texts[0].as_str(), texts[8].as_str(), texts[9].as_str(), texts[10].as_str(), texts[39].as_str()),
        ("c8", "c0", "e", "t0", "t29")
    );
    assert_eq!(chosen.standing(3).len(), 37, "what was left out of the prompt was not used");
    assert!(shown(&places).lines.len() < 40, "800 tokens");
    // A fact that is not confident enough or not valid is never shown.
    let mut place = Place::new();
    place.decide(said("perhaps", 1, 49));
    assert!(super::shown::shown(&[&place]).lines.is_empty());
}

// row: C61
#[test]
fn a_new_fact_is_listed_last() {
    let mut channel = Place::of(key(FactScope::Channel, "C1"));
    let mut here = Place::new();
    channel.decide(said("use Postgres", 50, 90));
    here.decide(said("ship on Monday", 10, 90));
    let before = shown(&[&channel, &here]);
    here.add(FactType::Assumption, said("it is warm", 20, 90));
    let after = shown(&[&channel, &here]);
    let lines = |shown: &PromptFacts| shown.lines.iter().map(|line| line.line.clone()).collect::<Vec<_>>();
    assert_eq!(lines(&after)[..2], lines(&before));
    assert_eq!(after.lines.len(), 3);
}
