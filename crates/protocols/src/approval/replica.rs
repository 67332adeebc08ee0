//! The way of a press: accepted, decided on what a replica reads, committed if that still holds.

use super::{
    Answer, Approval, ApprovalModel, ApprovalWorld, Button, Decided, Dedupe, Effect, Person, Step, Stepped,
};

impl ApprovalModel {
    pub(super) fn press_steps(&self, world: &ApprovalWorld, press: usize, steps: &mut Vec<Step>) {
        let state = &world.presses[press];
        if state.version == 0 {
            steps.extend((1..=world.version()).map(|version| Step::Press(press, version)));
            return;
        }
        if self.dedupe == Dedupe::LookThenInsert && state.rows == 1 && state.answers == 0 {
            steps.push(Step::Repeat(press));
        }
        let idle = world.replicas.iter().position(Option::is_none);
        if state.rows > 0
            && let Some(replica) = idle
        {
            steps.push(Step::Decide(replica, press));
        }
    }

    pub(super) fn press(&self, world: &mut ApprovalWorld, press: usize, version: u8) {
        let same = |(other, state): (usize, &super::Press)| {
            other != press && state.version == version && self.presses[other] == self.presses[press]
        };
        let known = self.dedupe == Dedupe::ByMeaning && world.presses.iter().enumerate().any(same);
        let state = &mut world.presses[press];
        state.version = version;
        if known {
            state.answers += 1;
            state.answer = Some(Answer::Duplicate);
        } else {
            state.rows += 1;
        }
    }

    /// Returns the answer to a press on what the world is now: the checks in their order.
    fn answer(&self, world: &ApprovalWorld, press: usize) -> Answer {
        let (person, button) = self.presses[press];
        match world.card() {
            Approval::Approved(by) | Approval::Rejected(by) if by == person => return Answer::AlreadyByYou,
            Approval::Approved(by) | Approval::Rejected(by) => return Answer::AlreadyBy(by),
            Approval::Pending | Approval::Superseded | Approval::Expired => {}
        }
        if self.compared.version && world.presses[press].version != world.version() {
            return Answer::Outdated;
        }
        if world.late || world.card() == Approval::Expired {
            return Answer::Expired;
        }
        let releases = button == Button::Approve;
        match () {
            () if releases && person == Person::Eve => Answer::Forbidden,
            () if releases && world.paused => Answer::Paused,
            () => Answer::Applied,
        }
    }

    pub(super) fn decide(&self, world: &mut ApprovalWorld, replica: usize, press: usize) {
        world.replicas[replica] = Some(Stepped::Fresh(Decided {
            press: u8::try_from(press).unwrap_or(u8::MAX),
            version: world.version(),
            answer: self.answer(world, press),
        }));
    }

    /// Writes the turn of a press, all of it or nothing. Where nothing is written, the press is decided again.
    pub(super) fn commit(&self, world: &mut ApprovalWorld, replica: usize) {
        let Some(Stepped::Fresh(decided) | Stepped::Unseen(decided)) = world.replicas[replica].take() else {
            return;
        };
        let press = usize::from(decided.press);
        if world.presses[press].rows == 0
            || (decided.answer == Answer::Applied && !self.apply(world, decided))
        {
            return;
        }
        let state = &mut world.presses[press];
        state.rows -= 1;
        state.answers += 1;
        state.answer = Some(decided.answer);
        self.next_revision(world);
    }

    /// Counts a turn: what was decided before it was decided on another revision.
    fn next_revision(&self, world: &mut ApprovalWorld) {
        for stepped in world.replicas.iter_mut().flatten() {
            *stepped = match *stepped {
                Stepped::Fresh(decided) if !self.compared.revision => Stepped::Unseen(decided),
                Stepped::Fresh(_) => Stepped::Moved,
                other => other,
            };
        }
    }

    /// The turn of the timer.
    pub(super) fn expire(&self, world: &mut ApprovalWorld) {
        let newest = world.approvals.len() - 1;
        world.approvals[newest] = Approval::Expired;
        self.next_revision(world);
    }

    /// Does what the press says. Returns false if the swap of the approval fails: `ApprovalLost`.
    fn apply(&self, world: &mut ApprovalWorld, decided: Decided) -> bool {
        let (person, button) = self.presses[usize::from(decided.press)];
        let row = usize::from(decided.version) - 1;
        if button == Button::Edit {
            world.open(decided.version + 1);
            return true;
        }
        let in_time = !(world.late && self.compared.expiry);
        if world.approvals[row] != Approval::Pending || !in_time {
            return false;
        }
        if button == Button::Reject {
            world.approvals[row] = Approval::Rejected(person);
            return true;
        }
        world.approvals[row] = Approval::Approved(person);
        world.consumed_late |= world.late;
        world.effects.push(Effect { hash: decided.version, approval: decided.version, attempted: false });
        true
    }
}

impl ApprovalWorld {
    /// Opens a version of the approval, and puts pending older ones aside.
    fn open(&mut self, version: u8) {
        for older in self.approvals.iter_mut().filter(|older| **older == Approval::Pending) {
            *older = Approval::Superseded;
        }
        self.approvals.resize(usize::from(version), Approval::Pending);
    }
}
