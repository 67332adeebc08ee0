//! The writer: turns that wait at once are written by one transaction for each tenant, in the order of their lanes, each
//! under a savepoint of its own. A turn that lost its race is undone and told so; the others stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::Shared;
use super::commit::commit;
use super::error::TxError;
use super::session::{Ended, RETRIES, Tx};
use crate::contract::{CommitResult, StoreError, TurnCommit};

const ACT: &str = "commit a turn";

/// Turns that one transaction writes at most.
const GROUP: usize = 64;

/// Transactions of the writer that run at once.
const GROUPS: usize = 4;

struct Waiting {
    turn: TurnCommit,
    told: oneshot::Sender<Result<CommitResult, StoreError>>,
}

/// The end of the queue to the writer.
pub(super) struct Writer(mpsc::UnboundedSender<Waiting>);

impl Writer {
    pub(super) fn start(shared: Arc<Shared>, runtime: &Handle) -> Self {
        let (sender, mut queue) = mpsc::unbounded_channel();
        runtime.spawn(async move {
            let groups = Arc::new(Semaphore::new(GROUPS));
            while let Ok(permit) = groups.clone().acquire_owned().await {
                let Some(first) = queue.recv().await else { break };
                let permit = Arc::new(permit);
                for group in gather(first, &mut queue) {
                    let (shared, permit) = (shared.clone(), permit.clone());
                    tokio::spawn(async move {
                        write(&shared, group).await;
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

/// Returns what waits, by tenant and in the order of lanes, so that two transactions lock lanes in the same order.
fn gather(first: Waiting, queue: &mut mpsc::UnboundedReceiver<Waiting>) -> Vec<Vec<Waiting>> {
    let mut groups: BTreeMap<String, Vec<Waiting>> = BTreeMap::new();
    let more = std::iter::from_fn(|| queue.try_recv().ok()).take(GROUP - 1);
    for waiting in std::iter::once(first).chain(more) {
        groups.entry(waiting.turn.lane.tenant.clone()).or_default().push(waiting);
    }
    for group in groups.values_mut() {
        group.sort_by(|a, b| a.turn.lane.cmp(&b.turn.lane));
    }
    groups.into_values().collect()
}

type Results = Vec<Result<CommitResult, StoreError>>;

async fn write(shared: &Shared, group: Vec<Waiting>) {
    let (turns, told): (Vec<_>, Vec<_>) =
        group.into_iter().map(|waiting| (waiting.turn, waiting.told)).unzip();
    let mut tries = 0;
    let results = loop {
        match try_write(shared, &turns).await {
            Ended::Told(Ok(results)) => break results,
            Ended::Again(_) if tries < RETRIES => tries += 1,
            Ended::Told(Err(error)) | Ended::Again(error) => {
                break turns.iter().map(|_| Err(same(&error))).collect();
            }
        }
    };
    for (told, result) in told.into_iter().zip(results) {
        // Whoever went away asks for the commit again.
        let _ = told.send(result);
    }
}

/// Returns the error for one of the turns that it ended.
fn same(error: &StoreError) -> StoreError {
    match error {
        StoreError::Unknown { why, .. } => StoreError::Unknown { act: ACT, why: why.clone() },
        StoreError::ReadOnly { why, .. } => StoreError::ReadOnly { act: ACT, why: why.clone() },
        other => StoreError::Backend { act: ACT, why: other.to_string() },
    }
}

async fn try_write(shared: &Shared, turns: &[TurnCommit]) -> Ended<Results> {
    let Some(first) = turns.first() else { return Ended::Told(Ok(Vec::new())) };
    let tx = match shared.begin(ACT, &first.lane.tenant).await {
        Ok(tx) => tx,
        Err(error) => return Ended::Told(Err(error)),
    };
    let results = write_each(&tx, turns).await;
    tx.finish(ACT, results).await
}

async fn write_each(tx: &Tx, turns: &[TurnCommit]) -> Result<Results, TxError> {
    let mut results = Vec::with_capacity(turns.len());
    for turn in turns {
        tx.batch("SAVEPOINT turn").await?;
        let result = match commit(tx, turn).await {
            Err(error) if error.may_pass() => return Err(error),
            other => other,
        };
        let keep = matches!(result, Ok(CommitResult::Committed));
        tx.batch(if keep { "RELEASE turn" } else { "ROLLBACK TO turn; RELEASE turn" }).await?;
        results.push(result.map_err(|error| error.told(ACT)));
    }
    Ok(results)
}
