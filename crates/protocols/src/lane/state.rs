//! The states of the world of a lane.

use super::LaneModel;

/// Holder of a lane's claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Nobody.
    Nobody,
    /// A replica that lives.
    Replica(usize),
    /// A process that was killed.
    Gone,
}

/// The row of the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// Holder of the claim.
    pub owner: Owner,
    /// Rises with every change of hands.
    pub epoch: u8,
    /// True if the lease of the claim has run out.
    pub lease_over: bool,
    /// Number of committed turns.
    pub revision: u8,
}

/// A claim as its holder remembers it, with the lane as it was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claimed {
    /// Epoch of the claim.
    pub epoch: u8,
    /// Revision of the loaded lane.
    pub revision: u8,
}

/// Progress of a replica with the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Run {
    /// Holds nothing.
    Empty,
    /// Will look for the next row.
    Running(Claimed),
    /// Has decided the turn of that event.
    Stepped(Claimed, u8),
    /// Does not know whether the turn of its commit is written. It is, if this is true.
    Unanswered(Claimed, bool),
    /// Found no row, and keeps the claim and the loaded lane.
    Resting(Claimed),
}

/// A replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Replica {
    /// Its progress.
    pub run: Run,
    /// True if it was told that the lane has work.
    pub woken: bool,
    /// True if others take its process for dead.
    pub heartbeat_over: bool,
}

/// The store's rows of one lane, and the replicas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaneWorld {
    /// The lane.
    pub lane: Lane,
    /// Number of accepted events. They are numbered in the order of acceptance, from 0.
    pub accepted: u8,
    /// Events that wait, in order.
    pub waiting: Vec<u8>,
    /// The turns: the revision that each wrote, and its event.
    pub turns: Vec<(u8, u8)>,
    /// The replicas.
    pub replicas: Vec<Replica>,
    /// Kills that are left.
    pub crashes: u8,
    /// Leases of living holders that may still run out.
    pub expiries: u8,
    /// Heartbeats of living processes that may still be over.
    pub pauses: u8,
    /// Answers to commits that may still be lost.
    pub unanswered: u8,
}

impl LaneWorld {
    pub(super) fn new(model: &LaneModel) -> Self {
        let replica = Replica { run: Run::Empty, woken: false, heartbeat_over: false };
        Self {
            lane: Lane { owner: Owner::Nobody, epoch: 0, lease_over: false, revision: 0 },
            accepted: 0,
            waiting: Vec::new(),
            turns: Vec::new(),
            replicas: vec![replica; usize::from(model.replicas)],
            crashes: model.crashes,
            expiries: model.expiries,
            pauses: model.pauses,
            unanswered: model.unanswered,
        }
    }

    /// True if the claim of the lane does not count any more.
    pub(super) fn is_over(&self) -> bool {
        match self.lane.owner {
            Owner::Nobody => true,
            Owner::Replica(holder) => self.lane.lease_over || self.replicas[holder].heartbeat_over,
            Owner::Gone => self.lane.lease_over,
        }
    }

    /// True if a replica would get the lane by claiming it.
    pub(super) fn may_claim(&self, replica: usize) -> bool {
        self.is_over() || self.lane.owner == Owner::Replica(replica)
    }
}
