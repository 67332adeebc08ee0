//! One person's view of the lists in a lane, and what was done from them (`docs/design/0021-option-lists.md`).

use serde::{Deserialize, Serialize};
use throughline_engine::data::scope::Scope;
use throughline_engine::data::view;
use utoipa::ToSchema;

use super::lane::word;
use super::option::Standing;

/// One person's view of the lists in a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// User; empty for everybody who has not written yet.
    pub user: String,
    /// Id of the list that ordinary text is read against.
    pub active_option_set_id: Option<String>,
    /// Place of that list: `chat`, `widget`, `dashboard`, `workspace`, `none`.
    pub active_scope: String,
    /// Last action that was executed.
    pub last_resolved_action: Option<TraceEntry>,
    /// Actions, newest first.
    pub recent_action_trace: Vec<TraceEntry>,
    /// Id of the option last executed with success.
    pub last_accepted_choice_id: Option<String>,
    /// Ids of the options executed with success, newest first.
    pub recent_accepted_choice_ids: Vec<String>,
    /// Ids of rejected options of the active list, newest first.
    pub recent_rejected_choice_ids: Vec<String>,
    /// Last question: `none`, `selection_disambiguation`, `scope_disambiguation`, `missing_slot`, `confirmation`,
    /// `repair`.
    pub pending_clarifier_type: String,
    /// Standings of the lists.
    pub standings: Vec<SetStanding>,
}

/// Standing of one list for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SetStanding {
    /// Id of the list.
    pub set: String,
    /// Standing.
    #[serde(flatten)]
    pub standing: Standing,
}

/// Action in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceEntry {
    /// Kind: `select_option`, `command`, `workflow_action`, `delegation`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Target of the action.
    pub target_ref: TargetRef,
    /// Kind of place it came from.
    pub source_scope: String,
    /// Id of the list it came from.
    pub option_set_id: Option<String>,
    /// Time.
    #[schema(format = DateTime)]
    pub timestamp: String,
    /// Outcome: `success`, `failed`, `clarified`.
    pub outcome: String,
}

/// Target of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetRef {
    /// Kind of target.
    pub kind: String,
    /// Id.
    pub id: String,
    /// Label at the time of the action.
    pub label: String,
}

impl From<&view::TraceEntry> for TraceEntry {
    fn from(entry: &view::TraceEntry) -> Self {
        let view::TargetRef { kind, id, label } = entry.target_ref.clone();
        Self {
            kind: word(&entry.kind),
            target_ref: TargetRef { kind, id, label },
            source_scope: entry.source_scope.as_str().into(),
            option_set_id: entry.option_set_id.as_ref().map(|id| id.0.clone()),
            timestamp: entry.timestamp.rfc3339(),
            outcome: word(&entry.outcome),
        }
    }
}

impl From<&view::View> for View {
    fn from(view: &view::View) -> Self {
        let standings = view.standings.iter();
        Self {
            user: view.user.clone(),
            active_option_set_id: view.active_option_set_id.as_ref().map(|id| id.0.clone()),
            active_scope: view.active_scope.map_or("none", Scope::as_str).into(),
            last_resolved_action: view.last_resolved_action.as_ref().map(TraceEntry::from),
            recent_action_trace: view.recent_action_trace.iter().map(TraceEntry::from).collect(),
            last_accepted_choice_id: view.last_accepted_choice_id.clone(),
            recent_accepted_choice_ids: view.recent_accepted_choice_ids.clone(),
            recent_rejected_choice_ids: view.recent_rejected_choice_ids.clone(),
            pending_clarifier_type: word(&view.pending_clarifier_type),
            standings: standings
                .map(|one| SetStanding { set: one.set.0.clone(), standing: Some(one).into() })
                .collect(),
        }
    }
}
