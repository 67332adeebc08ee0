//! A scenario as data. `parse/` reads it, and `run.rs` defines what it does.

mod expect;
mod fact;
mod option;
mod summary;
mod work;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::data::event::AssistantPosted;
use throughline_engine::data::message::MessageKind;
use throughline_engine::{Millis, Timestamp};
use throughline_language::Expected;

pub use expect::{
    CardExpect, Expectation, FocusExpect, ItemExpect, ItemsExpect, PendingExpect, PendingFit, ReferenceExpect,
};
pub use fact::{FactExpect, GivenFact, StateFact};
pub use option::{
    ChangeFocus, CloseList, GivenSet, HostAnswer, ListState, PressOption, ShowList, TelemetryExpect,
    ViewExpect,
};
pub(crate) use option::{instance, named};
pub use summary::SummaryExpect;
pub use work::{GivenTask, GivenWorker, RequestApproval, TaskExpect, TaskReportAct};

use crate::driver::{Checker, TrackerWorld};

/// The lane of a turn that names none.
pub const MAIN: &str = "main";

/// One scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The rows of an acceptance list that it covers.
    pub rows: Vec<String>,
    /// The behaviour it shows, in a sentence.
    pub about: String,
    /// The file's name in errors and reports.
    pub file: String,
    /// The world at the start.
    pub given: Given,
    /// The model's answers, in order per purpose.
    pub script: Vec<ScriptedAnswer>,
    /// The turns.
    pub turns: Vec<Turn>,
    /// The checks made after every turn.
    pub always: Vec<Checker>,
}

/// The world at the start of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The channel: `slack`, `telegram` or `web`.
    pub channel: String,
    /// The first value of the clock.
    pub clock: Timestamp,
    /// People by name.
    pub users: BTreeMap<String, User>,
    /// Earlier messages, by lane.
    pub lanes: BTreeMap<String, Vec<GivenMessage>>,
    /// Questions that are open.
    pub pending: Vec<GivenPending>,
    /// Tasks that exist.
    pub tasks: Vec<GivenTask>,
    /// Tools by name.
    pub tools: BTreeMap<String, GivenWorker>,
    /// Sub-agents by name.
    pub agents: BTreeMap<String, GivenWorker>,
    /// Lists of options that were shown, in order.
    pub sets: Vec<GivenSet>,
    /// The host's handling of effects that only it performs, in order by class; later ones succeed.
    pub host: BTreeMap<String, Vec<HostAnswer>>,
    /// Policy values by dotted name.
    pub policy: Vec<(String, Json)>,
    /// The tracker.
    pub tracker: TrackerWorld,
    /// The outcomes of the next posts in the channel, in order, in the words of [`Fault::how`].
    pub posts: Vec<String>,
    /// True if a scripted model is configured.
    pub model: bool,
    /// The kill switch, if it is on.
    pub paused: Option<Pause>,
    /// Facts that are known.
    pub facts: Vec<GivenFact>,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            channel: "web".into(),
            clock: Timestamp::parse("2026-01-15T10:00:00Z").unwrap_or_default(),
            users: BTreeMap::new(),
            lanes: BTreeMap::new(),
            pending: Vec::new(),
            tasks: Vec::new(),
            tools: BTreeMap::new(),
            agents: BTreeMap::new(),
            sets: Vec::new(),
            host: BTreeMap::new(),
            policy: Vec::new(),
            tracker: TrackerWorld::default(),
            posts: Vec::new(),
            model: false,
            paused: None,
            facts: Vec::new(),
        }
    }
}

impl Default for TrackerWorld {
    fn default() -> Self {
        Self {
            project: "DEMO".into(),
            required: Vec::new(),
            types: Vec::new(),
            values: BTreeMap::new(),
            may: BTreeMap::new(),
            child_link: None,
            lag: 0,
            fail: Vec::new(),
            idempotent: true,
        }
    }
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// True if the person may approve, their own requests included (`self_approve = true`).
    pub approves: bool,
    /// Roles, as approver rules of the policy name them.
    pub roles: Vec<String>,
    /// The reason they do not count as a full member: `guest`, `deactivated`.
    pub barred: Option<String>,
    /// True for another bot.
    pub bot: bool,
    /// Their time zone, such as `Europe/Berlin` or `+01:00`.
    pub zone: Option<String>,
    /// Their language, as a BCP 47 code.
    pub language: Option<String>,
}

/// A message from before the first turn.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenMessage {
    /// The author; `None` for the assistant.
    pub by: Option<String>,
    /// The text.
    pub text: String,
    /// The kind, for a message of the assistant.
    pub kind: MessageKind,
    /// A name for later references.
    pub name: Option<String>,
    /// The id of its task.
    pub task: Option<String>,
}

/// A question that is open before the first turn.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenPending {
    /// Its kind's public name.
    pub kind: String,
    /// The expected type of answer.
    pub expected: Option<Expected>,
    /// The lane's name.
    pub lane: String,
    /// The name of the message that asked; the lane's newest assistant message if `None`.
    pub anchor: Option<String>,
    /// The id of its task.
    pub task: Option<String>,
    /// The person who is asked; anybody if `None`.
    pub asked_of: Option<String>,
    /// The expiry; the default of its kind if `None`.
    pub expires: Option<When>,
    /// The tool or sub-agent that is offered; the only one there is if `None`.
    pub with: Option<String>,
}

/// A moment in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// A date and time.
    At(Timestamp),
    /// A time after the clock's current value.
    In(Millis),
}

/// The kill switch, switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The person who switched it.
    pub by: String,
    /// True if model calls stop too.
    pub everything: bool,
}

/// A fault of one request to the tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// The kind of request: `create`, `check`, `find`, `update`, `seek`.
    pub on: String,
    /// The fault: `refused` (no byte was sent), `429`, `rejected` (understood and refused), `lost_request` (not
    /// applied, no answer), `lost_reply` (applied, no answer), `late_apply` (applied after the caller gave up), `5xx`
    /// (not applied), `5xx_after_apply`, `slow` (applied, answered late), `parent_ignored` (applied without its
    /// epic), `requires` (the field becomes required just before), `ok`.
    pub how: String,
    /// The only item it applies to: the number of its request among those of its kind, from 1, or its title.
    pub item: Option<String>,
    /// The delay of the answer, or the wait the tracker asks for.
    pub after: Option<Millis>,
    /// The field that is wrong or becomes required.
    pub field: Option<String>,
}

impl Fault {
    /// Makes a fault of the next request of a kind.
    #[must_use]
    pub fn next(on: &str, how: &str) -> Self {
        Self { on: on.into(), how: how.into(), ..Self::default() }
    }
}

/// One answer of the scripted model.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedAnswer {
    /// The purpose of the call: `classify`, `draft`, …
    pub purpose: String,
    /// The reply.
    pub reply: ScriptedReply,
    /// True if the reply waits for `effect: { settle: model.ask, as: done }`.
    pub held: bool,
}

/// A reply of the scripted model.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptedReply {
    /// An answer; for `classify`, `{label, confidence}` with a confidence from 0 to 1.
    Answer(Json),
    /// A failure: `timeout`, `429`, `garbage`, …
    Fail(String),
}

/// One turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its line in the file; 0 if it was not read from one.
    pub line: usize,
    /// The act.
    pub act: Act,
    /// A name for later turns: it means the message, the answer to it, and the card it made.
    pub name: Option<String>,
    /// The expectations; `None` if the turn has no `expect`.
    pub expect: Option<Vec<Expectation>>,
}

/// An act: what happens in a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A person writes or edits a message.
    Message(MessageAct),
    /// A person presses a button.
    Press(PressAct),
    /// A person sends a command, including its name.
    Command {
        /// The person.
        user: String,
        /// The lane's name.
        lane: String,
        /// The whole text.
        text: String,
    },
    /// A person submits a form.
    Form {
        /// The person.
        user: String,
        /// The lane's name.
        lane: String,
        /// The values by field.
        fields: BTreeMap<String, String>,
        /// The name of the card whose button opened the form.
        card: String,
        /// The item of the card, by its position from 1 or its label.
        item: Option<String>,
        /// The button, if several of the card open a form.
        button: Option<String>,
    },
    /// The host's own agent posts a message.
    HostPost(HostPost),
    /// A host asks that a person approves an act of its own.
    RequestApproval(RequestApproval),
    /// A host reports the status of a task.
    TaskReport(TaskReportAct),
    /// A person states a fact directly.
    StateFact(StateFact),
    /// A host shows a list of options.
    ShowList(ShowList),
    /// A host closes lists of options.
    CloseList(CloseList),
    /// A person looks at another panel of a host.
    ChangeFocus(ChangeFocus),
    /// A person presses an option where its host shows it.
    PressOption(PressOption),
    /// A sub-agent reports progress.
    Notify {
        /// The sub-agent.
        from: String,
        /// The lane's name.
        lane: String,
        /// The text.
        text: String,
    },
    /// An effect ends.
    Settle {
        /// Its class or id.
        effect: String,
        /// The lane's name.
        lane: String,
        /// The outcome: `done`, `failed`, `uncertain`, …
        outcome: String,
        /// The key, or the reason.
        text: Option<String>,
    },
    /// The kill switch is set or lifted.
    Effects(Option<Pause>),
    /// A person or a lane is erased.
    Erase(EraseTarget),
    /// Time passes.
    Advance(Millis),
    /// The host restarts.
    Restart(Restart),
}

/// The target of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EraseTarget {
    /// A person, in every lane.
    Person(String),
    /// A lane, by name.
    Lane(String),
}

/// A message of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageAct {
    /// The person.
    pub user: String,
    /// The lane's name.
    pub lane: String,
    /// The text.
    pub text: String,
    /// The name of the message it replies to.
    pub replies_to: Option<String>,
    /// The text of the message it replies to, as the channel quotes it.
    pub quote: Option<String>,
    /// The name of the earlier message it replaces.
    pub edits: Option<String>,
    /// The name of the earlier message it deletes.
    pub deletes: Option<String>,
    /// Descriptions of its files: `photo`, `voice message`.
    pub attach: Vec<String>,
}

/// A press on a button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PressAct {
    /// The person.
    pub user: String,
    /// The lane's name.
    pub lane: String,
    /// The button's action.
    pub action: String,
    /// The card's name.
    pub card: String,
    /// The item of the card, by its position from 1 or its label.
    pub item: Option<String>,
    /// True if *Remember for this thread* is ticked.
    pub remember: bool,
    /// The number of presses, each a delivery of its own; all are queued before the first is handled.
    pub times: u32,
    /// The number of times each press is delivered.
    pub deliveries: u32,
}

/// A message of the host's own agent (`assistant.posted`).
#[derive(Clone, Debug, PartialEq)]
pub struct HostPost {
    /// The lane's name.
    pub lane: String,
    /// The kind of message.
    pub kind: MessageKind,
    /// The id of its task.
    pub task: Option<String>,
    /// The text.
    pub text: String,
    /// The type of answer it expects, if it is a question.
    pub expected: Option<Expected>,
    /// The person it asks; anybody if `None`.
    pub asked_of: Option<String>,
    /// The expiry of the question.
    pub expires: Option<When>,
}

impl HostPost {
    /// Describes a message that was posted in a lane.
    #[must_use]
    pub fn of(lane: String, posted: &AssistantPosted) -> Self {
        Self {
            lane,
            kind: posted.kind,
            task: posted.task.as_ref().map(|task| task.0.clone()),
            text: posted.text.clone(),
            expected: posted.expected.clone(),
            asked_of: posted.asked_of.clone(),
            expires: posted.expires.map(When::At),
        }
    }

    /// Returns the message; `after` says when a time after the clock is.
    pub(crate) fn posted<E>(
        &self,
        after: impl Fn(Millis) -> Result<Timestamp, E>,
    ) -> Result<AssistantPosted, E> {
        let expires = match self.expires {
            Some(When::At(at)) => Some(at),
            Some(When::In(wait)) => Some(after(wait)?),
            None => None,
        };
        Ok(AssistantPosted {
            kind: self.kind,
            task: self.task.as_deref().map(Into::into),
            text: self.text.clone(),
            expected: self.expected.clone(),
            asked_of: self.asked_of.clone(),
            expires,
            message_id: None,
        })
    }
}

/// A restart of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// After draining.
    Clean,
    /// By a kill.
    Kill,
}

impl Act {
    /// Returns the name of the lane it happens in.
    #[must_use]
    pub fn lane(&self) -> &str {
        match self {
            Self::Message(MessageAct { lane, .. })
            | Self::Press(PressAct { lane, .. })
            | Self::Command { lane, .. }
            | Self::Form { lane, .. }
            | Self::HostPost(HostPost { lane, .. })
            | Self::RequestApproval(RequestApproval { lane, .. })
            | Self::TaskReport(TaskReportAct { lane, .. })
            | Self::StateFact(StateFact { lane, .. })
            | Self::Notify { lane, .. }
            | Self::ShowList(ShowList { lane, .. })
            | Self::CloseList(CloseList { lane, .. })
            | Self::ChangeFocus(ChangeFocus { lane, .. })
            | Self::PressOption(PressOption { lane, .. })
            | Self::Settle { lane, .. }
            | Self::Erase(EraseTarget::Lane(lane)) => lane,
            Self::Erase(EraseTarget::Person(_)) | Self::Effects(_) | Self::Advance(_) | Self::Restart(_) => {
                MAIN
            }
        }
    }

    /// Returns the person who acts, if one does.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Message(MessageAct { user, .. })
            | Self::Press(PressAct { user, .. })
            | Self::Command { user, .. }
            | Self::PressOption(PressOption { user, .. })
            | Self::StateFact(StateFact { user, .. })
            | Self::RequestApproval(RequestApproval { user, .. })
            | Self::Form { user, .. } => Some(user),
            _ => None,
        }
    }
}
