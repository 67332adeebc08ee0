//! The writer: turns that wait at once are written by one transaction for each tenant, in the order of their lanes. A turn that
//! lost its race is told so; the others stand.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::Shared;
use super::commit::{Decided, commit};
use super::session::{Ended, Pool, RETRIES};
use crate::contract::{CommitResult, StoreError, TurnCommit};

const ACT: &str = "commit a turn";

/// Turns that one transaction writes at most.
const GROUP: usize = 64;

/// Transactions of the writer that run at once.
const GROUPS: usize = 2;

struct Waiting {
    turn: TurnCommit,
    told: oneshot::Sender<Result<CommitResult, StoreError>>,
}

/// The end of the queue to the writer.
pub(super) struct Writer(mpsc::UnboundedSender<Waiting>);

impl Writer {
    pub(super) fn start(shared: Arc<Shared>, runtime: &Handle) -> Self {
        let (sender, mut queue) = mpsc::unbounded_channel();
        // Turns wait for one another and for nobody else.
        let pool = Arc::new(shared.pool.beside(GROUPS));
        runtime.spawn(async move {
            let groups = Arc::new(Semaphore::new(GROUPS));
            let mut later = VecDeque::new();
            while let Ok(permit) = groups.clone().acquire_owned().await {
                if later.is_empty() {
                    let Some(first) = queue.recv().await else { break };
                    later.push_back(first);
                }
                let permit = Arc::new(permit);
                for group in gather(&mut later, &mut queue) {
                    let (shared, pool, permit) = (shared.clone(), pool.clone(), permit.clone());
                    tokio::spawn(async move {
                        write(&shared, &pool, group).await;
                        drop(permit);
                    });
                }
            }
        });
        Self(sender)
    }

    pub(super) async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        let (told, result) = oneshot::channel();
        let stopped = |_| StoreError::Unknown { act: ACT, why: "the writer has stopped".into() };
        let refused = |_| StoreError::Backend { act: ACT, why: "the writer has stopped".into() };
        self.0.send(Waiting { turn, told }).map_err(refused)?;
        result.await.map_err(stopped)?
    }
}

/// Takes what waits, at most [`GROUP`] turns, and returns it by tenant and in the order of lanes. A lane's second turn waits for
/// the next group in `later`.
fn gather(later: &mut VecDeque<Waiting>, queue: &mut mpsc::UnboundedReceiver<Waiting>) -> Vec<Vec<Waiting>> {
    let mut lanes = HashSet::new();
    let mut groups: BTreeMap<String, Vec<Waiting>> = BTreeMap::new();
    let before = std::mem::take(later);
    let more = std::iter::from_fn(|| queue.try_recv().ok());
    let mut all = before.into_iter().chain(more);
    for waiting in all.by_ref() {
        if !lanes.insert(waiting.turn.lane.clone()) {
            later.push_back(waiting);
            continue;
        }
        groups.entry(waiting.turn.lane.tenant.clone()).or_default().push(waiting);
        if lanes.len() == GROUP {
            break;
        }
    }
    groups.into_values().collect()
}

type Results = Vec<Result<CommitResult, StoreError>>;

async fn write(shared: &Shared, pool: &Pool, group: Vec<Waiting>) {
    let (turns, told): (Vec<_>, Vec<_>) =
        group.into_iter().map(|waiting| (waiting.turn, waiting.told)).unzip();
    let results = match write_group(shared, pool, &turns).await {
        Ok(results) => results,
        // One of them is at fault, and only that one is told.
        Err(Failed::Told(
            StoreError::Refused { .. } | StoreError::Damaged { .. } | StoreError::Backend { .. },
        )) if turns.len() > 1 => one_by_one(shared, pool, &turns).await,
        Err(Failed::Told(error) | Failed::Lost(error)) => turns.iter().map(|_| Err(same(&error))).collect(),
    };
    for ((told, result), turn) in told.into_iter().zip(results).zip(&turns) {
        if let (Ok(CommitResult::Committed), Some(direct)) = (&result, &turn.direct) {
            shared.remember(&direct.identity);
        }
        // Whoever went away asks for the commit again.
        let _ = told.send(result);
    }
}

async fn one_by_one(shared: &Shared, pool: &Pool, turns: &[TurnCommit]) -> Results {
    let mut results = Vec::with_capacity(turns.len());
    for turn in turns {
        results.push(match write_group(shared, pool, std::slice::from_ref(turn)).await {
            Ok(mut one) => one.pop().unwrap_or(Ok(CommitResult::Fenced)),
            Err(Failed::Told(error) | Failed::Lost(error)) => Err(error),
        });
    }
    results
}

/// Reason a group was not written.
enum Failed {
    /// A statement failed.
    Told(StoreError),
    /// There is no connection, or every try lost a race.
    Lost(StoreError),
}

/// Writes turns in one transaction, again after a lost race.
async fn write_group(shared: &Shared, pool: &Pool, turns: &[TurnCommit]) -> Result<Results, Failed> {
    let Some(first) = turns.first() else { return Ok(Vec::new()) };
    let mut tries = 0;
    loop {
        let now = shared.follow_clock(ACT).await.map_err(Failed::Lost)?;
        let tx = pool.begin(ACT, &first.lane.tenant, now).await.map_err(Failed::Lost)?;
        let decided = commit(&tx, turns).await;
        match tx.finish(ACT, decided).await {
            Ended::Told(Ok(all)) => return Ok(all.into_iter().map(result).collect()),
            Ended::Told(Err(error)) => return Err(Failed::Told(error)),
            Ended::Again(_) if tries < RETRIES => tries += 1,
            Ended::Again(error) => return Err(Failed::Lost(error)),
        }
    }
}

fn result(decided: Decided) -> Result<CommitResult, StoreError> {
    match decided {
        Decided::Written => Ok(CommitResult::Committed),
        Decided::Lost(result) => Ok(result),
        Decided::Refused(why) => Err(StoreError::Refused { act: ACT, why }),
    }
}

/// Returns the error for one of the turns that it ended.
fn same(error: &StoreError) -> StoreError {
    let act = ACT;
    match error {
        StoreError::Unknown { why, .. } => StoreError::Unknown { act, why: why.clone() },
        StoreError::ReadOnly { why, .. } => StoreError::ReadOnly { act, why: why.clone() },
        StoreError::Refused { why, .. } => StoreError::Refused { act, why: why.clone() },
        StoreError::Damaged { why, .. } => StoreError::Damaged { act, why: why.clone() },
        other => StoreError::Backend { act, why: other.to_string() },
    }
}
