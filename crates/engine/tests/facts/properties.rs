//! Properties of sets of facts.

use proptest::prelude::*;
use throughline_engine::facts::contradiction::settle;
use throughline_engine::facts::rekey::rekey;

use super::*;

type Said = (FactType, FactSource);

/// Statements that collide: few words, few subjects, few times.
fn statement() -> impl Strategy<Value = Said> {
    let kind = prop_oneof![Just(FactType::Decision), Just(FactType::Constraint), Just(FactType::Assumption)];
    let text = prop_oneof![
        Just("use Postgres"),
        Just("Use Postgres."),
        Just("do not use Postgres"),
        Just("do use Postgres"),
        Just("use MySQL"),
        Just("never use MySQL"),
        Just("ship it")
    ];
    let subject = prop_oneof![Just(None), Just(Some("database")), Just(Some("date"))];
    let author = prop_oneof![Just("ana"), Just("bob")];
    (kind, text, subject, author, 0..6i64, 0..=20u8, any::<bool>()).prop_map(
        |(kind, text, subject, author, at, twentieth, member)| {
            let source = FactSource {
                author: author.into(),
                subject: subject.map(Into::into),
                ..said(text, at, twentieth * 5)
            };
            (kind, if member { source } else { FactSource { trust: Trust::Untrusted, ..source } })
        },
    )
}

fn made(all: &[Said]) -> Facts {
    let mut facts = Facts::new();
    for (kind, source) in all {
        merge(&mut facts, &thread(), *kind, source.clone(), Timestamp(1), 10);
    }
    settle(&mut facts, &FactsPolicy::default());
    facts
}

/// Returns the facts without the time they became known.
fn timeless(facts: &Facts) -> Vec<Fact> {
    facts
        .values()
        .map(|fact| Fact { created_at: Timestamp(0), updated_at: Timestamp(0), ..fact.clone() })
        .collect()
}

proptest! {
    /// Any order and any repetition of statements gives equal facts.
    #[test]
    fn the_order_of_statements_makes_no_difference(all in prop::collection::vec(statement(), 0..10), order in any::<prop::sample::Index>(), again in any::<prop::sample::Index>()) {
        // Statements with equal time, author and words are one; the first is kept.
        let mut unique: Vec<Said> = Vec::new();
        for one in all {
            let same = |other: &&Said| (other.0, other.1.at, &other.1.author, &other.1.text) == (one.0, one.1.at, &one.1.author, &one.1.text);
            if !unique.iter().any(|other| same(&other)) {
                unique.push(one);
            }
        }
        let facts = made(&unique);
        let mut other = unique.clone();
        if !other.is_empty() {
            let middle = order.index(other.len());
            other.rotate_left(middle);
            other.reverse();
            other.push(unique[again.index(unique.len())].clone());
        }
        prop_assert_eq!(timeless(&facts), timeless(&made(&other)));
        // One fact of each group is valid, and the others are linked to it.
        for fact in facts.values() {
            let by = fact.superseded_by.as_ref();
            prop_assert_eq!(fact.status == FactStatus::Superseded, by.is_some());
            if let Some(by) = by {
                prop_assert!(facts[by].status == FactStatus::Valid && facts[by].supersedes.contains(&fact.canonical_id));
            }
        }
    }

    /// No limit is exceeded, and the set alone decides which fact leaves.
    #[test]
    fn no_limit_is_exceeded(all in prop::collection::vec((0..40u8, 0..=100u8, any::<bool>()), 0..60)) {
        let policy = FactsPolicy { cap: throughline_engine::data::policy::context::FactCaps { thread: 10, ..FactsPolicy::default().cap }, ..FactsPolicy::default() };
        let mut facts = Facts::new();
        for (n, percent, member) in &all {
            let source = said(&format!("fact {n}"), i64::from(*n), *percent);
            let source = if *member { source } else { stranger(source) };
            merge(&mut facts, &thread(), FactType::Decision, source, Timestamp(i64::from(*percent)), 10);
            let mut copy = facts.clone();
            eviction::evict_excess(&mut facts, FactScope::Thread, &policy);
            eviction::evict_excess(&mut copy, FactScope::Thread, &policy);
            prop_assert_eq!(&facts, &copy);
            prop_assert!(facts.len() <= 10 && facts.values().filter(|fact| !fact.is_trusted()).count() <= 2);
        }
    }

    /// Moving facts loses no statement, and moving them again changes nothing.
    #[test]
    fn moving_loses_no_statement(from in prop::collection::vec(statement(), 0..8), there in prop::collection::vec(statement(), 0..2)) {
        let key = key(FactScope::Epic, "AUTH-12");
        let mut old = made(&from);
        let mut new = Facts::new();
        for (kind, source) in &there {
            merge(&mut new, &key, *kind, source.clone(), Timestamp(1), 10);
        }
        let of = |facts: &Facts| {
            let mut all: Vec<_> = facts.values().flat_map(|fact| fact.sources.iter().map(|source| (fact.kind, source.at, source.author.clone(), source.text.clone()))).collect();
            all.sort();
            all.dedup();
            all
        };
        let mut before = [of(&old), of(&new)].concat();
        before.sort();
        before.dedup();
        rekey(&mut old, &mut new, &key, Timestamp(2), 10);
        settle(&mut new, &FactsPolicy::default());
        prop_assert_eq!(of(&new), before);
        for (id, fact) in &new {
            prop_assert_eq!(id, &fact.canonical_id);
            prop_assert!(fact.superseded_by.iter().all(|by| new.contains_key(by)));
        }
        let after = new.clone();
        rekey(&mut old, &mut new, &key, Timestamp(3), 10);
        prop_assert_eq!(new, after);
    }
}
