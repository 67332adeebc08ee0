//! Access to an installation: to its local store, or to a running instance over HTTP.
//!
//! Both return the types of the HTTP API ([`throughline_server::wire`]), so a command prints the same for either.
//! [`open`] only reads; on the local store it starts no background work and performs no effect. Commands that change
//! something use [`connect`]: it runs an instance inside this process until it is closed. Where a server has the local
//! store, both ask that server, and [`Local::open_to_read`] reads a copy.

mod beside;
mod copied;
mod embedded;
mod ids;
mod local;
mod remote;

use throughline_server::wire::{Approval, Context, Effect, Lane, LaneInfo, Pause, Replays, TurnInfo, Why};

use crate::app::App;
use crate::error::Failure;
use crate::settings;

pub(crate) use beside::{Held, open_or_find, owner};
pub(crate) use embedded::{Embedded, user, user_here};
pub(crate) use ids::{Ids, Kind};
pub(crate) use local::{Local, not_started};
pub(crate) use remote::{Remote, segment};

/// Read access to an installation.
pub(crate) enum Api {
    /// Reads the local store.
    Local(Box<Local>),
    /// Asks a running instance.
    Remote(Remote),
}

/// Opens the instance that `--server` names, else the local store or the server that has it.
pub(crate) fn open(app: &App) -> Result<Api, Failure> {
    if let Some(url) = &app.flags.server {
        return Ok(Api::Remote(Remote::new(app, url)?));
    }
    let config = settings::installation(app)?;
    Ok(match open_or_find(&config, || Local::open(app, config.clone()))? {
        Held::Here(local) => Api::Local(Box::new(local)),
        Held::There(remote) => Api::Remote(remote),
    })
}

/// Lanes that are read before the newest of them are known: they come in the order of their ids.
const LANES: usize = 10_000;

/// Returns the newest lanes, newest first.
fn newest(mut lanes: Vec<LaneInfo>, limit: usize) -> Vec<LaneInfo> {
    lanes.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.id.cmp(&b.id)));
    lanes.truncate(limit);
    lanes
}

/// Returns channel, conversation and thread of a lane: `web s1`, `slack C222 1700000000.000100`.
pub(crate) fn place(lane: &LaneInfo) -> String {
    [&lane.channel, &lane.conversation, &lane.thread].map(String::as_str).join(" ").trim_end().to_owned()
}

/// Connects to the instance that `--server` names, else to the server that has the local store, else to one in this
/// process. Fails if there is no local store for it yet.
pub(crate) fn connect(app: &App) -> Result<Connection, Failure> {
    if app.flags.server.is_none() {
        settings::require_store(&settings::installation(app)?)?;
    }
    connect_or_create(app)
}

/// Connects like [`connect`], and creates the local store if there is none.
pub(crate) fn connect_or_create(app: &App) -> Result<Connection, Failure> {
    if let Some(url) = &app.flags.server {
        return Ok(Connection { remote: Remote::new(app, url)?, embedded: None });
    }
    let config = settings::installation(app)?;
    Ok(match open_or_find(&config, || Embedded::start(app, &config))? {
        Held::Here(embedded) => Connection { remote: embedded.remote(), embedded: Some(embedded) },
        Held::There(remote) => Connection { remote, embedded: None },
    })
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
    /// Returns at most `limit` lanes, newest first: all, or those in which a person took part.
    lanes(person: Option<&str>, limit: usize) -> Vec<LaneInfo>;
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
