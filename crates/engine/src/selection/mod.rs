//! Which of the options a person was shown a short message means, and whether that is safe to act on without asking
//! (`spec 04`). A ladder of three steps without side doors: rules that compare the text, then a bounded model, then a
//! question that is safe to ask. What it executes is always an option of the list that was shown.
//!
//! - `set.rs`: a list of options, with an identity that survives being shown again; `listed.rs`: its options, their names
//!   folded once; `lists.rs`: registered, closed, looked at
//! - `view.rs`: what one person's lists in one lane have come to; `standing.rs`: how they come and go
//! - `scene.rs`, `cue.rs`: which list a text is about; `parse.rs`, `names.rs`, `read.rs`: what it denotes, exactly;
//!   `hint.rs`: what it resembles, which only orders a question; `winner.rs`: what a reference denotes
//! - `ladder.rs`: the order in which all that is asked; `control.rs`, `remainder.rs`: what a text is beside a choice
//! - `flow.rs`, `press.rs`: what is done; `clarify.rs`, `card.rs`: what is asked; `cycle.rs`: what a model is asked;
//!   `handoff.rs`: what leaves for the next rung; `choice.rs`: our own cards as lists
//! - `print.rs`: what two questions to a model are told apart by; `account.rs`: what a turn's row says of all this

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
mod listed;
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
pub use listed::Listed;
pub use set::{Metadata, OptionSet, Origin, Role, Scope, SetOption, Showing, Shown, Unfit};
pub use view::{
    ActionKind, ActionOutcome, Clarifier, ClarifierType, Cycle, Guard, InFlight, Latch, Parked,
    ScopeQuestion, Standing, Status, TargetRef, TraceEntry, View,
};
