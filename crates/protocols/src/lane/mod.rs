//! The protocol of a lane: events are accepted, a replica claims the lane, commits one turn for each event, and releases it.
//!
//! Every replica may be as slow as it likes between any two steps. A claim is over when its lease has run out, and also when
//! the heartbeat of its holder's process is over, although that process may only be asleep.

mod properties;
mod replica;
mod state;

use stateright::{Model, Property};

pub use properties::{ENDS, IN_ORDER, NOT_STRANDED, ONCE, ONE_PER_REVISION, OUTLIVED, TAKEN_OVER};
pub use state::{Claimed, Lane, LaneWorld, Owner, Replica, Run};

/// Comparisons of `Lanes::commit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The epoch of the claim.
    pub epoch: bool,
    /// The revision on which the turn was decided.
    pub revision: bool,
    /// That the event still waits.
    pub row: bool,
}

impl Compared {
    /// The comparisons of the product.
    pub const ALL: Self = Self { epoch: true, revision: true, row: true };

    /// Nothing: whoever has a lease is trusted to be alone.
    pub const NOTHING: Self = Self { epoch: false, revision: false, row: false };
}

/// A world with bounds.
#[derive(Clone, Debug)]
pub struct LaneModel {
    /// Comparisons of a commit.
    pub commit: Compared,
    /// True if `Lanes::release` looks for rows that wait, in the transaction that frees the lane.
    pub rechecks: bool,
    /// True if replicas look for lanes with work from time to time.
    pub look: bool,
    /// Number of replicas.
    pub replicas: u8,
    /// Number of events.
    pub events: u8,
    /// Kills of a replica. It comes back under another name.
    pub crashes: u8,
    /// Leases that run out while their holder lives.
    pub expiries: u8,
    /// Heartbeats that are over although their process lives.
    pub pauses: u8,
    /// Commits whose answer is lost.
    pub unanswered: u8,
}

impl LaneModel {
    /// The protocol of the product, with every fault.
    #[must_use]
    pub fn product() -> Self {
        Self {
            commit: Compared::ALL,
            rechecks: true,
            look: true,
            replicas: 2,
            events: 3,
            crashes: 1,
            expiries: 1,
            pauses: 1,
            unanswered: 1,
        }
    }

    /// The protocol of the product without faults, and without the look for lanes with work, which would hide an event
    /// that is left behind.
    #[must_use]
    pub fn quiet() -> Self {
        Self { look: false, crashes: 0, expiries: 0, pauses: 0, unanswered: 0, ..Self::product() }
    }
}

/// A step of the world. Numbers are positions of replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `Inbox::accept`, at a replica, which wakes its own loop.
    Accept(usize),
    /// `Inbox::lanes_with_work`, read from time to time.
    Look(usize),
    /// `Runtime::run_lane` begins: `LaneActor::fresh`, else `Lanes::claim` and `Lanes::load`.
    Hold(usize),
    /// `Inbox::waiting`, and `engine::step` on the first row if there is one.
    NextRow(usize),
    /// `Lanes::commit`.
    Commit(usize),
    /// `Lanes::commit` is committed, and the connection breaks.
    CommitUnanswered(usize),
    /// The connection breaks before `Lanes::commit` is committed.
    CommitLost(usize),
    /// `Runtime::resolve_unknown`.
    Resolve(usize),
    /// `Lanes::release`, of an idle lane.
    Release(usize),
    /// A replica is killed, and comes back.
    Crash(usize),
    /// The lease of the claim runs out.
    LeaseOver,
    /// The heartbeat of a process is over: it sleeps, or cannot reach the database.
    HeartbeatOver(usize),
    /// The process is back and its heartbeat is in force again.
    Heartbeat(usize),
}

impl Model for LaneModel {
    type State = LaneWorld;
    type Action = Step;

    fn init_states(&self) -> Vec<LaneWorld> {
        vec![LaneWorld::new(self)]
    }

    fn actions(&self, world: &LaneWorld, steps: &mut Vec<Step>) {
        for replica in 0..world.replicas.len() {
            if world.accepted < self.events {
                steps.push(Step::Accept(replica));
            }
            self.replica_steps(world, replica, steps);
        }
        let gone = world.lane.owner == Owner::Gone;
        let held = matches!(world.lane.owner, Owner::Replica(_));
        if !world.lane.lease_over && (gone || (held && world.expiries > 0)) {
            steps.push(Step::LeaseOver);
        }
    }

    fn next_state(&self, world: &LaneWorld, step: Step) -> Option<LaneWorld> {
        let mut next = world.clone();
        match step {
            Step::Accept(replica) => next.accept(replica),
            Step::Look(replica) => next.replicas[replica].woken = true,
            Step::Hold(replica) => next.hold(replica),
            Step::NextRow(replica) => next.next_row(replica),
            Step::Commit(replica) => self.commit(&mut next, replica),
            Step::CommitUnanswered(replica) => self.commit_unanswered(&mut next, replica),
            Step::CommitLost(replica) => next.commit_lost(replica),
            Step::Resolve(replica) => next.resolve_unknown(replica),
            Step::Release(replica) => self.release(&mut next, replica),
            Step::Crash(replica) => next.crash(replica),
            Step::LeaseOver => next.lease_over(),
            Step::HeartbeatOver(replica) => {
                next.pauses -= 1;
                next.replicas[replica].heartbeat_over = true;
            }
            Step::Heartbeat(replica) => next.replicas[replica].heartbeat_over = false,
        }
        // A step that changes nothing is none.
        (next != *world).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }
}
