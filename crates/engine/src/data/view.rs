//! A person's state of the option lists in one lane (`docs/design/0021-option-lists.md`). The names of its
//! fields in JSON are part of the stored format.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::decision::Reason;
use crate::data::event::FocusChanged;
use crate::data::fingerprint::Fingerprint;
use crate::data::id::{EffectId, MessageId, SetId, TaskId};
use crate::data::permit::OptionIdentity;
use crate::data::scope::Scope;
use crate::data::time::Timestamp;

/// A person's state of the lists in one lane. Two people never share a view; one list of the lane has many.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct View {
    /// Its person; empty for the template that a new person starts from.
    pub user: String,
    /// The list that ordinary text is read against.
    pub active_option_set_id: Option<SetId>,
    /// The scope of that list; `None` without one.
    pub active_scope: Option<Scope>,
    /// The last executed action.
    pub last_resolved_action: Option<TraceEntry>,
    /// Past actions, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_action_trace: Vec<TraceEntry>,
    /// The option that was last executed with success.
    pub last_accepted_choice_id: Option<String>,
    /// The options that were executed with success, newest first and distinct.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_accepted_choice_ids: Vec<String>,
    /// Options of the active list that were rejected, newest first and distinct.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_rejected_choice_ids: Vec<String>,
    /// Kind of the last question that is not answered.
    pub pending_clarifier_type: ClarifierType,
    /// True if all options of the active list were rejected at once.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub all_rejected: bool,
    /// Counting turns so far: text messages of this person that this lane accepted.
    pub turn: u64,
    /// The standing of each list that is not gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub standings: Vec<ListState>,
    /// The panel that was acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latch: Option<PanelLatch>,
    /// The last question to a model, so that it is not repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<LoopGuard>,
    /// Unresolved turns in a row.
    #[serde(skip_serializing_if = "is_zero")]
    pub attempts: u8,
    /// The chosen options whose execution is on its way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<InFlight>,
    /// The newest choice, whether it has ended or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_choice: Option<LastChoice>,
    /// The list that the rejections are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected_of: Option<SetId>,
    /// The last question to the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarifier: Option<Clarifier>,
    /// A text that waits until the place it is meant for is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_question: Option<ScopeQuestion>,
    /// The open cycle of asking a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<ModelPick>,
    /// The person's focus, as the host last reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<FocusChanged>,
    /// Counting turn of the last plain "no".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<u64>,
    /// Messages that showed lists which are gone, newest last. A reply to one means the list that is there
    /// now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<MessageId>,
    /// Counting turn of the last "stop".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<u64>,
    /// Counting turn in which all options were rejected and the person was asked for what else they want; the
    /// next text is no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refined: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u8) -> bool {
    *n == 0
}

/// The kind of an action.
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

/// The outcome of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOutcome {
    /// It was done.
    Success,
    /// It was not done.
    Failed,
    /// It led to a question.
    Clarified,
}

/// The target of an action. Compared by id, never by label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRef {
    /// Its kind.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Its label at that time.
    pub label: String,
}

/// One action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceEntry {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// Its target.
    pub target_ref: TargetRef,
    /// The scope it came from.
    pub source_scope: Scope,
    /// The list it came from.
    pub option_set_id: Option<SetId>,
    /// Its moment.
    pub timestamp: Timestamp,
    /// Its outcome.
    pub outcome: ActionOutcome,
    /// The person's counting turn at that time.
    pub turn: u64,
    /// The option that was executed, if it was an option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<OptionIdentity>,
}

impl TraceEntry {
    /// True if what it executed is still that: an option of the list's present version that runs the same.
    pub(crate) fn still_is(&self, now: Option<&OptionIdentity>) -> bool {
        self.executed.as_ref().is_some_and(|executed| Some(executed) == now)
    }
}

/// The kind of a question of this lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClarifierType {
    /// Nothing is asked.
    #[default]
    None,
    /// The choice among several options.
    SelectionDisambiguation,
    /// The choice of a place.
    ScopeDisambiguation,
    /// A value, asked for by another rung.
    MissingSlot,
    /// A yes or no to one option.
    Confirmation,
    /// The option that is meant instead.
    Repair,
}

/// The state of a list for one person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListState {
    /// The list.
    pub set: SetId,
    /// Its status.
    pub status: ListStatus,
    /// The person's counting turn since which it has the status.
    pub turn: u64,
    /// Moment since which it has the status.
    pub at: Timestamp,
    /// Counting turn in which it was last shown, focused or latched; positions count from there.
    pub seen: u64,
}

/// The status of a list: it decides how ordinary texts are read against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListStatus {
    /// Every text is read against it.
    Active,
    /// Only exact readings count, because one of its options was just executed.
    Soft,
    /// No text is read against it until it is called back.
    Parked(ParkReason),
}

/// The reason that a list was parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParkReason {
    /// Another list took its place.
    Displaced,
    /// Somebody said stop.
    Stop,
    /// Something else was asked for.
    Interrupt,
    /// Too many questions about it in a row.
    Attempts,
}

/// The panel that a person acts in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelLatch {
    /// The panel.
    pub instance: String,
    /// True if the panel is known to be there; false if it was only just opened.
    pub resolved: bool,
    /// True if the chat was named since.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub suspended: bool,
    /// Counting turn since which it holds.
    pub turn: u64,
}

/// The last question to a model (`docs/design/0023-model-picks.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopGuard {
    /// Fingerprint of the text, the candidates and the list.
    pub key: Fingerprint,
    /// The option that the model suggested.
    pub suggested: Option<String>,
    /// The order of the options at that time.
    pub order: Vec<u8>,
    /// True if the model's pick was executed.
    pub executed: bool,
}

/// A chosen option whose execution has not settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlight {
    /// The task that waits for it.
    pub task: TaskId,
    /// The list it was chosen from.
    pub set: SetId,
    /// The option.
    pub option: String,
}

/// The list that a person chose from last. What was shown since is newer than the list, however late the choice ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastChoice {
    /// The list.
    pub set: SetId,
    /// Revision of the lane in which it was chosen from.
    pub revision: u64,
    /// Moment of the choice.
    pub at: Timestamp,
}

/// The last question to the person, so that it is not asked twice in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarifier {
    /// The message that asks.
    pub message: MessageId,
    /// The list it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetId>,
    /// The option it suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggests: Option<String>,
    /// True if the suggestion came from a model.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub by_model: bool,
    /// Fingerprint of the template, its arguments, the order and the buttons.
    pub print: Fingerprint,
    /// Counting turn in which it was asked.
    pub turn: u64,
    /// Moment at which it was asked: what was written before is no yes or no to it.
    #[serde(default)]
    pub at: Timestamp,
}

/// A text that waits until the place it is meant for is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeQuestion {
    /// The text without its words for a place.
    pub text: String,
    /// The places that were suggested.
    pub places: Vec<(Scope, Option<String>)>,
    /// The list of each place, and its version at that time; the text is put to no other.
    pub sets: Vec<Option<(SetId, u32)>>,
    /// Counting turn in which it was asked.
    pub turn: u64,
}

/// The cycle from an unresolved text to its outcome, while a model or the host is asked
/// (`docs/design/0023-model-picks.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelPick {
    /// Id: that of its first question.
    pub id: EffectId,
    /// The list.
    pub set: SetId,
    /// The text without its words for a place.
    pub text: String,
    /// True if the text names a place.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub cued: bool,
    /// The reason that a question to the person would have had.
    pub reason: Reason,
    /// The list's `exec_rev` at that time.
    pub exec_rev: u32,
    /// The options, by id, in frozen order.
    pub candidates: Vec<String>,
    /// The reference each of them ran when the model was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
    /// Options that the text resembles, the most similar first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// True if one of them is so similar that a model must not release the text.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub resembles: bool,
    /// Key of the guard against asking twice.
    pub key: Fingerprint,
    /// Fingerprint of the evidence as it was first sent.
    pub before: Fingerprint,
    /// Calls to the model so far.
    pub calls: u8,
    /// Look-ups of evidence so far.
    pub looks: u8,
    /// The effect that asks the host what the list holds now, while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetching: Option<EffectId>,
}

impl View {
    /// True if it holds nothing but its person and the turns counted.
    pub(crate) fn is_blank(&self) -> bool {
        self.standings.is_empty()
            && *self == Self { user: self.user.clone(), turn: self.turn, ..Self::default() }
    }

    /// Returns the standing of a list; `None` if the list is gone, or never was this person's.
    #[must_use]
    pub fn standing(&self, set: &SetId) -> Option<&ListState> {
        self.standings.iter().find(|standing| standing.set == *set)
    }

    /// True if an option of the active list was rejected.
    #[must_use]
    pub fn rejected(&self, option: &str) -> bool {
        self.all_rejected || self.recent_rejected_choice_ids.iter().any(|id| id == option)
    }

    /// True if an option of that list was rejected. Rejections of another list do not count.
    #[must_use]
    pub fn rejected_in(&self, set: &SetId, option: &str) -> bool {
        self.rejected_of.as_ref().or(self.active_option_set_id.as_ref()) == Some(set) && self.rejected(option)
    }

    /// True if something of counting turn `since` is still valid with a lifetime of `turns`: "2 turns" is
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
    fn an_empty_view_has_its_stored_field_names() {
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
