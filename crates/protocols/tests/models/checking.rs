//! Running the checker, and what its runs are called in the output.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::time::Instant;

use stateright::{Checker, Expectation, HasDiscoveries, Model};
use throughline_protocols::graph::explore;

/// Findings of the checker in a model: the properties that do not hold, each with the steps that lead there.
struct Found {
    states: usize,
    broken: Vec<(&'static str, String)>,
}

fn check<M>(model: M, until: HasDiscoveries) -> Found
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let expectations: Vec<_> =
        model.properties().into_iter().map(|property| (property.name, property.expectation)).collect();
    // One thread finds the shortest runs.
    let checker = model.checker().finish_when(until).spawn_bfs().join();
    let mut seen = checker.discoveries();
    let mut broken = Vec::new();
    for (name, expectation) in expectations {
        match (expectation, seen.remove(name)) {
            (Expectation::Sometimes, None) => broken.push((name, "no run shows it".to_owned())),
            (Expectation::Always | Expectation::Eventually, Some(path)) => {
                broken.push((name, format!("{:?}", path.into_actions())));
            }
            _ => {}
        }
    }
    Found { states: checker.unique_state_count(), broken }
}

/// Checks that every property holds in every state of a model, and that every run ends.
#[expect(clippy::print_stdout, reason = "the numbers of states are what is quoted")]
pub(crate) fn holds<M>(name: &str, model: M)
where
    M: Model + Clone + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let began = Instant::now();
    let graph = explore(&model).unwrap_or_else(|cycle| panic!("{name}: {cycle}"));
    let found = check(model, HasDiscoveries::AnyFailures);
    println!("{name}: {} states, {graph:?}, {} ms", found.states, began.elapsed().as_millis());
    assert!(found.broken.is_empty(), "{name}: {:#?}", found.broken);
}

/// As [`holds`], for a model with too many states to keep them all: that every run ends is what smaller bounds show.
#[expect(clippy::print_stdout, reason = "the numbers of states are what is quoted")]
pub(crate) fn holds_at_large<M>(name: &str, model: M)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let began = Instant::now();
    let found = check(model, HasDiscoveries::AnyFailures);
    println!("{name}: {} states, {} s", found.states, began.elapsed().as_secs());
    assert!(found.broken.is_empty(), "{name}: {:#?}", found.broken);
}

/// Checks that these properties hold in every state of a model, whatever becomes of others, and that every run ends.
#[expect(clippy::print_stdout, reason = "the numbers of states are what is quoted")]
pub(crate) fn keeps<M>(name: &str, model: M, expected: &[&'static str])
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let began = Instant::now();
    let graph = explore(&model).unwrap_or_else(|cycle| panic!("{name}: {cycle}"));
    let found = check(model, HasDiscoveries::All);
    println!("{name}: {} states, {graph:?}, {} ms", found.states, began.elapsed().as_millis());
    for (property, run) in found.broken {
        assert!(!expected.contains(&property), "{name}: not {property:?}: {run}");
    }
}

/// Checks that the checker finds these properties broken in a model that is wrong.
#[expect(clippy::print_stdout, reason = "the runs that go wrong explain the rules")]
pub(crate) fn breaks<M>(name: &str, model: M, expected: &[&'static str])
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let began = Instant::now();
    let found = check(model, HasDiscoveries::AllOf(expected.iter().copied().collect()));
    println!("{name}: wrong, {} states, {} ms", found.states, began.elapsed().as_millis());
    for (property, run) in found.broken.iter().filter(|(property, _)| expected.contains(property)) {
        println!("  {property}: {run}");
    }
    let broken: BTreeSet<&str> = found.broken.iter().map(|(property, _)| *property).collect();
    for property in expected {
        assert!(broken.contains(property), "{name}: the checker did not see that not {property:?}");
    }
}
