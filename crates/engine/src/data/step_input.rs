//! Input of a step beside state and event. The runtime looks it up before the step and logs it with the turn,
//! so that a replay has the same input (`docs/design/0001-no-ports-in-the-engine.md`).

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::action::Action;
use crate::data::actor::Actor;
use crate::data::data_subject::DataSubject;
use crate::data::fact::FactSet;
use crate::data::id::{CardId, EffectId};
use crate::data::lane_key::LaneKey;
use crate::data::message::Message;
use crate::data::purpose::Purposes;
use crate::data::record::Record;
use crate::data::time::Timestamp;
use crate::data::trace::TurnSummary;

/// Looked-up input of one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepInput {
    /// Time of the store, never before the event's `received_at`.
    pub now: Timestamp,
    /// Person who acts; `None` for events without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// True if people are answered in their own language. False in the logs of versions before 0.2, which answered in English
    /// alone: a replay says the same.
    #[serde(default, skip_serializing_if = "is_default")]
    pub multilingual: bool,
    /// Offset of the person's clock from UTC at the time of the event, in seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub offset_s: i32,
    /// Signs of who a message is addressed to, as the adapter saw them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub addressing: Addressing,
    /// Message that was replied to, from the lane's message map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Message>,
    /// Messages next to that one in its lane, if the lane has not loaded them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub beside: Neighbours,
    /// Newest messages that the lane's summary covers, oldest first, if the step renews the summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<Message>,
    /// Stored record of the pressed button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub press: Option<PressTarget>,
    /// Records that the event needs and the lane no longer loads: those of [`crate::needs`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revived: Vec<Record>,
    /// Kill switch, if it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// Standing in the outbox of the effects that [`crate::effects_told`] names, and of every other that an approval of this
    /// lane released and that has not ended: cards that left the window are not loaded. `None` if the event asks for none, or if a
    /// version before 0.2 decided it: that one knew only what the lane's records say, and a replay says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<EffectStanding>>,
    /// Cards of this lane whose approvals are pending in the store, oldest first, if the event's answer tells the state: an
    /// open card that left the window still takes a press.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<CardId>,
    /// Purposes for which a model is configured and may be asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub model: Purposes,
    /// Moment at which lines are made of older messages that no model condenses.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lines: SummaryLines,
    /// Web address of this lane, if its channel has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub here: Option<String>,
    /// Web address of the message, if its channel has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Facts of the channel and of the epics in reach, if the turn may need them: those of
    /// [`crate::memory::fact_needs`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactSet>,
    /// Person to forget, with all their stored words. It is never serialised, because it would be kept with
    /// the turn.
    #[serde(skip)]
    pub person: Option<Box<DataSubject>>,
    /// Turn that `/maro why` and "why did you do that?" explain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turn: Option<TurnSummary>,
}

impl StepInput {
    /// Returns true if the effect was handed to its far side, so that nothing here can keep it from happening.
    pub(crate) fn was_sent(&self, effect: &EffectId) -> bool {
        self.effects.iter().flatten().any(|standing| standing.effect == *effect && standing.sent)
    }

    /// Returns the released effects with this standing.
    pub(crate) fn released(&self, stands: ReleasedStanding) -> impl Iterator<Item = &EffectId> {
        let all = self.effects.iter().flatten();
        all.filter(move |standing| standing.released == Some(stands)).map(|standing| &standing.effect)
    }
}

/// Moment at which lines are made of older messages that no model condenses (`docs/design/0026-summaries.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryLines {
    /// In the turn that folds the messages, as in logs that name no moment.
    #[default]
    AtOnce,
    /// At the time somebody reads them: nothing that works here is shown a lane.
    WhenRead,
}

/// Standing of an effect in the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectStanding {
    /// Effect.
    pub effect: EffectId,
    /// True if an attempt was marked: it may have been sent, and has no outcome in the lane yet.
    pub sent: bool,
    /// Standing of one that an approval released and that has not ended; `None` of any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<ReleasedStanding>,
}

/// Standing of a released effect that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReleasedStanding {
    /// Its outcome is awaited.
    Awaited,
    /// Nobody knows whether it happened.
    Unknown,
}

/// Messages next to one that is replied to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Neighbours {
    /// Message before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Message>,
    /// Message after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Message>,
}

/// Signs of who a message is addressed to. The first rung of routing judges them
/// (`docs/design/0012-routing-order.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Addressing {
    /// It mentions us.
    #[serde(skip_serializing_if = "is_default")]
    pub mentioned: bool,
    /// Nobody else is there: a direct message, a web session, a terminal.
    #[serde(skip_serializing_if = "is_default")]
    pub direct: bool,
    /// It replies to a message of ours.
    #[serde(skip_serializing_if = "is_default")]
    pub reply_to_us: bool,
    /// We have written in this thread before.
    #[serde(skip_serializing_if = "is_default")]
    pub thread_ours: bool,
    /// It begins by mentioning somebody else.
    #[serde(skip_serializing_if = "is_default")]
    pub to_other: bool,
    /// Its host says that it is not meant for us.
    #[serde(skip_serializing_if = "is_default")]
    pub not_to_us: bool,
    /// Another bot wrote it.
    #[serde(skip_serializing_if = "is_default")]
    pub bot: bool,
    /// We wrote it.
    #[serde(skip_serializing_if = "is_default")]
    pub own: bool,
    /// The channel lets nobody but its author edit or delete a message, so the event needs no other proof.
    #[serde(skip_serializing_if = "is_default")]
    pub vouched: bool,
}

impl Addressing {
    /// Returns true for a message that is for us to answer.
    #[must_use]
    pub fn to_us(&self) -> bool {
        let named = self.direct || self.mentioned || self.reply_to_us;
        !self.not_to_us && (named || (self.thread_ours && !self.to_other))
    }
}

/// Target of a button: the stored record its token leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PressTarget {
    /// Lane of the record. A press in another lane is refused as unknown.
    pub lane: LaneKey,
    /// Card.
    pub card: CardId,
    /// Version that the button showed.
    pub version: u32,
    /// Item of the card; empty for the card itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// Action of the button.
    pub action: Action,
    /// True if the stored approval is byte for byte the one that was shown. False if it was changed.
    #[serde(default = "intact")]
    pub intact: bool,
    /// SHA-256 of the payload that the stored approval of this version shows, in hexadecimal. `None` if it has none,
    /// and in the logs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
}

fn intact() -> bool {
    true
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// State of the kill switch (`docs/design/0032-approvals.md`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paused {
    /// Person who switched it on.
    pub by: String,
    /// Time it was switched on.
    pub since: Timestamp,
    /// True if questions to models are stopped too.
    #[serde(default)]
    pub everything: bool,
}
