//! Filling an empty database with the rows of another store, in one transaction: all of them are there afterwards, or none.

use serde_json::Value;
use tokio_postgres::Client;

use super::PostgresStore;
use super::error::words;
use crate::contract::StoreError;
use crate::sqlite::Columns;

const ACT: &str = "fill the database";

/// Begins the transaction. Nobody else enters a tenant meanwhile. It may be long, and so may the pauses in it.
const BEGIN: &str = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; \
                     SET LOCAL lock_timeout = '5s'; LOCK TABLE directory IN SHARE ROW EXCLUSIVE MODE";

const NAME_TENANT: &str = "SELECT set_config('throughline.tenant', $1, true)";

/// A transaction that fills an empty database. One that is dropped before its end closes its connection, which undoes it.
pub(crate) struct Import {
    client: Client,
    tenant: Option<String>,
}

fn failed(error: &tokio_postgres::Error) -> StoreError {
    StoreError::Backend { act: ACT, why: words(error) }
}

impl PostgresStore {
    /// Begins to fill the database.
    ///
    /// # Errors
    /// [`StoreError::Open`] if there is anything in it.
    pub(crate) async fn import(&self) -> Result<Import, StoreError> {
        let client = self.shared.pool.connect(ACT).await?;
        client.batch_execute(BEGIN).await.map_err(|error| failed(&error))?;
        let empty = "SELECT NOT EXISTS (SELECT 1 FROM directory)";
        if client.query_one(empty, &[]).await.map_err(|error| failed(&error))?.get(0) {
            return Ok(Import { client, tenant: None });
        }
        let why = "it holds data already, and a copy goes into an empty database; create one for it";
        Err(StoreError::Open { what: self.shared.name.clone(), why: why.into() })
    }
}

impl Import {
    /// Adds rows to a table of a tenant, all with the same columns.
    pub(crate) async fn add(
        &mut self,
        tenant: &str,
        table: &'static str,
        rows: Vec<Columns>,
    ) -> Result<(), StoreError> {
        if self.tenant.as_deref() != Some(tenant) {
            self.client.execute(NAME_TENANT, &[&tenant]).await.map_err(|error| failed(&error))?;
            self.tenant = Some(tenant.to_owned());
        }
        let Some(first) = rows.first() else { return Ok(()) };
        let columns: Vec<String> = first.keys().map(|name| format!("\"{name}\"")).collect();
        let (columns, count) = (columns.join(", "), rows.len() as u64);
        let insert = format!(
            "INSERT INTO {table} ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::{table}, $1::text::json)"
        );
        let rows = Value::Array(rows.into_iter().map(Value::Object).collect()).to_string();
        let refused = |why: String| StoreError::Refused {
            act: ACT,
            why: format!("rows of {table} of tenant “{tenant}”: {why}"),
        };
        match self.client.execute(&insert, &[&rows]).await {
            Ok(added) if added == count => Ok(()),
            Ok(added) => Err(refused(format!("{added} of {count} were added"))),
            Err(error) => Err(refused(words(&error))),
        }
    }

    /// Ends the transaction. All rows are there afterwards.
    pub(crate) async fn finish(self) -> Result<(), StoreError> {
        let told = self.client.batch_execute("COMMIT").await;
        told.map_err(|error| StoreError::Unknown { act: ACT, why: words(&error) })
    }
}
