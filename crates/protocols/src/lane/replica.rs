//! The steps of replicas: hold, decide, commit, release.

use super::{Claimed, LaneModel, LaneWorld, Owner, Run, Step};

/// Result of a commit, as `CommitResult`.
enum Committed {
    Written,
    Fenced,
    Raced,
}

impl LaneModel {
    pub(super) fn replica_steps(&self, world: &LaneWorld, replica: usize, steps: &mut Vec<Step>) {
        let state = &world.replicas[replica];
        match state.run {
            // A process whose heartbeat is over claims nothing before it is back.
            Run::Empty | Run::Resting(_) if state.woken && !state.heartbeat_over => {
                steps.push(Step::Hold(replica));
            }
            Run::Running(_) => steps.push(Step::NextRow(replica)),
            Run::Stepped(..) => {
                steps.push(Step::Commit(replica));
                if world.unanswered > 0 {
                    steps.extend([Step::CommitUnanswered(replica), Step::CommitLost(replica)]);
                }
            }
            Run::Unanswered(..) if !state.heartbeat_over => steps.push(Step::Resolve(replica)),
            Run::Empty | Run::Resting(_) | Run::Unanswered(..) => {}
        }
        if matches!(state.run, Run::Resting(_)) {
            steps.push(Step::Release(replica));
        }
        let looks = matches!(state.run, Run::Empty | Run::Resting(_)) && !state.woken;
        if self.look && looks && !world.waiting.is_empty() && world.may_claim(replica) {
            steps.push(Step::Look(replica));
        }
        if world.crashes > 0 && (state.run != Run::Empty || state.woken) {
            steps.push(Step::Crash(replica));
        }
        if state.heartbeat_over {
            steps.push(Step::Heartbeat(replica));
        } else if world.pauses > 0 {
            steps.push(Step::HeartbeatOver(replica));
        }
    }

    /// Writes a turn, all of it or nothing.
    fn write(&self, world: &mut LaneWorld, claimed: Claimed, event: u8) -> Committed {
        let lane = &mut world.lane;
        let ours = lane.epoch == claimed.epoch && lane.owner != Owner::Nobody;
        if self.commit.epoch && !ours {
            return Committed::Fenced;
        }
        if self.commit.revision && lane.revision != claimed.revision {
            return Committed::Raced;
        }
        let row = world.waiting.iter().position(|waits| *waits == event);
        if self.commit.row && row.is_none() {
            return Committed::Raced;
        }
        row.map(|row| world.waiting.remove(row));
        lane.revision = claimed.revision + 1;
        lane.lease_over = false;
        world.turns.push((lane.revision, event));
        Committed::Written
    }

    pub(super) fn commit(&self, world: &mut LaneWorld, replica: usize) {
        let Run::Stepped(claimed, event) = world.replicas[replica].run else { return };
        match self.write(world, claimed, event) {
            Committed::Written => world.went_on(replica, claimed),
            Committed::Fenced => world.replicas[replica].run = Run::Empty,
            Committed::Raced => world.raced(replica),
        }
    }

    pub(super) fn commit_unanswered(&self, world: &mut LaneWorld, replica: usize) {
        let Run::Stepped(claimed, event) = world.replicas[replica].run else { return };
        world.unanswered -= 1;
        let written = matches!(self.write(world, claimed, event), Committed::Written);
        world.replicas[replica].run = Run::Unanswered(claimed, written);
    }

    pub(super) fn release(&self, world: &mut LaneWorld, replica: usize) {
        let Run::Resting(claimed) = world.replicas[replica].run else { return };
        let ours = world.lane.owner != Owner::Nobody && world.lane.epoch == claimed.epoch;
        if ours && self.rechecks && !world.waiting.is_empty() {
            world.replicas[replica].woken = true;
            return;
        }
        if ours {
            world.lane.owner = Owner::Nobody;
            world.lane.lease_over = false;
        }
        world.replicas[replica].run = Run::Empty;
    }
}

impl LaneWorld {
    pub(super) fn accept(&mut self, replica: usize) {
        self.waiting.push(self.accepted);
        self.accepted += 1;
        self.replicas[replica].woken = true;
    }

    /// Claims the lane for a replica, if it may. Returns the epoch.
    fn claim(&mut self, replica: usize) -> Option<u8> {
        if !self.may_claim(replica) {
            return None;
        }
        self.lane.epoch += u8::from(self.is_over());
        self.lane.owner = Owner::Replica(replica);
        self.lane.lease_over = false;
        Some(self.lane.epoch)
    }

    /// Keeps the claim that the replica remembers while its lease is good by the replica's own clock, which says nothing of
    /// one that another replica took over. Else claims the lane.
    pub(super) fn hold(&mut self, replica: usize) {
        self.replicas[replica].woken = false;
        let fresh = |claimed: &Claimed| claimed.epoch != self.lane.epoch || !self.lane.lease_over;
        self.replicas[replica].run = match self.replicas[replica].run {
            Run::Resting(claimed) if fresh(&claimed) => Run::Running(claimed),
            _ => match self.claim(replica) {
                Some(epoch) => Run::Running(Claimed { epoch, revision: self.lane.revision }),
                None => Run::Empty,
            },
        };
    }

    pub(super) fn next_row(&mut self, replica: usize) {
        let Run::Running(claimed) = self.replicas[replica].run else { return };
        self.replicas[replica].run = match self.waiting.first() {
            Some(event) => Run::Stepped(claimed, *event),
            None => Run::Resting(claimed),
        };
    }

    /// The replica knows its turn as written, and looks for the next row.
    fn went_on(&mut self, replica: usize, claimed: Claimed) {
        self.replicas[replica].run = Run::Running(Claimed { revision: claimed.revision + 1, ..claimed });
    }

    /// The replica drops what it has loaded, and begins again.
    fn raced(&mut self, replica: usize) {
        self.replicas[replica].run = Run::Empty;
        self.replicas[replica].woken = true;
    }

    pub(super) fn commit_lost(&mut self, replica: usize) {
        let Run::Stepped(claimed, _) = self.replicas[replica].run else { return };
        self.unanswered -= 1;
        self.replicas[replica].run = Run::Unanswered(claimed, false);
    }

    /// Claims the lane, which waits for the old transaction, and looks for the turn. The epoch of that claim is not kept.
    pub(super) fn resolve_unknown(&mut self, replica: usize) {
        let Run::Unanswered(claimed, written) = self.replicas[replica].run else { return };
        self.claim(replica);
        if written {
            self.went_on(replica, claimed);
        } else {
            self.raced(replica);
        }
    }

    pub(super) fn crash(&mut self, replica: usize) {
        self.crashes -= 1;
        self.replicas[replica].run = Run::Empty;
        self.replicas[replica].woken = false;
        self.replicas[replica].heartbeat_over = false;
        if self.lane.owner == Owner::Replica(replica) {
            self.lane.owner = Owner::Gone;
        }
    }

    pub(super) fn lease_over(&mut self) {
        self.expiries -= u8::from(self.lane.owner != Owner::Gone);
        self.lane.lease_over = true;
    }
}
