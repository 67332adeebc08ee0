//! The facts of epics and channels, stored beside lanes as a store does.

use std::collections::BTreeMap;

use throughline_engine::data::event::{Event, EventKind};
use throughline_engine::data::fact::{Fact, FactChange, FactKey, FactSet};
use throughline_engine::memory::fact_needs;
use throughline_engine::{Step, StepInput};

use super::TestLane;

/// The facts of every tenant, by key.
#[derive(Clone, Default)]
pub(crate) struct Places {
    sets: BTreeMap<FactKey, FactSet>,
}

impl Places {
    /// Steps one event with the facts it asks for, and stores their changes.
    pub(crate) fn event(
        &mut self,
        w: &mut TestLane,
        actor: &str,
        kind: EventKind,
        mut given: StepInput,
    ) -> Step {
        let event = Event { id: String::new(), received_at: w.now, actor: actor.into(), kind: kind.clone() };
        let wanted = fact_needs(&w.lane, &event, &given, &w.policy);
        given.facts = wanted.into_iter().map(|key| self.set(key)).collect();
        let step = w.event(actor, kind, given);
        for touched in &step.facts {
            let mut set = self.set(touched.key.clone());
            assert_eq!(set.revision, touched.revision);
            set.revision += u64::from(!touched.changes.is_empty());
            for change in &touched.changes {
                let id = match change {
                    FactChange::Put(fact) => Some(&fact.canonical_id),
                    FactChange::Drop(id) => Some(id),
                    FactChange::PutTombstone(_) | FactChange::DropTombstone(_) => None,
                };
                set.facts.retain(|fact| Some(&fact.canonical_id) != id);
                match change {
                    FactChange::Put(fact) => set.facts.push(fact.clone()),
                    FactChange::PutTombstone(gone) => set.gone.push(gone.clone()),
                    FactChange::DropTombstone(gone) => set.gone.retain(|kept| kept != gone),
                    FactChange::Drop(_) => {}
                }
            }
            self.sets.insert(set.key.clone(), set);
        }
        step
    }

    fn set(&self, key: FactKey) -> FactSet {
        let empty = FactSet { key, revision: 0, facts: Vec::new(), gone: Vec::new() };
        self.sets.get(&empty.key).cloned().unwrap_or(empty)
    }

    /// Returns the facts of a place.
    pub(crate) fn facts(&self, key: &FactKey) -> Vec<Fact> {
        self.set(key.clone()).facts
    }
}
