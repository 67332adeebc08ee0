//! What one person's lists in one lane have come to (`spec 04 §3`). The JSON names of the first part are those of the
//! product's own seed.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::Scope;
use super::print::Print;
use crate::decision::Reason;
use crate::event::FocusChanged;
use crate::id::{EffectId, MessageId, SetId, TaskId};
use crate::time::Timestamp;

/// One person's continuity state. Two people never share one: a list of the lane is one list and many views.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct View {
    /// Whose it is.
    pub user: String,
    /// The list that ordinary text is read against.
    pub active_option_set_id: Option<SetId>,
    /// Where that list is; `None` without one.
    pub active_scope: Option<Scope>,
    /// What was executed last.
    pub last_resolved_action: Option<TraceEntry>,
    /// What happened, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_action_trace: Vec<TraceEntry>,
    /// The option that was executed last, with success.
    pub last_accepted_choice_id: Option<String>,
    /// The same, newest first and distinct.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_accepted_choice_ids: Vec<String>,
    /// Options of the active list that were rejected, newest first and distinct.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_rejected_choice_ids: Vec<String>,
    /// What was asked last and is not answered.
    pub pending_clarifier_type: ClarifierType,
    /// All of the active list were rejected at once.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub all_rejected: bool,
    /// Counting turns so far: accepted text messages of this person in this lane.
    pub turn: u64,
    /// How each list stands, of those that are not gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub standings: Vec<Standing>,
    /// The panel that was acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latch: Option<Latch>,
    /// What a model was asked last, so that it is not asked again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// Unresolved turns in a row.
    #[serde(skip_serializing_if = "is_zero")]
    pub attempts: u8,
    /// The options whose execution is on its way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<InFlight>,
    /// The list they are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected_of: Option<SetId>,
    /// What was asked last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarifier: Option<Clarifier>,
    /// A text that waits for where it is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_question: Option<ScopeQuestion>,
    /// What a model is being asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// Where the person looks, as the host said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<FocusChanged>,
    /// In which counting turn a plain "no" was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<u64>,
    /// Messages that showed lists which are gone, the newest last: a reply to one means what is there now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<MessageId>,
    /// In which counting turn "stop" was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<u64>,
    /// In which counting turn all were rejected, and what else is wanted was asked: the next text is no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refined: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u8) -> bool {
    *n == 0
}

/// What kind of thing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// An option was chosen.
    SelectOption,
    /// A command ran.
    Command,
    /// A button of a card did it.
    WorkflowAction,
    /// A sub-agent was given it.
    Delegation,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOutcome {
    /// It was done.
    Success,
    /// It was not.
    Failed,
    /// It was asked about.
    Clarified,
}

/// What something was done to. Compared by id, never by what it is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRef {
    /// What it is.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What it was called then.
    pub label: String,
}

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceEntry {
    /// What kind of thing.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// To what.
    pub target_ref: TargetRef,
    /// Where.
    pub source_scope: Scope,
    /// From which list.
    pub option_set_id: Option<SetId>,
    /// When.
    pub timestamp: Timestamp,
    /// How it ended.
    pub outcome: ActionOutcome,
    /// In which of the person's counting turns.
    pub turn: u64,
}

/// What a question of this lane asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClarifierType {
    /// Nothing is asked.
    #[default]
    None,
    /// Which of them.
    SelectionDisambiguation,
    /// From where.
    ScopeDisambiguation,
    /// A value, by another rung.
    MissingSlot,
    /// Whether this one.
    Confirmation,
    /// Which instead.
    Repair,
}

/// How a list stands for one person (`spec 04 §2.4`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Which list.
    pub set: SetId,
    /// How it stands.
    pub status: Status,
    /// Since which of the person's counting turns.
    pub turn: u64,
    /// Since when.
    pub at: Timestamp,
    /// The counting turn in which it was last shown, focused or latched: positions count from there.
    pub seen: u64,
}

/// What ordinary text does with a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is read against it.
    Active,
    /// Only exact readings are: one of it was just executed.
    Soft,
    /// It is not: it has to be called back.
    Parked(Parked),
}

/// Why a list was put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parked {
    /// Another list took its place.
    Displaced,
    /// Somebody said stop.
    Stop,
    /// Something else was asked for.
    Interrupt,
    /// It was asked about three times.
    Attempts,
}

/// The panel a person acts in (`spec 04 §4`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latch {
    /// Which panel.
    pub instance: String,
    /// Whether it is known to be there; else it was only just opened.
    pub resolved: bool,
    /// The chat was named since.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub suspended: bool,
    /// Since which counting turn.
    pub turn: u64,
}

/// What a model was asked last (`spec 04 §12.1`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// The text, the candidates and the list.
    pub key: Print,
    /// What it suggested.
    pub suggested: Option<String>,
    /// How the options were ordered then.
    pub order: Vec<u8>,
    /// Whether its pick was executed.
    pub executed: bool,
}

/// An option that was chosen and has not settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlight {
    /// The task that waits for it.
    pub task: TaskId,
    /// From which list.
    pub set: SetId,
    /// Which option.
    pub option: String,
}

/// What was asked last, so that the same is not asked twice in a row (`spec 04 §14`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarifier {
    /// The message that asks.
    pub message: MessageId,
    /// Which list it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetId>,
    /// The option it suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggests: Option<String>,
    /// Whether that came from a model.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub by_model: bool,
    /// Template, arguments, order and buttons.
    pub print: Print,
    /// In which counting turn.
    pub turn: u64,
}

/// A text that waits for where it is meant (`spec 04 §8.6`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeQuestion {
    /// The text without what says where.
    pub text: String,
    /// The places that were suggested.
    pub places: Vec<(Scope, Option<String>)>,
    /// The list of each, as it was: a text is put to no other.
    pub sets: Vec<Option<(SetId, u32)>>,
    /// In which counting turn it was asked.
    pub turn: u64,
}

/// From an unresolved text to what becomes of it, while a model or the host is asked (`spec 04 §12`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// Its name: the id of its first question.
    pub id: EffectId,
    /// Which list.
    pub set: SetId,
    /// The text that is read, without what says where.
    pub text: String,
    /// Whether it says where.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub cued: bool,
    /// What the question would have been asked for.
    pub reason: Reason,
    /// What would have been executed then.
    pub exec_rev: u32,
    /// The options, by id, in frozen order.
    pub candidates: Vec<String>,
    /// Those the text resembles, the most alike first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// Whether one of them is so alike that a model does not release the text.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub resembles: bool,
    /// The loop guard's key.
    pub key: Print,
    /// The evidence as it was first sent.
    pub before: Print,
    /// Calls so far.
    pub calls: u8,
    /// Looks so far.
    pub looks: u8,
    /// The host is being asked what the list holds now, by this effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetching: Option<EffectId>,
}

impl View {
    /// Whether it holds nothing but whose it is and how many turns were counted.
    pub(crate) fn says_nothing(&self) -> bool {
        self.standings.is_empty()
            && *self == Self { user: self.user.clone(), turn: self.turn, ..Self::default() }
    }

    /// How a list stands; nothing when it is gone, or never was this person's.
    #[must_use]
    pub fn standing(&self, set: &SetId) -> Option<&Standing> {
        self.standings.iter().find(|standing| standing.set == *set)
    }

    /// Whether an option of the active list was rejected.
    #[must_use]
    pub fn rejected(&self, option: &str) -> bool {
        self.all_rejected || self.recent_rejected_choice_ids.iter().any(|id| id == option)
    }

    /// Whether an option of that list was rejected: what was said of another list is not about it.
    #[must_use]
    pub fn rejected_in(&self, set: &SetId, option: &str) -> bool {
        self.active_option_set_id.as_ref() == Some(set) && self.rejected(option)
    }

    /// Whether something of that counting turn is still there, with a lifetime of so many (`spec 04 §5`): "2 turns" is
    /// usable in the next two.
    #[must_use]
    pub fn within(&self, since: u64, turns: u64) -> bool {
        self.turn.saturating_sub(since) <= turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_view_has_the_names_of_the_seed() {
        let empty = serde_json::to_value(View::default()).unwrap();
        for name in ["activeOptionSetId", "activeScope", "lastResolvedAction", "lastAcceptedChoiceId"] {
            assert!(empty[name].is_null() && empty.get(name).is_some(), "{name}");
        }
        assert_eq!(empty["pendingClarifierType"], "none");
    }

    #[test]
    fn two_turns_are_the_next_two() {
        let view = |turn| View { turn, ..View::default() };
        assert!(view(7).within(5, 2) && !view(8).within(5, 2));
    }
}
