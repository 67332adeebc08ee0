//! The protocol of an approval: people press buttons of a card, replicas decide each press on the lane as they read it, and
//! the commit compares what they read with what is there.
//!
//! Presses are delivered in any order and more than once. Every replica may be as slow as it likes between its step and its
//! commit, and no lease keeps the others away, so what holds here holds without one.

mod properties;
mod replica;
mod state;

use stateright::{Model, Property};

pub use properties::{
    ENDS, LATER_VERSION_RUNS, NOT_LATE, NOT_PAUSED, ONE_ANSWER, ONE_CONSUMPTION, OTHER_TOLD, RIGHT_ANSWER,
    RUNS_WHAT_WAS_SHOWN,
};
pub use state::{Answer, Approval, ApprovalWorld, Decided, Effect, Press, Stepped};

/// A person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Person {
    /// May approve.
    Ana,
    /// May approve.
    Bob,
    /// May not approve.
    Eve,
}

/// A button of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Button {
    /// Releases what the card shows.
    Approve,
    /// Submits a form that makes the next version.
    Edit,
    /// Ends the card.
    Reject,
}

/// Way in which a delivery is recognised as a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dedupe {
    /// `Inbox::accept`: the insert decides, by the key of the delivery.
    ByKey,
    /// Wrong: looks for the key, then inserts.
    LookThenInsert,
    /// Wrong: by action, message and user.
    ByMeaning,
}

/// Comparisons on the way of a press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The version on the button with the version of the card.
    pub version: bool,
    /// The revision of the lane, in the commit.
    pub revision: bool,
    /// The time of the database with the end of the approval, in the commit.
    pub expiry: bool,
    /// The kill switch, in the mark.
    pub pause: bool,
}

impl Compared {
    /// The comparisons of the product.
    pub const ALL: Self = Self { version: true, revision: true, expiry: true, pause: true };
}

/// A world with bounds.
#[derive(Clone, Debug)]
pub struct ApprovalModel {
    /// Way in which duplicates are recognised.
    pub dedupe: Dedupe,
    /// Comparisons that are made.
    pub compared: Compared,
    /// The presses that people may make, each once, on any version that they have seen. Two that are alike are a double
    /// click. One *Edit* at most.
    pub presses: Vec<(Person, Button)>,
    /// Number of replicas.
    pub replicas: u8,
    /// Times that the kill switch is thrown, on or off.
    pub switches: u8,
}

impl ApprovalModel {
    /// The protocol of the product: two people approve, one of them twice and also edits, the other also rejects.
    #[must_use]
    pub fn product() -> Self {
        use Button::{Approve, Edit, Reject};
        use Person::{Ana, Bob};
        Self {
            dedupe: Dedupe::ByKey,
            compared: Compared::ALL,
            presses: vec![(Ana, Approve), (Ana, Approve), (Bob, Approve), (Ana, Edit), (Bob, Reject)],
            replicas: 3,
            switches: 2,
        }
    }
}

/// A step of the world. Numbers are positions of presses and replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A person presses, on a card that shows that version, and `Inbox::accept` takes the delivery.
    Press(usize, u8),
    /// The delivery of a press comes again, before it is answered. Where the insert decides, that changes nothing.
    Repeat(usize),
    /// A replica reads the lane and decides a press: `Runtime::decide`, and in it `routing::press::admitted`.
    Decide(usize, usize),
    /// `Lanes::commit`, with the swap of the approval in it.
    Commit(usize),
    /// The time of the database passes the end of the approval.
    Deadline,
    /// The turn of the timer closes an approval that nobody decided in time.
    Expire,
    /// `KillSwitch::set_pause`, on or off.
    Switch,
    /// `Outbox::mark` of an effect.
    Mark(usize),
}

impl Model for ApprovalModel {
    type State = ApprovalWorld;
    type Action = Step;

    fn init_states(&self) -> Vec<ApprovalWorld> {
        vec![ApprovalWorld::new(self)]
    }

    fn actions(&self, world: &ApprovalWorld, steps: &mut Vec<Step>) {
        for press in 0..world.presses.len() {
            self.press_steps(world, press, steps);
        }
        for (replica, stepped) in world.replicas.iter().enumerate() {
            if stepped.is_some() {
                steps.push(Step::Commit(replica));
            }
        }
        if !world.late {
            steps.push(Step::Deadline);
        } else if world.card() == Approval::Pending {
            steps.push(Step::Expire);
        }
        if world.switches > 0 {
            steps.push(Step::Switch);
        }
        let planned = |effect: &usize| world.effects[*effect].may_be_marked(self, world);
        steps.extend((0..world.effects.len()).filter(planned).map(Step::Mark));
    }

    fn next_state(&self, world: &ApprovalWorld, step: Step) -> Option<ApprovalWorld> {
        let mut next = world.clone();
        match step {
            Step::Press(press, version) => self.press(&mut next, press, version),
            Step::Repeat(press) => next.presses[press].rows += 1,
            Step::Decide(replica, press) => self.decide(&mut next, replica, press),
            Step::Commit(replica) => self.commit(&mut next, replica),
            Step::Deadline => next.late = true,
            Step::Expire => self.expire(&mut next),
            Step::Switch => {
                next.switches -= 1;
                next.paused = !next.paused;
            }
            Step::Mark(effect) => {
                next.effects[effect].attempted = true;
                next.marked_in_pause |= next.paused;
            }
        }
        // It does not matter which replica is which.
        next.replicas.sort_unstable();
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }
}
