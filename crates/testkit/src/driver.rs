//! The driver interface: the world a scenario runs in, and what it reports to the runner.
//!
//! The runner implements the language: it resolves `card: latest` and `replies_to: hi` to tokens and ids, seeds lanes,
//! builds the policy, merges and compares. A driver implements the world: it feeds engine events to an intake, lets the
//! world settle, and reports what reached the outside. The reference driver is crate `sim`, over the production runtime
//! with a virtual clock.
//!
//! Lanes have the scenario's names (`main`, `t1`). The driver chooses the `LaneKey` of a name, one for the whole run.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use throughline_engine::data::actor::Actor;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::event::EventKind;
use throughline_engine::data::fact::{Fact, FactKey};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::lane_state::LaneState;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::{Addressing, Paused};
use throughline_engine::data::trace::TurnSummary;
use throughline_engine::{CardId, MessageId, Millis, Policy, Timestamp};

use crate::model::{EraseTarget, Fault, GivenFact, GivenWorker, HostAnswer, Restart, ScriptedAnswer};

/// A world a scenario can run in. Synchronous: a driver over async code blocks inside.
///
/// Every method that lets things happen (`deliver`, `settle`, `advance`) returns after the world is **idle**: no inbox row
/// unhandled, no outbox row that is due, no timer that is due at the driver's clock. Time moves only in `advance`, except
/// that a driver may step its clock to the next retry of an effect while settling.
pub trait Driver {
    /// Makes a fresh world, without anything of an earlier scenario. Called at the start of each run.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil; the run ends with it.
    fn begin(&mut self, world: &World) -> Result<(), DriverError>;

    /// Returns the driver's clock.
    fn now(&self) -> Timestamp;

    /// Accepts these deliveries in order, before any of them is stepped, then settles. A batch has more than one when
    /// the scenario says `times:` or `deliveries:`, or a fault adds a duplicate; a key that was seen before must be
    /// answered by intake and change nothing.
    ///
    /// When a fail point is armed and fires, the driver kills and restarts its own host, delivers again what had not been
    /// acknowledged, settles, and returns what was seen on both sides of the kill as one.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError>;

    /// Moves the clock by `by`, firing every timer and retry on the way in the order of their times, and settles.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError>;

    /// Restarts the host over the same store, and settles. `Kill` loses everything that was not committed; `Clean` drains
    /// first. The far sides (channel, tracker, model) keep what they have.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError>;

    /// Ends an effect as the scenario says (`effect: {settle: …, as: …}`), then settles.
    ///
    /// # Errors
    ///
    /// No such effect is open, or the world cannot do it.
    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError>;

    /// Sets or lifts the kill switch, then settles. Lifting it releases the effects it held.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn pause(&mut self, switch: Option<Paused>) -> Result<TurnSeen, DriverError>;

    /// Erases a person or a lane, and settles. An armed fail point applies as in [`Driver::deliver`].
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn erase(&mut self, _what: &EraseTarget) -> Result<TurnSeen, DriverError> {
        Err(DriverError::unsupported("erasing"))
    }

    /// Writes records into a lane without a turn, for state that no event can bring about. Replays start after it.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn amend(&mut self, _lane: &str, _records: Vec<Record>) -> Result<(), DriverError> {
        Err(DriverError::unsupported("writing into a lane"))
    }

    /// Returns the committed lane; an empty one when nothing has happened in it.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn lane(&mut self, name: &str) -> Result<Lane, DriverError>;

    /// Returns the facts in reach of a lane: its own, those of its channel, and those of every epic.
    ///
    /// # Errors
    ///
    /// A request the world cannot fulfil.
    fn facts(&mut self, _lane: &str) -> Result<Vec<(FactKey, Fact)>, DriverError> {
        Err(DriverError::unsupported("expect facts"))
    }

    /// The fail points this driver can be killed at; empty if it supports no faults.
    fn fail_points(&self) -> &[&'static str] {
        &[]
    }

    /// Arms one fail point for the next delivery: the first time it is passed, the host is killed. One that is not
    /// passed in that delivery is disarmed with it.
    ///
    /// # Errors
    ///
    /// The point is not one of [`Driver::fail_points`].
    fn arm(&mut self, fail_point: &str) -> Result<(), DriverError> {
        Err(DriverError::unsupported(&format!("fail point {fail_point}")))
    }

    /// Arms one as [`Driver::arm`] does, for a kill that changes no result: it passes over effects whose outcome would
    /// stay unknown, because the far side repeats nothing and cannot be asked.
    ///
    /// # Errors
    ///
    /// As [`Driver::arm`].
    fn arm_harmless(&mut self, fail_point: &str) -> Result<(), DriverError> {
        self.arm(fail_point)
    }

    /// Evaluates one `always` checker over everything since [`Driver::begin`].
    ///
    /// # Errors
    ///
    /// The violation, as a sentence.
    fn check(&mut self, checker: Checker) -> Result<(), String>;
}

/// The start of a run, made from a scenario's `given`.
#[derive(Clone, Debug)]
pub struct World {
    /// `slack`, `telegram` or `web`.
    pub channel: String,
    /// The first value of the clock.
    pub clock: Timestamp,
    /// The whole policy: defaults, then `given.policy`, then approver rules from `users … may`, then the tracker's project.
    pub policy: Policy,
    /// Everybody, by the id in `Delivery::actor`. Principals are `user:<id>` first, then `role:<role>`.
    pub people: BTreeMap<String, Actor>,
    /// Time zones by person, for those who have one.
    pub zones: BTreeMap<String, String>,
    /// The lanes to begin with, `main` always among them.
    pub lanes: Vec<SeedLane>,
    /// The facts that are known.
    pub facts: Vec<GivenFact>,
    /// The tracker.
    pub tracker: TrackerWorld,
    /// The outcomes of the next posts in the channel, in order.
    pub posts: Vec<String>,
    /// Tools and sub-agents by target: `tool:weather`, `agent:writer`. Their risks are in the policy.
    pub workers: BTreeMap<String, GivenWorker>,
    /// The host's handling of effects that only it performs, in order by class; later ones succeed.
    pub host: BTreeMap<String, Vec<HostAnswer>>,
    /// The scripted model's answers, in order per purpose; `None` if no model is configured.
    pub script: Option<Vec<ScriptedAnswer>>,
    /// The kill switch, if it is on from the start.
    pub paused: Option<Paused>,
}

/// A lane at the start. A lane with an empty head and no records need not be written.
#[derive(Clone, Debug)]
pub struct SeedLane {
    /// Its name in the scenario.
    pub name: String,
    /// Its head: window and open questions.
    pub head: LaneState,
    /// Its records: messages and tasks.
    pub records: Vec<Record>,
}

/// The virtual tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackerWorld {
    /// The key of its only project.
    pub project: String,
    /// Fields an issue must have: names of parts (`title`, `labels`, …). The tracker's `summary` and `description`
    /// are the title and the body.
    pub required: Vec<String>,
    /// The issue types it offers; all if empty.
    pub types: Vec<String>,
    /// The only values it accepts, by part.
    pub values: BTreeMap<String, Vec<String>>,
    /// The people who may `browse`, `create`, `edit` and `link`; everybody for an act that is not listed.
    pub may: BTreeMap<String, Vec<String>>,
    /// The way stories are put under their epic: `parent`, `epic_link`, `subtask`, or `none`.
    pub child_link: Option<String>,
    /// The time before a new issue shows up in searches.
    pub lag: Millis,
    /// The outcomes of requests, each used by one request of its kind, in order.
    pub fail: Vec<Fault>,
    /// True if a request made twice under one effect id is applied once. If false, as with Jira, a create with an
    /// unknown outcome is parked as uncertain.
    pub idempotent: bool,
}

/// One delivery of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The delivery key: the event's id, or what the driver derives it from. Equal keys are one delivery.
    pub key: String,
    /// The lane's name.
    pub lane: String,
    /// The actor, a key of [`World::people`]; empty for the host.
    pub actor: String,
    /// The addressing of the message, as an adapter sees it.
    pub addressing: Addressing,
    /// The event. Messages carry a channel id of their own (`message_id`); `reply_to` is an internal id, or a channel
    /// id when the message is unknown; presses carry the token of a rendering the driver reported.
    pub kind: EventKind,
}

/// The end of an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Settling {
    /// The lane's name.
    pub lane: String,
    /// The effect's id, or a class, which means the lane's newest effect of that class that is not terminal.
    pub effect: String,
    /// `done`, `failed`, `uncertain`.
    pub outcome: String,
    /// The key for `done`, the sentence for `failed` and `uncertain`. A held answer of a model or a host is
    /// released by `done`.
    pub text: Option<String>,
}

/// Everything that was seen from one call until the world was idle again.
#[derive(Clone, Debug, Default)]
pub struct TurnSeen {
    /// The turns committed, in order: those of deliveries and those that followed (settled effects, due timers).
    pub turns: Vec<CommittedTurn>,
    /// Keys of deliveries that intake answered as duplicates.
    pub duplicates: Vec<String>,
    /// Texts that reached the channel: replies, questions, notifications; no cards and no notices.
    pub messages: Vec<SeenMessage>,
    /// Private notices, each to one person.
    pub notices: Vec<SeenNotice>,
    /// The renderings of cards that reached the channel, first posts and updates, in order, with their tokens.
    pub cards: Vec<SeenCard>,
    /// Outward effects that reached the world, counted by class: new issues and calls made, not requests.
    pub outward: BTreeMap<String, u32>,
    /// The number of calls to the model.
    pub model_calls: u32,
    /// The prompts of those calls.
    pub prompts: Vec<String>,
    /// The fail point the host was killed at.
    pub killed: Option<String>,
}

/// One committed turn.
#[derive(Clone, Debug, PartialEq)]
pub struct CommittedTurn {
    /// The lane's name.
    pub lane: String,
    /// The key of the delivery it stepped; `None` for a turn that followed.
    pub delivery: Option<String>,
    /// The decision and its reasons; `explain()` is what a failure prints.
    pub summary: TurnSummary,
}

/// A text that reached the channel.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenMessage {
    /// The lane's name.
    pub lane: String,
    /// The internal id.
    pub message: MessageId,
    /// Its kind, where the driver knows it.
    pub kind: Option<MessageKind>,
    /// The text, as the channel shows it.
    pub text: String,
}

/// A notice to one person.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenNotice {
    /// The lane's name.
    pub lane: String,
    /// The person.
    pub to: String,
    /// The text.
    pub text: String,
}

/// One rendering of a card.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenCard {
    /// The lane's name.
    pub lane: String,
    /// The message that shows it.
    pub message: MessageId,
    /// The card with a token on every button.
    pub card: CardModel,
}

impl SeenCard {
    /// Returns the card's id.
    #[must_use]
    pub fn id(&self) -> &CardId {
        &self.card.id
    }
}

/// A check that can be listed in `always`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checker {
    /// Every outward effect that reached the world names an approval that was consumed before.
    NoEffectWithoutApproval,
    /// The revisions of every lane are 1, 2, 3 … with one log row each, and every turn is decided alike when
    /// replayed.
    OneWriterPerLane,
    /// Every press, form and command led to a notice, a message or a changed card.
    PressNeverSilent,
}

impl Checker {
    /// All checkers.
    pub const ALL: [Self; 3] =
        [Self::NoEffectWithoutApproval, Self::OneWriterPerLane, Self::PressNeverSilent];

    /// Returns the name in a scenario.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoEffectWithoutApproval => "no_effect_without_approval",
            Self::OneWriterPerLane => "one_writer_per_lane",
            Self::PressNeverSilent => "press_never_silent",
        }
    }
}

impl FromStr for Checker {
    type Err = UnknownChecker;

    fn from_str(name: &str) -> Result<Self, UnknownChecker> {
        Self::ALL.into_iter().find(|checker| checker.as_str() == name).ok_or(UnknownChecker)
    }
}

/// The error for a name that is no [`Checker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such checker")]
pub struct UnknownChecker;

/// A request the driver cannot fulfil, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverError(pub String);

impl DriverError {
    /// Makes the error for something this version does not support.
    #[must_use]
    pub fn unsupported(what: &str) -> Self {
        Self(format!("not supported by this version: {what}"))
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DriverError {}

impl TurnSeen {
    /// Appends what was seen later.
    pub fn merge(&mut self, later: Self) {
        self.turns.extend(later.turns);
        self.duplicates.extend(later.duplicates);
        self.messages.extend(later.messages);
        self.notices.extend(later.notices);
        self.cards.extend(later.cards);
        for (class, n) in later.outward {
            *self.outward.entry(class).or_default() += n;
        }
        self.model_calls += later.model_calls;
        self.prompts.extend(later.prompts);
        self.killed = later.killed.or(self.killed.take());
    }
}
