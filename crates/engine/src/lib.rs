//! The turn engine. For every message, press, command or form it decides what the event refers to, which
//! open question it answers, what may run, and why. The entry point is [`step()`], one total, pure function.
//!
//! A **lane** ([`Lane`]) is the state of one conversation: a small head and keyed records. An **event**
//! ([`Event`]) wakes it. A **turn** is one event, stepped and committed. A **rung** ([`Rung`]) is a stage
//! of the routing order; `step.rs` lists all of them. A **pending** ([`data::pending::PendingState`]) is an
//! open question. An **effect** ([`data::effect::Effect`]) is an action a turn asks the runtime to carry
//! out; its outcome comes back as an event.
//!
//! The engine is `no_std`: no clock, no randomness, no I/O and no async. The time and everything that had
//! to be looked up come in with [`StepInput`]; ids are derived. It never fails: an event that is stale, expired
//! or forbidden yields a [`Decision`] with a [`Reason`].
//!
//! The modules form floors; each uses those below it:
//!
//! - `text` and [`data`]: text made fit to keep and show; the types of lanes, events, records and
//!   decisions.
//! - `facts`, `messages`, `pending_match`, `intent`, `admit`, `retry`: rules over that data that need no turn, and
//!   every sentence the engine writes.
//! - `turn`: the working copy of one step. It reads the lane and collects what the turn writes.
//! - `cards`, `focus`, `memory`, `context`, `ask`, `summary`: capabilities that most turns share.
//! - `tickets`, `review`, `decision_records`, `selection`, `calls`, `erase`: what a turn can do for people, one
//!   folder each.
//! - `routing` and [`step()`]: the rungs and the order in which they are tried. Beside them, [`needs()`] lists
//!   the records that have to be loaded before a step.
//!
//! The engine never knows SQL, HTTP, a vendor, a file or a configuration format; and it never reads words
//! itself: the crate `throughline-language` does. The routing order and its reasons are in
//! `docs/design/0012-routing-order.md`.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod ask;
pub mod calls;
pub mod context;
pub mod data;
pub mod decision_records;
pub mod erase;
pub mod facts;
pub mod focus;
pub mod intent;
pub mod memory;
pub mod pending_match;
pub mod retry;
pub mod review;
pub mod selection;
pub mod summary;
pub mod text;
pub mod tickets;

mod admit;
mod cards;
mod host;
mod messages;
mod needs;
#[cfg(test)]
mod poll;
mod routing;
mod turn;

pub use crate::admit::{Admission, admit};
pub use crate::data::decision::{Decision, Reason, Verdict};
pub use crate::data::event::{Event, EventKind};
pub use crate::data::id::{
    BatchId, CardId, DraftId, EffectId, FactId, LaneId, MessageId, PendingId, ProposalId, ReviewId, TaskId,
    TimerId, TurnId,
};
pub use crate::data::lane::Lane;
pub use crate::data::lane_key::LaneKey;
pub use crate::data::lane_state::LaneState;
pub use crate::data::language::Language;
pub use crate::data::policy::Policy;
pub use crate::data::record::{Change, Record};
pub use crate::data::rung::Rung;
pub use crate::data::step::{Step, Timer};
pub use crate::data::step_input::StepInput;
pub use crate::data::time::{Millis, Timestamp};
pub use crate::needs::{effects_told, needs};
pub use crate::routing::capabilities::{card_records, lane_context, project_card};
pub use crate::routing::command::commands;
pub use crate::routing::step::step;
