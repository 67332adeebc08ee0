//! The simulator: a clock that a scenario moves, a tracker, a model and people, around the production runtime.
//!
//! [`SimDriver`] runs the scenarios of `throughline-testkit`. It decides nothing: it calls the functions that `serve`
//! calls, one after the other, so that every run is alike. [`Evals`] runs the labelled cases of an eval over the engine's
//! step alone. Neither knows vendors or a network.

mod channel;
mod checkers;
pub mod conversations;
mod driver;
mod eval;
mod facts;
mod faults;
mod host;
mod observations;
mod seed;
mod tracker;
mod worker;
mod world;

pub use driver::SimDriver;
pub use eval::Evals;
