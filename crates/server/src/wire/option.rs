//! Option lists: requests of a host, stored lists, and the selection of a turn (`docs/design/0021-option-lists.md`).
//! A test keeps the requests equal to those the API channel parses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_channels::api::{MetadataRequest, OptionRequest, whole};
use throughline_engine::data::field::NamedComparison;
use throughline_engine::data::set_option::{Metadata, SetOption};
use throughline_engine::data::view::ListStatus;
use utoipa::ToSchema;

use super::lane::word;
use super::vocabulary::{
    Audience, FieldName, HostId, ListScope, OptionId, OptionLabel, OptionRisk, OptionText, Role, Text, Whole,
};

/// List of options that a host shows to somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownBody {
    /// Kind of place: `chat`, `widget`, `dashboard` or `workspace`.
    #[schema(value_type = ListScope, inline, example = "widget")]
    pub scope: String,
    /// Id of yours for the chat, panel, dashboard or workspace.
    #[schema(value_type = HostId, inline, example = "recent")]
    pub scope_instance: String,
    /// Name of the place in conversation: “open the second one from recent”.
    #[schema(value_type = Option<Text>, inline, example = "Recent")]
    pub title: Option<String>,
    /// Audience: `lane` or `user`; if absent, `user` if a user is named and else `lane`.
    #[schema(value_type = Option<Audience>, inline)]
    pub audience: Option<String>,
    /// User whose list it is; everybody in the lane if absent.
    #[schema(value_type = Option<HostId>, inline)]
    pub user: Option<String>,
    /// 1 to 50 options, in a stable order that does not depend on how they are displayed.
    #[schema(min_items = 1, max_items = 50)]
    pub options: Vec<OptionBody>,
    /// True if you can be asked for the current content of the list, by an effect `evidence.fetch`.
    pub refreshable: Option<bool>,
    /// Your id of the message that shows it: a reply to that message refers to this list in this order.
    #[schema(value_type = Option<HostId>, inline)]
    pub message_id: Option<String>,
    /// Ids of the options in the displayed order; all of `options` in their order if absent.
    pub displayed: Option<Vec<String>>,
    /// Id of the option that has the focus.
    pub focused_option: Option<String>,
    /// Number that the first option is displayed with; 1 if absent. A list of more than 50 options is shown in pages of one place,
    /// whose numbers go on: the second page of 50 has 51.
    #[schema(minimum = 1, maximum = 950, example = 1)]
    pub numbers_from: Option<u16>,
    /// Comparisons of the list's own, by the words that ask for them.
    pub comparisons: Option<Vec<ComparisonBody>>,
    /// True if the list is a question: what `assistant.posted` with `expected: selection` understands is understood.
    pub asked: Option<bool>,
}

/// Comparison that a list names itself: “the greenest” is the one with the least `co2`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparisonBody {
    /// Words that ask for it.
    #[schema(value_type = FieldName, inline, example = "greenest")]
    pub name: String,
    /// Field that is compared.
    #[schema(value_type = FieldName, inline, example = "co2")]
    pub field: String,
    /// True if the least value is meant; the greatest if absent.
    pub least: Option<bool>,
}

/// Property of an option: a number, a text, a boolean, a list of texts, a day or moment, or a number of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum FieldBody {
    /// Number, with at most 18 digits before the point and 18 behind it.
    Number(f64),
    /// Text of at most 200 characters.
    Text(String),
    /// True or false.
    Flag(bool),
    /// At most 32 texts.
    List(Vec<String>),
    /// Day or moment.
    At {
        /// RFC 3339: `2026-03-01`, `2026-03-01T09:00:00Z`.
        at: String,
    },
    /// Number of a unit.
    Quantity {
        /// Number.
        value: f64,
        /// Unit: a currency by its ISO 4217 code, `km`, `h`.
        unit: String,
    },
}

/// Option of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionBody {
    /// Id within the list: 1 to 128 characters.
    #[schema(value_type = OptionId, inline, example = "doc-2")]
    pub id: String,
    /// Label: 1 to 200 characters.
    #[schema(value_type = OptionLabel, inline, example = "sample2")]
    pub label: String,
    /// Second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<OptionText>, inline)]
    pub sublabel: Option<String>,
    /// Short sign shown beside it: `D`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<OptionText>, inline)]
    pub badge: Option<String>,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Properties that distinguish options with the same label. They never select an option by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MetadataBody>,
    /// Properties by name, at most 32, that “the cheaper one”, “under 150” and “the one with breakfast” are read against.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, FieldBody>, example = json!({"price": {"value": 120, "unit": "EUR"}, "breakfast": true}))]
    pub fields: BTreeMap<String, Value>,
    /// Role: `normal`, `exit` or `none_of_these`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Role>, inline)]
    pub role: Option<String>,
    /// True if running it twice needs no confirmation; true if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeatable: Option<bool>,
    /// Reference to what you run when it is chosen; not interpreted here. If one option of a list has none, no text
    /// executes any of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<OptionText>, inline, example = "open:doc-2")]
    pub exec_ref: Option<String>,
    /// Risk: `read` (if absent), `write` or `destructive`. Anything but `read` waits for an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<OptionRisk>, inline)]
    pub risk: Option<String>,
}

/// Properties that distinguish two similar options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetadataBody {
    /// Path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Text>, inline)]
    pub path: Option<String>,
    /// Kind of thing.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Text>, inline)]
    pub kind: Option<String>,
    /// Owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Text>, inline)]
    pub owner: Option<String>,
    /// Rank by recent use, 0 for the newest.
    #[serde(default, deserialize_with = "whole::optional", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Whole>, inline)]
    pub recency_rank: Option<u32>,
}

/// Closed list, named by one of the two members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedBody {
    /// Id of the list.
    #[schema(value_type = Option<HostId>, inline)]
    pub set: Option<String>,
    /// Place, for all lists in it.
    #[schema(value_type = Option<HostId>, inline)]
    pub scope_instance: Option<String>,
}

/// Focus of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FocusBody {
    /// User; the actor if absent.
    #[schema(value_type = Option<HostId>, inline)]
    pub user: Option<String>,
    /// Kind of place: `chat`, `widget`, `dashboard` or `workspace`.
    #[schema(value_type = ListScope, inline, example = "widget")]
    pub scope: String,
    /// Id of the place.
    #[schema(value_type = HostId, inline, example = "recent")]
    pub scope_instance: String,
    /// Id of the option in focus.
    #[schema(value_type = Option<HostId>, inline)]
    pub option: Option<String>,
}

/// Current content of a list: a host's answer to `evidence.fetch`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotBody {
    /// Options. Those that the list did not have before are ignored.
    pub options: Vec<OptionBody>,
    /// Id of the option in focus.
    #[serde(default)]
    pub focused: Option<String>,
}

impl From<OptionBody> for OptionRequest {
    fn from(option: OptionBody) -> Self {
        let OptionBody {
            id,
            label,
            sublabel,
            badge,
            aliases,
            metadata,
            fields,
            role,
            repeatable,
            exec_ref,
            risk,
        } = option;
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
            fields: Some(fields).filter(|fields| !fields.is_empty()),
            role,
            repeatable,
            exec_ref,
            risk,
        }
    }
}

impl From<&SetOption> for OptionBody {
    fn from(option: &SetOption) -> Self {
        let SetOption {
            id,
            label,
            sublabel,
            badge,
            aliases,
            metadata,
            fields,
            role,
            repeatable,
            exec_ref,
            risk,
        } = option.clone();
        let Metadata { path, kind, owner, recency_rank } = metadata;
        let metadata = MetadataBody { path, kind, owner, recency_rank };
        Self {
            id,
            label,
            sublabel,
            badge,
            aliases,
            metadata: Some(metadata).filter(|metadata| *metadata != MetadataBody::default()),
            fields: fields.iter().map(|(name, value)| (name.clone(), value.to_json())).collect(),
            role: Some(word(&role)),
            repeatable: Some(repeatable),
            exec_ref,
            risk: Some(word(&risk)),
        }
    }
}

impl From<&NamedComparison> for ComparisonBody {
    fn from(own: &NamedComparison) -> Self {
        Self { name: own.name.clone(), field: own.field.clone(), least: Some(own.least) }
    }
}

/// Registered list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OptionSet {
    /// Id, derived from the place and the ids of the options: the same list has the same id wherever it is shown.
    #[schema(example = "os1-d5b915833bcc4cc03a700709ecd43be7")]
    pub id: String,
    /// Kind of place: `chat`, `widget`, `dashboard` or `workspace`.
    #[schema(value_type = ListScope, inline)]
    pub scope: String,
    /// Id of the place.
    pub scope_instance: String,
    /// Name of the place in conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Origin: `host` or `engine`.
    pub origin: String,
    /// User whose list it is; everybody in the lane if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// True if a text may execute one of its options.
    pub executable: bool,
    /// True if its host can be asked for its current content.
    pub refreshable: bool,
    /// Revision that increases when any text of an option changes.
    pub content_rev: u32,
    /// Revision that increases when anything changes that would be executed: the `version` of a press.
    pub exec_rev: u32,
    /// Comparisons of the list's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<ComparisonBody>,
    /// True if it was shown as a question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// Ids of the options as last displayed.
    pub displayed: Vec<String>,
    /// Number that the first of them was displayed with.
    pub numbers_from: u16,
    /// Options, in base order.
    pub options: Vec<OptionBody>,
}

impl OptionSet {
    /// Converts a list, in the form that person saw last.
    #[must_use]
    pub fn seen(set: &throughline_engine::data::option_set::OptionSet, user: &str) -> Self {
        let shown = set.newest(user);
        let order = shown.map(|shown| shown.order.iter().take(shown.displayed.into()).copied());
        let id = |place: u8| set.options.get(usize::from(place)).map(|option| option.id.clone());
        Self {
            id: set.id.0.clone(),
            scope: set.scope.as_str().into(),
            scope_instance: set.scope_instance.clone(),
            title: set.title.clone(),
            origin: word(&set.origin),
            user: set.user.clone(),
            executable: set.is_executable(),
            refreshable: set.refreshable,
            content_rev: set.content_rev,
            exec_rev: set.exec_rev,
            comparisons: set.comparisons.iter().map(ComparisonBody::from).collect(),
            asked: set.asked,
            numbers_from: shown.map_or(1, |shown| shown.numbers_from),
            displayed: order.into_iter().flatten().filter_map(id).collect(),
            options: set.options.iter().map(OptionBody::from).collect(),
        }
    }
}

/// Standing of a list for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Standing {
    /// Status. `active`: ordinary text is read against it. `soft`: an option was just executed, and only exact names
    /// are read against it. `parked`: it was put aside. `gone`: it does not exist, or no longer.
    #[schema(example = "active")]
    pub status: String,
    /// Reason why it was put aside: `displaced`, `stop`, `interrupt`, `attempts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<String>,
}

impl From<Option<&throughline_engine::data::view::ListState>> for Standing {
    fn from(standing: Option<&throughline_engine::data::view::ListState>) -> Self {
        let (status, parked) = match standing.map(|standing| standing.status) {
            None => ("gone", None),
            Some(ListStatus::Active) => ("active", None),
            Some(ListStatus::Soft) => ("soft", None),
            Some(ListStatus::Parked(why)) => ("parked", Some(word(&why))),
        };
        Self { status: status.into(), parked }
    }
}

/// Answer to showing or closing a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OptionSetAnswer {
    /// Id of the turn.
    pub turn: String,
    /// Reason of the turn.
    #[schema(example = "selection.registered")]
    pub reason: String,
    /// Id of the list.
    #[schema(example = "os1-d5b915833bcc4cc03a700709ecd43be7")]
    pub id: String,
    /// Revision that increases when any text of an option changes; absent if the list does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_rev: Option<u32>,
    /// Version for presses of its options; absent if the list does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec_rev: Option<u32>,
    /// Standing of the list for its user; for a list of the whole lane, for everybody who has not written yet.
    #[serde(flatten)]
    pub standing: Standing,
}

/// Selection trace of a turn: ids and codes only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Selection {
    /// Id of the list the text was read against.
    pub set: Option<String>,
    /// Kind of place of that list.
    pub scope: Option<String>,
    /// Id of the option that is executed.
    pub selected: Option<String>,
    /// Number of options that the text could mean.
    pub candidates: u32,
    /// Ids of the options that a question showed, in order.
    pub clarify: Vec<String>,
    /// Ids of the options most similar to the text, best first. They are never executed for that.
    pub hints: Vec<String>,
    /// Ambiguities: `label_tie`, `reading`, `command`, `cross_source`.
    pub collisions: Vec<String>,
    /// Source of the decision: `deterministic`, `llm_executed`, `llm_influenced`, `safe_clarifier`.
    pub provenance: Option<String>,
    /// Handoff, if the text is not a choice.
    pub handoff: Option<Handoff>,
    /// Gate that prevented continuity.
    pub blocked: Option<String>,
    /// Reason why no model decided, if that led to a question.
    pub why_no_model: Option<String>,
    /// Names of the metrics' events.
    pub signals: Vec<String>,
}

/// Handoff of a text that is not a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Handoff {
    /// Kind. `semantic`: a question to answer, never to act on. `command`: one of your commands. `new_request`:
    /// anything else.
    pub kind: String,
    /// Kind of place it refers to.
    pub scope: Option<String>,
    /// Id of the list it refers to.
    #[serde(rename = "optionSetId")]
    pub option_set_id: Option<String>,
    /// Referent, if exactly one is possible.
    #[serde(rename = "referentRef")]
    pub referent_ref: Option<Referent>,
    /// Kind of question: `explain_last_action`, `summarize_recent_activity`, `explain_entity_meaning`,
    /// `reflective_why_followup`.
    pub slot: Option<String>,
}

/// Referent of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Referent {
    /// Kind: `choice`, `entity`, `widget_item`, `doc_selection`, `action_target`.
    pub kind: String,
    /// Id.
    pub id: String,
    /// Kind of place.
    pub scope: String,
    /// Id of its list.
    #[serde(rename = "optionSetId")]
    pub option_set_id: Option<String>,
}

impl From<&throughline_engine::data::selection_trace::SelectionTrace> for Selection {
    fn from(account: &throughline_engine::data::selection_trace::SelectionTrace) -> Self {
        Self {
            set: account.set.as_ref().map(|id| id.0.clone()),
            scope: account.scope.map(|scope| scope.as_str().into()),
            selected: account.selected.clone(),
            candidates: account.candidates,
            clarify: account.clarify.clone(),
            hints: account.hints.clone(),
            collisions: account.collisions.iter().map(word).collect(),
            provenance: account.provenance.map(|provenance| provenance.as_str().into()),
            handoff: account.handoff.as_ref().map(Handoff::from),
            blocked: account.blocked.clone(),
            why_no_model: account.why_no_model.clone(),
            signals: account.signals.iter().map(|signal| signal.as_str().into()).collect(),
        }
    }
}

impl From<&throughline_engine::data::selection_trace::Handoff> for Handoff {
    fn from(handoff: &throughline_engine::data::selection_trace::Handoff) -> Self {
        let id = |set: &Option<throughline_engine::data::id::SetId>| set.as_ref().map(|id| id.0.clone());
        let referent = |referent: &throughline_engine::data::selection_trace::Referent| Referent {
            kind: word(&referent.kind),
            id: referent.id.clone(),
            scope: referent.scope.as_str().into(),
            option_set_id: id(&referent.set),
        };
        Self {
            kind: word(&handoff.kind),
            scope: handoff.scope.map(|scope| scope.as_str().into()),
            option_set_id: id(&handoff.set),
            referent_ref: handoff.referent.as_ref().map(referent),
            slot: handoff.slot.as_ref().map(word),
        }
    }
}
