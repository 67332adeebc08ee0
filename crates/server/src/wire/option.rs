//! Lists of options: as a host shows, closes and looks at them, as they stand, and what a turn chose (`spec 04`). A test
//! keeps the first part and what the API channel reads alike.

use serde::{Deserialize, Serialize};
use throughline_channels::api::{MetadataRequest, OptionRequest};
use throughline_engine::selection::{self, Metadata, SetOption, Status};
use utoipa::ToSchema;

use super::lane::word;

/// A list of options a host shows somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownBody {
    /// `chat`, `widget`, `dashboard` or `workspace`.
    #[schema(example = "widget")]
    pub scope: String,
    /// The concrete chat, panel, dashboard or workspace: an id of yours.
    #[schema(example = "recent")]
    pub scope_instance: String,
    /// What people call that place: “open the second one from recent”.
    #[schema(example = "Recent")]
    pub title: Option<String>,
    /// `lane` or `user`; when it is left out, whether a user is named says it.
    pub audience: Option<String>,
    /// Whose list it is; nobody named is everybody's in the lane.
    pub user: Option<String>,
    /// 1 to 50 options, in an order that stays when they are displayed in another.
    #[schema(min_items = 1, max_items = 50)]
    pub options: Vec<OptionBody>,
    /// You can be asked what the list holds now, by an effect `evidence.fetch`.
    pub refreshable: Option<bool>,
    /// Your id of the message that shows it: a reply to that message means this list in this order.
    pub message_id: Option<String>,
    /// Option ids in the order they are displayed; without it all of them, as they stand in `options`.
    pub displayed: Option<Vec<String>>,
    /// The option that has the focus.
    pub focused_option: Option<String>,
}

/// One option of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionBody {
    /// Its id in the list: 1 to 128 bytes.
    #[schema(example = "doc-2")]
    pub id: String,
    /// What it is called: 1 to 200 characters.
    #[schema(example = "sample2")]
    pub label: String,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sublabel: Option<String>,
    /// A short sign shown beside it: `D`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// What else it is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What tells it from one that is called alike. It never selects by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MetadataBody>,
    /// `normal`, `exit` or `none_of_these`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Whether running it twice is nothing to ask about; it is, if nobody says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeatable: Option<bool>,
    /// What you run when it is chosen: opaque. If one option of a list has none, no text executes any of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "open:doc-2")]
    pub exec_ref: Option<String>,
    /// `read` when it is left out, `write` or `destructive`: what is not `read` waits for an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
}

/// What tells two alike options apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetadataBody {
    /// Where it lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What kind of thing it is.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its place by how recently it was used, 0 the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recency_rank: Option<u32>,
}

/// A list that is there no more: one of the two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedBody {
    /// The list, by its id.
    pub set: Option<String>,
    /// All lists of a place.
    pub scope_instance: Option<String>,
}

/// Where somebody looks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FocusBody {
    /// Who; otherwise the actor.
    pub user: Option<String>,
    /// `chat`, `widget`, `dashboard` or `workspace`.
    #[schema(example = "widget")]
    pub scope: String,
    /// The concrete place.
    #[schema(example = "recent")]
    pub scope_instance: String,
    /// The option in it.
    pub option: Option<String>,
}

/// What a list holds now: a host's answer to `evidence.fetch`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotBody {
    /// Its options. What the list did not hold before is not looked at.
    pub options: Vec<OptionBody>,
    /// The one that has the focus, by its id.
    #[serde(default)]
    pub focused: Option<String>,
}

impl From<OptionBody> for OptionRequest {
    fn from(option: OptionBody) -> Self {
        let OptionBody { id, label, sublabel, badge, aliases, metadata, role, repeatable, exec_ref, risk } =
            option;
        let metadata = metadata.map(|MetadataBody { path, kind, owner, recency_rank }| MetadataRequest {
            path,
            kind,
            owner,
            recency_rank,
        });
        Self {
            id: Some(id),
            label: Some(label),
            sublabel,
            badge,
            aliases: Some(aliases),
            metadata,
            role,
            repeatable,
            exec_ref,
            risk,
        }
    }
}

impl From<&SetOption> for OptionBody {
    fn from(option: &SetOption) -> Self {
        let SetOption { id, label, sublabel, badge, aliases, metadata, role, repeatable, exec_ref, risk } =
            option.clone();
        let Metadata { path, kind, owner, recency_rank } = metadata;
        let metadata = MetadataBody { path, kind, owner, recency_rank };
        Self {
            id,
            label,
            sublabel,
            badge,
            aliases,
            metadata: Some(metadata).filter(|metadata| *metadata != MetadataBody::default()),
            role: Some(word(&role)),
            repeatable: Some(repeatable),
            exec_ref,
            risk: Some(word(&risk)),
        }
    }
}

/// A registered list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OptionSet {
    /// Its id: an address of its place and its options' ids, so the same list is the same id wherever it is shown.
    #[schema(example = "os1-d5b915833bcc4cc03a700709ecd43be7")]
    pub id: String,
    /// `chat`, `widget`, `dashboard` or `workspace`.
    pub scope: String,
    /// The concrete place.
    pub scope_instance: String,
    /// What people call that place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who put it there: `host` or `engine`.
    pub origin: String,
    /// Whose it is; absent: everybody's in the lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Whether a text may execute one of its options.
    pub executable: bool,
    /// Whether its host can be asked what it holds now.
    pub refreshable: bool,
    /// Goes up when any word of an option changes.
    pub content_rev: u32,
    /// Goes up when anything changes that would be executed: the `version` of a press.
    pub exec_rev: u32,
    /// Option ids in the order they were displayed last, as far as they were.
    pub displayed: Vec<String>,
    /// The options, in base order.
    pub options: Vec<OptionBody>,
}

impl OptionSet {
    /// As that person saw it last.
    #[must_use]
    pub fn seen(set: &selection::OptionSet, user: &str) -> Self {
        let shown = set.newest(user);
        let order = shown.map(|shown| shown.order.iter().take(shown.displayed.into()).copied());
        let id = |place: u8| set.options.get(usize::from(place)).map(|option| option.id.clone());
        Self {
            id: set.id.0.clone(),
            scope: set.scope.word().into(),
            scope_instance: set.scope_instance.clone(),
            title: set.title.clone(),
            origin: word(&set.origin),
            user: set.user.clone(),
            executable: set.executable(),
            refreshable: set.refreshable,
            content_rev: set.content_rev,
            exec_rev: set.exec_rev,
            displayed: order.into_iter().flatten().filter_map(id).collect(),
            options: set.options.iter().map(OptionBody::from).collect(),
        }
    }
}

/// How a list stands for somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Standing {
    /// `active`: ordinary text is read against it. `soft`: one of it was just executed, only exact names count. `parked`:
    /// it was put aside. `gone`: it is not there, or no more.
    #[schema(example = "active")]
    pub status: String,
    /// Why it was put aside: `displaced`, `stop`, `interrupt`, `attempts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<String>,
}

impl From<Option<&selection::Standing>> for Standing {
    fn from(standing: Option<&selection::Standing>) -> Self {
        let (status, parked) = match standing.map(|standing| standing.status) {
            None => ("gone", None),
            Some(Status::Active) => ("active", None),
            Some(Status::Soft) => ("soft", None),
            Some(Status::Parked(why)) => ("parked", Some(word(&why))),
        };
        Self { status: status.into(), parked }
    }
}

/// The answer to a list that was shown or closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OptionSetAnswer {
    /// The turn that took it in.
    pub turn: String,
    /// Its reason.
    #[schema(example = "selection.registered")]
    pub reason: String,
    /// The list's id.
    #[schema(example = "os1-d5b915833bcc4cc03a700709ecd43be7")]
    pub id: String,
    /// Goes up when any word of an option changes; absent when the list is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_rev: Option<u32>,
    /// The `version` of a press of one of its options; absent when the list is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec_rev: Option<u32>,
    /// How it stands for whom it is for; of a list of the whole lane, for everybody who has not said anything yet.
    #[serde(flatten)]
    pub standing: Standing,
}

/// What one person's lists in a lane have come to. The names are those of the product's own seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Whose; empty: of everybody who has not said anything yet.
    pub user: String,
    /// The list that ordinary text is read against.
    pub active_option_set_id: Option<String>,
    /// Where it is: `chat`, `widget`, `dashboard`, `workspace`, `none`.
    pub active_scope: String,
    /// What was executed last.
    pub last_resolved_action: Option<TraceEntry>,
    /// What happened, newest first.
    pub recent_action_trace: Vec<TraceEntry>,
    /// The option that was executed last, with success.
    pub last_accepted_choice_id: Option<String>,
    /// The same, newest first.
    pub recent_accepted_choice_ids: Vec<String>,
    /// Options of the active list that were rejected, newest first.
    pub recent_rejected_choice_ids: Vec<String>,
    /// What was asked last: `none`, `selection_disambiguation`, `scope_disambiguation`, `missing_slot`, `confirmation`,
    /// `repair`.
    pub pending_clarifier_type: String,
    /// How each list stands.
    pub standings: Vec<SetStanding>,
}

/// How one list stands for somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SetStanding {
    /// The list's id.
    pub set: String,
    /// How it stands.
    #[serde(flatten)]
    pub standing: Standing,
}

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceEntry {
    /// `select_option`, `command`, `workflow_action`, `delegation`.
    #[serde(rename = "type")]
    pub kind: String,
    /// To what.
    pub target_ref: TargetRef,
    /// Where.
    pub source_scope: String,
    /// From which list.
    pub option_set_id: Option<String>,
    /// When.
    pub timestamp: String,
    /// `success`, `failed`, `clarified`.
    pub outcome: String,
}

/// What something was done to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetRef {
    /// What it is.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What it was called then.
    pub label: String,
}

impl From<&selection::TraceEntry> for TraceEntry {
    fn from(entry: &selection::TraceEntry) -> Self {
        let selection::TargetRef { kind, id, label } = entry.target_ref.clone();
        Self {
            kind: word(&entry.kind),
            target_ref: TargetRef { kind, id, label },
            source_scope: entry.source_scope.word().into(),
            option_set_id: entry.option_set_id.as_ref().map(|id| id.0.clone()),
            timestamp: entry.timestamp.rfc3339(),
            outcome: word(&entry.outcome),
        }
    }
}

impl From<&selection::View> for View {
    fn from(view: &selection::View) -> Self {
        let standings = view.standings.iter();
        Self {
            user: view.user.clone(),
            active_option_set_id: view.active_option_set_id.as_ref().map(|id| id.0.clone()),
            active_scope: view.active_scope.map_or("none", selection::Scope::word).into(),
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

/// What a turn looked at and did among options: ids and codes only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Selection {
    /// The list the text was read against.
    pub set: Option<String>,
    /// Where that list is.
    pub scope: Option<String>,
    /// The option that is executed.
    pub selected: Option<String>,
    /// How many options the text could mean.
    pub candidates: u32,
    /// The options a question showed, in order.
    pub clarify: Vec<String>,
    /// What the text resembles, the most alike first. It never executes.
    pub hints: Vec<String>,
    /// What was two things at once: `label_tie`, `reading`, `command`, `cross_source`.
    pub collisions: Vec<String>,
    /// `deterministic`, `llm_executed`, `llm_influenced`, `safe_clarifier`.
    pub provenance: Option<String>,
    /// What left with a text that is no choice.
    pub handoff: Option<Handoff>,
    /// The gate that stood in the way of continuity.
    pub blocked: Option<String>,
    /// What of the model or its budget made a question of it.
    pub why_no_model: Option<String>,
    /// The events it is counted under.
    pub signals: Vec<String>,
}

/// What leaves with a text that is no choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Handoff {
    /// `semantic`: to be answered, never acted on. `command`: one of yours. `new_request`: something else.
    pub kind: String,
    /// Where it belongs.
    pub scope: Option<String>,
    /// To which list.
    #[serde(rename = "optionSetId")]
    pub option_set_id: Option<String>,
    /// What it is about, when exactly one thing can be meant.
    #[serde(rename = "referentRef")]
    pub referent_ref: Option<Referent>,
    /// What is asked: `explain_last_action`, `summarize_recent_activity`, `explain_entity_meaning`,
    /// `reflective_why_followup`.
    pub slot: Option<String>,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Referent {
    /// `choice`, `entity`, `widget_item`, `doc_selection`, `action_target`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Where.
    pub scope: String,
    /// In which list.
    #[serde(rename = "optionSetId")]
    pub option_set_id: Option<String>,
}

impl From<&selection::Account> for Selection {
    fn from(account: &selection::Account) -> Self {
        Self {
            set: account.set.as_ref().map(|id| id.0.clone()),
            scope: account.scope.map(|scope| scope.word().into()),
            selected: account.selected.clone(),
            candidates: account.candidates,
            clarify: account.clarify.clone(),
            hints: account.hints.clone(),
            collisions: account.collisions.iter().map(word).collect(),
            provenance: account.provenance.map(|provenance| provenance.word().into()),
            handoff: account.handoff.as_ref().map(Handoff::from),
            blocked: account.blocked.clone(),
            why_no_model: account.why_no_model.clone(),
            signals: account.signals.iter().map(|signal| signal.word().into()).collect(),
        }
    }
}

impl From<&selection::Handoff> for Handoff {
    fn from(handoff: &selection::Handoff) -> Self {
        let id = |set: &Option<throughline_engine::id::SetId>| set.as_ref().map(|id| id.0.clone());
        let referent = |referent: &selection::Referent| Referent {
            kind: word(&referent.kind),
            id: referent.id.clone(),
            scope: referent.scope.word().into(),
            option_set_id: id(&referent.set),
        };
        Self {
            kind: word(&handoff.kind),
            scope: handoff.scope.map(|scope| scope.word().into()),
            option_set_id: id(&handoff.set),
            referent_ref: handoff.referent.as_ref().map(referent),
            slot: handoff.slot.as_ref().map(word),
        }
    }
}
