//! The states of the world of an approval.

use super::{ApprovalModel, Person};

/// State of one version of an approval, as `ApprovalState` of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Approval {
    /// Nobody has decided yet.
    Pending,
    /// Consumed by that person's approval.
    Approved(Person),
    /// Decided by that person's rejection.
    Rejected(Person),
    /// A newer version replaced it.
    Superseded,
    /// Nobody decided in time.
    Expired,
}

/// Answer to a press, with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// `press.applied`.
    Applied,
    /// `press.consumed`, by the same person.
    AlreadyByYou,
    /// `press.consumed`, by that person.
    AlreadyBy(Person),
    /// `stale.version`.
    Outdated,
    /// `press.expired`.
    Expired,
    /// `press.forbidden`.
    Forbidden,
    /// `effects.paused`.
    Paused,
    /// `duplicate.delivery`.
    Duplicate,
}

/// A press, from the click to its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Press {
    /// Version on the button; 0 before the click.
    pub version: u8,
    /// Inbox rows of it that wait. More than one only if duplicates are recognised wrongly.
    pub rows: u8,
    /// Number of turns that answered it.
    pub answers: u8,
    /// The newest answer.
    pub answer: Option<Answer>,
}

/// A press that a replica has decided and not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stepped {
    /// Nothing was committed since.
    Fresh(Decided),
    /// A turn was committed since, and the commit of this one compares the revision. It does not matter what was decided.
    Moved,
    /// A turn was committed since, which the commit of this one does not see.
    Unseen(Decided),
}

/// A decided press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decided {
    /// The press.
    pub press: u8,
    /// Version of the card that it was decided on.
    pub version: u8,
    /// The answer.
    pub answer: Answer,
}

/// A planned effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// Hash of its payload, which is the version that it was made from.
    pub hash: u8,
    /// Version of the approval that it refers to.
    pub approval: u8,
    /// True once it is marked, and runs.
    pub attempted: bool,
}

impl Effect {
    /// True if `Outbox::mark` lets it begin: its approval is consumed and releases these bytes, and nothing is paused.
    pub(super) fn may_be_marked(&self, model: &ApprovalModel, world: &ApprovalWorld) -> bool {
        let consumed = matches!(world.approvals[usize::from(self.approval) - 1], Approval::Approved(_));
        let held = world.paused && model.compared.pause;
        !self.attempted && consumed && self.hash == self.approval && !held
    }
}

/// The card of a lane, the presses on it, and the replicas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApprovalWorld {
    /// The versions of the approval, the first one first.
    pub approvals: Vec<Approval>,
    /// True once the end of the approval has passed.
    pub late: bool,
    /// True while the kill switch is on.
    pub paused: bool,
    /// The presses, in the order of [`ApprovalModel::presses`].
    pub presses: Vec<Press>,
    /// The replicas, sorted.
    pub replicas: Vec<Option<Stepped>>,
    /// The planned effects.
    pub effects: Vec<Effect>,
    /// True if an approval was consumed after its end.
    pub consumed_late: bool,
    /// True if an effect was marked while the kill switch was on.
    pub marked_in_pause: bool,
    /// Times that the kill switch may still be thrown.
    pub switches: u8,
}

impl ApprovalWorld {
    pub(super) fn new(model: &ApprovalModel) -> Self {
        let press = Press { version: 0, rows: 0, answers: 0, answer: None };
        Self {
            approvals: vec![Approval::Pending],
            late: false,
            paused: false,
            presses: vec![press; model.presses.len()],
            replicas: vec![None; usize::from(model.replicas)],
            effects: Vec::new(),
            consumed_late: false,
            marked_in_pause: false,
            switches: model.switches,
        }
    }

    /// Returns the newest version.
    #[must_use]
    pub fn version(&self) -> u8 {
        u8::try_from(self.approvals.len()).unwrap_or(u8::MAX)
    }

    /// Returns the approval at its newest version, which is what the card shows.
    #[must_use]
    pub fn card(&self) -> Approval {
        self.approvals[self.approvals.len() - 1]
    }
}
