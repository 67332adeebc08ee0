//! The one function. The routing order of `spec 02 §2` is [`LADDER`], top to bottom; the first rung that
//! decides wins, and every rung above it is in the trace with the predicate that failed.

use alloc::string::String;
use alloc::vec::Vec;

use crate::approval::ApprovalChange;
use crate::decision::{Decision, Reason, Verdict};
use crate::effect::{Effect, Outcome};
use crate::event::Event;
use crate::given::Given;
use crate::id::{EffectId, MessageId, TimerId};
use crate::lane::{Change, Lane, LaneState};
use crate::memory::flow::overheard;
use crate::memory::{FactSet, FactsTouched};
use crate::policy::Policy;
use crate::rungs::{
    Tried::{self, Decided, Passed},
    addressing::addressing,
    event::{files, settled_or_host, workflow_event},
    intent::{intent, remembered_intent, scope_gate},
    review::active_review,
    words::{conversational_pending, focus_of_message, hard_interrupt},
};
use crate::selection::flow::selection;
use crate::time::Timestamp;
use crate::trace::{Rung, Trace};
use crate::turn::Turn;
use crate::workflow::TimerAbout;

/// What a turn decided, and everything it writes: one value, committed whole.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Step {
    /// What was decided, and why.
    pub decision: Decision,
    /// The new head.
    pub next: LaneState,
    /// The records that changed.
    pub changes: Vec<Change>,
    /// What is to be done in the world, in order.
    pub effects: Vec<Effect>,
    /// What happens to approvals.
    pub approvals: Vec<ApprovalChange>,
    /// Deadlines to set.
    pub timers: Vec<Timer>,
    /// Deadlines to clear.
    pub clear_timers: Vec<TimerId>,
    /// Effects to take back, where they are still planned or uncertain.
    pub cancel: Vec<EffectId>,
    /// Uncertain effects a person adopted, each with the outcome that makes it done.
    pub adopt: Vec<(EffectId, Outcome)>,
    /// Messages this turn put into the lane, theirs and ours, in order.
    pub messages: Vec<MessageId>,
    /// What it had to do with the facts of epics and channels; those of the lane are records.
    pub facts: Vec<FactsTouched>,
    /// Who confirmed that everything kept of them is to be erased, by their channel's user id.
    pub forget: Option<String>,
    /// What was looked at.
    pub trace: Trace,
}

impl Step {
    /// As much of the sets it was given as it looked at: all of a set its decision rests on, of the others the facts it
    /// showed. With these it comes out the same again, so these are what the turn's log keeps.
    #[must_use]
    pub fn looked_at(&self, given: Vec<FactSet>) -> Vec<FactSet> {
        let trimmed = given.into_iter().filter_map(|mut set| {
            let touched = self.facts.iter().find(|touched| touched.key == set.key)?;
            if !touched.opened {
                set.facts.retain(|fact| touched.used.contains(&fact.canonical_id));
                set.gone.clear();
            }
            Some(set)
        });
        trimmed.collect()
    }
}

/// A deadline.
#[derive(Clone, Debug, PartialEq)]
pub struct Timer {
    /// Its id.
    pub id: TimerId,
    /// When.
    pub due: Timestamp,
    /// What for.
    pub about: TimerAbout,
}

type Decide = fn(&mut Turn<'_>) -> Tried;

/// The routing order. Rung 0, duplicates, is intake's: the engine never runs for one.
const LADDER: [(Rung, Decide); 11] = [
    (Rung::Addressing, addressing),
    (Rung::Workflow, workflow_event),
    (Rung::Settled, settled_or_host),
    (Rung::Focus, focus_of_message),
    (Rung::Interrupt, hard_interrupt),
    (Rung::Pending, conversational_pending),
    (Rung::Selection, selection),
    (Rung::Review, active_review),
    (Rung::Intent, intent),
    (Rung::Remembered, remembered_intent),
    (Rung::Gate, scope_gate),
];

/// Decides one event. Total: an expired pending, a stale press, a second one is a [`Decision`] with a reason,
/// never an error. The same arguments give the same [`Step`], on any machine.
///
/// ```
/// use throughline_engine::{Event, EventKind, Given, Lane, LaneKey, Policy, Reason, Timestamp, event::Posted, step};
///
/// let lane = Lane::new(LaneKey::new("acme", "app", "web", "session", ""));
/// let event = Event {
///     id: "web:session:1".into(),
///     received_at: Timestamp(0),
///     actor: "ana".into(),
///     kind: EventKind::MessagePosted(Posted { text: "What about microservices?".into(), ..Posted::default() }),
/// };
/// let mut given = Given::default();
/// given.addressing.direct = true;
/// let step = step(&lane, &event, &given, &Policy::default());
/// assert_eq!(step.decision.reason, Reason::GateOpened);
/// ```
pub fn step(lane: &Lane, event: &Event, given: &Given, policy: &Policy) -> Step {
    let mut turn = Turn::new(lane, event, given, policy);
    let decision = climb(&mut turn, Rung::Addressing);
    files(&mut turn, &decision);
    overheard(&mut turn, &decision);
    turn.finish(decision)
}

/// Tries the rungs from `first` down. The gate always decides, so the end is never reached.
pub(crate) fn climb(turn: &mut Turn<'_>, first: Rung) -> Decision {
    for (rung, decide) in LADDER.into_iter().filter(|(rung, _)| *rung >= first) {
        match decide(turn) {
            Decided(mut decision) => {
                // A decision made on behalf of a lower rung (a model's answer) names that rung itself.
                decision.rung = decision.rung.max(rung);
                return decision;
            }
            Passed(predicate) => turn.pass(predicate),
        }
    }
    Decision::new(Verdict::Ignored, Reason::IgnoredKind)
}
