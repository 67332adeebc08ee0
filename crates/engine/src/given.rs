//! What a step is handed besides state and event. The runtime looks it up before the step and logs it
//! with the turn, so that a replay has it too.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::ask::Purposes;
use crate::erase::Person;
use crate::id::CardId;
use crate::lane::{LaneKey, Message, Record};
use crate::memory::FactSet;
use crate::time::Timestamp;
use crate::trace::TurnSummary;
use crate::workflow::Action;

/// Facts for one step (`spec 01`, first decision).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// The store's time, never before the event's `received_at`.
    pub now: Timestamp,
    /// Who acts, when somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// How far the actor's clock is ahead of UTC at the event's time, in seconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub offset_s: i32,
    /// What the adapter saw of how the message was addressed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub addressing: Addressing,
    /// The replied-to message, looked up in the lane's message map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Message>,
    /// What stands next to that message in its lane, where the lane has not loaded it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub beside: Neighbours,
    /// The newest messages that the lane's summary covers, oldest first, where the step makes it anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<Message>,
    /// The pressed button's stored record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub press: Option<PressTarget>,
    /// Records the event needs and the lane no longer loads: see [`crate::needs`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revived: Vec<Record>,
    /// The kill switch, when it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// What a model is configured for, and may be asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub model: Purposes,
    /// Where a person sees this lane, when its channel has such places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub here: Option<String>,
    /// Where a person sees the message that came, when its channel has places for single messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The facts of the channel and of the epics in reach, where the turn may need them: see [`crate::memory::wants`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactSet>,
    /// Whom the lane is to forget, with everything they said as far as it was kept. Never written down: it would be kept
    /// with the turn.
    #[serde(skip)]
    pub person: Option<Box<Person>>,
    /// The turn `/maro why` explains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turn: Option<TurnSummary>,
}

/// The messages next to one that is replied to (`spec 02 §4`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Neighbours {
    /// The one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Message>,
    /// The one after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Message>,
}

/// A person, resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Actor {
    /// The channel's user id.
    pub id: String,
    /// What to call them, without the at sign.
    pub name: String,
    /// What approver rules name: `user:ana`, `role:approver`, `group:pm`, the person's own first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub principals: Vec<String>,
    /// Why they may not approve by role or group: `guest` and `foreign` have to be listed one by one; anything else
    /// (`bot`, `deactivated`) never may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barred: Option<String>,
    /// The language they write in, as a BCP 47 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// Facts about how a message was addressed (`spec 07 §1`); rung 1 decides what they mean.
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
    /// We have spoken in this thread.
    #[serde(skip_serializing_if = "is_default")]
    pub thread_ours: bool,
    /// It begins by mentioning somebody else.
    #[serde(skip_serializing_if = "is_default")]
    pub to_other: bool,
    /// Another bot wrote it.
    #[serde(skip_serializing_if = "is_default")]
    pub bot: bool,
    /// We wrote it.
    #[serde(skip_serializing_if = "is_default")]
    pub own: bool,
}

/// What a button leads to (`spec 06 §5.5`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PressTarget {
    /// The lane the record belongs to: a press elsewhere is unknown.
    pub lane: LaneKey,
    /// The card.
    pub card: CardId,
    /// The version the button showed.
    pub version: u32,
    /// Which item of the card.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// What it does.
    pub action: Action,
    /// The stored approval is byte for byte what was shown. `false` when somebody changed it.
    #[serde(default = "intact")]
    pub intact: bool,
}

fn intact() -> bool {
    true
}

/// What a stored value leaves out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The kill switch (`spec 06 §5.7`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paused {
    /// Who switched.
    pub by: String,
    /// When.
    pub since: Timestamp,
    /// Model asks are stopped too.
    #[serde(default)]
    pub everything: bool,
}
