//! The one thread that writes, and the group commit: operations that wait share one transaction and one sync,
//! each of them all or nothing, and nobody is answered before the commit.
//!
//! Most groups hold no operation that fails half-way, so a group is first run without savepoints. If one does
//! fail after it may have written, the whole group is rolled back and run again, each operation in its own
//! savepoint. Operations can therefore run twice and must not keep anything from the first time.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use throughline_engine::{Millis, Timestamp};
use tokio::sync::oneshot;

use super::book::Book;
use super::checkpoint::Checkpoints;
use super::fault::{Fault, stop_if_fatal, write_error};
use super::memo::Memo;
use crate::contract::{Clock, CommitResult, StoreError};

/// What a group holds at most, and how long it may take to fill (`spec 06 §10`).
const GROUP: usize = 64;
const GROUP_TIME: Duration = Duration::from_millis(5);

/// How long a group waits for callers that the last one answered and that are likely to come back at once.
/// Shorter than a sync, so waiting never costs more than it saves.
const GATHER: Duration = Duration::from_micros(150);

/// The name of the write that only finds out whether writes go through.
pub(super) const PROBE: &str = "write";

/// How long the store counts as read-only after a write that was refused: until then nobody tries again.
const READ_ONLY: Millis = 5 * Timestamp::SECOND;

/// The transaction an operation runs in.
pub(super) struct Tx<'a, 'c> {
    pub(super) sql: &'a Book<'c>,
    pub(super) now: Timestamp,
    pub(super) memo: &'a mut Memo,
}

/// How a writing operation ends when it does not end well.
#[derive(Debug)]
pub(super) enum Failure {
    Store(StoreError),
    Lost(CommitResult),
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error,
            Failure::Lost(result) => {
                Self::Backend { act: "write", why: format!("a turn ended as {result:?} outside of a commit") }
            }
        }
    }
}

impl Failure {
    fn of(act: &'static str, fault: &Fault) -> Self {
        match fault {
            Fault::Sql(error) => Self::Store(write_error(act, error)),
            Fault::Refused(why) => Self::Store(StoreError::Refused { act, why: why.clone() }),
            Fault::Lost(result) => Self::Lost(*result),
        }
    }
}

trait Op: Send {
    /// It cannot be part of a transaction.
    fn alone(&self) -> bool;
    fn run(&mut self, tx: &mut Tx<'_, '_>) -> Result<(), Fault>;
    fn fail(&mut self, fault: &Fault);
    fn answer(self: Box<Self>);
}

/// An operation and who waits for it.
struct Call<T, F> {
    act: &'static str,
    alone: bool,
    work: F,
    outcome: Option<Result<T, Failure>>,
    reply: oneshot::Sender<Result<T, Failure>>,
}

impl<T, F> Op for Call<T, F>
where
    T: Send,
    F: Fn(&mut Tx<'_, '_>) -> Result<T, Fault> + Send,
{
    fn alone(&self) -> bool {
        self.alone
    }

    fn run(&mut self, tx: &mut Tx<'_, '_>) -> Result<(), Fault> {
        self.outcome = Some(Ok((self.work)(tx)?));
        Ok(())
    }

    fn fail(&mut self, fault: &Fault) {
        self.outcome = Some(Err(Failure::of(self.act, fault)));
    }

    fn answer(self: Box<Self>) {
        // A caller that stopped waiting is told nothing; what it asked for stands.
        if let Some(outcome) = self.outcome {
            let _gone = self.reply.send(outcome);
        }
    }
}

/// The handle of the writer thread. Dropping it lets the thread finish what waits and close the database.
pub(super) struct Writer {
    queue: Option<Sender<Box<dyn Op>>>,
    thread: Option<JoinHandle<()>>,
    clock: Arc<dyn Clock>,
    /// The last write there was no room for, and when that was.
    refused: Mutex<Option<(Timestamp, String)>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(
        connection: Connection,
        clock: Arc<dyn Clock>,
        checkpoints: Checkpoints,
    ) -> Result<Self, String> {
        let desk_clock = clock.clone();
        let memo = Memo::read(&connection).map_err(|e| e.to_string())?;
        let (queue, waiting) = channel();
        let work = move || {
            let sql = Book::new(&connection);
            Desk { sql, clock: desk_clock, memo, waiting, held: None, expected: 0, checkpoints }.run();
        };
        let thread = std::thread::Builder::new().name("sqlite".into()).spawn(work);
        let thread = thread.map_err(|e| format!("the writer thread cannot be started: {e}"))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), clock, refused: Mutex::default() })
    }

    /// Runs `work` in a transaction and returns when it is on disk.
    pub(super) async fn call<T, F>(&self, act: &'static str, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_, '_>) -> Result<T, Fault> + Send + 'static,
    {
        self.send(act, false, work).await
    }

    /// Runs `work` between two transactions.
    pub(super) async fn call_alone<T, F>(&self, act: &'static str, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_, '_>) -> Result<T, Fault> + Send + 'static,
    {
        self.send(act, true, work).await
    }

    async fn send<T, F>(&self, act: &'static str, alone: bool, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_, '_>) -> Result<T, Fault> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let call = Box::new(Call { act, alone, work, outcome: None, reply });
        let stopped = || Failure::Store(StoreError::Backend { act, why: "the writer has stopped".into() });
        self.queue.as_ref().and_then(|queue| queue.send(call).ok()).ok_or_else(stopped)?;
        let result = answer.await.map_err(|_| stopped())?;
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        match &result {
            Err(Failure::Store(StoreError::ReadOnly { why, .. })) => {
                *refused = Some((self.clock.now(), why.clone()));
            }
            Ok(_) if act != PROBE => *refused = None,
            _ => {}
        }
        drop(refused);
        result
    }

    /// Why a write was refused within the last moments, unless a real one went through since. A small probe may fit where a turn does not, so for so long
    /// the store counts as read-only whatever a probe says (`spec 06 §10`).
    pub(super) fn refused_lately(&self) -> Option<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, why) = refused.as_ref()?;
        (self.clock.now().since(*at) < READ_ONLY).then(|| why.clone())
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

/// What the writer thread holds.
struct Desk<'c> {
    sql: Book<'c>,
    clock: Arc<dyn Clock>,
    memo: Memo,
    waiting: Receiver<Box<dyn Op>>,
    /// One that runs alone, met while a group was filled.
    held: Option<Box<dyn Op>>,
    /// How many callers the last group answered.
    expected: usize,
    checkpoints: Checkpoints,
}

impl Desk<'_> {
    fn run(mut self) {
        while let Some(mut first) = self.held.take().or_else(|| self.waiting.recv().ok()) {
            if first.alone() {
                if let Err(fault) = self.run_one(&mut first) {
                    first.fail(&fault);
                }
                first.answer();
                continue;
            }
            let group = self.group(first);
            self.expected = group.len();
            group.into_iter().for_each(Op::answer);
            self.checkpoints.after_group(&self.sql);
        }
        self.checkpoints.at_close(&self.sql);
    }

    /// Runs and commits a group, ready to be answered.
    fn group(&mut self, first: Box<dyn Op>) -> Vec<Box<dyn Op>> {
        let mut group = vec![first];
        if let Err(fault) = self.control("BEGIN IMMEDIATE") {
            // Whoever waits already would wait as long again for the same answer.
            group.extend(self.waiting.try_iter());
            group.iter_mut().for_each(|op| op.fail(&fault));
            return group;
        }
        let started = Instant::now();
        loop {
            let last = group.len() - 1;
            if self.run_one(&mut group[last]).is_err() {
                self.roll_back();
                self.run_carefully(&mut group);
                return group;
            }
            if group.len() >= GROUP || started.elapsed() >= GROUP_TIME {
                break;
            }
            let Some(next) = self.next(group.len(), started) else { break };
            if next.alone() {
                self.held = Some(next);
                break;
            }
            group.push(next);
        }
        self.commit(&mut group);
        group
    }

    fn next(&self, so_far: usize, started: Instant) -> Option<Box<dyn Op>> {
        match self.waiting.try_recv() {
            Ok(op) => Some(op),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) if so_far >= self.expected => None,
            Err(TryRecvError::Empty) => {
                let left = GATHER.checked_sub(started.elapsed())?;
                self.waiting.recv_timeout(left).ok()
            }
        }
    }

    fn run_one(&mut self, op: &mut Box<dyn Op>) -> Result<(), Fault> {
        let now = self.clock.now();
        op.run(&mut Tx { sql: &self.sql, now, memo: &mut self.memo })
    }

    /// Every operation in its own savepoint. A full disk may end the whole transaction: then it starts again
    /// without the operation that met it.
    fn run_carefully(&mut self, group: &mut [Box<dyn Op>]) {
        let mut failed = vec![false; group.len()];
        while let Err(fault) = self.attempt(group, &mut failed) {
            let Some(fault) = fault else { continue };
            group.iter_mut().zip(&failed).filter(|(_, failed)| !**failed).for_each(|(op, _)| op.fail(&fault));
            return;
        }
    }

    /// One attempt at a whole group. `Err(None)`: start again. `Err(Some)`: it is of no use.
    fn attempt(&mut self, group: &mut [Box<dyn Op>], failed: &mut [bool]) -> Result<(), Option<Fault>> {
        self.control("BEGIN IMMEDIATE").map_err(Some)?;
        for (op, failed) in group.iter_mut().zip(failed.iter_mut()).filter(|(_, failed)| !**failed) {
            let saved = self.control("SAVEPOINT op");
            let ran = saved.and_then(|()| self.run_one(op));
            let released = match ran {
                Ok(()) => self.control("RELEASE op").inspect_err(|fault| op.fail(fault)),
                Err(fault) => {
                    op.fail(&fault);
                    self.memo.forget();
                    *failed = true;
                    self.control("ROLLBACK TO op").and_then(|()| self.control("RELEASE op"))
                }
            };
            if released.is_err() {
                // The whole transaction is gone, and with it what the operations before this one wrote.
                *failed = true;
                self.roll_back();
                return Err(None);
            }
        }
        let committed = self.control("COMMIT");
        committed.map_err(|fault| {
            self.roll_back();
            Some(fault)
        })
    }

    fn commit(&mut self, group: &mut [Box<dyn Op>]) {
        if let Err(fault) = self.control("COMMIT") {
            self.roll_back();
            group.iter_mut().for_each(|op| op.fail(&fault));
        }
    }

    fn control(&self, sql: &'static str) -> Result<(), Fault> {
        let ran = self.sql.execute(sql, []);
        if let Err(error) = &ran {
            stop_if_fatal(sql, error);
        }
        ran?;
        Ok(())
    }

    fn roll_back(&mut self) {
        self.memo.forget();
        if !self.sql.is_autocommit()
            && let Err(Fault::Sql(error)) = self.control("ROLLBACK")
        {
            tracing::error!(%error, "cannot roll back");
        }
    }
}
