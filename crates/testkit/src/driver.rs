//! What a scenario runs against: one trait, and what it tells the runner.
//!
//! The runner does everything that is about the *language*: it resolves `card: latest` and `replies_to: hi` to tokens
//! and ids, seeds lanes, builds the policy, merges and compares. A driver does what is about the *world*: it feeds
//! engine events to an intake, lets the world settle, and reports what reached the outside. The reference driver is
//! crate `sim`, over the production runtime with a virtual clock.
//!
//! Lanes are named as in the scenario (`main`, `t1`); how a name becomes a `LaneKey` is the driver's business, as long
//! as one name is one lane for the length of a run.

use std::collections::BTreeMap;
use std::fmt;

use throughline_engine::event::EventKind;
use throughline_engine::given::{Actor, Addressing, Paused};
use throughline_engine::lane::{Lane, LaneState, MessageKind, Record};
use throughline_engine::memory::{Fact, FactKey};
use throughline_engine::trace::TurnSummary;
use throughline_engine::workflow::CardModel;
use throughline_engine::{CardId, MessageId, Millis, Policy, Timestamp};

use crate::model::{Erasing, Fault, GivenFact, GivenWorker, HostAnswer, Restart, ScriptedAnswer};

/// A world a scenario can run in. Synchronous: a driver over async code blocks inside.
///
/// Every method that lets things happen (`deliver`, `settle`, `advance`) returns after the world is **idle**: no inbox row
/// unhandled, no outbox row that is due, no timer that is due at the driver's clock. Time moves only in `advance`, except
/// that a driver may step its clock to the next retry of an effect while settling.
pub trait Driver {
    /// Makes a fresh world: nothing of an earlier scenario is left. Called once before the first turn of each run.
    ///
    /// # Errors
    ///
    /// What the world cannot do; the run ends with it.
    fn begin(&mut self, world: &World) -> Result<(), DriverError>;

    /// The driver's clock.
    fn now(&self) -> Timestamp;

    /// Takes these deliveries in, in order and before anything of them is stepped, then settles. A batch has more than
    /// one when the scenario says `times:` or `deliveries:`, or a fault adds a duplicate; a key that was seen before
    /// must be answered by intake and change nothing.
    ///
    /// When a fail point is armed and fires, the driver kills and restarts its own host, delivers again what had not been
    /// acknowledged, settles, and returns what was seen on both sides of the kill as one.
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError>;

    /// Moves the clock by `by`, firing every timer and retry on the way in the order of their times, and settles.
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError>;

    /// Restarts the host over the same store, and settles. `Kill` loses everything that was not committed; `Clean` drains
    /// first. The far sides (channel, tracker, model) keep what they have.
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError>;

    /// Ends an effect as told (`effect: {settle: …, as: …}`), then settles.
    ///
    /// # Errors
    ///
    /// No such effect is open, or the world cannot do it.
    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError>;

    /// Sets or lifts the kill switch, then settles: lifting it lets go what it held.
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn pause(&mut self, switch: Option<Paused>) -> Result<TurnSeen, DriverError>;

    /// Erases somebody or a lane, and settles. An armed fail point is met on the way as in [`Driver::deliver`].
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn erase(&mut self, _what: &Erasing) -> Result<TurnSeen, DriverError> {
        Err(DriverError::unsupported("erasing"))
    }

    /// Writes records into a lane, beside its turns: how a scenario gives what no event of it brings about. Replays start
    /// behind it.
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn amend(&mut self, _lane: &str, _records: Vec<Record>) -> Result<(), DriverError> {
        Err(DriverError::unsupported("writing into a lane"))
    }

    /// The lane as it is committed now; an empty one when nothing has happened in it.
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn lane(&mut self, name: &str) -> Result<Lane, DriverError>;

    /// The facts in reach of a lane: its own, those of its channel, and those of every epic.
    ///
    /// # Errors
    ///
    /// What the world cannot do.
    fn facts(&mut self, _lane: &str) -> Result<Vec<(FactKey, Fact)>, DriverError> {
        Err(DriverError::unsupported("expect facts"))
    }

    /// The fail points (`spec 06 §8`) this driver can be killed at. None: it knows no faults.
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

    /// Evaluates one `always` checker over everything that has happened since [`Driver::begin`].
    ///
    /// # Errors
    ///
    /// What was violated, for a person.
    fn check(&mut self, checker: Checker) -> Result<(), String>;
}

/// What a world begins with, made of a scenario's `given`.
#[derive(Clone, Debug)]
pub struct World {
    /// `slack`, `telegram` or `web`.
    pub channel: String,
    /// The clock's first value.
    pub clock: Timestamp,
    /// The whole policy: defaults, then `given.policy`, then approver rules from `users … may`, then the tracker's project.
    pub policy: Policy,
    /// Everybody, by the id that `Delivery::actor` carries. Principals are `user:<id>` first, then `role:<role>`.
    pub people: BTreeMap<String, Actor>,
    /// The time zones of those who have one, by the same id.
    pub zones: BTreeMap<String, String>,
    /// The lanes to begin with, `main` always among them.
    pub lanes: Vec<SeedLane>,
    /// The facts that are known.
    pub facts: Vec<GivenFact>,
    /// The tracker.
    pub tracker: TrackerWorld,
    /// How the next posts in the channel go, in order.
    pub posts: Vec<String>,
    /// What answers, by target: `tool:weather`, `agent:writer`. Their risks are in the policy.
    pub workers: BTreeMap<String, GivenWorker>,
    /// What the host does with what only it performs, in order by class; then it does as it is asked.
    pub host: BTreeMap<String, Vec<HostAnswer>>,
    /// The scripted model's answers, in order per purpose; `None`: no model is configured.
    pub script: Option<Vec<ScriptedAnswer>>,
    /// The kill switch, if it is on from the beginning.
    pub paused: Option<Paused>,
}

/// One lane to begin with. A lane with an empty head and no records need not be written at all.
#[derive(Clone, Debug)]
pub struct SeedLane {
    /// Its name in the scenario.
    pub name: String,
    /// The head to begin with: window, pendings.
    pub head: LaneState,
    /// The records to begin with: messages, tasks.
    pub records: Vec<Record>,
}

/// The virtual tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackerWorld {
    /// Its one project's key.
    pub project: String,
    /// Fields an issue must have: names of parts (`title`, `labels`, …). The tracker's own `summary` and `description`
    /// are the title and the body.
    pub required: Vec<String>,
    /// The types it offers; empty means all.
    pub types: Vec<String>,
    /// The only values it takes, by part.
    pub values: BTreeMap<String, Vec<String>>,
    /// Who may `browse`, `create`, `edit` and `link`; whoever is not said may.
    pub may: BTreeMap<String, Vec<String>>,
    /// How stories are put under their epic: `parent`, `epic_link` or `subtask`; `none` is not at all.
    pub child_link: Option<String>,
    /// How long a new issue stays out of what a search sees.
    pub lag: Millis,
    /// How requests fail, each entry used up by one request of its kind, in order.
    pub fail: Vec<Fault>,
    /// Whether a request made twice under one effect id is applied once. `false` promises nothing, as Jira: an unknown
    /// outcome of a create is then parked as uncertain.
    pub idempotent: bool,
}

/// One delivery of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The delivery key: the event's id, or what the driver derives it from. The same key is the same delivery.
    pub key: String,
    /// The lane's name.
    pub lane: String,
    /// Who acts: a key of [`World::people`]; empty for the host.
    pub actor: String,
    /// What the adapter saw of how a message was addressed.
    pub addressing: Addressing,
    /// What happened. Messages carry a channel id of their own (`message_id`); `reply_to` is an internal id, or a
    /// channel id when the message is unknown to us; presses carry the token of a rendering the driver reported.
    pub kind: EventKind,
}

/// How to end an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Settling {
    /// The lane's name.
    pub lane: String,
    /// The effect: its id, or its class, which means the newest of that class in the lane that is not terminal.
    pub effect: String,
    /// `done`, `failed`, `uncertain`.
    pub outcome: String,
    /// The key for `done`, the sentence for `failed` and `uncertain`. What is held (a model's answer, a host's)
    /// ends with `done` as it would have.
    pub text: Option<String>,
}

/// What was seen from one call until the world was idle again.
#[derive(Clone, Debug, Default)]
pub struct TurnSeen {
    /// Every turn committed, in the order of their commits: those of deliveries and those that followed (settled effects,
    /// due timers).
    pub turns: Vec<SeenTurn>,
    /// Keys of deliveries that intake answered as duplicates.
    pub duplicates: Vec<String>,
    /// Words that reached the channel: replies, questions, notifications; not cards, not notices.
    pub said: Vec<SeenMessage>,
    /// What reached one person privately.
    pub told: Vec<SeenNotice>,
    /// Every rendering of a card that reached the channel, first posts and updates, in order, tokens filled in.
    pub cards: Vec<SeenCard>,
    /// Outward effects that reached the world, by class: issues that exist now and did not before, calls that were made;
    /// not requests.
    pub outward: BTreeMap<String, u32>,
    /// Questions that reached the model.
    pub model_calls: u32,
    /// The prompts of those questions, as sent.
    pub prompts: Vec<String>,
    /// The host was killed at an armed fail point.
    pub killed: Option<String>,
}

/// One committed turn.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenTurn {
    /// The lane's name.
    pub lane: String,
    /// The key of the delivery it stepped; `None` for what followed.
    pub delivery: Option<String>,
    /// What was decided and why; its `explain()` is what a failure prints.
    pub summary: TurnSummary,
}

/// Words that reached the channel.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenMessage {
    /// The lane's name.
    pub lane: String,
    /// The internal id.
    pub message: MessageId,
    /// What it is, where the driver can tell.
    pub kind: Option<MessageKind>,
    /// The words, as the channel shows them.
    pub text: String,
}

/// Words that reached one person.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenNotice {
    /// The lane's name.
    pub lane: String,
    /// Whom.
    pub to: String,
    /// The words.
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
    /// The card's id.
    #[must_use]
    pub fn id(&self) -> &CardId {
        &self.card.id
    }
}

/// The `always` checkers (`spec 08 §1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checker {
    /// Every outward effect that reached the world names an approval that was consumed before it was sent.
    NoEffectWithoutApproval,
    /// The revisions of every lane are 1, 2, 3 … with one log row each.
    OneWriterPerLane,
    /// Every press, form and command led to a notice, a message or a changed card.
    PressNeverSilent,
}

impl Checker {
    /// All of them.
    pub const ALL: [Self; 3] =
        [Self::NoEffectWithoutApproval, Self::OneWriterPerLane, Self::PressNeverSilent];

    /// The name in a scenario.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NoEffectWithoutApproval => "no_effect_without_approval",
            Self::OneWriterPerLane => "one_writer_per_lane",
            Self::PressNeverSilent => "press_never_silent",
        }
    }

    /// The checker of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|checker| checker.word() == word)
    }
}

/// What a driver could not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverError(pub String);

impl DriverError {
    /// Something this version does not have.
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
    /// Adds what was seen later.
    pub fn merge(&mut self, later: Self) {
        self.turns.extend(later.turns);
        self.duplicates.extend(later.duplicates);
        self.said.extend(later.said);
        self.told.extend(later.told);
        self.cards.extend(later.cards);
        for (class, n) in later.outward {
            *self.outward.entry(class).or_default() += n;
        }
        self.model_calls += later.model_calls;
        self.prompts.extend(later.prompts);
        self.killed = later.killed.or(self.killed.take());
    }
}
