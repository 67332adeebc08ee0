//! What is known in a lane: its tasks, the facts in its reach, and what its older messages were condensed to
//! (`spec 05 §2`, `§7`, `§8`). Of it somebody sees what the API tells them too.

use std::cmp::Reverse;

use serde::Serialize;
use throughline_engine::lane::{Lane, Record, Task, TaskStatus};
use throughline_engine::memory::{Fact, FactKey, FactScope, FactStatus, contradict};
use throughline_engine::policy::Policy;
use throughline_engine::{FactId, Timestamp};
use throughline_store::LaneInfo;

use super::desk::Desk;
use crate::auth::Scope;
use crate::problem::Problem;
use crate::routes::lanes::messages;
use crate::wire;

/// Of one kind a page shows so many at most; what is beyond them is counted.
const MOST: usize = 50;
/// So many blocked tasks, open tasks and facts are seen without a click.
const OPEN: usize = 10;
/// And so many that are over: as many as a prompt tells of.
const OVER: usize = 5;

#[derive(Serialize)]
pub(super) struct Known {
    blocked: Few<TaskRow>,
    /// Queued and running.
    live: Few<TaskRow>,
    /// Completed, failed and cancelled work, the newest first. What was picked from a list is no work.
    over: Few<TaskRow>,
    /// For who may read what prompts are told.
    memory: Option<Memory>,
}

#[derive(Serialize)]
struct Memory {
    /// What counts, and what is disputed.
    facts: Few<FactRow>,
    superseded: Few<FactRow>,
    summary: Summary,
}

/// The first of a list, the rest of it under a fold, and how many are on no page.
#[derive(Serialize)]
struct Few<T> {
    first: Vec<T>,
    folded: Vec<T>,
    more: usize,
}

impl<T> Few<T> {
    fn of(mut all: Vec<T>, first: usize) -> Self {
        let more = all.len().saturating_sub(MOST);
        all.truncate(MOST);
        let folded = all.split_off(first.min(all.len()));
        Self { first: all, folded, more }
    }
}

#[derive(Serialize)]
struct TaskRow {
    #[serde(flatten)]
    task: wire::Task,
    /// Since when it stands there.
    since: Option<String>,
}

#[derive(Serialize)]
struct FactRow {
    #[serde(flatten)]
    fact: wire::Fact,
    /// As prompts say it: `0.95`.
    sure: String,
    /// What it gave way to, or is up against.
    against: Option<Against>,
}

#[derive(Serialize)]
struct Against {
    id: String,
    /// Its words, unless it left since.
    text: Option<String>,
}

/// What stands for the messages that are no longer told as they were said.
#[derive(Serialize)]
struct Summary {
    text: Option<String>,
    tail: Vec<String>,
    version: u32,
    /// How many messages it covers.
    covers: u64,
    /// The newest of them.
    through: Option<wire::Message>,
    /// How many are told as they were said.
    raw: usize,
    /// From how many on the oldest are folded.
    trigger: usize,
    /// The effect that asks for the next one.
    asked: Option<String>,
    /// How often asking failed since the cursor moved.
    tries: u32,
    /// After so many tries single lines are picked instead.
    most: u32,
}

impl Known {
    pub(super) async fn of(desk: &Desk, info: &LaneInfo, lane: &Lane) -> Result<Self, Problem> {
        let (blocked, rest): (Vec<&Task>, Vec<&Task>) =
            tasks(lane).partition(|task| task.status == TaskStatus::Blocked);
        let (live, mut over): (Vec<&Task>, Vec<&Task>) =
            rest.into_iter().partition(|task| task.status.live());
        over.retain(|task| task.is_work());
        let memory = match desk.caller.may(Scope::ContextRead) {
            true => Some(memory(desk, info, lane).await?),
            false => None,
        };
        Ok(Self { blocked: rows(blocked, OPEN), live: rows(live, OPEN), over: rows(over, OVER), memory })
    }

    /// Whether it tells more than tasks.
    pub(super) fn remembers(&self) -> bool {
        self.memory.is_some()
    }
}

fn tasks(lane: &Lane) -> impl Iterator<Item = &Task> {
    lane.records.iter().filter_map(|record| match record {
        Record::Task(task) => Some(task),
        _ => None,
    })
}

/// The newest first.
fn rows(mut tasks: Vec<&Task>, first: usize) -> Few<TaskRow> {
    tasks.sort_by_key(|task| Reverse((since(task), task.seq, &task.id)));
    let row = |task| TaskRow { task: wire::Task::from(task), since: since(task).map(Timestamp::rfc3339) };
    Few::of(tasks.into_iter().map(row).collect(), first)
}

/// Since when a task stands where it does.
fn since(task: &Task) -> Option<Timestamp> {
    match task.status {
        TaskStatus::Queued => Some(task.created_at),
        TaskStatus::Running => task.started_at,
        TaskStatus::Blocked => task.blocked_at,
        TaskStatus::Completed => task.completed_at,
        TaskStatus::Failed | TaskStatus::Cancelled => Some(task.last_at),
    }
}

async fn memory(desk: &Desk, info: &LaneInfo, lane: &Lane) -> Result<Memory, Problem> {
    let mut rows = of_place(&FactKey::thread(&lane.key), &here(lane).collect::<Vec<_>>());
    for set in desk.app.runtime().facts_near(lane).await? {
        rows.extend(of_place(&set.key, &set.facts.iter().collect::<Vec<_>>()));
    }
    // From the nearest to the farthest, each from the newest on.
    rows.sort_by(|(one, a), (other, b)| {
        (one, Reverse(&a.fact.source_ts)).cmp(&(other, Reverse(&b.fact.source_ts)))
    });
    let rows = rows.into_iter().map(|(_, row)| row);
    let (superseded, facts) =
        rows.partition(|row: &FactRow| row.fact.status == FactStatus::Superseded.word());
    Ok(Memory {
        facts: Few::of(facts, OPEN),
        superseded: Few::of(superseded, 0),
        summary: summary(desk, info, lane).await?,
    })
}

fn here(lane: &Lane) -> impl Iterator<Item = &Fact> {
    lane.records.iter().filter_map(|record| match record {
        Record::Fact(fact) => Some(&**fact),
        _ => None,
    })
}

/// The facts of one place. Only those of the same one can be up against each other.
fn of_place(key: &FactKey, facts: &[&Fact]) -> Vec<(FactScope, FactRow)> {
    let counts = |at: &usize| facts[*at].status == FactStatus::Valid;
    let groups = contradict::groups(facts);
    let holder = |at: usize| groups.iter().find(|group| group.contains(&at))?.iter().copied().find(counts);
    let against = |at: usize| -> Option<&FactId> {
        match facts[at].status {
            FactStatus::Valid => None,
            FactStatus::Superseded => facts[at].superseded_by.as_ref(),
            FactStatus::Disputed => Some(&facts[holder(at)?].canonical_id),
        }
    };
    let told = |id: &FactId| Against {
        id: id.0.clone(),
        text: facts.iter().find(|fact| fact.canonical_id == *id).map(|fact| fact.text.clone()),
    };
    let row = |(at, fact): (usize, &&Fact)| FactRow {
        fact: wire::Fact::of(key, fact),
        sure: fact.confidence.to_string(),
        against: against(at).map(told),
    };
    facts.iter().enumerate().map(row).map(|row| (key.scope, row)).collect()
}

async fn summary(desk: &Desk, info: &LaneInfo, lane: &Lane) -> Result<Summary, Problem> {
    let runtime = desk.app.runtime();
    let Policy { summary: policy, .. } = runtime.policy();
    let covered = lane.head.covered.as_deref().cloned().unwrap_or_default();
    let through = messages(runtime, info, covered.through.as_slice()).await?.pop();
    Ok(Summary {
        text: covered.summary,
        tail: covered.tail,
        version: covered.version,
        covers: covered.cursor,
        through,
        raw: lane.head.raw().len(),
        trigger: policy.trigger,
        asked: covered.asked.map(|request| request.effect.0),
        tries: covered.tries,
        most: policy.max_tries,
    })
}
