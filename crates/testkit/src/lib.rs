//! The scenario language (`spec 08 §1`): parse, run against a driver it is given, render.
//!
//! A scenario ([`model::Scenario`]) is a YAML file that a conversation designer writes: a world, turns in it, and what must
//! be seen. [`parse()`] reads one and tells every mistake with its line. [`run`] plays it against a [`Driver`], which is a
//! world: crate `sim` has the one over the production runtime. [`report`] tells what came of it to a person, a program and
//! a build server. [`run_with_faults`] plays it again with kills, duplicates and late deliveries drawn from a seed.
//! [`update()`] writes what was seen into a file, [`record()`] makes a scenario of recorded turns.
//!
//! Read `model.rs` for the language, `driver.rs` for the world, `run.rs` for what a turn does, `compare.rs` for what each
//! expectation means. What it never knows: runtime, store.

pub mod driver;
pub mod duration;
pub mod eval;
pub mod faults;
pub mod model;
pub mod report;

mod book;
mod compare;
mod emit;
mod parse;
mod record;
mod run;
mod seed;
mod supported;
mod update;
mod yaml;

pub use compare::Mismatch;
pub use driver::{Driver, DriverError, TurnSeen, World};
pub use emit::write;
pub use model::Scenario;
pub use parse::{ParseError, parse};
pub use record::{Recorded, RecordedLane, record};
pub use report::{Failure, Report};
pub use run::{run, run_with_faults};
pub use update::update;
