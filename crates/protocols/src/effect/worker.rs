//! The steps of workers: lease, mark, send, settle.

use super::{EffectModel, EffectState, EffectWorld, Failover, Holder, Request, Rule, Step, Worker};

/// Times that an effect of [`Rule::Look`] is looked for, as `limits::LOOKS` of the engine.
const LOOKS: u8 = 2;

impl EffectModel {
    pub(super) fn worker_steps(&self, world: &EffectWorld, worker: usize, steps: &mut Vec<Step>) {
        let state = world.workers[worker];
        match state {
            Worker::Idle => {
                let due = (0..world.effects.len()).filter(|effect| self.is_due(world, *effect));
                // Idle workers are alike, so the first stands for all of them.
                if world.workers[..worker].iter().all(|other| *other != Worker::Idle) {
                    steps.extend(due.map(|effect| Step::Lease(worker, effect)));
                }
                return;
            }
            Worker::Leased(_) if self.rule == Rule::LateMark => {
                steps.extend([Step::Send(worker), Step::Unreachable(worker)]);
            }
            Worker::Leased(holder) => {
                steps.push(Step::Mark(worker));
                let lost = self.failover == Failover::Synchronous && world.failovers > 0;
                if lost && self.may_mark(world, holder) {
                    steps.push(Step::MarkUnanswered(worker));
                }
            }
            Worker::Marked(holder) => self.attempt_steps(world, worker, holder, steps),
            Worker::Sent(holder, Request::Flying) => {
                steps.extend([Step::Apply(worker), Step::Busy(worker), Step::LoseAnswer(worker)]);
                // A far side that knows the id answers with what it made.
                let made = world.effects[usize::from(holder.effect)].issues > 0;
                if !(made && self.rule == Rule::Repeat) {
                    steps.push(Step::Refuse(worker));
                }
            }
            Worker::Sent(..) => steps.extend([Step::Answer(worker), Step::LoseAnswer(worker)]),
            Worker::Tried(..) => steps.push(Step::Record(worker)),
        }
        if world.crashes > 0 {
            steps.push(Step::Crash(worker));
        }
    }

    /// The steps behind a mark: an attempt, or what the rule does instead of another.
    fn attempt_steps(&self, world: &EffectWorld, worker: usize, holder: Holder, steps: &mut Vec<Step>) {
        let effect = &world.effects[usize::from(holder.effect)];
        let again = holder.again;
        let known_under_way = |worker: &Worker| match worker {
            Worker::Sent(other, Request::Flying) => other.effect == holder.effect,
            _ => false,
        };
        let settled =
            effect.late == 0 && effect.found == effect.issues && !world.workers.iter().any(known_under_way);
        match self.rule {
            Rule::Look | Rule::LookThenForget if again => steps.push(Step::LookInstead(worker)),
            Rule::SettleThenRetry if again && !settled => {}
            Rule::SearchThenRetry | Rule::SettleThenRetry if again && effect.found > 0 => {
                steps.push(Step::LookInstead(worker));
            }
            _ => steps.extend([Step::Send(worker), Step::Unreachable(worker)]),
        }
    }

    /// True if the store lets the holder of a lease mark an attempt.
    fn may_mark(&self, world: &EffectWorld, holder: Holder) -> bool {
        let effect = &world.effects[usize::from(holder.effect)];
        let open = matches!(effect.state, EffectState::Planned | EffectState::Attempted);
        open && (self.rule == Rule::UnfencedMark || (effect.fence == holder.fence && effect.leased))
    }

    /// True if an effect may be leased.
    fn is_due(&self, world: &EffectWorld, effect: usize) -> bool {
        let row = &world.effects[effect];
        match row.state {
            EffectState::Planned => !row.leased && !world.waits(row),
            EffectState::Attempted => !row.leased && self.rule != Rule::LeaveAttempted,
            _ => false,
        }
    }

    pub(super) fn lease(&self, world: &mut EffectWorld, worker: usize, effect: usize) {
        let row = &mut world.effects[effect];
        row.fence += 1;
        row.leased = true;
        let number = u8::try_from(effect).unwrap_or(u8::MAX);
        let holder = Holder { effect: number, fence: row.fence, again: row.unknown > 0 };
        // An attempt with its lease run out: nobody knows its outcome.
        world.workers[worker] = match row.state {
            EffectState::Attempted if row.spoiled => Worker::Tried(holder, Request::Spoiled),
            EffectState::Attempted => Worker::Tried(holder, Request::Unknown),
            _ => Worker::Leased(holder),
        };
    }

    pub(super) fn mark(&self, world: &mut EffectWorld, worker: usize) {
        let Worker::Leased(holder) = world.workers[worker] else { return };
        if !self.may_mark(world, holder) {
            world.workers[worker] = Worker::Idle;
            return;
        }
        let row = &mut world.effects[usize::from(holder.effect)];
        if row.spoiled {
            world.workers[worker] = Worker::Tried(holder, Request::Spoiled);
            return;
        }
        row.state = EffectState::Attempted;
        row.attempts += 1;
        row.leased = true;
        world.workers[worker] = Worker::Marked(holder);
    }

    pub(super) fn mark_unanswered(&self, world: &mut EffectWorld, worker: usize) {
        self.mark(world, worker);
        world.workers[worker] = Worker::Idle;
        world.failovers -= 1;
    }

    pub(super) fn send(&self, world: &mut EffectWorld, worker: usize) {
        let Some(holder) = world.workers[worker].holds() else { return };
        let row = &mut world.effects[usize::from(holder.effect)];
        row.sends += 1;
        row.sent_twice |= row.open > 0;
        row.open += 1;
        world.workers[worker] = Worker::Sent(holder, Request::Flying);
    }

    /// Moves an effect on after an attempt. The result of a worker whose lease is not the newest is dropped.
    pub(super) fn record(&self, world: &mut EffectWorld, worker: usize) {
        let Worker::Tried(holder, outcome) = world.workers[worker] else { return };
        world.workers[worker] = Worker::Idle;
        let effect = usize::from(holder.effect);
        let row = &mut world.effects[effect];
        let open = matches!(row.state, EffectState::Planned | EffectState::Attempted);
        if !open || row.fence != holder.fence {
            return;
        }
        if self.rule == Rule::LateMark {
            row.attempts += 1;
        }
        let unsure = row.unknown > 0;
        let next = match outcome {
            Request::Applied => EffectState::Done,
            Request::Refused => EffectState::Failed,
            Request::Busy if row.attempts < self.attempts => EffectState::Planned,
            Request::Busy if !unsure => EffectState::Failed,
            Request::Busy => EffectState::Uncertain,
            Request::Spoiled if row.state == EffectState::Attempted => EffectState::Uncertain,
            Request::Spoiled if unsure && self.rule != Rule::LookThenForget => EffectState::Uncertain,
            Request::Spoiled => EffectState::Failed,
            Request::Unknown | Request::Flying => {
                row.unknown += 1;
                self.after_unknown(row.unknown, row.attempts)
            }
        };
        world.end(effect, next);
    }

    /// Returns the state after an attempt whose outcome is unknown.
    fn after_unknown(&self, times: u8, attempts: u8) -> EffectState {
        let again = match self.rule {
            Rule::Park | Rule::UnfencedMark | Rule::LateMark | Rule::LeaveAttempted => false,
            Rule::Look | Rule::LookThenForget => times <= LOOKS && attempts < self.attempts,
            Rule::Repeat | Rule::Retry | Rule::SearchThenRetry | Rule::SettleThenRetry => {
                attempts < self.attempts
            }
        };
        if again { EffectState::Planned } else { EffectState::Uncertain }
    }

    pub(super) fn expire(&self, world: &mut EffectWorld, effect: usize) {
        if world.is_held(effect) {
            world.expiries -= 1;
        }
        world.effects[effect].leased = false;
    }
}
