//! Databases as the benchmarks need them: very many idle lanes, and what one takes on the disk.

pub(crate) mod disk;
pub(crate) mod idle;

/// A folder for making what is measured later: in memory where the system has that, so that a sync costs nothing.
pub(crate) fn scratch() -> anyhow::Result<tempfile::TempDir> {
    Ok(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?)
}
