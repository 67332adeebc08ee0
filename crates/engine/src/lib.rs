//! The turn engine. For every message, press, command or form it decides what the event refers to, what was
//! waiting for it, what may run, and why: [`step`], one total, pure function.
//!
//! A **lane** ([`Lane`]) is the place of one conversation: a small head and keyed records. An **event**
//! ([`Event`]) wakes it. A **turn** is one event stepped and committed. A **rung** is a stage of the routing
//! order; `step.rs` shows all of them on one screen. A **pending** ([`pending::PendingState`]) is a question that
//! waits. An **effect** ([`effect::Effect`]) is what a turn wants done in the world; its outcome comes back as an
//! event.
//!
//! The engine has no clock, no randomness, no I/O and no async: `no_std`. Time and every looked-up fact come in
//! with [`Given`], ids are derived. It never fails: what is stale, expired or forbidden is a [`Decision`] with a
//! [`Reason`].
//!
//! Read on in `step.rs`, then in the folder of a capability: `pending`, `workflow`, `tickets`, `intent`, `work`,
//! `focus`, `recognize`. What it never knows: SQL, HTTP, vendors, files, configuration.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod approval;
pub mod ask;
pub mod canon;
pub mod context;
pub mod decision;
pub mod decisions;
pub mod effect;
pub mod event;
pub mod focus;
pub mod given;
pub mod id;
pub mod intent;
pub mod lane;
pub mod memory;
pub mod pending;
pub mod policy;
pub mod recognize;
pub mod redact;
pub mod review;
pub mod selection;
pub mod snapshot;
pub mod tickets;
pub mod time;
pub mod trace;
pub mod work;
pub mod workflow;

mod admit;
mod needs;
mod rungs;
mod say;
mod step;
mod turn;

pub use admit::{Admission, admit};
pub use decision::{Decision, Reason, Verdict};
pub use event::{Event, EventKind};
pub use given::Given;
pub use id::{
    BatchId, CardId, DraftId, EffectId, FactId, LaneId, MessageId, PendingId, ProposalId, ReviewId, TaskId,
    TimerId, TurnId,
};
pub use lane::{Change, Lane, LaneKey, LaneState, Record};
pub use needs::needs;
pub use policy::Policy;
pub use step::{Step, Timer, step};
pub use time::{Millis, Timestamp};
pub use trace::Rung;
