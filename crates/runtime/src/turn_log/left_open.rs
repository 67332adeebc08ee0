//! The things that wait in a lane after a turn: the answer to the turn's event tells it, also when later turns have changed it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::data::id::SetId;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::lane_state::LaneState;
use throughline_engine::data::pending::{PendingClass, PendingState};
use throughline_engine::data::record::{Record, RecordKind};
use throughline_engine::data::view::View;
use throughline_engine::{Change, Step, Timestamp};

/// The questions and lists that a turn left open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeftOpen {
    /// The question that text would answer, else the newest card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingState>,
    /// The list, if any, that each person's next text is read against, by person; the empty name stands for everybody who
    /// has not written yet.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Option<SetId>>,
}

impl LeftOpen {
    /// Returns what a lane leaves open at `now`.
    #[must_use]
    pub fn of(lane: &Lane, now: Timestamp) -> Self {
        Self { pending: foremost(&lane.head, now).cloned(), lists: views(lane).map(list).collect() }
    }

    /// Returns what a step on a lane leaves open.
    #[must_use]
    pub fn after(lane: &Lane, step: &Step, now: Timestamp) -> Self {
        let mut lists: BTreeMap<_, _> = views(lane).map(list).collect();
        for change in &step.changes {
            match change {
                Change::Put(Record::View(view)) => lists.extend([list(view)]),
                Change::Retire(key) | Change::Drop(key) if key.kind == RecordKind::View => {
                    lists.remove(&key.key);
                }
                _ => {}
            }
        }
        Self { pending: foremost(&step.next, now).cloned(), lists }
    }

    /// Returns the list that a person's next text is read against.
    #[must_use]
    pub fn list_of(&self, user: &str) -> Option<&SetId> {
        self.lists.get(user).or_else(|| self.lists.get(""))?.as_ref()
    }
}

fn views(lane: &Lane) -> impl Iterator<Item = &View> {
    lane.records.iter().filter_map(|record| match record {
        Record::View(view) => Some(view.as_ref()),
        _ => None,
    })
}

fn list(view: &View) -> (String, Option<SetId>) {
    (view.user.clone(), view.active_option_set_id.clone())
}

fn foremost(head: &LaneState, now: Timestamp) -> Option<&PendingState> {
    let alive = || head.pendings.iter().filter(|pending| pending.is_alive(now));
    let question = alive().find(|pending| pending.kind.class() == PendingClass::Conversational);
    question.or_else(|| alive().next_back())
}
