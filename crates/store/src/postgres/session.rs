//! Connections, and transactions that name their tenant. Statements that need no answer of one another are sent together:
//! what begins a transaction goes with its first statement, and what ends it with its last.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::TryStreamExt as _;
use futures_util::future::{join_all, ready};
use futures_util::stream::{BoxStream, poll_fn};
use throughline_engine::Timestamp;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Config, Error, NoTls, Row, Statement};

use super::error::{TxError, answered};
use super::open::name_of;
use super::positions::Positions;
use super::tls::Tls;
use crate::contract::StoreError;

/// Number of times that a transaction is begun again after a lost race or connection.
pub(super) const RETRIES: u32 = 8;

/// A connection with the statements that it has prepared.
struct Connection {
    client: Client,
    statements: Mutex<HashMap<String, Statement>>,
}

/// Connections that nobody uses at the moment.
#[derive(Clone, Default)]
struct Idle(Arc<Mutex<Vec<Connection>>>);

impl Idle {
    /// Returns a connection that the server has not ended, as far as is known.
    fn take(&self) -> Option<Connection> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(|connection| !connection.client.is_closed())
    }

    fn give_back(&self, connection: Connection) {
        if !connection.client.is_closed() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }

    /// Closes all of them: one was found broken, and the others are most likely as old.
    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A server's address, and what an encrypted connection to it trusts.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) tls: Option<Tls>,
}

/// Messages that a server sends beside answers. A connection lives as long as somebody takes it.
pub(super) type Messages = BoxStream<'static, Result<AsyncMessage, Error>>;

/// Connects to a server.
pub(super) async fn dial(address: &Address) -> Result<(Client, Messages), Error> {
    let Address { config, tls } = address;
    if let Some(tls) = tls {
        let (client, mut connection) = config.connect(tls.clone()).await?;
        return Ok((client, poll_fn(move |context| connection.poll_message(context)).boxed()));
    }
    let (client, mut connection) = config.connect(NoTls).await?;
    Ok((client, poll_fn(move |context| connection.poll_message(context)).boxed()))
}

/// Opens a connection to a server that takes writes.
pub(super) async fn connect(
    address: &Address,
    runtime: &Handle,
    act: &'static str,
) -> Result<Client, StoreError> {
    let (dialed, within) = (address.clone(), runtime.clone());
    let client = runtime.spawn(async move {
        let (client, messages) = answered(&within, dial(&dialed)).await?;
        // An error is the end: asked again, a connection says the same without end.
        tokio::spawn(messages.take_while(|message| ready(message.is_ok())).for_each(|_| ready(())));
        Ok::<_, TxError>(client)
    });
    let client = client.await.map_err(|error| StoreError::Backend { act, why: error.to_string() })?;
    let client = client.map_err(|error| StoreError::Backend { act, why: error.why() })?;
    let ask = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'";
    let row = answered(runtime, client.query_one(ask, &[])).await.map_err(|error| error.told(act))?;
    if row.get(0) {
        return Err(StoreError::Replica { act, what: name_of(&address.config) });
    }
    Ok(client)
}

/// Connections of one store, and a limit to their number.
pub(super) struct Pool {
    address: Address,
    pub(super) runtime: Handle,
    idle: Idle,
    permits: Arc<Semaphore>,
    pub(super) positions: Arc<Positions>,
    /// This process among those that share the store.
    replica: Arc<str>,
}

impl Pool {
    pub(super) fn new(address: Address, runtime: Handle, size: usize, replica: Arc<str>) -> Self {
        let (permits, positions) = (Arc::new(Semaphore::new(size)), Arc::new(Positions::new()));
        Self { address, runtime, idle: Idle::default(), permits, positions, replica }
    }

    /// Returns connections beside these, with a limit of their own.
    pub(super) fn beside(&self, size: usize) -> Self {
        let (address, runtime, replica) = (self.address.clone(), self.runtime.clone(), self.replica.clone());
        let (permits, positions) = (Arc::new(Semaphore::new(size)), self.positions.clone());
        Self { address, runtime, idle: Idle::default(), permits, positions, replica }
    }

    /// Opens a connection to a server that takes writes.
    pub(super) async fn connect(&self, act: &'static str) -> Result<Client, StoreError> {
        connect(&self.address, &self.runtime, act).await
    }

    /// Takes a connection for a transaction of one tenant. The transaction begins with its first statement.
    pub(super) async fn begin(
        &self,
        act: &'static str,
        tenant: &str,
        now: Timestamp,
    ) -> Result<Tx, StoreError> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|error| StoreError::Backend { act, why: error.to_string() })?;
        let connection = match self.idle.take() {
            Some(kept) => kept,
            None => Connection { client: self.connect(act).await?, statements: Mutex::default() },
        };
        Ok(Tx {
            connection: Some(connection),
            idle: self.idle.clone(),
            runtime: self.runtime.clone(),
            positions: self.positions.clone(),
            stage: AtomicU8::new(FRESH),
            now,
            tenant: tenant.into(),
            replica: self.replica.clone(),
            _permit: permit,
        })
    }
}

/// Stages of a transaction: nothing was sent, it was begun, its end was sent.
const FRESH: u8 = 0;
const BEGUN: u8 = 1;
const ENDED: u8 = 2;

/// Sets what holds for one transaction. It ends with it, so a pooler may sit in front. A server that is not told that a
/// connection is gone would keep what its transaction has locked for hours.
const NAME_TENANT: &str = "SELECT set_config('throughline.tenant', $1, true), \
                           set_config('statement_timeout', '5s', true), set_config('lock_timeout', '2s', true), \
                           set_config('idle_in_transaction_session_timeout', '5s', true)";

/// A transaction of one tenant. One that is dropped before its end closes its connection, which undoes it.
pub(super) struct Tx {
    connection: Option<Connection>,
    idle: Idle,
    runtime: Handle,
    positions: Arc<Positions>,
    stage: AtomicU8,
    pub(super) now: Timestamp,
    pub(super) tenant: String,
    pub(super) replica: Arc<str>,
    _permit: OwnedSemaphorePermit,
}

/// End of a transaction.
pub(super) enum Ended<T> {
    /// It is written, or refused.
    Told(Result<T, StoreError>),
    /// It was not written, and may be tried again.
    Again(StoreError),
}

pub(super) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A statement with its parameters.
pub(super) type Query<'a> = (&'a str, Params<'a>);

/// Answer to a statement.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    /// Number of rows that it changed.
    pub(super) changed: u64,
}

/// A message that is prepared and not sent.
enum Message<'a> {
    Control(&'static str),
    Statement(Statement, Params<'a>),
}

impl Message<'_> {
    async fn send(&self, client: &Client) -> Result<Answer, Error> {
        let (statement, params) = match self {
            Self::Control(text) => {
                return client.batch_execute(text).await.map(|()| Answer::default());
            }
            Self::Statement(statement, params) => (statement, params),
        };
        let mut stream = std::pin::pin!(client.query_raw(statement, params.iter().copied()).await?);
        let mut answer = Answer::default();
        while let Some(row) = stream.try_next().await? {
            answer.rows.push(row);
        }
        answer.changed = stream.rows_affected().unwrap_or(0);
        Ok(answer)
    }
}

impl Tx {
    fn connection(&self) -> Result<&Connection, TxError> {
        self.connection.as_ref().ok_or_else(|| TxError::Refused("the transaction has ended".into()))
    }

    /// Returns the first of `count` new positions.
    pub(super) fn position(&self, count: usize) -> i64 {
        self.positions.take(self.now, count)
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, TxError> {
        let connection = self.connection()?;
        let known = connection.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let statement = answered(&self.runtime, connection.client.prepare(sql)).await?;
        let mut statements = connection.statements.lock().unwrap_or_else(PoisonError::into_inner);
        statements.insert(sql.into(), statement.clone());
        Ok(statement)
    }

    /// Sends statements in one round trip and returns the answer to each. They run in their order, and each sees what the one
    /// before it wrote.
    pub(super) async fn all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>, TxError> {
        self.send(queries, false).await.map(|(answers, _)| answers)
    }

    /// Sends the last statements of a transaction that writes, and its end.
    pub(super) async fn last(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>, TxError> {
        let lost = |error: TxError| match error.loses_connection() {
            true => TxError::Unknown(error.why()),
            false => error,
        };
        match self.send(queries, true).await {
            Ok((answers, ended)) => ended.map(|()| answers).map_err(lost),
            Err(error) if self.stage.load(Ordering::SeqCst) == ENDED => Err(lost(error)),
            Err(error) => Err(error),
        }
    }

    /// Runs a transaction that only reads, in one round trip.
    pub(super) async fn reads(&self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, TxError> {
        let (answers, ended) = self.send(queries, true).await?;
        ended?;
        Ok(answers.into_iter().map(|answer| answer.rows).collect())
    }

    /// Runs a transaction of one statement that only reads.
    pub(super) async fn read(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>, TxError> {
        Ok(self.reads(&[(sql, params)]).await?.pop().unwrap_or_default())
    }

    /// Runs a transaction that only reads, and returns its first row.
    pub(super) async fn read_first(&self, sql: &str, params: Params<'_>) -> Result<Option<Row>, TxError> {
        Ok(self.read(sql, params).await?.into_iter().next())
    }

    async fn one(&self, sql: &str, params: Params<'_>) -> Result<Answer, TxError> {
        Ok(self.all(&[(sql, params)]).await?.pop().unwrap_or_default())
    }

    pub(super) async fn rows(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>, TxError> {
        Ok(self.one(sql, params).await?.rows)
    }

    pub(super) async fn first(&self, sql: &str, params: Params<'_>) -> Result<Option<Row>, TxError> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub(super) async fn execute(&self, sql: &str, params: Params<'_>) -> Result<u64, TxError> {
        Ok(self.one(sql, params).await?.changed)
    }

    /// Undoes everything and ends the transaction.
    pub(super) async fn undo(&self) -> Result<(), TxError> {
        if self.stage.swap(ENDED, Ordering::SeqCst) == BEGUN {
            self.batch("ROLLBACK").await?;
        }
        Ok(())
    }

    pub(super) async fn batch(&self, sql: &'static str) -> Result<(), TxError> {
        answered(&self.runtime, self.connection()?.client.batch_execute(sql)).await
    }

    /// Sends statements, before them the beginning if nothing was sent yet, behind them the end if they are the last.
    /// Returns the answers, and whether the end succeeded.
    async fn send(
        &self,
        queries: &[Query<'_>],
        last: bool,
    ) -> Result<(Vec<Answer>, Result<(), TxError>), TxError> {
        let fresh = self.stage.load(Ordering::SeqCst) == FRESH;
        let tenant: Params<'_> = &[&self.tenant];
        let mut messages = Vec::with_capacity(queries.len() + 3);
        if fresh {
            messages.push(Message::Control("BEGIN"));
            messages.push(Message::Statement(self.prepared(NAME_TENANT).await?, tenant));
        }
        for (sql, params) in queries {
            messages.push(Message::Statement(self.prepared(sql).await?, params));
        }
        if last {
            messages.push(Message::Control("COMMIT"));
        }
        self.stage.store(if last { ENDED } else { BEGUN }, Ordering::SeqCst);
        let client = &self.connection()?.client;
        // Each is sent when it is polled first, which happens in their order.
        let sent = join_all(messages.iter().map(|message| message.send(client)));
        let mut answers = answered(&self.runtime, sent.map(Ok)).await?;
        let ended = if last { answers.pop().map_or(Ok(()), |end| Ok(end.map(|_| ())?)) } else { Ok(()) };
        let before = if fresh { 2 } else { 0 };
        let mut all: Vec<Answer> = answers.into_iter().collect::<Result<_, _>>()?;
        all.drain(..before);
        Ok((all, ended))
    }

    /// Commits if `result` is a value, and undoes everything otherwise. One whose end was sent is left as it is.
    pub(super) async fn finish<T>(mut self, act: &'static str, result: Result<T, TxError>) -> Ended<T> {
        let Some(connection) = self.connection.take() else {
            return Ended::Told(Err(StoreError::Backend { act, why: "the transaction has ended".into() }));
        };
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let lost = result.as_ref().is_err_and(TxError::loses_connection);
        let ended = match self.stage.load(Ordering::SeqCst) {
            BEGUN if !lost => answered(&self.runtime, connection.client.batch_execute(end)).await,
            _ => Ok(()),
        };
        if lost || ended.as_ref().is_err_and(TxError::loses_connection) {
            self.idle.clear();
        } else if ended.is_ok() {
            self.idle.give_back(connection);
        }
        match (result, ended) {
            (Ok(value), Ok(())) => Ended::Told(Ok(value)),
            (Ok(_), Err(error)) if error.loses_connection() => {
                Ended::Told(Err(StoreError::Unknown { act, why: error.why() }))
            }
            (Ok(_), Err(error)) | (Err(error), _) if error.may_pass() => Ended::Again(error.told(act)),
            (Ok(_), Err(error)) | (Err(error), _) => Ended::Told(Err(error.told(act))),
        }
    }
}

/// Runs a body in a transaction of one tenant, again after a lost race, and returns what it returned.
macro_rules! transact {
    ($store:expr, $act:expr, $tenant:expr, |$tx:ident| $body:expr) => {{
        let mut tries = 0;
        loop {
            let begun = $store.begin($act, $tenant).await?;
            let result = {
                let $tx = &begun;
                async { $body }.await
            };
            match begun.finish($act, result).await {
                $crate::postgres::session::Ended::Told(told) => break told,
                $crate::postgres::session::Ended::Again(_) if tries < $crate::postgres::session::RETRIES => {
                    tries += 1;
                }
                $crate::postgres::session::Ended::Again(error) => break Err(error),
            }
        }
    }};
}
pub(super) use transact;
