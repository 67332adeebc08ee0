//! News: what the processes that share a store tell one another.

use serde::{Deserialize, Serialize};
use throughline_engine::{LaneKey, TurnId};

/// Something that a process did and others may wait for. News are hints: whoever misses one finds the same in the store,
/// only later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// A delivery waits in a lane that another process holds.
    Work(LaneKey),
    /// A turn was committed.
    Turn(TurnNews),
    /// Something of which processes keep a copy has changed.
    Changed,
    /// News may have been lost, or a process that held lanes is gone: look in the store.
    Missed,
}

/// A turn that was committed, and what waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnNews {
    /// Its lane.
    pub lane: LaneKey,
    /// The revision it wrote.
    pub revision: u64,
    /// Its id.
    pub turn: TurnId,
    /// The delivery key that it handled, and the effect whose outcome it took in, if any.
    pub names: Vec<String>,
}
