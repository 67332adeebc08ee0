//! Memory of a lane: its tasks, the facts in its reach, and the summary of its older messages. A person sees what the
//! API would return to them.

use std::cmp::Reverse;

use serde::Serialize;
use throughline_engine::data::fact::{Fact, FactKey, FactScope, FactStatus};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::policy::Policy;
use throughline_engine::data::record::Record;
use throughline_engine::data::task::Task;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::facts::contradiction;
use throughline_engine::{FactId, Timestamp};
use throughline_store::LaneInfo;

use super::operator::Operator;
use crate::auth::Scope;
use crate::problem::Problem;
use crate::routes::lanes::messages;
use crate::wire;

/// Maximum of each kind on a page; the rest is counted.
const MAX_SHOWN: usize = 50;
/// Blocked tasks, open tasks and facts that are shown unfolded.
const UNFOLDED: usize = 10;
/// Finished tasks that are shown unfolded, as many as a prompt contains.
const UNFOLDED_OVER: usize = 5;

#[derive(Serialize)]
pub(super) struct LaneMemory {
    blocked: FoldedList<TaskRow>,
    /// Queued and running tasks.
    live: FoldedList<TaskRow>,
    /// Completed, failed and cancelled work, newest first, without choices from lists.
    over: FoldedList<TaskRow>,
    /// Facts and summary, if the person may read the context of prompts.
    memory: Option<Memory>,
}

#[derive(Serialize)]
struct Memory {
    /// Valid and disputed facts.
    facts: FoldedList<FactRow>,
    superseded: FoldedList<FactRow>,
    summary: Summary,
}

/// List of which the first items are shown, the next ones folded, and the others counted.
#[derive(Serialize)]
struct FoldedList<T> {
    first: Vec<T>,
    folded: Vec<T>,
    more: usize,
}

impl<T> FoldedList<T> {
    fn of(mut all: Vec<T>, first: usize) -> Self {
        let more = all.len().saturating_sub(MAX_SHOWN);
        all.truncate(MAX_SHOWN);
        let folded = all.split_off(first.min(all.len()));
        Self { first: all, folded, more }
    }
}

#[derive(Serialize)]
struct TaskRow {
    #[serde(flatten)]
    task: wire::Task,
    /// Time since which it has its status.
    since: Option<String>,
}

#[derive(Serialize)]
struct FactRow {
    #[serde(flatten)]
    fact: wire::Fact,
    /// Confidence as prompts show it: `0.95`.
    sure: String,
    /// Fact that replaced it, or that contradicts it.
    against: Option<OpposingFact>,
}

#[derive(Serialize)]
struct OpposingFact {
    id: String,
    /// Text, unless that fact was erased since.
    text: Option<String>,
}

/// Summary that stands for older messages in prompts.
#[derive(Serialize)]
struct Summary {
    text: Option<String>,
    tail: Vec<String>,
    version: u32,
    /// Number of messages it covers.
    covers: u64,
    /// Newest message it covers.
    through: Option<wire::Message>,
    /// Number of messages that prompts contain verbatim.
    raw: usize,
    /// Number of verbatim messages from which the oldest are summarised.
    trigger: usize,
    /// Id of the effect that asks for the next summary.
    asked: Option<String>,
    /// Failed attempts since the last summary.
    tries: u32,
    /// Attempts after which single lines are extracted instead.
    most: u32,
}

impl LaneMemory {
    pub(super) async fn of(operator: &Operator, info: &LaneInfo, lane: &Lane) -> Result<Self, Problem> {
        let (blocked, rest): (Vec<&Task>, Vec<&Task>) =
            tasks(lane).partition(|task| task.status == TaskStatus::Blocked);
        let (live, mut over): (Vec<&Task>, Vec<&Task>) =
            rest.into_iter().partition(|task| task.status.is_live());
        over.retain(|task| task.is_work());
        let memory = match operator.caller.may(Scope::ContextRead) {
            true => Some(memory(operator, info, lane).await?),
            false => None,
        };
        Ok(Self {
            blocked: rows(blocked, UNFOLDED),
            live: rows(live, UNFOLDED),
            over: rows(over, UNFOLDED_OVER),
            memory,
        })
    }

    /// Returns true if it holds more than tasks.
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

/// Converts tasks, newest first.
fn rows(mut tasks: Vec<&Task>, first: usize) -> FoldedList<TaskRow> {
    tasks.sort_by_key(|task| Reverse((since(task), task.seq, &task.id)));
    let row = |task| TaskRow { task: wire::Task::from(task), since: since(task).map(Timestamp::rfc3339) };
    FoldedList::of(tasks.into_iter().map(row).collect(), first)
}

/// Returns the time since which a task has its status.
fn since(task: &Task) -> Option<Timestamp> {
    match task.status {
        TaskStatus::Queued => Some(task.created_at),
        TaskStatus::Running => task.started_at,
        TaskStatus::Blocked => task.blocked_at,
        TaskStatus::Completed => task.completed_at,
        TaskStatus::Failed | TaskStatus::Cancelled => Some(task.last_at),
    }
}

async fn memory(operator: &Operator, info: &LaneInfo, lane: &Lane) -> Result<Memory, Problem> {
    let mut rows = facts_of_place(&FactKey::thread(&lane.key), &lane_facts(lane).collect::<Vec<_>>());
    for set in operator.app.runtime().facts_near(lane).await? {
        rows.extend(facts_of_place(&set.key, &set.facts.iter().collect::<Vec<_>>()));
    }
    // The nearest place first, and the newest fact of each first.
    rows.sort_by(|(one, a), (other, b)| {
        (one, Reverse(&a.fact.source_ts)).cmp(&(other, Reverse(&b.fact.source_ts)))
    });
    let rows = rows.into_iter().map(|(_, row)| row);
    let (superseded, facts) =
        rows.partition(|row: &FactRow| row.fact.status == FactStatus::Superseded.as_str());
    Ok(Memory {
        facts: FoldedList::of(facts, UNFOLDED),
        superseded: FoldedList::of(superseded, 0),
        summary: summary(operator, info, lane).await?,
    })
}

fn lane_facts(lane: &Lane) -> impl Iterator<Item = &Fact> {
    lane.records.iter().filter_map(|record| match record {
        Record::Fact(fact) => Some(&**fact),
        _ => None,
    })
}

/// Converts the facts of one place. Facts contradict each other only within one place.
fn facts_of_place(key: &FactKey, facts: &[&Fact]) -> Vec<(FactScope, FactRow)> {
    let counts = |at: &usize| facts[*at].status == FactStatus::Valid;
    let groups = contradiction::groups(facts);
    let holder = |at: usize| groups.iter().find(|group| group.contains(&at))?.iter().copied().find(counts);
    let against = |at: usize| -> Option<&FactId> {
        match facts[at].status {
            FactStatus::Valid => None,
            FactStatus::Superseded => facts[at].superseded_by.as_ref(),
            FactStatus::Disputed => Some(&facts[holder(at)?].canonical_id),
        }
    };
    let told = |id: &FactId| OpposingFact {
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

async fn summary(operator: &Operator, info: &LaneInfo, lane: &Lane) -> Result<Summary, Problem> {
    let runtime = operator.app.runtime();
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
