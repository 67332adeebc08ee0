//! A scenario as data (`spec 08 §1`). What the words mean when they run is `run.rs`; how they are read is `parse/`.

mod expect;
mod fact;
mod option;
mod summary;
mod work;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::lane::MessageKind;
use throughline_engine::recognize::Expected;
use throughline_engine::{Millis, Timestamp};

pub use expect::{
    CardExpect, Expectation, FocusExpect, ItemExpect, ItemsExpect, PendingExpect, PendingFit, ReferenceExpect,
};
pub use fact::{FactExpect, GivenFact, States};
pub use option::{
    Chooses, Closes, Focuses, GivenSet, HostAnswer, Shows, Stands, TelemetryExpect, ViewExpect,
};
pub(crate) use option::{instance, named};
pub use summary::SummaryExpect;
pub use work::{GivenTask, GivenWorker, HostReports, TaskExpect};

use crate::driver::{Checker, TrackerWorld};

/// The lane a turn belongs to when it names none.
pub const MAIN: &str = "main";

/// One scenario: a world, turns in it, and what must be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is called.
    pub name: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// The file it came from, as failures name it.
    pub file: String,
    /// The world it begins in.
    pub given: Given,
    /// The model's answers, by purpose, in order.
    pub script: Vec<ScriptedAnswer>,
    /// What happens.
    pub turns: Vec<Turn>,
    /// What must hold throughout.
    pub always: Vec<Checker>,
}

/// The world a scenario begins in.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// `slack`, `telegram` or `web`.
    pub channel: String,
    /// The clock's first value.
    pub clock: Timestamp,
    /// Who is there.
    pub users: BTreeMap<String, User>,
    /// What was said before, by lane.
    pub lanes: BTreeMap<String, Vec<GivenMessage>>,
    /// What is open.
    pub pending: Vec<GivenPending>,
    /// What was asked for before.
    pub tasks: Vec<GivenTask>,
    /// The tools there are, by name.
    pub tools: BTreeMap<String, GivenWorker>,
    /// The sub-agents there are, by name.
    pub agents: BTreeMap<String, GivenWorker>,
    /// The lists of options that were shown before the first turn, in order.
    pub sets: Vec<GivenSet>,
    /// What the host does with the effects that only it performs, in order, by class; then it does as it is asked.
    pub host: BTreeMap<String, Vec<HostAnswer>>,
    /// Policy values by dotted name.
    pub policy: Vec<(String, Json)>,
    /// The tracker.
    pub tracker: TrackerWorld,
    /// How the next posts in the channel go, in order: faults of the vendor.
    pub posts: Vec<String>,
    /// A scripted model is configured.
    pub model: bool,
    /// The kill switch is on from the beginning: who switched, and whether model asks stop too.
    pub paused: Option<Pause>,
    /// The facts that are known.
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
    /// May approve: an explicit rule with `self_approve = true` (`spec 06 §5.2`).
    pub approves: bool,
    /// Roles, for approver rules of the policy.
    pub roles: Vec<String>,
    /// Why they are not to be counted as a full member: `guest`, `deactivated`.
    pub barred: Option<String>,
    /// Another bot.
    pub bot: bool,
    /// Their time zone: `Europe/Berlin`, or `+01:00`.
    pub zone: Option<String>,
    /// The language they write in, as a BCP 47 code.
    pub language: Option<String>,
}

/// A message that was there before the first turn.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenMessage {
    /// Who; `None` is the assistant.
    pub by: Option<String>,
    /// The words.
    pub text: String,
    /// What an assistant message is.
    pub kind: MessageKind,
    /// Its name for later.
    pub name: Option<String>,
    /// The task it belongs to, by id.
    pub task: Option<String>,
}

/// A question that is open before the first turn.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenPending {
    /// Its kind's public name.
    pub kind: String,
    /// What it expects.
    pub expected: Option<Expected>,
    /// The lane's name.
    pub lane: String,
    /// The message that asked, by name; otherwise the lane's newest assistant message.
    pub anchor: Option<String>,
    /// The task it belongs to, by id.
    pub task: Option<String>,
    /// Who is asked.
    pub asked_of: Option<String>,
    /// Until when; otherwise the default of its kind.
    pub expires: Option<When>,
    /// The tool or the sub-agent that is offered; otherwise the only one there is.
    pub with: Option<String>,
}

/// A moment: a date, or so long after the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Exactly then.
    At(Timestamp),
    /// So long after the clock at that point.
    In(Millis),
}

/// The kill switch (`spec 06 §5.7`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Who switched.
    pub by: String,
    /// Model asks stop too.
    pub everything: bool,
}

/// How one request to the tracker goes. The words: `refused` (no byte went out), `429`, `rejected` (understood, and no),
/// `lost_request` (not applied, no answer), `lost_reply` (applied, no answer), `late_apply` (applied after the answer was
/// given up on), `5xx` (not applied), `5xx_after_apply`, `slow` (applied, answered late), `parent_ignored` (applied, but
/// not under its epic), `requires` (just before, the field becomes required), `ok`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// Which requests: `create`, `check`, `find`, `update`, `seek`.
    pub on: String,
    /// What happens.
    pub how: String,
    /// Only to this item: the so manieth of its kind of request, from 1, or the one of this title.
    pub item: Option<String>,
    /// How late, how slow, or how long the tracker asks to wait.
    pub after: Option<Millis>,
    /// Which field is wrong or becomes required.
    pub field: Option<String>,
}

impl Fault {
    /// Of the next request of a kind.
    #[must_use]
    pub fn next(on: &str, how: &str) -> Self {
        Self { on: on.into(), how: how.into(), ..Self::default() }
    }
}

/// One answer of the scripted model.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedAnswer {
    /// For which question: `classify`, `draft`, …
    pub purpose: String,
    /// What comes back.
    pub reply: ScriptedReply,
    /// It comes back when the scenario says so: `effect: { settle: model.ask, as: done }`.
    pub held: bool,
}

/// What the scripted model does.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptedReply {
    /// Answers this; for `classify`, `{label, confidence}` with confidence 0 to 1.
    Answer(Json),
    /// Fails: `timeout`, `429`, `garbage`, … (`spec 07 §7`).
    Fail(String),
}

/// One turn, and what must be seen of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its line in the file; 0 when it came from none.
    pub line: usize,
    /// What happens.
    pub act: Act,
    /// Its name for later turns: the message, the answer to it, the card it made.
    pub name: Option<String>,
    /// What must be seen; `None` when the scenario says nothing.
    pub expect: Option<Vec<Expectation>>,
}

/// What happens in a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Somebody writes, or changes what they wrote.
    Says(Says),
    /// Somebody presses a button.
    Press(PressAct),
    /// Somebody types a command, name included.
    Command {
        /// Who.
        user: String,
        /// Where.
        lane: String,
        /// The whole of it.
        text: String,
    },
    /// Somebody sends a form.
    Submits {
        /// Who.
        user: String,
        /// Where.
        lane: String,
        /// Field by field.
        fields: BTreeMap<String, String>,
        /// The card whose button opened it.
        card: String,
        /// The item of the card, by its place from 1 or its label.
        item: Option<String>,
        /// The button, when the card has several that open a form.
        button: Option<String>,
    },
    /// The host's own agent speaks.
    Host(HostSays),
    /// A host reports where a task stands.
    Reports(HostReports),
    /// Somebody states a fact outright.
    States(States),
    /// A host shows a list of options.
    Shows(Shows),
    /// A host takes lists away.
    Closes(Closes),
    /// Somebody looks at another panel of a host.
    Focuses(Focuses),
    /// Somebody presses an option where its host shows it.
    Chooses(Chooses),
    /// A sub-agent reports.
    Notify {
        /// Which one.
        from: String,
        /// Where.
        lane: String,
        /// The words.
        text: String,
    },
    /// An effect ends as told.
    Settle {
        /// Its class or id.
        effect: String,
        /// Where.
        lane: String,
        /// `done`, `failed`, `uncertain`, …
        outcome: String,
        /// The key, or the sentence.
        text: Option<String>,
    },
    /// The kill switch goes on, or off.
    Effects(Option<Pause>),
    /// Somebody, or a lane, is erased.
    Erase(Erasing),
    /// Time passes.
    Advance(Millis),
    /// The host restarts.
    Restart(Restart),
}

/// What is erased (`spec 06 §7.6`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erasing {
    /// A person, in every lane.
    Person(String),
    /// A lane, by its name.
    Lane(String),
}

/// Somebody writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Says {
    /// Who.
    pub user: String,
    /// Where.
    pub lane: String,
    /// What.
    pub text: String,
    /// The message they reply to, by name.
    pub replies_to: Option<String>,
    /// The replied-to text as the channel quotes it.
    pub quote: Option<String>,
    /// The message of theirs this replaces, by name.
    pub edits: Option<String>,
    /// What comes with it, in words: `photo`, `voice message`.
    pub attach: Vec<String>,
}

/// Somebody presses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PressAct {
    /// Who.
    pub user: String,
    /// Where.
    pub lane: String,
    /// The button's action.
    pub action: String,
    /// On which card, by name.
    pub card: String,
    /// Which of its items, by its place from 1 or its label.
    pub item: Option<String>,
    /// *Remember for this thread* is ticked.
    pub remember: bool,
    /// How many presses, each a delivery of its own, all in the queue before the first is handled.
    pub times: u32,
    /// How often each press is delivered.
    pub deliveries: u32,
}

/// The host's own agent speaks (`assistant.posted`).
#[derive(Clone, Debug, PartialEq)]
pub struct HostSays {
    /// Where.
    pub lane: String,
    /// What kind of message.
    pub kind: MessageKind,
    /// Its task, by id.
    pub task: Option<String>,
    /// The words.
    pub text: String,
    /// The answer it waits for.
    pub expected: Option<Expected>,
    /// Whom it asks.
    pub asked_of: Option<String>,
    /// Until when.
    pub expires: Option<When>,
}

/// How a host ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// It drains first.
    Clean,
    /// It is killed.
    Kill,
}

impl Act {
    /// The lane it happens in.
    #[must_use]
    pub fn lane(&self) -> &str {
        match self {
            Self::Says(Says { lane, .. })
            | Self::Press(PressAct { lane, .. })
            | Self::Command { lane, .. }
            | Self::Submits { lane, .. }
            | Self::Host(HostSays { lane, .. })
            | Self::Reports(HostReports { lane, .. })
            | Self::States(States { lane, .. })
            | Self::Notify { lane, .. }
            | Self::Shows(Shows { lane, .. })
            | Self::Closes(Closes { lane, .. })
            | Self::Focuses(Focuses { lane, .. })
            | Self::Chooses(Chooses { lane, .. })
            | Self::Settle { lane, .. }
            | Self::Erase(Erasing::Lane(lane)) => lane,
            Self::Erase(Erasing::Person(_)) | Self::Effects(_) | Self::Advance(_) | Self::Restart(_) => MAIN,
        }
    }

    /// The person who acts, if one does.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Says(Says { user, .. })
            | Self::Press(PressAct { user, .. })
            | Self::Command { user, .. }
            | Self::Chooses(Chooses { user, .. })
            | Self::States(States { user, .. })
            | Self::Submits { user, .. } => Some(user),
            _ => None,
        }
    }
}
