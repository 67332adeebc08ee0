//! The connection that writes, with its statements kept ready.
//!
//! A turn is some fifteen short statements. Finding each by its text in a general cache costs as much as a short
//! statement itself; here it is found by the place of its text in the program.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension, Params, Row, Statement};

pub(super) struct Book<'c> {
    connection: &'c Connection,
    /// By address and length of the text. The same text at two places is prepared twice, which does no harm.
    ready: RefCell<HashMap<(usize, usize), Statement<'c>>>,
}

impl Deref for Book<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl<'c> Book<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection, ready: RefCell::default() }
    }

    /// `work` must not come back here: it only reads the rows of its own statement.
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

    /// Runs a statement and says how many rows it touched.
    pub(super) fn execute(&self, sql: &'static str, params: impl Params) -> rusqlite::Result<usize> {
        self.with(sql, |statement| statement.execute(params))
    }

    /// The first row, if there is one.
    pub(super) fn first<T>(
        &self,
        sql: &'static str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.with(sql, |statement| statement.query_row(params, read).optional())
    }

    /// Every row.
    pub(super) fn all<T>(
        &self,
        sql: &'static str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        self.with(sql, |statement| statement.query_map(params, read)?.collect())
    }
}
