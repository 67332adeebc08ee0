//! The engine's entry point and its routing order, [`LADDER`]. The rungs are tried from top to bottom and
//! the first one that decides wins; each rung before it is in the trace with the predicate that failed. The
//! reasons for this order are in `docs/design/0012-routing-order.md`.

use alloc::rc::Rc;

use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::Event;
use crate::data::lane::Lane;
use crate::data::policy::Policy;
use crate::data::rung::Rung;
use crate::data::step::Step;
use crate::data::step_input::StepInput;
use crate::host::silence;
use crate::memory::fact_intake::keep_stated_facts;
use crate::routing::addressing::addressing;
use crate::routing::answers;
use crate::routing::beside::tell_what_is_open;
use crate::routing::capabilities::CAPABILITIES;
use crate::routing::event::{files, settled_or_host, workflow_event};
use crate::routing::focus_rung::focus_of_message;
use crate::routing::intent::{intent, remembered_intent, scope_gate};
use crate::routing::interrupt::hard_interrupt;
use crate::routing::pending::conversational_pending;
use crate::routing::review::active_review;
use crate::selection::rung::selection;
use crate::summary;
use crate::turn::routed_message::RungResult;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::{RoutedMessage, Turn};

/// Input of a rung.
enum Try {
    /// Any event.
    Event(fn(&mut Turn<'_>) -> RungResult),
    /// The message being routed, which [`focus_of_message`] has read.
    Message(fn(&mut Turn<'_>, &Rc<RoutedMessage>) -> RungResult),
}

/// The routing order. Rung 0, duplicates, belongs to intake: the engine never runs for a duplicate.
const LADDER: [(Rung, Try); 11] = [
    (Rung::Addressing, Try::Event(addressing)),
    (Rung::Workflow, Try::Event(workflow_event)),
    (Rung::Settled, Try::Event(settled_or_host)),
    (Rung::Focus, Try::Event(focus_of_message)),
    (Rung::Interrupt, Try::Message(hard_interrupt)),
    (Rung::Pending, Try::Message(conversational_pending)),
    (Rung::Selection, Try::Message(selection)),
    (Rung::Review, Try::Message(active_review)),
    (Rung::Intent, Try::Message(intent)),
    (Rung::Remembered, Try::Message(remembered_intent)),
    (Rung::Gate, Try::Message(scope_gate)),
];

/// Decides one event. Total: an expired question, a stale press or a repeated one yields a [`Decision`]
/// with a reason, never an error. Equal arguments give an equal [`Step`] on any machine.
///
/// ```
/// use throughline_engine::data::event::MessagePosted;
/// use throughline_engine::{Event, EventKind, StepInput, Lane, LaneKey, Policy, Reason, Timestamp, step};
///
/// let lane = Lane::new(LaneKey::new("acme", "app", "web", "session", ""));
/// let event = Event {
///     id: "web:session:1".into(),
///     received_at: Timestamp(0),
///     actor: "ana".into(),
///     kind: EventKind::MessagePosted(MessagePosted {
///         text: "What about microservices?".into(),
///         ..MessagePosted::default()
///     }),
/// };
/// let mut given = StepInput::default();
/// given.addressing.direct = true;
/// let step = step(&lane, &event, &given, &Policy::default());
/// assert_eq!(step.decision.reason, Reason::GateOpened);
/// ```
pub fn step(lane: &Lane, event: &Event, given: &StepInput, policy: &Policy) -> Step {
    let mut turn = Turn::new(lane, event, given, policy, CAPABILITIES);
    summary::make_lines(&mut turn);
    let mut decision = climb(&mut turn, Rung::Addressing);
    if let Some(unsaid) = silence::only_words(&turn, &decision) {
        (turn, decision) = answers::hosts_to_answer(&turn, unsaid);
    }
    files(&mut turn, &decision);
    tell_what_is_open(&mut turn);
    keep_stated_facts(&mut turn, &decision);
    silence::keep_quiet(&mut turn);
    let facts = turn.write_facts();
    if decision.outcome != Verdict::Ignored {
        summary::fold(&mut turn);
    }
    turn.finish(decision, facts)
}

/// Tries the rungs from `first` on. The gate, which is last, always decides, so the loop never runs out.
pub(crate) fn climb(turn: &mut Turn<'_>, first: Rung) -> Decision {
    for (rung, attempt) in LADDER.into_iter().filter(|(rung, _)| *rung >= first) {
        let tried = match (attempt, turn.said.clone()) {
            (Try::Event(decide), _) => decide(turn),
            (Try::Message(decide), Some(said)) => decide(turn, &said),
            // An event that is no message was decided by a rung above.
            (Try::Message(_), None) => continue,
        };
        match tried {
            Decided(mut decision) => {
                // A decision made for a later rung, such as a model's answer, already names that rung.
                decision.rung = decision.rung.max(rung);
                return decision;
            }
            Passed(predicate) => turn.pass(predicate),
        }
    }
    Decision::new(Verdict::Ignored, Reason::IgnoredKind)
}
