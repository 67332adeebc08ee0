//! The virtual world: a clock that moves when told, a tracker, a model and people, around the production runtime.
//!
//! [`SimDriver`] runs the scenarios of `throughline-testkit`. Nothing in it decides anything: it calls the same
//! functions that `serve` calls, one after the other, so that a run is the same every time. [`Evals`] puts the labelled
//! cases of an eval to the engine's step alone. Neither knows vendors or a network.

mod channel;
mod checkers;
mod driver;
mod eval;
mod facts;
mod faults;
mod given;
mod host;
mod seen;
mod tracker;
mod worker;
mod world;

pub use driver::SimDriver;
pub use eval::Evals;
