//! Connections, and transactions that name their tenant.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use throughline_engine::Timestamp;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

use super::error::{TxError, is_broken, told, words};
use crate::contract::StoreError;

/// Number of times that a transaction is begun again after a lost race or connection.
pub(super) const RETRIES: u32 = 8;

/// A connection with the statements that it has prepared.
struct Connection {
    client: Client,
    statements: Mutex<HashMap<String, Statement>>,
}

/// Connections that nobody uses at the moment, and a limit to their number.
pub(super) struct Pool {
    config: Config,
    runtime: Handle,
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl Pool {
    pub(super) fn new(config: Config, runtime: Handle, size: usize) -> Self {
        Self { config, runtime, idle: Arc::default(), permits: Arc::new(Semaphore::new(size)) }
    }

    /// Opens a connection to a server that takes writes.
    pub(super) async fn connect(&self, act: &'static str) -> Result<Client, StoreError> {
        let config = self.config.clone();
        let client = self.runtime.spawn(async move {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok::<_, tokio_postgres::Error>(client)
        });
        let client = client.await.map_err(|error| StoreError::Backend { act, why: error.to_string() })?;
        let client = client.map_err(|error| StoreError::Backend { act, why: words(&error) })?;
        let ask = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'";
        let row = client.query_one(ask, &[]).await.map_err(|error| told(&error, act))?;
        if row.get(0) {
            let why = "the server is a replica or read-only (TL-6104)".into();
            return Err(StoreError::ReadOnly { act, why });
        }
        Ok(client)
    }

    /// Begins a transaction of one tenant.
    pub(super) async fn begin(
        &self,
        act: &'static str,
        tenant: &str,
        now: Timestamp,
    ) -> Result<Tx, StoreError> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|error| StoreError::Backend { act, why: error.to_string() })?;
        let begin = begin_text(tenant);
        loop {
            let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let fresh = kept.is_none();
            let connection = match kept {
                Some(kept) => kept,
                None => Connection { client: self.connect(act).await?, statements: Mutex::default() },
            };
            match connection.client.batch_execute(&begin).await {
                Ok(()) => {
                    let idle = self.idle.clone();
                    let connection = Some(connection);
                    return Ok(Tx { connection, idle, now, tenant: tenant.into(), _permit: permit });
                }
                Err(error) if fresh || !is_broken(&error) => return Err(told(&error, act)),
                Err(_) => {}
            }
        }
    }
}

/// Returns the statements that begin a transaction: whatever they set ends with it, so a pooler may sit in front.
fn begin_text(tenant: &str) -> String {
    format!(
        "BEGIN; SELECT set_config('throughline.tenant', '{}', true), set_config('statement_timeout', '5s', true), \
         set_config('lock_timeout', '2s', true), set_config('standard_conforming_strings', 'on', true)",
        tenant.replace('\'', "''")
    )
}

/// A transaction of one tenant. One that is dropped before its end closes its connection, which undoes it.
pub(super) struct Tx {
    connection: Option<Connection>,
    idle: Arc<Mutex<Vec<Connection>>>,
    pub(super) now: Timestamp,
    pub(super) tenant: String,
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

impl Tx {
    fn connection(&self) -> Result<&Connection, TxError> {
        self.connection.as_ref().ok_or_else(|| TxError::Value("the transaction has ended".into()))
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, TxError> {
        let connection = self.connection()?;
        let known = connection.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let statement = connection.client.prepare(sql).await?;
        let mut statements = connection.statements.lock().unwrap_or_else(PoisonError::into_inner);
        statements.insert(sql.into(), statement.clone());
        Ok(statement)
    }

    pub(super) async fn rows(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>, TxError> {
        let statement = self.prepared(sql).await?;
        Ok(self.connection()?.client.query(&statement, params).await?)
    }

    pub(super) async fn first(&self, sql: &str, params: Params<'_>) -> Result<Option<Row>, TxError> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    pub(super) async fn execute(&self, sql: &str, params: Params<'_>) -> Result<u64, TxError> {
        let statement = self.prepared(sql).await?;
        Ok(self.connection()?.client.execute(&statement, params).await?)
    }

    pub(super) async fn batch(&self, sql: &str) -> Result<(), TxError> {
        Ok(self.connection()?.client.batch_execute(sql).await?)
    }

    /// Commits if `result` is a value, and undoes everything otherwise.
    pub(super) async fn finish<T>(mut self, act: &'static str, result: Result<T, TxError>) -> Ended<T> {
        let Some(connection) = self.connection.take() else {
            return Ended::Told(Err(StoreError::Backend { act, why: "the transaction has ended".into() }));
        };
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = connection.client.batch_execute(end).await;
        if ended.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        match (result, ended) {
            (Err(error), _) if error.may_pass() => Ended::Again(error.told(act)),
            (Err(error), _) => Ended::Told(Err(error.told(act))),
            (Ok(value), Ok(())) => Ended::Told(Ok(value)),
            (Ok(_), Err(error)) if is_broken(&error) => {
                Ended::Told(Err(StoreError::Unknown { act, why: words(&error) }))
            }
            (Ok(_), Err(error)) => {
                let error = TxError::Sql(error);
                if error.may_pass() {
                    Ended::Again(error.told(act))
                } else {
                    Ended::Told(Err(error.told(act)))
                }
            }
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
