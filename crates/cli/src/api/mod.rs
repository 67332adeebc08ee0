//! Access to an installation: to its local store, or to a running instance over HTTP.
//!
//! Both return the types of the HTTP API ([`throughline_server::wire`]), so a command prints the same for either.
//! [`open`] only reads; on the local store it starts no background work and performs no effect. Commands that change
//! something use [`connect`]: without `--server` it runs an instance inside this process until it is closed.

mod embedded;
mod local;
mod remote;

use throughline_server::wire::{Approval, Context, Effect, Lane, LaneInfo, Pause, Replays, TurnInfo, Why};

use crate::app::App;
use crate::error::Failure;
use crate::settings;

pub(crate) use embedded::Embedded;
pub(crate) use local::{Local, not_started};
pub(crate) use remote::Remote;

/// Read access to an installation.
pub(crate) enum Api {
    /// Reads the local store.
    Local(Box<Local>),
    /// Asks a running instance.
    Remote(Remote),
}

/// Opens the instance that `--server` names, else the local store.
pub(crate) fn open(app: &App) -> Result<Api, Failure> {
    match &app.flags.server {
        Some(url) => Ok(Api::Remote(Remote::new(app, url)?)),
        None => Ok(Api::Local(Box::new(Local::open(app)?))),
    }
}

/// Connects to the instance that `--server` names, else starts one in this process. Fails if there is no local store
/// for it yet.
pub(crate) fn connect(app: &App) -> Result<Connection, Failure> {
    if app.flags.server.is_none() {
        settings::require_store(&settings::installation(app, None)?)?;
    }
    connect_or_create(app)
}

/// Connects like [`connect`], and creates the local store if there is none.
pub(crate) fn connect_or_create(app: &App) -> Result<Connection, Failure> {
    match &app.flags.server {
        Some(url) => Ok(Connection { remote: Remote::new(app, url)?, embedded: None }),
        None => {
            let embedded = Embedded::start(app)?;
            Ok(Connection { remote: embedded.remote(), embedded: Some(embedded) })
        }
    }
}

/// A connection to an instance that can change things. Dropping it stops an instance in this process at once.
pub(crate) struct Connection {
    /// The client of the instance.
    pub(crate) remote: Remote,
    /// The instance, if it is in this process.
    embedded: Option<Embedded>,
}

impl Connection {
    /// Waits until an instance in this process has finished its work, and stops it.
    pub(crate) fn close(self) -> Result<(), Failure> {
        self.embedded.map_or(Ok(()), Embedded::stop)
    }
}

/// Forwards each method to the store or the instance.
macro_rules! ask {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Api {
            $($(#[$doc])* pub(crate) fn $name(&self, $($arg: $type),*) -> Result<$answer, Failure> {
                match self {
                    Self::Local(local) => local.$name($($arg),*),
                    Self::Remote(remote) => remote.$name($($arg),*),
                }
            })*
        }
    };
}

ask! {
    /// Returns the explanation of a turn.
    why(turn: &str) -> Why;
    /// Returns at most `limit` lanes.
    lanes(limit: usize) -> Vec<LaneInfo>;
    /// Returns the current state of a lane.
    lane(id: &str) -> Lane;
    /// Returns the context that prompts are given of a lane.
    context(id: &str, max_tokens: Option<u32>) -> Context;
    /// Returns the newest turns of a lane, newest first.
    turns(lane: &str, limit: usize) -> Vec<TurnInfo>;
    /// Returns the approvals that wait for a decision, or all.
    approvals(all: bool, limit: usize) -> Vec<Approval>;
    /// Returns an approval.
    approval(id: &str) -> Approval;
    /// Returns the effects in one state, or all.
    effects(state: Option<&str>, limit: usize) -> Vec<Effect>;
    /// Returns an effect.
    effect(id: &str) -> Effect;
    /// Returns the state of the kill switch.
    pause() -> Pause;
    /// Runs a recorded turn, or all turns of a lane, again and compares the results. Calls `seen` with the number done.
    replay(target: &str, seen: &mut dyn FnMut(usize)) -> Replays;
}
