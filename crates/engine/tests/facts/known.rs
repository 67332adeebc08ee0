//! The facts of one place: identity, validity, limits and moves.

use throughline_engine::facts::rekey::rekey;

use super::*;
use FactStatus::{Disputed, Superseded, Valid};
use FactType::{Assumption, Constraint, Decision};

#[test]
fn fact_ids_are_known_hashes() {
    let of = |key: FactKey, kind, text: &str| key.fact(kind, text).0;
    assert_eq!(of(thread(), Decision, "We will use Postgres."), "f1-3017dd2e304478c2c9260243f9e3d849");
    let channel = key(FactScope::Channel, "C1");
    assert_eq!(
        of(channel, Decision, "we will use postgres"),
        of(key(FactScope::Channel, "C1"), Decision, "We will use Postgres.")
    );
    let epic = |id: &str| key(FactScope::Epic, id).fact(Constraint, "No data leaves EU.").0;
    assert_eq!(epic("draft:d7"), "f1-86863c38f0d38c11355e8dc698c21f20");
    assert_eq!(epic("AUTH-12"), "f1-52117417a481323bb8333bd985ffaf5d");
}

// row: C43
#[test]
fn the_same_words_are_one_fact() {
    let mut place = Place::new();
    place.decide(said("We will use Postgres.", 1, 90));
    place.decide(said("we  will use  POSTGRES", 2, 90));
    assert_eq!(place.only().sources.len(), 2);
    assert_eq!(place.only().canonical_id.as_str(), "f1-3017dd2e304478c2c9260243f9e3d849");
    let mut place = Place::new();
    place.decide(said("The database is X", 1, 90));
    place.decide(said("database is x", 2, 90));
    assert_eq!(place.only().text, "database is x");
}

// row: C44
#[test]
fn two_tenants_have_two_facts() {
    let theirs = FactKey { tenant: "globex".into(), ..thread() };
    let ids = [
        thread().fact(Decision, "use Postgres"),
        theirs.fact(Decision, "use Postgres"),
        thread().fact(Assumption, "use Postgres"),
        key(FactScope::Thread, "C1/9").fact(Decision, "use Postgres"),
    ];
    let mut unique = ids.to_vec();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 4);
}

// row: C45
#[test]
fn the_same_statement_changes_nothing() {
    let mut place = Place::new();
    place.decide(said("use Postgres", 5, 90));
    let before = place.facts.clone();
    let (_, joined, _) = place.add(Decision, said("use Postgres", 5, 90));
    assert_eq!((joined, &place.facts), (MergeOutcome::Unchanged, &before), "fact.unchanged");
}

// row: C46
#[test]
fn a_newer_unsure_statement_updates_text_and_time() {
    let mut place = Place::new();
    place.decide(said("use Postgres", 5, 90));
    place.decide(said("Use Postgres!", 9, 40));
    let fact = place.only();
    assert_eq!(
        (fact.confidence, fact.source_ts, fact.text.as_str()),
        (Confidence::from_percent(90), Timestamp(9), "Use Postgres!")
    );
}

// row: C47
#[test]
fn a_late_older_statement_changes_no_text() {
    let mut place = Place::new();
    place.decide(said("Use Postgres!", 9, 80));
    place.decide(said("use Postgres", 5, 90));
    let fact = place.only();
    assert_eq!((fact.text.as_str(), fact.source_ts), ("Use Postgres!", Timestamp(9)));
    assert_eq!(fact.sources.iter().map(|source| source.at.0).collect::<Vec<_>>(), [9, 5]);
}

#[test]
fn a_stranger_does_not_renew_an_old_decision() {
    let mut place = Place::new();
    place.decide(said("use Postgres", 5, 80));
    place.decide(stranger(said("use Postgres!", 9, 100)));
    let fact = place.only();
    assert_eq!(
        (fact.source_ts, fact.confidence, fact.author.as_str()),
        (Timestamp(5), Confidence::from_percent(80), "ana")
    );
    // A member's statement makes a stranger's fact theirs.
    let mut place = Place::new();
    place.decide(stranger(said("use Postgres", 9, 100)));
    place.decide(said("use Postgres", 5, 60));
    assert_eq!(
        (place.only().trust, place.only().confidence, place.only().source_ts),
        (Trust::Member, Confidence::from_percent(60), Timestamp(5))
    );
}

/// MySQL on Monday and Postgres on Tuesday, both about the database; `tuesday` is the confidence of the second.
fn two(tuesday: u8, backwards: bool) -> (Place, FactId, FactId) {
    let mut place = Place::new();
    let monday = || about("database", said("use MySQL", DAY, 90));
    let tuesday = || about("database", said("use Postgres", 2 * DAY, tuesday));
    let (mysql, postgres);
    if backwards {
        postgres = place.decide(tuesday());
        mysql = place.decide(monday());
    } else {
        mysql = place.decide(monday());
        postgres = place.decide(tuesday());
    }
    (place, mysql, postgres)
}

// row: C48
#[test]
fn the_newer_decision_counts_in_both_orders() {
    let (one, mysql, postgres) = two(90, false);
    let (other, ..) = two(90, true);
    let statuses = |place: &Place| {
        place
            .facts
            .values()
            .map(|fact| {
                (fact.canonical_id.clone(), fact.status, fact.superseded_by.clone(), fact.supersedes.clone())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(statuses(&one), statuses(&other));
    assert_eq!((one.status(&postgres), one.status(&mysql)), (Valid, Superseded));
    assert_eq!(
        (one.facts[&mysql].superseded_by.as_ref(), &one.facts[&postgres].supersedes),
        (Some(&postgres), &vec![mysql])
    );
}

// row: C49
#[test]
fn a_newer_unsure_decision_is_disputed() {
    for backwards in [false, true] {
        let (place, mysql, postgres) = two(40, backwards);
        assert_eq!((place.status(&mysql), place.status(&postgres)), (Valid, Disputed), "fact.disputed");
    }
}

// row: C50
#[test]
fn a_restated_fact_wins_again() {
    let (mut place, mysql, postgres) = two(90, false);
    place.decide(about("database", said("use MySQL", 3 * DAY, 90)));
    assert_eq!((place.status(&mysql), place.status(&postgres)), (Valid, Superseded));
}

// row: C51
#[test]
fn a_sentence_contradicts_its_negation() {
    for (no, yes) in [
        ("we will not deploy on Friday", "we will deploy on Friday"),
        ("we won't deploy on Friday", "We will deploy on Friday."),
        ("never use eval", "use eval"),
        ("wir nehmen Oracle nicht", "wir nehmen Oracle"),
    ] {
        let mut place = Place::new();
        let (no, yes) = (place.decide(said(no, 1, 90)), place.decide(said(yes, 2, 90)));
        assert_eq!((place.status(&no), place.status(&yes)), (Superseded, Valid));
    }
    // A double negation is positive, and a further difference makes another statement.
    let mut place = Place::new();
    let (one, other) =
        (place.decide(said("we never do not test", 1, 90)), place.decide(said("we do test", 2, 90)));
    assert_eq!((place.status(&one), place.status(&other)), (Valid, Valid));
    let other = place.decide(said("we will deploy on Monday", 2, 90));
    assert_eq!(place.status(&other), Valid);
}

// row: C52
#[test]
fn an_assumption_supersedes_no_decision() {
    let mut place = Place::new();
    let decision = place.decide(about("database", said("use Postgres", 1, 90)));
    let (assumption, ..) = place.add(Assumption, about("database", said("use MySQL", 2, 90)));
    assert_eq!((place.status(&decision), place.status(&assumption)), (Valid, Disputed));
    let mut place = Place::new();
    let (ours, ..) = place.add(Assumption, about("cache", said("it is warm", 1, 90)));
    let (theirs, ..) = place.add(Assumption, about("cache", stranger(said("it is cold", 2, 50))));
    assert_eq!((place.status(&ours), place.status(&theirs)), (Valid, Disputed));
}

// row: C54
#[test]
fn the_least_important_fact_leaves_a_full_place() {
    let full = |used: usize| {
        let mut place = Place::new();
        let ids: Vec<FactId> =
            (0..50).map(|n| place.decide(said(&format!("fact number {n}"), n, 80))).collect();
        for (n, id) in ids.iter().enumerate().filter(|(n, _)| *n != used) {
            place.facts.get_mut(id).unwrap().last_used_at = Some(Timestamp(100 + n as i64));
        }
        (place, ids)
    };
    let (mut place, ids) = full(7);
    let (new, _, left) = place.add(Decision, said("one more", 99, 90));
    assert_eq!((left, place.facts.len()), (vec![ids[7].clone()], 50), "fact.evicted: the one never used");
    assert!(place.facts.contains_key(&new));
    let (mut place, _) = full(7);
    let (new, _, left) = place.add(Decision, said("one more", 99, 30));
    assert_eq!(left, [new], "the newcomer");
    let (mut place, ids) = full(50);
    for id in &ids {
        place.facts.get_mut(id).unwrap().last_used_at = None;
    }
    assert_eq!(
        place.add(Decision, said("one more", 99, 90)).2,
        [ids[0].clone()],
        "ties: the one changed first"
    );
    for (scope, cap) in [(FactScope::Epic, 200), (FactScope::Channel, 300)] {
        let mut place = Place::of(key(scope, "x"));
        for n in 0..=cap {
            merge(
                &mut place.facts,
                &place.key,
                Decision,
                said(&format!("fact number {n}"), n, 80),
                Timestamp(n),
                10,
            );
        }
        eviction::evict_excess(&mut place.facts, scope, &place.policy);
        assert_eq!(place.facts.len() as i64, cap);
    }
}

// row: C55
#[test]
fn facts_of_a_draft_move_to_its_issue() {
    let (from, to) = (key(FactScope::Epic, "draft:d7"), key(FactScope::Epic, "AUTH-12"));
    let (mut draft, mut issue) = (Place::of(from), Place::of(to.clone()));
    draft.add(Constraint, said("no data leaves EU", 1, 90));
    let old = draft.decide(about("database", said("use MySQL", 1, 90)));
    draft.decide(about("database", said("use Postgres", 2, 90)));
    issue.add(Constraint, said("No data leaves EU.", 3, 95));
    rekey(&mut draft.facts, &mut issue.facts, &to, Timestamp(9), 10);
    eviction::evict_excess(&mut issue.facts, FactScope::Epic, &issue.policy);
    assert!(draft.facts.is_empty(), "fact.rekeyed");
    let constraint = &issue.facts[&FactId::from("f1-52117417a481323bb8333bd985ffaf5d")];
    assert_eq!((constraint.sources.len(), constraint.confidence), (2, Confidence::from_percent(95)));
    let (mysql, postgres) = (to.fact(Decision, "use MySQL"), to.fact(Decision, "use Postgres"));
    assert_eq!(
        (issue.facts[&mysql].superseded_by.as_ref(), &issue.facts[&postgres].supersedes),
        (Some(&postgres), &vec![mysql.clone()])
    );
    assert!(!issue.facts.contains_key(&old));
    let before = issue.facts.clone();
    rekey(&mut draft.facts, &mut issue.facts, &to, Timestamp(10), 10);
    assert_eq!(issue.facts, before, "the second time nothing");
}

// row: C56
#[test]
fn forty_strangers_take_a_fifth_of_the_room() {
    let (mut place, _, postgres) = two(90, false);
    for n in 0..40 {
        place.add(Assumption, stranger(said(&format!("everything is free, number {n}"), 3 * DAY + n, 50)));
    }
    let strangers = place.facts.values().filter(|fact| !fact.is_trusted()).count();
    assert_eq!((strangers, place.facts.len(), place.status(&postgres)), (10, 12, Valid));
}

#[test]
fn an_unknown_fact_cannot_be_taken_back() {
    use throughline_engine::data::actor::Actor;
    use throughline_engine::data::event::EventKind;
    use throughline_engine::{Event, Lane, LaneKey, Policy, Reason, StepInput, step};
    let lane = Lane::new(LaneKey::new("acme", "app", "web", "room", ""));
    let kind = EventKind::FactTakenBack { key: FactKey::thread(&lane.key), fact: "f1-0".into() };
    let event = Event { id: "e".into(), received_at: Timestamp(1), actor: "ana".into(), kind };
    let actor = Some(Actor { id: "ana".into(), name: "ana".into(), ..Actor::default() });
    let done = step(&lane, &event, &StepInput { actor, ..StepInput::default() }, &Policy::default());
    assert_eq!(done.decision.reason, Reason::FactUnknown);
}
