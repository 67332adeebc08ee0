//! The loop around the engine: intake, lanes, commit, dispatch, settle, timers.
//!
//! It knows order, at-least-once delivery, retries and backpressure. It never knows vendors, HTTP, SQL or
//! configuration files: those are behind [`Ports`] and [`throughline_store::Store`]. It has no clock: time is the
//! store's.
//!
//! Two hosts run these functions. In production [`host::run`] drives them with tasks and wake-ups; the simulator
//! calls them one after the other on a virtual clock. The way of one event:
//!
//! 1. [`Runtime::accept`] makes it durable; only then may the sender get its 2xx. Where nothing has to be waited for,
//!    its turn is in the same commit, and 2 has been done.
//! 2. [`Runtime::run_lane`] claims the lane, looks up what the step is given, steps, commits.
//! 3. [`Runtime::dispatch`] leases effects, marks each attempt before its first byte, performs, records.
//! 4. The outcome is an event: back to 1. So are deadlines: [`Runtime::fire_timers`].

mod anchor;
mod away;
mod background;
mod counters;
mod direct;
mod dispatch;
mod erase;
mod error;
mod fact_cache;
mod facts;
mod faults;
mod held_lanes;
pub mod host;
mod in_flight;
mod intake;
mod keys;
mod lane;
mod news;
mod policies;
mod ports;
mod preview_press;
pub mod replay;
mod runtime;
mod selection_events;
pub mod spans;
mod step_input;
mod stored;
mod timers;
mod tracker_reports;
mod turn;
pub mod turn_log;
mod verify;
mod view;
mod wake;
mod writing;
mod zone;

pub use anchor::{Anchor, Heads, LaneHead};
pub use erase::{Erased, Subject};
pub use error::RuntimeError;
pub use facts::fact_writes;
pub use faults::{Crash, FailPoint, Faults, NoFaults, from_environment};
pub use intake::Inbound;
pub use keys::Keys;
pub use lane::LaneRun;
pub use policies::PolicyInForce;
pub use ports::{Directory, NotReady, Permit, Ports, Worker};
pub use preview_press::PressPreview;
pub use runtime::{Entropy, Parts, Runtime};
pub use verify::Verified;
pub use view::{LaneView, MessageView};
pub use wake::{Committed, Heard, Wakes};
pub use writing::{Follower, Writing, Writings};
pub use zone::{UnknownZone, Zone};
