//! The thread that writes. Queued operations form a group that shares one transaction and one sync
//! (`docs/design/0004-group-commit.md`). Each operation is written as a whole or not at all, and its caller is answered
//! after the commit.
//!
//! In most groups every operation succeeds, so a group is first run without savepoints. If an operation fails, the
//! whole group is rolled back and run again, each operation in its own savepoint. An operation can therefore run twice
//! and must not keep anything from its first run.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use throughline_engine::Timestamp;
use tokio::sync::{oneshot, watch};

use super::error::{TxError, stop_if_fatal, write_error};
use super::owned_file::OwnedFile;
use super::session;
use super::wal_checkpoint::WalCheckpointer;
use super::write_conn::WriteConn;
use super::writer_state::WriterState;
use crate::clock::Clock;
use crate::contract::{CommitResult, StoreError};

/// Largest number of operations in a group.
const GROUP_SIZE: usize = 64;
/// Time after which a group is committed even if more operations wait.
const GROUP_TIME: Duration = Duration::from_millis(5);

/// Time to wait for callers of the last group, who are likely to come back at once. Shorter than a sync, so the wait
/// does not cost more than it saves.
const REGROUP_TIME: Duration = Duration::from_micros(150);

/// Name of the operation that only tries a write.
pub(super) const PROBE: &str = "write";

/// Time for which the store counts as read-only after a write was refused.
const READ_ONLY_TIME: Duration = Duration::from_secs(5);

/// The transaction that an operation runs in.
pub(super) struct Tx<'a, 'c> {
    pub(super) sql: &'a WriteConn<'c>,
    pub(super) now: Timestamp,
    pub(super) state: &'a mut WriterState,
}

/// Error of a call to the writer.
#[derive(Debug)]
pub(super) enum CallError {
    Store(StoreError),
    NotCommitted(CommitResult),
}

impl From<CallError> for StoreError {
    fn from(failure: CallError) -> Self {
        match failure {
            CallError::Store(error) => error,
            CallError::NotCommitted(result) => {
                Self::Backend { act: "write", why: format!("a turn ended as {result:?} outside of a commit") }
            }
        }
    }
}

impl CallError {
    fn of(act: &'static str, error: &TxError) -> Self {
        match error {
            TxError::Sql(error) => Self::Store(write_error(act, error)),
            TxError::Refused(why) => Self::Store(StoreError::Refused { act, why: why.clone() }),
            TxError::NotCommitted(result) => Self::NotCommitted(*result),
            TxError::TakenOver => Self::Store(StoreError::TakenOver { act }),
            TxError::Moved(what, why) => {
                Self::Store(StoreError::Moved { act, what: what.clone(), why: why.clone() })
            }
        }
    }
}

trait Operation: Send {
    /// Returns true if it cannot run inside a transaction.
    fn runs_alone(&self) -> bool;
    fn run(&mut self, tx: &mut Tx<'_, '_>) -> Result<(), TxError>;
    fn fail(&mut self, error: &TxError);
    /// Tells the caller that the outcome is unknown: it was written to a file that is not in its place any more.
    fn doubt(&mut self, why: &str);
    fn answer(self: Box<Self>);
}

/// An operation, its result, and the caller who waits for it.
struct Call<T, F> {
    act: &'static str,
    alone: bool,
    work: F,
    outcome: Option<Result<T, CallError>>,
    reply: oneshot::Sender<Result<T, CallError>>,
}

impl<T, F> Operation for Call<T, F>
where
    T: Send,
    F: Fn(&mut Tx<'_, '_>) -> Result<T, TxError> + Send,
{
    fn runs_alone(&self) -> bool {
        self.alone
    }

    fn run(&mut self, tx: &mut Tx<'_, '_>) -> Result<(), TxError> {
        self.outcome = Some(Ok((self.work)(tx)?));
        Ok(())
    }

    fn fail(&mut self, error: &TxError) {
        self.outcome = Some(Err(CallError::of(self.act, error)));
    }

    fn doubt(&mut self, why: &str) {
        if matches!(self.outcome, Some(Ok(_))) {
            self.outcome =
                Some(Err(CallError::Store(StoreError::Unknown { act: self.act, why: why.to_owned() })));
        }
    }

    fn answer(self: Box<Self>) {
        // Nobody may be waiting any more; the write is kept all the same.
        if let Some(outcome) = self.outcome {
            let _gone = self.reply.send(outcome);
        }
    }
}

/// Handle of the writer thread. Dropping it lets the thread finish the queue and close the database.
pub(super) struct Writer {
    queue: Option<Sender<Box<dyn Operation>>>,
    thread: Option<JoinHandle<()>>,
    /// The last write that was refused as read-only: when, and the reason.
    refused: Mutex<Option<(Instant, String)>>,
    session: i64,
    /// True once another process has taken the file over.
    taken_over: watch::Sender<bool>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(
        connection: Connection,
        clock: Arc<dyn Clock>,
        checkpoints: WalCheckpointer,
        file: Arc<OwnedFile>,
    ) -> Result<Self, String> {
        let state = WriterState::read(&connection).map_err(|e| e.to_string())?;
        let session = state.session();
        let (sender, queue) = channel();
        let work = move || {
            let sql = WriteConn::new(&connection);
            WriterThread { sql, clock, state, queue, deferred: None, expected: 0, checkpoints, file }.run();
        };
        let thread = std::thread::Builder::new().name("sqlite".into()).spawn(work);
        let thread = thread.map_err(|e| format!("the writer thread cannot be started: {e}"))?;
        Ok(Self {
            queue: Some(sender),
            thread: Some(thread),
            refused: Mutex::default(),
            session,
            taken_over: watch::Sender::new(false),
        })
    }

    /// Runs `work` in a transaction and returns when it is on disk.
    pub(super) async fn call<T, F>(&self, act: &'static str, work: F) -> Result<T, CallError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_, '_>) -> Result<T, TxError> + Send + 'static,
    {
        self.send(act, false, work).await
    }

    /// Runs `work` between two transactions, for statements that cannot run inside one.
    pub(super) async fn call_alone<T, F>(&self, act: &'static str, work: F) -> Result<T, CallError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_, '_>) -> Result<T, TxError> + Send + 'static,
    {
        self.send(act, true, work).await
    }

    async fn send<T, F>(&self, act: &'static str, alone: bool, work: F) -> Result<T, CallError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_, '_>) -> Result<T, TxError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let call = Box::new(Call { act, alone, work, outcome: None, reply });
        let stopped = || CallError::Store(StoreError::Backend { act, why: "the writer has stopped".into() });
        self.queue.as_ref().and_then(|queue| queue.send(call).ok()).ok_or_else(stopped)?;
        let result = answer.await.map_err(|_| stopped())?;
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        match &result {
            Err(CallError::Store(StoreError::ReadOnly { why, .. })) => {
                *refused = Some((Instant::now(), why.clone()));
            }
            Err(CallError::Store(StoreError::TakenOver { .. })) => drop(self.taken_over.send_replace(true)),
            Ok(_) if act != PROBE => *refused = None,
            _ => {}
        }
        drop(refused);
        result
    }

    /// Returns the reason if a write was refused within [`READ_ONLY_TIME`] and no write but a probe succeeded since. A
    /// small probe may fit on a disk where a turn does not, so its success does not count.
    pub(super) fn recent_refusal(&self) -> Option<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, why) = refused.as_ref()?;
        (at.elapsed() < READ_ONLY_TIME).then(|| why.clone())
    }

    /// Returns the number of this opening of the file.
    pub(super) fn session(&self) -> i64 {
        self.session
    }

    /// Completes when another process has taken the file over.
    pub(super) async fn taken_over(&self) {
        // The sender lives as long as this handle, so waiting does not fail.
        let _ = self.taken_over.subscribe().wait_for(|taken| *taken).await;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the writer of the database panicked; what it had committed is kept");
        }
    }
}

/// The loop of the writer thread and its data.
struct WriterThread<'c> {
    sql: WriteConn<'c>,
    clock: Arc<dyn Clock>,
    state: WriterState,
    queue: Receiver<Box<dyn Operation>>,
    /// An operation that runs alone, found while a group was filled.
    deferred: Option<Box<dyn Operation>>,
    /// Number of callers that the last group answered.
    expected: usize,
    checkpoints: WalCheckpointer,
    file: Arc<OwnedFile>,
}

impl WriterThread<'_> {
    fn run(mut self) {
        while let Some(mut first) = self.deferred.take().or_else(|| self.queue.recv().ok()) {
            if first.runs_alone() {
                if let Err(error) = self.run_alone(&mut first) {
                    first.fail(&error);
                }
                first.answer();
                continue;
            }
            let mut group = self.group(first);
            // What was written to a file that is gone must not be answered as kept.
            if let Err(why) = self.file.in_place() {
                group.iter_mut().for_each(|op| op.doubt(&why));
            }
            self.expected = group.len();
            group.into_iter().for_each(Operation::answer);
            self.checkpoints.after_group(&self.sql);
        }
        self.checkpoints.at_close(&self.sql);
    }

    /// Fills, runs and commits a group. Its callers are not answered yet.
    fn group(&mut self, first: Box<dyn Operation>) -> Vec<Box<dyn Operation>> {
        let mut group = vec![first];
        if let Err(error) = self.begin() {
            // The others in the queue would wait as long for the same error.
            group.extend(self.queue.try_iter());
            group.iter_mut().for_each(|op| op.fail(&error));
            return group;
        }
        let started = Instant::now();
        loop {
            let last = group.len() - 1;
            if self.run_one(&mut group[last]).is_err() {
                self.roll_back();
                self.run_with_savepoints(&mut group);
                return group;
            }
            if group.len() >= GROUP_SIZE || started.elapsed() >= GROUP_TIME {
                break;
            }
            let Some(next) = self.next(group.len(), started) else { break };
            if next.runs_alone() {
                self.deferred = Some(next);
                break;
            }
            group.push(next);
        }
        self.commit(&mut group);
        group
    }

    /// Begins a transaction on a file that is still ours. Every write passes here.
    fn begin(&mut self) -> Result<(), TxError> {
        self.in_place()?;
        self.control("BEGIN IMMEDIATE")?;
        let begun = self.still_ours().and_then(|()| self.follow_clock());
        if begun.is_err() {
            self.roll_back();
        }
        begun
    }

    fn run_alone(&mut self, op: &mut Box<dyn Operation>) -> Result<(), TxError> {
        self.in_place()?;
        self.still_ours()?;
        self.run_one(op)
    }

    fn in_place(&self) -> Result<(), TxError> {
        let moved = |why| TxError::Moved(self.file.path().display().to_string(), why);
        self.file.in_place().map_err(moved)
    }

    /// Compares the session in the file with ours: a process that opened the file after us has raised it.
    fn still_ours(&self) -> Result<(), TxError> {
        let session = self.sql.first("SELECT session FROM instance", [], |row| row.get::<_, i64>(0))?;
        if session == Some(self.state.session()) { Ok(()) } else { Err(TxError::TakenOver) }
    }

    /// Moves what waits if the clock was set back since the last transaction.
    fn follow_clock(&mut self) -> Result<(), TxError> {
        let now = self.clock.now();
        let Some(by) = self.state.clock_set_back(now) else { return Ok(()) };
        // In a transaction of its own, so that it stays when the group is rolled back.
        session::set_back(&self.sql, now, by)?;
        self.control("COMMIT")?;
        self.state.follow_clock(now);
        self.begin()
    }

    fn next(&self, so_far: usize, started: Instant) -> Option<Box<dyn Operation>> {
        match self.queue.try_recv() {
            Ok(op) => Some(op),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) if so_far >= self.expected => None,
            Err(TryRecvError::Empty) => {
                let left = REGROUP_TIME.checked_sub(started.elapsed())?;
                self.queue.recv_timeout(left).ok()
            }
        }
    }

    fn run_one(&mut self, op: &mut Box<dyn Operation>) -> Result<(), TxError> {
        let now = self.clock.now();
        let ran = op.run(&mut Tx { sql: &self.sql, now, state: &mut self.state });
        // An operation that runs alone commits and syncs by itself.
        if let Err(TxError::Sql(error)) = &ran {
            stop_if_fatal("an operation", error);
        }
        ran
    }

    /// Runs every operation in its own savepoint. A full disk may end the whole transaction: then the group starts
    /// again without the operation that met it.
    fn run_with_savepoints(&mut self, group: &mut [Box<dyn Operation>]) {
        let mut failed = vec![false; group.len()];
        while let Err(error) = self.attempt(group, &mut failed) {
            let Some(error) = error else { continue };
            group.iter_mut().zip(&failed).filter(|(_, failed)| !**failed).for_each(|(op, _)| op.fail(&error));
            return;
        }
    }

    /// Makes one attempt at a whole group. `Err(None)` means to start again, `Err(Some)` that it is of no use.
    fn attempt(
        &mut self,
        group: &mut [Box<dyn Operation>],
        failed: &mut [bool],
    ) -> Result<(), Option<TxError>> {
        self.begin().map_err(Some)?;
        for (op, failed) in group.iter_mut().zip(failed.iter_mut()).filter(|(_, failed)| !**failed) {
            let saved = self.control("SAVEPOINT op");
            let ran = saved.and_then(|()| self.run_one(op));
            let released = match ran {
                Ok(()) => self.control("RELEASE op").inspect_err(|error| op.fail(error)),
                Err(error) => {
                    op.fail(&error);
                    self.state.forget_lanes();
                    *failed = true;
                    self.control("ROLLBACK TO op").and_then(|()| self.control("RELEASE op"))
                }
            };
            if released.is_err() {
                // The whole transaction is gone, and with it the writes of the operations before this one.
                *failed = true;
                self.roll_back();
                return Err(None);
            }
        }
        let committed = self.control("COMMIT");
        committed.map_err(|error| {
            self.roll_back();
            Some(error)
        })
    }

    fn commit(&mut self, group: &mut [Box<dyn Operation>]) {
        if let Err(error) = self.control("COMMIT") {
            self.roll_back();
            group.iter_mut().for_each(|op| op.fail(&error));
        }
    }

    fn control(&self, sql: &'static str) -> Result<(), TxError> {
        let ran = self.sql.execute(sql, []);
        if let Err(error) = &ran {
            stop_if_fatal(sql, error);
        }
        ran?;
        Ok(())
    }

    fn roll_back(&mut self) {
        self.state.forget_lanes();
        if !self.sql.is_autocommit()
            && let Err(TxError::Sql(error)) = self.control("ROLLBACK")
        {
            tracing::error!(%error, "cannot roll back");
        }
    }
}
