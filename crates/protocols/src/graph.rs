//! Whole state graphs of models: whether every run ends.
//!
//! The checker compares states one by one. It can say what holds in a state in which no step is left, and that is what
//! "in the end" means as long as no run goes on for ever. [`explore`] shows that none does: the graph of the states has no
//! cycle.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use stateright::Model;

/// Size of a graph of states in which every run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Number of states that can be reached.
    pub states: usize,
    /// Number of steps between them.
    pub steps: usize,
    /// Number of states in which no step is left.
    pub ends: usize,
    /// Number of steps of the longest run.
    pub longest: usize,
}

/// Work on a state.
enum Visit<S> {
    /// Follow its steps, unless that was done.
    Enter(S),
    /// All its steps were followed, to these states.
    Leave(u64, Vec<u64>),
}

fn fingerprint<S: Hash>(state: &S) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(state)
}

/// Follows every run of a model to its end.
///
/// # Errors
/// A run comes back to a state that it was in, so it may go on for ever. Names that state.
pub fn explore<M: Model>(model: &M) -> Result<Graph, String>
where
    M::State: Hash + Debug,
{
    let mut graph = Graph { states: 0, steps: 0, ends: 0, longest: 0 };
    // The longest run from a state on; `None` while its steps are being followed.
    let mut known: HashMap<u64, Option<usize>> = HashMap::new();
    let mut visits: Vec<_> = model.init_states().into_iter().map(Visit::Enter).collect();
    while let Some(visit) = visits.pop() {
        match visit {
            Visit::Enter(state) => match known.get(&fingerprint(&state)) {
                Some(Some(_)) => {}
                Some(None) => return Err(format!("a run comes back to {state:?}")),
                None => {
                    let id = fingerprint(&state);
                    let next = model.next_states(&state);
                    graph.states += 1;
                    graph.steps += next.len();
                    graph.ends += usize::from(next.is_empty());
                    known.insert(id, None);
                    visits.push(Visit::Leave(id, next.iter().map(fingerprint).collect()));
                    visits.extend(next.into_iter().map(Visit::Enter));
                }
            },
            Visit::Leave(id, next) => {
                let runs = next.iter().filter_map(|id| known.get(id).copied().flatten());
                let longest = runs.max().map_or(0, |run| run + 1);
                graph.longest = graph.longest.max(longest);
                known.insert(id, Some(longest));
            }
        }
    }
    Ok(graph)
}
