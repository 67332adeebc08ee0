//! The scenario language: parse scenarios, run them against a driver, report and write them.
//!
//! A scenario ([`model::Scenario`]) is a YAML file with a world, turns in it, and expectations. [`parse()`] reads
//! one; every error has its line. [`run`] plays it against a [`Driver`], which is the world: crate `sim` has the
//! driver over the production runtime. [`run_with_faults`] plays it again with kills, duplicates and late deliveries
//! drawn from a seed. [`report`] formats the results for people, programs and build servers. [`update()`] writes what
//! was seen into a file, and [`record()`] makes a scenario of recorded turns.
//!
//! Begin with `model.rs` for the language, `driver.rs` for the world, `run.rs` for playing a turn and `compare.rs`
//! for the expectations. The crate does not know the runtime or the store.

pub mod driver;
pub mod duration;
pub mod faults;
pub mod model;
pub mod report;

mod compare;
mod emit;
mod files;
mod parse;
mod record;
mod run;
mod seed;
mod supported;
mod transcript;
mod update;
mod yaml;

pub use compare::Mismatch;
pub use driver::{Driver, DriverError, TurnSeen, World};
pub use emit::write;
pub use files::scenario_files;
pub use model::Scenario;
pub use parse::{ParseError, parse};
pub use record::{Recorded, RecordedLane, record};
pub use report::{Failure, Report};
pub use run::{run, run_with_faults};
pub use update::update;
