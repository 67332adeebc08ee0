//! A scenario as data (`spec 08 §1`). What the words mean when they run is `run.rs`; how they are read is `parse/`.

mod work;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::focus::Need;
use throughline_engine::intent::Intent;
use throughline_engine::lane::MessageKind;
use throughline_engine::recognize::Expected;
use throughline_engine::trace::Rung;
use throughline_engine::{Millis, Reason, Timestamp, Verdict};

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
    /// What was given for capabilities this version does not have, by key: facts, sets.
    pub later: Vec<(String, Json)>,
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
            policy: Vec::new(),
            tracker: TrackerWorld::default(),
            posts: Vec::new(),
            model: false,
            paused: None,
            later: Vec::new(),
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
    /// A host event of a capability this version does not have.
    HostLater {
        /// Its name.
        event: String,
        /// What it holds.
        body: Json,
    },
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
    /// Time passes.
    Advance(Millis),
    /// The host restarts.
    Restart(Restart),
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

/// One thing that must be seen. Each compares exactly; [`Expectation::key`] is its key in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The kind of outcome.
    Decision(Verdict),
    /// The decision's reason, or one of those noted on the way (`trace.also`; `duplicate.delivery` for a delivery that
    /// intake answered).
    Reason(Reason),
    /// The rung that decided.
    Rung(Rung),
    /// What the user wants.
    Intent(Intent),
    /// What waits in the lane afterwards.
    Pending(PendingExpect),
    /// The answer that was taken; `None`: none was.
    Applied(Option<String>),
    /// What the message refers to.
    Focus(FocusExpect),
    /// Whether the text needs its anchor, and the words that say so.
    Reference(ReferenceExpect),
    /// Every text is part of something said or shown in the lane.
    Says(Vec<String>),
    /// Every text is part of something the acting person was told privately.
    Private(Vec<String>),
    /// The newest card this turn showed or changed; `None`: it showed and changed none.
    Card(Option<CardExpect>),
    /// Outward effects that reached the world, by class; empty: none did.
    Effects(BTreeMap<String, u32>),
    /// Questions that reached the model.
    ModelCalls(u32),
    /// A task the lane holds afterwards; `None`: it holds none.
    Task(Option<TaskExpect>),
    /// Every text is part of a prompt the model was sent.
    Prompt(Vec<String>),
    /// Something of a capability this version does not have; running it fails.
    Later {
        /// The key: `facts`, `selected`, `clarify`, `provenance`, `handoff`, `view`, `telemetry`, `warnings`.
        key: String,
        /// What was written.
        value: Json,
    },
    /// None of these may be seen.
    Not(Vec<Expectation>),
}

/// What waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingExpect {
    /// Nothing.
    None,
    /// Something that fits.
    One(PendingFit),
    /// These and nothing else, in any order.
    All(Vec<PendingFit>),
}

/// A pending, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingFit {
    /// Its kind's public name.
    pub kind: Option<String>,
    /// Its expected type on the wire.
    pub expected: Option<String>,
    /// The value it took in this turn.
    pub value: Option<String>,
}

/// A focus, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FocusExpect {
    /// `reply`, `reply.payload`, `lane.recency`, `none`.
    pub source: Option<String>,
    /// The anchor, by name.
    pub anchor: Option<String>,
    /// The anchor's task, by id or title.
    pub task: Option<String>,
}

/// A reference, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceExpect {
    /// Whether the text needs its anchor.
    pub need: Option<Need>,
    /// Words that were found.
    pub words: Vec<String>,
}

/// A card, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardExpect {
    /// Where it stands (`spec 03 §3`).
    pub step: Option<String>,
    /// Its version.
    pub version: Option<u32>,
    /// Its buttons' actions, in order.
    pub buttons: Option<Vec<String>>,
    /// Part of its title.
    pub title: Option<String>,
    /// `open`, `working`, `created`, `failed`, `uncertain`, `cancelled`, `rejected`, `dismissed`, `answered`, `decided`,
    /// `superseded`, `expired`, `withdrawn`.
    pub state: Option<String>,
    /// Its items, in order.
    pub items: Option<ItemsExpect>,
}

/// The items of a card, as far as they are described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemsExpect {
    /// So many.
    Count(u32),
    /// These, in order.
    All(Vec<ItemExpect>),
}

/// An item of a card, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemExpect {
    /// `Epic`, `Story 3`.
    pub label: Option<String>,
    /// Part of its title.
    pub title: Option<String>,
    /// Part of how it stands.
    pub state: Option<String>,
    /// Its buttons' actions, in order.
    pub buttons: Option<Vec<String>>,
    /// Part of one thing that is wrong with it; `none`: nothing is.
    pub error: Option<String>,
}

impl Expectation {
    /// Its key in a scenario.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Decision(_) => "decision",
            Self::Reason(_) => "reason",
            Self::Rung(_) => "rung",
            Self::Intent(_) => "intent",
            Self::Pending(_) => "pending",
            Self::Applied(_) => "applied",
            Self::Focus(_) => "focus",
            Self::Reference(_) => "reference",
            Self::Says(_) => "says",
            Self::Private(_) => "private",
            Self::Card(_) => "card",
            Self::Effects(_) => "effects",
            Self::ModelCalls(_) => "model_calls",
            Self::Task(_) => "task",
            Self::Prompt(_) => "prompt",
            Self::Later { key, .. } => key,
            Self::Not(_) => "not",
        }
    }
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
            | Self::Notify { lane, .. }
            | Self::Settle { lane, .. } => lane,
            Self::HostLater { .. } | Self::Effects(_) | Self::Advance(_) | Self::Restart(_) => MAIN,
        }
    }

    /// The person who acts, if one does.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Says(Says { user, .. })
            | Self::Press(PressAct { user, .. })
            | Self::Command { user, .. }
            | Self::Submits { user, .. } => Some(user),
            _ => None,
        }
    }
}
