//! The steps of the far side, of the wire, of time and of faults.

use super::{EffectModel, EffectState, EffectWorld, Failover, Request, Rule, Step, Worker};

impl EffectModel {
    pub(super) fn far_steps(&self, world: &EffectWorld, effect: usize, steps: &mut Vec<Step>) {
        let row = &world.effects[effect];
        if row.late > 0 {
            steps.extend([Step::ArriveLate(effect), Step::Vanish(effect)]);
        }
        if row.found < row.issues {
            steps.push(Step::Index(effect));
        }
        if row.leased && (world.expiries > 0 || !world.is_held(effect)) {
            steps.push(Step::Expire(effect));
        }
        let open = matches!(row.state, EffectState::Planned | EffectState::Attempted);
        if world.spoils > 0 && open && !row.spoiled {
            steps.push(Step::Spoil(effect));
        }
        let loses = self.failover == Failover::Asynchronous && world.failovers > 0;
        if loses && row.state == EffectState::Attempted {
            steps.push(Step::LoseMark(effect));
        }
    }

    /// The far side makes the issue, or knows the id and has made it.
    fn make(&self, world: &mut EffectWorld, effect: usize) {
        let row = &mut world.effects[effect];
        if self.rule != Rule::Repeat || row.issues == 0 {
            row.issues += 1;
        }
    }

    pub(super) fn apply(&self, world: &mut EffectWorld, worker: usize) {
        if let Some(holder) = world.workers[worker].holds() {
            world.on_the_wire(worker, Request::Applied);
            self.make(world, usize::from(holder.effect));
        }
    }

    pub(super) fn arrive_late(&self, world: &mut EffectWorld, effect: usize) {
        world.effects[effect].late -= 1;
        self.make(world, effect);
    }
}

impl EffectWorld {
    /// The far side decides about a request on the wire.
    pub(super) fn on_the_wire(&mut self, worker: usize, outcome: Request) {
        if let Worker::Sent(_, request) = &mut self.workers[worker] {
            *request = outcome;
        }
    }

    pub(super) fn tried(&mut self, worker: usize, outcome: Request) {
        if let Some(holder) = self.workers[worker].holds() {
            self.workers[worker] = Worker::Tried(holder, outcome);
        }
    }

    pub(super) fn answer(&mut self, worker: usize) {
        let Worker::Sent(holder, request) = self.workers[worker] else { return };
        if matches!(request, Request::Refused | Request::Busy) {
            self.effects[usize::from(holder.effect)].open -= 1;
        }
        self.workers[worker] = Worker::Tried(holder, request);
    }

    pub(super) fn lose_answer(&mut self, worker: usize) {
        let Worker::Sent(holder, request) = self.workers[worker] else { return };
        self.effects[usize::from(holder.effect)].late += u8::from(request == Request::Flying);
        self.workers[worker] = Worker::Tried(holder, Request::Unknown);
    }

    /// Looks for the issue instead of sending. Not found proves nothing.
    pub(super) fn look_instead(&mut self, worker: usize) {
        let Some(holder) = self.workers[worker].holds() else { return };
        let found = self.effects[usize::from(holder.effect)].found > 0;
        self.tried(worker, if found { Request::Applied } else { Request::Unknown });
    }

    /// Kills a worker. A request of it that is on the wire goes on.
    pub(super) fn crash(&mut self, worker: usize) {
        self.lose_answer(worker);
        self.workers[worker] = Worker::Idle;
        self.crashes -= 1;
    }

    pub(super) fn lose_mark(&mut self, effect: usize) {
        let row = &mut self.effects[effect];
        row.state = EffectState::Planned;
        row.attempts -= 1;
        self.failovers -= 1;
    }
}
