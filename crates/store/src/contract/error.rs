//! The error of every operation of a store.

/// Reason a store could not do what it was asked. Each variant but [`Self::Unknown`] promises that nothing was
/// written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store takes no writes at the moment: the disk is full or the file is read-only (`TL-6201`).
    #[error("cannot {act}: the store takes no writes ({why})")]
    ReadOnly {
        /// The operation, as a verb phrase that follows "cannot".
        act: &'static str,
        /// The backend's own message.
        why: String,
    },
    /// Another process holds the database (`TL-6102`).
    #[error(
        "cannot open {what}: another process is using it; stop that one, or give this one another store.url"
    )]
    InUse {
        /// The database file.
        what: String,
    },
    /// The database has several names on its disk, so that processes could not see one another (`TL-6105`).
    #[error(
        "cannot open {what}: its file has {names} names (hard links), and each name would get a log of its own; remove \
         the others or copy the file"
    )]
    HardLinked {
        /// The database file.
        what: String,
        /// Number of its names.
        names: u64,
    },
    /// Another process has opened the database since, so this one may write nothing more (`TL-6106`).
    #[error("cannot {act}: another process has taken the database over, and this one stops")]
    TakenOver {
        /// The operation, as a verb phrase that follows "cannot".
        act: &'static str,
    },
    /// The path of the database no longer leads to the file that was opened (`TL-6107`).
    #[error("cannot {act}: the database {what} was moved or replaced: {why}")]
    Moved {
        /// The operation, as a verb phrase that follows "cannot".
        act: &'static str,
        /// The database file.
        what: String,
        /// The reason, as a clause.
        why: String,
    },
    /// The backend is too old or misconfigured, or the database belongs to another program (`TL-6101`, `TL-6103`).
    #[error("cannot open {what}: {why}")]
    Open {
        /// The database file or server.
        what: String,
        /// The reason, in words for the operator.
        why: String,
    },
    /// A constraint refused the write. The caller has a bug: repeating the call changes nothing.
    #[error("cannot {act}: {why}")]
    Refused {
        /// The operation, as a verb phrase that follows "cannot".
        act: &'static str,
        /// The constraint that refused it.
        why: String,
    },
    /// The server takes no writes at all, because it is a replica or is set to be read-only (`TL-6104`).
    #[error("cannot {act}: {what} is a replica or read-only; name the server that takes writes")]
    Replica {
        /// The operation, as a verb phrase that follows "cannot".
        act: &'static str,
        /// The server and its database.
        what: String,
    },
    /// The connection broke while a write was under way, so it may or may not have been made.
    #[error("the outcome of {act} is unknown: {why}")]
    Unknown {
        /// The operation, as a verb phrase that follows "the outcome of".
        act: &'static str,
        /// The backend's own message.
        why: String,
    },
    /// Damage of the backend's own file, or a value in it that is never written, so that what is stored cannot be read
    /// (`TL-6203`).
    #[error("cannot {act}: the database is damaged ({why})")]
    Damaged {
        /// The operation, as a verb phrase that follows "cannot".
        act: &'static str,
        /// The backend's own message.
        why: String,
    },
    /// Any other failure that the backend reported.
    #[error("cannot {act}: {why}")]
    Backend {
        /// The operation, as a verb phrase that follows "cannot".
        act: &'static str,
        /// The backend's own message.
        why: String,
    },
}
