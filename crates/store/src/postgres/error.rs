//! Failures of PostgreSQL, and what they mean to a caller.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;

use crate::contract::StoreError;

/// Reason a transaction was not written.
#[derive(Debug)]
pub(super) enum TxError {
    /// A rule refused it.
    Refused(String),
    /// The server or the connection failed.
    Sql(tokio_postgres::Error),
    /// The server said nothing for [`SILENCE`], before the end of the transaction was sent.
    Silent,
    /// A stored value cannot be read.
    Value(String),
    /// A row that was there a moment ago is gone, because another transaction deleted it.
    Gone(String),
    /// The connection broke, or the server said nothing, after the end of the transaction was sent.
    Unknown(String),
}

/// Time after which a server that says nothing counts as gone. It gives a statement 5 s.
const SILENCE: Duration = Duration::from_secs(10);

/// Waits for the server's answer. A connection may be dead without ever ending: whatever is in between forgot it. The store's own
/// runtime keeps the time, since callers may have none.
pub(super) async fn answered<T>(
    runtime: &Handle,
    asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, TxError> {
    let limited = {
        let _inside = runtime.enter();
        timeout(SILENCE, asked)
    };
    match limited.await {
        Ok(told) => told.map_err(TxError::Sql),
        Err(_) => Err(TxError::Silent),
    }
}

impl From<tokio_postgres::Error> for TxError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Sql(error)
    }
}

/// Returns the message of an error with that of its cause.
pub(super) fn words(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => db.message().to_owned(),
        None => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
            format!("{error}{}", cause.unwrap_or_default())
        }
    }
}

impl TxError {
    /// Returns true if the transaction may be tried again: nothing was written and nothing told.
    pub(super) fn may_pass(&self) -> bool {
        let error = match self {
            Self::Silent | Self::Gone(_) => return true,
            Self::Sql(error) => error,
            _ => return false,
        };
        let raced = |code: &SqlState| {
            [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(code)
        };
        // Two turns wrote a set of facts first: the one that comes later finds it at another revision.
        let same_set = error.as_db_error().is_some_and(|db| db.constraint() == Some("fact_sets_pkey"));
        error.is_closed() || is_broken(error) || error.code().is_some_and(raced) || same_set
    }

    /// Returns true if the connection is of no use any more.
    pub(super) fn loses_connection(&self) -> bool {
        match self {
            Self::Silent | Self::Unknown(_) => true,
            Self::Sql(error) => is_broken(error),
            Self::Refused(_) | Self::Value(_) | Self::Gone(_) => false,
        }
    }

    /// Returns the reason in words.
    pub(super) fn why(&self) -> String {
        match self {
            Self::Refused(why) | Self::Value(why) | Self::Gone(why) | Self::Unknown(why) => why.clone(),
            Self::Silent => format!("the server did not answer for {} s", SILENCE.as_secs()),
            Self::Sql(error) => words(error),
        }
    }

    /// Returns the error for a caller. Nothing was written.
    pub(super) fn told(self, act: &'static str) -> StoreError {
        match self {
            Self::Refused(why) => StoreError::Refused { act, why },
            Self::Value(why) => StoreError::Damaged { act, why },
            Self::Gone(why) => StoreError::Backend { act, why },
            Self::Silent => StoreError::Backend { act, why: self.why() },
            Self::Unknown(why) => StoreError::Unknown { act, why },
            Self::Sql(error) => told(&error, act),
        }
    }
}

/// Returns true if the server ended the connection, or it broke.
pub(super) fn is_broken(error: &tokio_postgres::Error) -> bool {
    let ended = |code: &SqlState| {
        code.code().starts_with("57P")
            || code.code().starts_with("08")
            || *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
    };
    error.code().map_or_else(|| error.is_closed() || is_io(error), ended)
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>())
}

/// Converts an error of a statement that wrote nothing.
pub(super) fn told(error: &tokio_postgres::Error, act: &'static str) -> StoreError {
    let why = words(error);
    match error.code().map(SqlState::code) {
        Some("25006" | "53100") => StoreError::ReadOnly { act, why },
        // The server found a page or an index damaged.
        Some("XX001" | "XX002") => StoreError::Damaged { act, why },
        Some(code) if code.starts_with("23") => StoreError::Refused { act, why },
        _ => StoreError::Backend { act, why },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_damage_and_what_is_gone_is_looked_for_again() {
        let (value, gone) = (TxError::Value("of no kind".into()), TxError::Gone("deleted".into()));
        assert!(!value.may_pass() && gone.may_pass());
        assert!(matches!(value.told("try"), StoreError::Damaged { .. }));
        assert!(matches!(gone.told("try"), StoreError::Backend { .. }));
    }
}
