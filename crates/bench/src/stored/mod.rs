//! Databases as the benchmarks need them: very many idle lanes, and what one takes on the disk.

pub(crate) mod disk;
pub(crate) mod idle;
