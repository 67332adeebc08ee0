//! Databases for the benchmarks: with very many idle lanes, and their size on the disk.

pub(crate) mod disk;
pub(crate) mod idle;

/// Returns a folder for preparing data: in memory where the system has that, so that a sync costs nothing.
pub(crate) fn scratch() -> anyhow::Result<tempfile::TempDir> {
    Ok(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?)
}
