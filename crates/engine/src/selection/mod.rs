//! Which of the options a person was shown a short message means, and whether that is safe to act on without asking
//! (`spec 04`). A ladder of three steps without side doors: rules that compare the text, then a bounded model, then a
//! question that is safe to ask. What it executes is always an option of the list that was shown.
//!
//! - `set.rs`: a list of options, with an identity that survives being shown again
//! - `view.rs`: what one person's list in one lane has come to
//! - `parse.rs`, `read.rs`: what a text denotes, exactly; `hint.rs`: what it resembles, which only orders a question
//! - `print.rs`: what two questions to a model are told apart by

mod account;
pub(crate) mod card;
pub(crate) mod choice;
mod clarify;
pub(crate) mod control;
pub(crate) mod cue;
pub(crate) mod cycle;
pub(crate) mod flow;
pub(crate) mod handoff;
pub(crate) mod hint;
pub(crate) mod ladder;
pub(crate) mod lists;
mod names;
pub(crate) mod parse;
pub(crate) mod press;
pub(crate) mod print;
pub(crate) mod read;
mod remainder;
pub(crate) mod scene;
mod set;
mod standing;
mod view;
pub(crate) mod winner;

pub use account::{
    Account, Collision, Handoff, HandoffKind, Provenance, Referent, ReferentKind, Signal, Slot,
};
pub use set::{Metadata, OptionSet, Origin, Role, Scope, SetOption, Showing, Shown, Unfit};
pub use view::{
    ActionKind, ActionOutcome, Clarifier, ClarifierType, Cycle, Guard, InFlight, Latch, Parked,
    ScopeQuestion, Standing, Status, TargetRef, TraceEntry, View,
};
