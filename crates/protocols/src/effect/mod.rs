//! The protocol of an effect that must not be made twice, like the create of an issue: leased, marked before its first
//! byte, sent, and settled; or parked when nobody knows whether it arrived, until a search or a person finds out.
//!
//! Every worker may be as slow as it likes between any two steps, so a lease that runs out under a worker that lives is a
//! pause beyond the lease. What a request does at the far side is a step of its own, which may come long after its sender
//! gave up, and so is the moment from which a search finds the issue.

mod far_side;
mod person;
mod properties;
mod state;
mod worker;

use stateright::{Model, Property};

pub use properties::{
    ADOPTED, DONE_IS_TRUE, ENDS_OR_ASKS, FAILED_IS_TRUE, LATE, MARKED_FIRST, NEVER_TWICE, PROVED_FIRST,
    SENT_BY_SLEEPER,
};
pub use state::{Effect, EffectState, EffectWorld, Holder, Request, Worker};

/// Reaction to an unknown outcome, and way of marking an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `AfterUnknown::Park`, behind a fenced mark. What the product does where the far side promises nothing.
    Park,
    /// `AfterUnknown::Look`, behind a fenced mark. What the product does where the far side can be read.
    Look,
    /// `AfterUnknown::Retry`, behind a fenced mark: sends again to a far side that applies a repeated id once. What the
    /// product does where the far side promises that.
    Repeat,
    /// Wrong: as [`Self::Repeat`], where the far side promises nothing.
    Retry,
    /// Wrong: searches, and sends again if it finds nothing.
    SearchThenRetry,
    /// Wrong where a worker may pause: waits until every request that is known of has arrived and can be found, then
    /// searches, and sends again if it finds nothing.
    SettleThenRetry,
    /// Wrong: marks without comparing the fence and the lease, then parks.
    UnfencedMark,
    /// Wrong: marks when the answer is there, then parks.
    LateMark,
    /// Wrong: [`Self::Park`], and an attempt whose worker was killed is never looked at again.
    LeaveAttempted,
    /// Wrong: [`Self::Look`], and an effect that cannot be sent any more has failed, although an earlier attempt at it may
    /// have arrived.
    LookThenForget,
}

/// Loss of a database that fails over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failover {
    /// Nothing, because a commit waits for the standby. The answer to a commit may be lost.
    Synchronous,
    /// Wrong: the newest commit may be missing.
    Asynchronous,
}

/// A world with bounds.
#[derive(Clone, Debug)]
pub struct EffectModel {
    /// The rule that is checked.
    pub rule: Rule,
    /// Number of effects. The second waits for the first, as a story does for its epic.
    pub effects: u8,
    /// Number of workers.
    pub workers: u8,
    /// Kills of a worker.
    pub crashes: u8,
    /// Leases that run out while their holder lives. Those of a holder that was killed run out anyway.
    pub expiries: u8,
    /// Fail-overs of the database.
    pub failovers: u8,
    /// Loss of a fail-over.
    pub failover: Failover,
    /// Effects whose stored payload is altered, or cannot be read any more.
    pub spoils: u8,
    /// Attempts that an effect has.
    pub attempts: u8,
    /// Searches for an effect that is parked.
    pub searches: u8,
    /// Times that a person may choose *Create again*.
    pub again: u8,
}

impl EffectModel {
    /// The bounds of every change: one effect, three workers, two crashes, three leases that run out.
    #[must_use]
    pub fn small(rule: Rule) -> Self {
        Self {
            rule,
            effects: 1,
            workers: 3,
            crashes: 2,
            expiries: 3,
            failovers: 0,
            failover: Failover::Synchronous,
            spoils: 0,
            attempts: 2,
            searches: 2,
            again: 0,
        }
    }

    /// The bounds of long runs: two effects, a fail-over, and a person who creates again.
    #[must_use]
    pub fn large(rule: Rule) -> Self {
        Self {
            effects: 2,
            workers: 2,
            crashes: 1,
            expiries: 1,
            failovers: 1,
            searches: 1,
            again: 1,
            ..Self::small(rule)
        }
    }
}

/// A step of the world. Numbers are positions of workers and effects in [`EffectWorld`], the worker's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `Outbox::lease`.
    Lease(usize, usize),
    /// `Outbox::mark`. One that finds the payload altered leads to `Runtime::stop_altered`.
    Mark(usize),
    /// `Outbox::mark` is committed, and its answer is lost in a fail-over.
    MarkUnanswered(usize),
    /// `Tracker::create` fails before the first byte of its request.
    Unreachable(usize),
    /// `Tracker::create` writes its request.
    Send(usize),
    /// `Tracker::find`, in place of an attempt that was made before.
    LookInstead(usize),
    /// The far side takes the request and makes the issue.
    Apply(usize),
    /// The far side refuses the request because of what it says.
    Refuse(usize),
    /// The far side refuses the request for now.
    Busy(usize),
    /// The answer is read: `Attempt::Applied`, `Attempt::Rejected` or `Attempt::NotApplied`.
    Answer(usize),
    /// The answer is lost or late: `Attempt::Unknown`.
    LoseAnswer(usize),
    /// `Runtime::record_attempt`, and behind it `Outbox::settle`.
    Record(usize),
    /// A request whose sender gave up makes the issue after all.
    ArriveLate(usize),
    /// A request whose sender gave up is lost for good.
    Vanish(usize),
    /// The far side's search finds an issue from now on.
    Index(usize),
    /// The lease of an effect runs out.
    Expire(usize),
    /// The stored payload is altered.
    Spoil(usize),
    /// A worker is killed.
    Crash(usize),
    /// The database fails over and has lost the newest mark.
    LoseMark(usize),
    /// `tickets::adopt::uncertain`: the lane asks a person and plans the searches.
    Ask(usize),
    /// `tickets::adopt::seek`, and `sought` where it finds the issue.
    Seek(usize),
    /// `tickets::adopt::looked_up`: a person names the issue.
    Adopt(usize),
    /// `tickets::adopt::replaced`: a person approves another create.
    CreateAgain(usize),
    /// `tickets::adopt::cancelled`: a person gives it up.
    Cancel(usize),
}

impl Model for EffectModel {
    type State = EffectWorld;
    type Action = Step;

    fn init_states(&self) -> Vec<EffectWorld> {
        vec![EffectWorld::new(self)]
    }

    fn actions(&self, world: &EffectWorld, steps: &mut Vec<Step>) {
        for worker in 0..world.workers.len() {
            self.worker_steps(world, worker, steps);
        }
        for effect in 0..world.effects.len() {
            self.far_steps(world, effect, steps);
            self.person_steps(world, effect, steps);
        }
    }

    fn next_state(&self, world: &EffectWorld, step: Step) -> Option<EffectWorld> {
        let mut next = world.clone();
        match step {
            Step::Lease(worker, effect) => self.lease(&mut next, worker, effect),
            Step::Mark(worker) => self.mark(&mut next, worker),
            Step::MarkUnanswered(worker) => self.mark_unanswered(&mut next, worker),
            Step::Unreachable(worker) => next.tried(worker, Request::Busy),
            Step::Send(worker) => self.send(&mut next, worker),
            Step::LookInstead(worker) => next.look_instead(worker),
            Step::Apply(worker) => self.apply(&mut next, worker),
            Step::Refuse(worker) => next.on_the_wire(worker, Request::Refused),
            Step::Busy(worker) => next.on_the_wire(worker, Request::Busy),
            Step::Answer(worker) => next.answer(worker),
            Step::LoseAnswer(worker) => next.lose_answer(worker),
            Step::Record(worker) => self.record(&mut next, worker),
            Step::ArriveLate(effect) => self.arrive_late(&mut next, effect),
            Step::Vanish(effect) => next.effects[effect].late -= 1,
            Step::Index(effect) => next.effects[effect].found += 1,
            Step::Expire(effect) => self.expire(&mut next, effect),
            Step::Spoil(effect) => {
                next.spoils -= 1;
                next.effects[effect].spoiled = true;
            }
            Step::Crash(worker) => next.crash(worker),
            Step::LoseMark(effect) => next.lose_mark(effect),
            Step::Ask(effect) => next.effects[effect].asked = true,
            Step::Seek(effect) => next.seek(effect),
            Step::Adopt(effect) => next.end(effect, EffectState::Done),
            Step::CreateAgain(effect) => self.create_again(&mut next, effect),
            Step::Cancel(effect) => next.end(effect, EffectState::Cancelled),
        }
        next.settle_order();
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }
}
