//! The states of the world of effects.

use super::EffectModel;

/// State of an effect, as in `EffectState` of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EffectState {
    /// Not begun, or to be tried again.
    Planned,
    /// A request may be on the wire.
    Attempted,
    /// Applied.
    Done,
    /// Ended without being applied.
    Failed,
    /// Parked: its outcome is unknown.
    Uncertain,
    /// Given up by a person, or replaced by another create.
    Cancelled,
}

/// An effect: its row in the outbox, and what the far side has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// Its state.
    pub state: EffectState,
    /// Rises with every lease and every settlement.
    pub fence: u8,
    /// True while a lease on it has not run out.
    pub leased: bool,
    /// Number of durable marks.
    pub attempts: u8,
    /// Number of attempts whose outcome is unknown, as kept with the row.
    pub unknown: u8,
    /// True if the stored payload is not the one that was planned.
    pub spoiled: bool,
    /// The effect that it waits for.
    pub after: Option<u8>,
    /// True once a person was asked about it.
    pub asked: bool,
    /// True if a person approved another create in its place.
    pub replaced: bool,
    /// Number of searches made for it.
    pub searches: u8,
    /// True if an issue of a replaced effect was found and told.
    pub duplicate_told: bool,
    /// Number of requests that were sent.
    pub sends: u8,
    /// Number of requests that nobody has proved to be without effect.
    pub open: u8,
    /// True if a request went out while another was open.
    pub sent_twice: bool,
    /// Number of requests whose sender gave up, and which may still arrive.
    pub late: u8,
    /// Number of issues that exist.
    pub issues: u8,
    /// Number of them that a search finds.
    pub found: u8,
}

impl Effect {
    pub(super) fn planned(after: Option<u8>) -> Self {
        Self {
            state: EffectState::Planned,
            fence: 0,
            leased: false,
            attempts: 0,
            unknown: 0,
            spoiled: false,
            after,
            asked: false,
            replaced: false,
            searches: 0,
            duplicate_told: false,
            sends: 0,
            open: 0,
            sent_twice: false,
            late: 0,
            issues: 0,
            found: 0,
        }
    }

    /// True if a person is asked about it now.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.state == EffectState::Uncertain && self.asked
    }
}

/// A request, or what its sender knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Request {
    /// On the wire.
    Flying,
    /// It made the issue.
    Applied,
    /// Refused because of what it says.
    Refused,
    /// Not applied: refused for now, or never written.
    Busy,
    /// Nobody knows.
    Unknown,
    /// Not sent, because the stored payload is altered.
    Spoiled,
}

/// A worker's hold on an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Holder {
    /// Position of the effect.
    pub effect: u8,
    /// Fence of the lease.
    pub fence: u8,
    /// True if the effect, as it was leased, had an attempt whose outcome is unknown.
    pub again: bool,
}

/// A worker. One that is killed is replaced by an idle one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Worker {
    /// Holds nothing.
    Idle,
    /// Has leased an effect.
    Leased(Holder),
    /// Has marked an attempt and not written a byte of it.
    Marked(Holder),
    /// Has sent a request and waits for the answer.
    Sent(Holder, Request),
    /// Knows the outcome, or that nobody knows it.
    Tried(Holder, Request),
}

impl Worker {
    /// Returns what it holds, or believes to hold.
    #[must_use]
    pub fn holds(self) -> Option<Holder> {
        match self {
            Self::Idle => None,
            Self::Leased(holder) | Self::Marked(holder) | Self::Sent(holder, _) | Self::Tried(holder, _) => {
                Some(holder)
            }
        }
    }
}

/// The outbox, the workers and the far side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EffectWorld {
    /// The effects in the order in which they were planned.
    pub effects: Vec<Effect>,
    /// The workers, sorted, because it does not matter which is which.
    pub workers: Vec<Worker>,
    /// Kills that are left.
    pub crashes: u8,
    /// Leases of living holders that may still run out.
    pub expiries: u8,
    /// Fail-overs that are left.
    pub failovers: u8,
    /// Payloads that may still be altered.
    pub spoils: u8,
    /// Times that a person may still choose *Create again*.
    pub again: u8,
}

impl EffectWorld {
    pub(super) fn new(model: &EffectModel) -> Self {
        let after = |n: u8| n.checked_sub(1);
        Self {
            effects: (0..model.effects).map(|n| Effect::planned(after(n))).collect(),
            workers: vec![Worker::Idle; usize::from(model.workers)],
            crashes: model.crashes,
            expiries: model.expiries,
            failovers: model.failovers,
            spoils: model.spoils,
            again: model.again,
        }
    }

    /// Sorts the workers.
    pub(super) fn settle_order(&mut self) {
        self.workers.sort_unstable();
    }

    /// True if a living worker holds the newest lease of an effect.
    pub(super) fn is_held(&self, effect: usize) -> bool {
        let newest = self.effects[effect].fence;
        let holds = |worker: &Worker| {
            worker
                .holds()
                .is_some_and(|holder| usize::from(holder.effect) == effect && holder.fence == newest)
        };
        self.workers.iter().any(holds)
    }

    /// True if an effect waits for one that is not done.
    pub(super) fn waits(&self, effect: &Effect) -> bool {
        effect.after.is_some_and(|on| self.effects[usize::from(on)].state != EffectState::Done)
    }

    /// Ends an effect or parks it. Those that wait for one that failed or was cancelled fail with it.
    pub(super) fn end(&mut self, effect: usize, state: EffectState) {
        let row = &mut self.effects[effect];
        row.state = state;
        row.leased = false;
        row.fence += 1;
        if matches!(state, EffectState::Failed | EffectState::Cancelled) {
            let waits = |row: &Effect| {
                row.state == EffectState::Planned && row.after.map(usize::from) == Some(effect)
            };
            let waiting: Vec<usize> =
                self.effects.iter().enumerate().filter(|(_, row)| waits(row)).map(|(n, _)| n).collect();
            waiting.into_iter().for_each(|n| self.end(n, EffectState::Failed));
        }
    }
}
