//! Faults of the machine under the real process: its disk, its clock, the readers of its output. Each run must end as runs
//! without a fault do once the fault is over, and a run in which nothing struck fails.
//!
//! `THROUGHLINE_CRASH_FIRST` is the first seed (1), `THROUGHLINE_FAULT_SEEDS` the number of seeds for each cell (1),
//! `THROUGHLINE_FAULT_CELL` a part of the names of the cells to run (all). The tables that the tests print are those of
//! `docs/measurements/faults.md`.

mod bit_flips;
mod clock;
mod commands;
mod disk;
pub(crate) mod matrix;
mod pipes;
pub(crate) mod shim;
