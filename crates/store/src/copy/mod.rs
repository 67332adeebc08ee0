//! Copying a SQLite file into an empty PostgreSQL database. Reasons: `docs/design/0066-copying-a-store.md`.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::contract::StoreError;
use crate::postgres::{Import, PostgresStore};
use crate::sqlite::{Page, SqliteStore};

/// Pages that are read ahead of what is written.
const AHEAD: usize = 4;

/// Counts of what was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Tenants.
    pub tenants: Vec<String>,
    /// Rows by table.
    pub rows: BTreeMap<&'static str, u64>,
}

impl Copied {
    fn count(&mut self, page: &Page) {
        if self.tenants.last() != Some(&page.tenant) {
            self.tenants.push(page.tenant.clone());
        }
        *self.rows.entry(page.table).or_default() += page.rows.len() as u64;
    }
}

/// A part of what is read: rows, or the end of all of them.
enum Part {
    Page(Page),
    End,
}

/// Copies everything in a file into an empty database: all of it, or nothing. The file is open, so nobody else writes to it.
/// `progress` is told the number of rows so far.
///
/// # Errors
/// [`StoreError::Open`] if the database is not empty, [`StoreError::Refused`] if it does not take a row,
/// [`StoreError::Unknown`] if the connection was lost at the very end: then look whether the database is still empty.
pub async fn copy(
    from: Arc<SqliteStore>,
    to: &PostgresStore,
    mut progress: impl FnMut(u64),
) -> Result<Copied, StoreError> {
    let mut import = to.import().await?;
    let (send, mut parts) = mpsc::channel(AHEAD);
    let reader = std::thread::spawn(move || {
        from.export(&mut |page| send.blocking_send(Part::Page(page)).is_ok())?;
        // Whoever receives no more has failed, and knows why.
        let _ = send.blocking_send(Part::End);
        Ok(())
    });
    let copied = receive(&mut parts, &mut import, &mut progress).await;
    drop(parts);
    match (copied, reader.join()) {
        (Err(error), Ok(_)) | (Ok(_), Ok(Err(error))) => Err(error),
        (Ok(Some(copied)), Ok(Ok(()))) => import.finish().await.map(|()| copied),
        (Ok(None), Ok(Ok(()))) | (_, Err(_)) => {
            Err(StoreError::Backend { act: "read the database", why: "it stopped before the end".into() })
        }
    }
}

/// Adds what is read until its end, and returns the counts; `None` if there was no end.
async fn receive(
    parts: &mut mpsc::Receiver<Part>,
    import: &mut Import,
    progress: &mut impl FnMut(u64),
) -> Result<Option<Copied>, StoreError> {
    let (mut copied, mut rows) = (Copied::default(), 0);
    while let Some(part) = parts.recv().await {
        let Part::Page(page) = part else { return Ok(Some(copied)) };
        copied.count(&page);
        rows += page.rows.len() as u64;
        import.add(&page.tenant, page.table, page.rows).await?;
        progress(rows);
    }
    Ok(None)
}
