//! The connection that writes, with its prepared statements.
//!
//! A turn is about fifteen short statements. To find one by its text in rusqlite's cache costs as much as to run it, so
//! they are found by the address of their text in the program.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension, Params, Row, Statement};

/// A connection with a cache of prepared statements.
pub(super) struct WriteConn<'c> {
    connection: &'c Connection,
    /// Statements by address and length of their text. A text that is in the program twice is prepared twice, which
    /// does no harm.
    ready: RefCell<HashMap<(usize, usize), Statement<'c>>>,
}

impl Deref for WriteConn<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl<'c> WriteConn<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection, ready: RefCell::default() }
    }

    /// Runs `work` with a prepared statement. It must not use the connection in any other way meanwhile.
    fn with<T>(
        &self,
        sql: &'static str,
        work: impl FnOnce(&mut Statement<'c>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut ready = self.ready.borrow_mut();
        let place = (sql.as_ptr().addr(), sql.len());
        let statement = match ready.entry(place) {
            std::collections::hash_map::Entry::Occupied(found) => found.into_mut(),
            std::collections::hash_map::Entry::Vacant(free) => free.insert(self.connection.prepare(sql)?),
        };
        work(statement)
    }

    /// Runs a statement and returns the number of rows it changed.
    pub(super) fn execute(&self, sql: &'static str, params: impl Params) -> rusqlite::Result<usize> {
        self.with(sql, |statement| statement.execute(params))
    }

    /// Returns the first row, if there is one.
    pub(super) fn first<T>(
        &self,
        sql: &'static str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.with(sql, |statement| statement.query_row(params, read).optional())
    }

    /// Returns every row.
    pub(super) fn all<T>(
        &self,
        sql: &'static str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        self.with(sql, |statement| statement.query_map(params, read)?.collect())
    }
}
