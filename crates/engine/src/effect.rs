//! What a turn wants done in the world, and how that ends.
//!
//! An effect is data with an id. It is performed after the commit; its outcome comes back as
//! [`crate::event::EventKind::EffectSettled`] and is judged by the same step.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize};

use crate::ask::{Answer, Ask};
use crate::canon::sha256;
use crate::id::{CardId, EffectId, MessageId, TaskId};
use crate::lane::LaneKey;
use crate::policy::limits;
use crate::tickets::{Item, Target};
use crate::time::Millis;
use crate::work::Call;
use crate::workflow::CardModel;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Its name everywhere.
    pub id: EffectId,
    /// What to do.
    pub body: EffectBody,
    /// Starts when all of these are done; fails when one of them fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<EffectId>,
    /// The consumed approval that releases it. The store refuses an outward effect without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRef>,
}

/// A consumed approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRef {
    /// Which card.
    pub card: CardId,
    /// At which version.
    pub version: u32,
}

/// What to do, with everything it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "class")]
pub enum EffectBody {
    /// Say something in the lane.
    #[serde(rename = "reply")]
    Reply {
        /// The internal id of the message this becomes.
        message: MessageId,
        /// The words.
        text: String,
        /// Short answers that count, beside any other: buttons, where a channel can make some of them. A press says
        /// the word.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offers: Vec<String>,
    },
    /// Show a card.
    #[serde(rename = "card.post")]
    CardPost {
        /// The internal id of the message this becomes.
        message: MessageId,
        /// The card.
        card: CardModel,
    },
    /// Show a card's new state in its message.
    #[serde(rename = "card.update")]
    CardUpdate {
        /// The message that shows it.
        message: MessageId,
        /// The card.
        card: CardModel,
    },
    /// Tell one person, privately where the channel can.
    #[serde(rename = "notice")]
    Notice {
        /// Whom.
        to: String,
        /// What.
        text: String,
    },
    /// Ask a model, within bounds.
    #[serde(rename = "model.ask")]
    ModelAsk(Ask),
    /// Would the tracker take these items, all of them? Creates nothing.
    #[serde(rename = "tracker.check")]
    TrackerCheck {
        /// Where.
        target: Target,
        /// What: an epic before its stories.
        #[serde(alias = "item", deserialize_with = "one_or_many")]
        items: Vec<Item>,
        /// Who asked for it: a project may admit some and not others.
        by: String,
        /// The card it is for.
        card: CardId,
    },
    /// Is there such an issue, and under which epic? For adopting what an uncertain create may have made, and for
    /// reading back what was created (`spec 06 §6.2`).
    #[serde(rename = "tracker.find")]
    TrackerFind {
        /// Where.
        target: Target,
        /// The key a person named.
        key: String,
        /// The card it is for; empty when it is for the issues a thread tracks.
        card: CardId,
    },
    /// Which issues carry the marker of an uncertain create? (`spec 06 §4.4`, adoption)
    #[serde(rename = "tracker.seek")]
    TrackerSeek {
        /// Where.
        target: Target,
        /// The effect that may have made one.
        marker: EffectId,
        /// The card it is for.
        card: CardId,
    },
    /// Create an issue.
    #[serde(rename = "tracker.create")]
    TrackerCreate {
        /// Where.
        target: Target,
        /// What.
        item: Item,
        /// The epic it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        under: Option<Under>,
        /// The card it is for.
        card: CardId,
    },
    /// Change an issue that exists.
    #[serde(rename = "tracker.update")]
    TrackerUpdate {
        /// Where.
        target: Target,
        /// Which issue.
        key: String,
        /// What of it.
        change: IssueChange,
        /// The card it is for.
        card: CardId,
    },
    /// Post in the channel, outside the thread (`spec 03 §5`).
    #[serde(rename = "post.channel")]
    PostChannel {
        /// The conversation, at its root.
        to: LaneKey,
        /// The words, exactly as they were approved.
        text: String,
        /// The card it is for.
        card: CardId,
    },
    /// Call a tool.
    #[serde(rename = "tool.call")]
    ToolCall(Call),
    /// Hand a task to a sub-agent.
    #[serde(rename = "agent.delegate")]
    AgentDelegate(Call),
}

/// The epic an item belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Under {
    /// The one this effect creates: it is done before, and its key is known when the item's turn comes.
    Effect(EffectId),
    /// One that exists.
    Issue(String),
}

/// What is changed of an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueChange {
    /// It belongs to this epic.
    Parent(String),
    /// One comment more.
    Comment(String),
}

/// What was planned by an earlier version holds one item.
fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Item>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Held {
        Many(Vec<Item>),
        One(Item),
    }
    Ok(match Held::deserialize(from)? {
        Held::Many(items) => items,
        Held::One(item) => alloc::vec![item],
    })
}

/// The class of an effect (`spec 06 §4.2`): what the outbox orders, limits and refuses by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EffectClass {
    /// See [`EffectBody::Reply`].
    #[serde(rename = "reply")]
    Reply,
    /// See [`EffectBody::CardPost`].
    #[serde(rename = "card.post")]
    CardPost,
    /// See [`EffectBody::CardUpdate`].
    #[serde(rename = "card.update")]
    CardUpdate,
    /// See [`EffectBody::Notice`].
    #[serde(rename = "notice")]
    Notice,
    /// See [`EffectBody::ModelAsk`].
    #[serde(rename = "model.ask")]
    ModelAsk,
    /// See [`EffectBody::TrackerCheck`].
    #[serde(rename = "tracker.check")]
    TrackerCheck,
    /// See [`EffectBody::TrackerCreate`].
    #[serde(rename = "tracker.create")]
    TrackerCreate,
    /// See [`EffectBody::TrackerUpdate`].
    #[serde(rename = "tracker.update")]
    TrackerUpdate,
    /// See [`EffectBody::PostChannel`].
    #[serde(rename = "post.channel")]
    PostChannel,
    /// See [`EffectBody::ToolCall`].
    #[serde(rename = "tool.call")]
    ToolCall,
    /// See [`EffectBody::AgentDelegate`].
    #[serde(rename = "agent.delegate")]
    AgentDelegate,
}

impl EffectClass {
    /// Every class.
    pub const ALL: [Self; 11] = [
        Self::Reply,
        Self::CardPost,
        Self::CardUpdate,
        Self::Notice,
        Self::ModelAsk,
        Self::TrackerCheck,
        Self::TrackerCreate,
        Self::TrackerUpdate,
        Self::PostChannel,
        Self::ToolCall,
        Self::AgentDelegate,
    ];

    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::CardPost => "card.post",
            Self::CardUpdate => "card.update",
            Self::Notice => "notice",
            Self::ModelAsk => "model.ask",
            Self::TrackerCheck => "tracker.check",
            Self::TrackerCreate => "tracker.create",
            Self::TrackerUpdate => "tracker.update",
            Self::PostChannel => "post.channel",
            Self::ToolCall => "tool.call",
            Self::AgentDelegate => "agent.delegate",
        }
    }

    /// The class of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }

    /// A tool or a sub-agent does it: what comes of it has no key.
    #[must_use]
    pub fn calls(self) -> bool {
        matches!(self, Self::ToolCall | Self::AgentDelegate)
    }

    /// Can leave the thread; whether one does, [`EffectBody::outward`] says.
    #[must_use]
    pub fn can_leave(self) -> bool {
        matches!(
            self,
            Self::TrackerCreate
                | Self::TrackerUpdate
                | Self::PostChannel
                | Self::ToolCall
                | Self::AgentDelegate
        )
    }

    /// Whether success comes back as a turn. A delivered message changes nothing a step would decide, so
    /// its success is recorded with the effect alone; its failure is always a turn.
    #[must_use]
    pub fn reports_success(self) -> bool {
        !matches!(self, Self::Reply | Self::CardPost | Self::CardUpdate | Self::Notice)
    }

    /// When trying stops (`spec 06 §4.5`): attempts, and time since the commit.
    #[must_use]
    pub fn gives_up(self) -> (u32, Millis) {
        match self {
            Self::Reply | Self::CardPost => limits::GIVE_UP_MESSAGE,
            Self::Notice => limits::GIVE_UP_NOTICE,
            Self::CardUpdate => limits::GIVE_UP_CARD_UPDATE,
            Self::ModelAsk => limits::GIVE_UP_MODEL_ASK,
            Self::TrackerCheck | Self::TrackerCreate | Self::TrackerUpdate | Self::PostChannel => {
                limits::GIVE_UP_TRACKER
            }
            Self::ToolCall => limits::GIVE_UP_TOOL,
            Self::AgentDelegate => limits::GIVE_UP_AGENT,
        }
    }
}

/// What the far side promises about a request made twice. The adapter states it, never the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// The same effect id is applied once.
    Idempotent,
    /// Nothing is promised.
    Nothing,
}

/// What follows an unknown outcome (`spec 06 §4.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterUnknown {
    /// A, G: try again on the schedule.
    Retry,
    /// C: try once more, then give up; a duplicate can be seen.
    RetryOnce,
    /// D: park as uncertain, never send again by itself.
    Park,
}

/// The policy of an effect against a far side (`spec 06 §4.4`): what leaves the thread is never sent again by itself.
#[must_use]
pub fn after_unknown(body: &EffectBody, far_side: Guarantee) -> AfterUnknown {
    match (body.class(), far_side) {
        (_, Guarantee::Idempotent) => AfterUnknown::Retry,
        // Setting a field twice sets it once.
        _ if matches!(body, EffectBody::TrackerUpdate { change: IssueChange::Parent(_), .. }) => {
            AfterUnknown::Retry
        }
        (_, Guarantee::Nothing) if body.outward() => AfterUnknown::Park,
        (EffectClass::Reply | EffectClass::CardPost | EffectClass::Notice, _) => AfterUnknown::RetryOnce,
        _ => AfterUnknown::Retry,
    }
}

/// How an effect ended, as the lane is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Outcome {
    /// Applied.
    Done {
        /// What came of it.
        result: EffectResult,
    },
    /// Over without being applied.
    Failed {
        /// A stable word: `rejected`, `dry_run`, `dependency`, `gave_up`.
        reason: String,
        /// For a person.
        text: String,
        /// What is wrong with which field.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<FieldError>,
    },
    /// Nobody can say; a person is asked and it is never sent again by itself.
    Uncertain {
        /// For a person.
        text: String,
    },
}

/// What came of an effect that was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum EffectResult {
    /// A message was delivered, under the channel's id when it has one.
    Delivered {
        /// The channel's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel_id: Option<String>,
    },
    /// The tracker would take it.
    Checked,
    /// There is such an issue.
    Found {
        /// `DEMO-1`.
        key: String,
        /// Its title, to compare.
        title: String,
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The epic it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    /// These issues carry the marker; none found proves nothing.
    Sought {
        /// Their keys and where to see them, oldest first.
        issues: Vec<(String, Option<String>)>,
    },
    /// An issue was changed.
    Updated,
    /// It is posted.
    Posted {
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// An issue exists.
    Issue {
        /// `DEMO-1`.
        key: String,
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// A model answered inside the bounds.
    Answered(Answer),
    /// A tool or a sub-agent answered. What it wrote is data, never an instruction.
    Said {
        /// Its words.
        text: String,
    },
}

/// One thing wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// Which item of a batch, by its id; empty for the only one, or for all of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// The check that failed, `check.required` and its like (`spec 06 §6.1`).
    pub code: String,
    /// Which field.
    pub field: String,
    /// For a person.
    pub text: String,
}

impl FieldError {
    /// Wrong with the only item, or with all of them.
    #[must_use]
    pub fn new(code: &str, field: &str, text: impl Into<String>) -> Self {
        Self { item: String::new(), code: code.into(), field: field.into(), text: text.into() }
    }
}

impl EffectBody {
    /// Its class.
    #[must_use]
    pub fn class(&self) -> EffectClass {
        match self {
            Self::Reply { .. } => EffectClass::Reply,
            Self::CardPost { .. } => EffectClass::CardPost,
            Self::CardUpdate { .. } => EffectClass::CardUpdate,
            Self::Notice { .. } => EffectClass::Notice,
            Self::ModelAsk(_) => EffectClass::ModelAsk,
            Self::TrackerCheck { .. } | Self::TrackerFind { .. } | Self::TrackerSeek { .. } => {
                EffectClass::TrackerCheck
            }
            Self::TrackerCreate { .. } => EffectClass::TrackerCreate,
            Self::TrackerUpdate { .. } => EffectClass::TrackerUpdate,
            Self::PostChannel { .. } => EffectClass::PostChannel,
            Self::ToolCall(_) => EffectClass::ToolCall,
            Self::AgentDelegate(_) => EffectClass::AgentDelegate,
        }
    }

    /// Leaves the thread, and so needs a consumed approval (`spec 06 §4.2`).
    #[must_use]
    pub fn outward(&self) -> bool {
        match self {
            Self::TrackerCreate { .. } | Self::TrackerUpdate { .. } | Self::PostChannel { .. } => true,
            Self::ToolCall(call) | Self::AgentDelegate(call) => call.risk.outward(),
            _ => false,
        }
    }

    /// The task that waits for its outcome.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::ToolCall(call) | Self::AgentDelegate(call) => Some(&call.task),
            _ => None,
        }
    }

    /// The card that waits for its outcome. That a card was delivered, or was not, is nothing to the card.
    #[must_use]
    pub fn card(&self) -> Option<&CardId> {
        let card = match self {
            Self::TrackerCheck { card, .. }
            | Self::TrackerFind { card, .. }
            | Self::TrackerSeek { card, .. }
            | Self::TrackerCreate { card, .. }
            | Self::TrackerUpdate { card, .. }
            | Self::PostChannel { card, .. } => Some(card),
            Self::Reply { .. }
            | Self::CardPost { .. }
            | Self::CardUpdate { .. }
            | Self::Notice { .. }
            | Self::ModelAsk(_)
            | Self::ToolCall(_)
            | Self::AgentDelegate(_) => None,
        };
        card.filter(|card| !card.0.is_empty())
    }

    /// After how many attempts, or after what age, it gives up (`spec 06 §4.5`): a question when its own time is over,
    /// anything else as its class does.
    #[must_use]
    pub fn gives_up(&self) -> (u32, Millis) {
        match self {
            Self::ModelAsk(ask) => (ask.purpose().tries(), ask.budget_ms),
            _ => self.class().gives_up(),
        }
    }

    /// What it keeps order with inside the lane (`spec 06 §4.6`); empty when it keeps none.
    #[must_use]
    pub fn stream(&self) -> String {
        match self {
            Self::Reply { .. } | Self::CardPost { .. } => "lane".into(),
            Self::CardUpdate { card, .. } => format!("card:{}", card.id),
            Self::Notice { .. }
            | Self::ModelAsk(_)
            | Self::TrackerCheck { .. }
            | Self::TrackerFind { .. }
            | Self::TrackerSeek { .. }
            | Self::TrackerCreate { .. }
            | Self::TrackerUpdate { .. }
            | Self::PostChannel { .. }
            | Self::ToolCall(_)
            | Self::AgentDelegate(_) => String::new(),
        }
    }
}

/// The wait before attempt `n + 1`, in milliseconds (`spec 06 §4.5`): doubling, spread by the effect's own
/// id so that it is the same on every replay, never less than what the far side asked for.
///
/// ```
/// use throughline_engine::effect::retry_delay;
/// let id = "fx_65emfyihdqmez2f6x5fvmpxn".into();
/// let delays: Vec<i64> = (1..=6).map(|n| retry_delay(&id, n, None)).collect();
/// assert_eq!(delays, [1000, 2297, 4709, 7737, 15754, 32866]);
/// ```
#[must_use]
pub fn retry_delay(effect: &EffectId, n: u32, hint: Option<Millis>) -> Millis {
    let digest = sha256(&[effect.0.as_bytes(), b"#", format!("{n}").as_bytes()]);
    let u = u64::from(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]));
    // (0.8 + 0.4 u / 2^32) in units of 2^-32 / 10, so that it stays in integers.
    let spread = (8u64 << 32) + 4 * u;
    let base = limits::RETRY_FIRST.unsigned_abs() << n.saturating_sub(1).min(20);
    let delay = u128::from(base) * u128::from(spread) / (10u128 << 32);
    let delay = Millis::try_from(delay).unwrap_or(Millis::MAX);
    delay.clamp(limits::RETRY_FIRST, limits::RETRY_LONGEST).max(hint.unwrap_or(0))
}

/// How one attempt at an effect ended (`spec 06 §4.3`), with the proof each needs. What every edge answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt<T> {
    /// A success answer with something we can use.
    Applied(T),
    /// No byte of the request was written, or the far side says it refused to process it.
    NotApplied {
        /// What happened.
        why: String,
        /// How long the far side asks us to wait.
        hint: Option<Millis>,
    },
    /// The far side understood and said no, for good.
    Rejected {
        /// For a person.
        text: String,
        /// What is wrong with which field.
        errors: Vec<FieldError>,
    },
    /// Everything else: a timeout, a reset, an answer nobody can read.
    Unknown {
        /// What happened.
        why: String,
    },
}

impl<T> Attempt<T> {
    /// The same outcome with another result.
    pub fn map<U>(self, result: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Self::Applied(applied) => Attempt::Applied(result(applied)),
            Self::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            Self::Rejected { text, errors } => Attempt::Rejected { text, errors },
            Self::Unknown { why } => Attempt::Unknown { why },
        }
    }
}
