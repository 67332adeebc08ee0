//! The lanes that cases are put to, and the runner over many of them.

use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted};
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Millis, Step, Timestamp};

use crate::{DecidedCase, Task};
use throughline_testkit::DriverError;

/// The person whose message is measured.
pub(crate) const USER: &str = "user";

/// A lane under test. A delivery is admitted, stepped and applied as in production.
pub trait Subject {
    /// Begins an empty lane at this time.
    fn begin(&mut self, now: Timestamp);

    /// Sets the language the person prefers (BCP 47), for the lanes that follow.
    fn speaks(&mut self, language: Option<&str>);

    /// Moves the clock forward.
    fn advance_to(&mut self, now: Timestamp);

    /// Delivers an event and returns the step.
    ///
    /// # Errors
    ///
    /// A request the subject cannot fulfil.
    fn deliver(&mut self, incoming: Incoming) -> Result<Step, DriverError>;

    /// Returns the time the last decision took, in milliseconds, if it was measured.
    fn took(&self) -> Option<Millis> {
        None
    }

    /// Returns the step for an event without changing the lane.
    ///
    /// # Errors
    ///
    /// A request the subject cannot fulfil.
    fn consider(&mut self, incoming: Incoming) -> Result<Step, DriverError>;
}

/// Puts cases to subjects, each to a lane of its own, and returns them in order.
pub trait Runner {
    /// Runs all cases.
    ///
    /// # Errors
    ///
    /// A request a subject cannot fulfil; the first one ends the run.
    fn run<T: Task>(&self, cases: Vec<T>) -> Result<Vec<DecidedCase<T>>, DriverError>;
}

/// An event for a lane.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// The actor; empty for a host's agent.
    pub actor: String,
    /// The event.
    pub kind: EventKind,
    /// The addressing of a message.
    pub addressing: Addressing,
}

impl Incoming {
    /// Makes a message to the assistant.
    #[must_use]
    pub fn said(by: &str, text: &str) -> Self {
        let addressing = Addressing { direct: true, ..Addressing::default() };
        Self { addressing, ..Self::overheard(by, text) }
    }

    /// Makes a message to somebody else in the thread: it is stored and not answered. With it an existing
    /// conversation is put into a lane.
    #[must_use]
    pub fn overheard(by: &str, text: &str) -> Self {
        Self {
            actor: by.into(),
            kind: EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() }),
            addressing: Addressing { thread_ours: true, to_other: true, ..Addressing::default() },
        }
    }

    /// Makes a message in a room where the assistant takes part, which nothing puts to the assistant.
    #[must_use]
    pub fn between_people(by: &str, text: &str) -> Self {
        let addressing = Addressing { thread_ours: true, ..Addressing::default() };
        Self { addressing, ..Self::overheard(by, text) }
    }

    /// Makes a command that opens a review, which gets the focus.
    #[must_use]
    pub fn review(by: &str) -> Self {
        Self { kind: EventKind::Command { text: "review".into() }, ..Self::said(by, "") }
    }

    /// Makes a message of the host's agent.
    #[must_use]
    pub fn posted(posted: AssistantPosted) -> Self {
        Self {
            actor: String::new(),
            kind: EventKind::AssistantPosted(posted),
            addressing: Addressing::default(),
        }
    }

    /// Makes an answer of the host's agent.
    #[must_use]
    pub fn answered(text: &str) -> Self {
        Self::posted(AssistantPosted {
            kind: MessageKind::Answer,
            task: None,
            text: text.into(),
            expected: None,
            asked_of: None,
            expires: None,
            message_id: None,
        })
    }
}
