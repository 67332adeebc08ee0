//! What there is to know of an installation, asked in one way: of the local store, or of a running instance.
//!
//! Commands see only the shapes of the HTTP API ([`throughline_server::wire`]), so that what they print is the same
//! either way. Reading the local store starts nothing: no effect is performed because somebody looked. Acting needs
//! the loops, so [`acting`] runs a whole instance inside this process for as long as the command takes.

mod embedded;
mod local;
mod remote;

use throughline_server::wire::{Approval, Effect, Lane, LaneInfo, Pause, Replays, TurnInfo, Why};

use crate::app::App;
use crate::error::Failure;
use crate::settings;

pub(crate) use embedded::Embedded;
pub(crate) use local::{Local, not_started};
pub(crate) use remote::Remote;

/// Where to ask.
pub(crate) enum Api {
    /// The local store.
    Local(Box<Local>),
    /// A running instance.
    Remote(Remote),
}

/// The instance to ask: the one that `--server` names, else the local store.
pub(crate) fn open(app: &App) -> Result<Api, Failure> {
    match &app.flags.server {
        Some(url) => Ok(Api::Remote(Remote::new(app, url)?)),
        None => Ok(Api::Local(Box::new(Local::open(app)?))),
    }
}

/// The instance to act through: the one that `--server` names, else one inside this process over a store that is there.
pub(crate) fn acting(app: &App) -> Result<Acting, Failure> {
    if app.flags.server.is_none() {
        settings::must_be_stored(&settings::installation(app, None)?)?;
    }
    beginning(app)
}

/// The same, over a store that is made when it is not there yet.
pub(crate) fn beginning(app: &App) -> Result<Acting, Failure> {
    match &app.flags.server {
        Some(url) => Ok(Acting { remote: Remote::new(app, url)?, embedded: None }),
        None => {
            let embedded = Embedded::start(app)?;
            Ok(Acting { remote: embedded.remote(), embedded: Some(embedded) })
        }
    }
}

/// An instance that acts, and keeps doing so until this is dropped.
pub(crate) struct Acting {
    /// The way to it.
    pub(crate) remote: Remote,
    /// It, when it is in this process.
    embedded: Option<Embedded>,
}

impl Acting {
    /// Lets go of it: what it began is finished.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.embedded.map_or(Ok(()), Embedded::stop)
    }
}

/// Asks whichever it is.
macro_rules! ask {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $told:ty;)*) => {
        impl Api {
            $($(#[$doc])* pub(crate) fn $name(&self, $($arg: $type),*) -> Result<$told, Failure> {
                match self {
                    Self::Local(local) => local.$name($($arg),*),
                    Self::Remote(remote) => remote.$name($($arg),*),
                }
            })*
        }
    };
}

ask! {
    /// Why a turn ended as it did.
    why(turn: &str) -> Why;
    /// The lanes, at most so many.
    lanes(limit: usize) -> Vec<LaneInfo>;
    /// One lane as it stands.
    lane(id: &str) -> Lane;
    /// A lane's newest turns, newest first.
    turns(lane: &str, limit: usize) -> Vec<TurnInfo>;
    /// Approvals: those that wait, or all.
    approvals(all: bool, limit: usize) -> Vec<Approval>;
    /// One approval.
    approval(id: &str) -> Approval;
    /// Effects, of one state or all.
    effects(state: Option<&str>, limit: usize) -> Vec<Effect>;
    /// One effect.
    effect(id: &str) -> Effect;
    /// The kill switch.
    pause() -> Pause;
    /// Decides a lane's turns again.
    replay(target: &str, seen: &mut dyn FnMut(usize)) -> Replays;
}
