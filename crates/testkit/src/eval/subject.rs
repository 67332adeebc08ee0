//! What cases are put to: a lane that can be begun anew, and whoever puts many cases to many of them.

use throughline_engine::event::{AssistantPosted, EventKind, Posted};
use throughline_engine::given::Addressing;
use throughline_engine::lane::MessageKind;
use throughline_engine::{Millis, Step, Timestamp};

use super::{Ran, Task};
use crate::driver::DriverError;

/// The person whose message is measured.
pub(super) const USER: &str = "user";

/// One lane at a time. What is delivered goes the engine's own way: admitted, stepped, applied.
pub trait Subject {
    /// Leaves the lane there was and begins an empty one at this time.
    fn begin(&mut self, now: Timestamp);

    /// Moves the clock on; never back.
    fn advance_to(&mut self, now: Timestamp);

    /// Lets this come in, and returns what was decided.
    ///
    /// # Errors
    ///
    /// What the subject cannot do.
    fn deliver(&mut self, incoming: Incoming) -> Result<Step, DriverError>;

    /// How long the last delivery took to be decided, in milliseconds; nothing where nobody measures it.
    fn took(&self) -> Option<Millis> {
        None
    }

    /// What would be decided if this came in now; the lane stays as it was.
    ///
    /// # Errors
    ///
    /// What the subject cannot do.
    fn consider(&mut self, incoming: Incoming) -> Result<Step, DriverError>;
}

/// Puts cases to subjects, each to a lane of its own, and returns them in their order.
pub trait Run {
    /// Runs them all.
    ///
    /// # Errors
    ///
    /// What a subject cannot do; the first one ends the run.
    fn run<T: Task>(&self, cases: Vec<T>) -> Result<Vec<Ran<T>>, DriverError>;
}

/// Something that comes in.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Who did it; empty for a host's agent.
    pub actor: String,
    /// What happened.
    pub kind: EventKind,
    /// How it was addressed.
    pub addressing: Addressing,
}

impl Incoming {
    /// A person says this to us.
    #[must_use]
    pub fn said(by: &str, text: &str) -> Self {
        let addressing = Addressing { direct: true, ..Addressing::default() };
        Self { addressing, ..Self::overheard(by, text) }
    }

    /// A person says this in a thread we are in, to somebody else: it is kept in the lane and not answered. This is how
    /// a conversation that was already led without us gets into a lane.
    #[must_use]
    pub fn overheard(by: &str, text: &str) -> Self {
        Self {
            actor: by.into(),
            kind: EventKind::MessagePosted(Posted { text: text.into(), ..Posted::default() }),
            addressing: Addressing { thread_ours: true, to_other: true, ..Addressing::default() },
        }
    }

    /// A person's command opens a review, which the lane is about from then on.
    #[must_use]
    pub fn review(by: &str) -> Self {
        Self { kind: EventKind::Command { text: "review".into() }, ..Self::said(by, "") }
    }

    /// The host's agent says this.
    #[must_use]
    pub fn posted(posted: AssistantPosted) -> Self {
        Self {
            actor: String::new(),
            kind: EventKind::AssistantPosted(posted),
            addressing: Addressing::default(),
        }
    }

    /// The host's agent answers.
    #[must_use]
    pub fn answered(text: &str) -> Self {
        Self::posted(AssistantPosted {
            kind: MessageKind::Answer,
            task: None,
            text: text.into(),
            expected: None,
            asked_of: None,
            expires: None,
        })
    }
}
