//! Parses lists of options.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use throughline_engine::data::call::Risk;
use throughline_engine::data::field::{FieldValue, Fields as Properties, NamedComparison};
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::selection_trace::{Provenance, Signal};
use throughline_engine::data::set_option::{Metadata, OptionRole, SetOption};
use throughline_engine::data::view::{ClarifierType, ParkReason};

use super::ParseError;
use super::node::{Fields, Node};
use crate::model::{
    ChangeFocus, CloseList, GivenSet, ListState, ShowList, TelemetryExpect, ViewExpect, named,
};

type Read<T> = Result<T, ParseError>;

const SCOPES: [&str; 4] = ["chat", "widget", "dashboard", "workspace"];
const PARKED: [&str; 4] = ["displaced", "stop", "interrupt", "attempts"];
const PROVENANCES: [&str; 4] = ["deterministic", "llm_executed", "llm_influenced", "safe_clarifier"];
const HANDOFF: [&str; 5] = ["kind", "scope", "optionSetId", "referentRef", "slot"];
const CLARIFIERS: [&str; 6] =
    ["none", "selection_disambiguation", "scope_disambiguation", "missing_slot", "confirmation", "repair"];

/// The members of a view that can be expected.
const VIEW: [&str; 12] = [
    "activeOptionSetId",
    "activeScope",
    "lastResolvedAction",
    "recentActionTrace",
    "lastAcceptedChoiceId",
    "recentAcceptedChoiceIds",
    "recentRejectedChoiceIds",
    "pendingClarifierType",
    "allRejected",
    "latch",
    "attempts",
    "inFlight",
];

/// The fields that every telemetry event carries.
const FIELDS: [&str; 11] = [
    "activeOptionSetId",
    "activeScope",
    "candidate_count",
    "collision_flags",
    "loop_cycle_id",
    "fingerprint_before",
    "fingerprint_after",
    "retry_attempt_index",
    "retry_budget_remaining",
    "reason",
    "provenance",
];

fn by_name<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Json::String(word.into())).ok()
}

fn scope(node: &Node<'_>) -> Read<Scope> {
    node.one_of("a scope", by_name, &SCOPES)
}

fn texts(node: Option<Node<'_>>) -> Read<Vec<String>> {
    let nodes = node.map(|node| node.one_or_more()).transpose()?.unwrap_or_default();
    nodes.iter().map(Node::text).collect()
}

// ---- given ----

/// Parses one entry of `given.sets`.
pub(super) fn given_set(node: &Node<'_>) -> Read<GivenSet> {
    let mut fields = node.map()?;
    let name = fields.opt_text("as")?;
    let lanes = texts(fields.opt("lane"))?;
    let clarifier = |node: Node<'_>| {
        let read = |word: &str| match word {
            "open" => Some(ClarifierType::SelectionDisambiguation),
            word => by_name(word),
        };
        node.one_of("`open` or what is asked", read, &CLARIFIERS)
    };
    let state = ListState {
        users: texts(fields.opt("for"))?,
        focused: fields.opt("focused").map(|node| node.flag()).transpose()?.unwrap_or(false),
        executed: fields.opt_text("executed")?,
        acted: fields.opt_text("acted")?,
        rejected: texts(fields.opt("rejected"))?,
        parked: fields
            .opt("parked")
            .map(|node| node.one_of("why a list is put aside", by_name::<ParkReason>, &PARKED))
            .transpose()?,
        clarifier: fields.opt("clarifier").map(clarifier).transpose()?,
    };
    Ok(GivenSet { name, lanes, shown: shown(fields)?, state })
}

pub(super) fn shows(node: &Node<'_>, lane: impl Fn(&mut Fields<'_>) -> Read<String>) -> Read<ShowList> {
    let mut fields = node.map()?;
    let lane = lane(&mut fields)?;
    Ok(ShowList { lane, shown: shown(fields)? })
}

pub(super) fn closes(node: &Node<'_>, lane: impl Fn(&mut Fields<'_>) -> Read<String>) -> Read<CloseList> {
    let mut fields = node.map()?;
    let closes = CloseList {
        lane: lane(&mut fields)?,
        set: fields.opt_text("set")?,
        instance: fields.opt_text("scope_instance")?,
    };
    fields.finish()?;
    if closes.set.is_some() == closes.instance.is_some() {
        return Err(node.fail("what is closed is a `set` or a `scope_instance`"));
    }
    Ok(closes)
}

pub(super) fn focuses(node: &Node<'_>, lane: impl Fn(&mut Fields<'_>) -> Read<String>) -> Read<ChangeFocus> {
    let mut fields = node.map()?;
    let focuses = ChangeFocus {
        lane: lane(&mut fields)?,
        user: fields.need("user")?.text()?,
        scope: fields.opt("scope").map(|node| scope(&node)).transpose()?.unwrap_or(Scope::Widget),
        instance: fields.opt_text("scope_instance")?.unwrap_or_default(),
        option: fields.opt_text("option")?,
    };
    fields.finish()?;
    Ok(focuses)
}

/// Parses the body of `options.shown`, with defaults for absent fields.
pub(super) fn shown(mut fields: Fields<'_>) -> Read<OptionsShown> {
    let shown = OptionsShown {
        scope: fields.opt("scope").map(|node| scope(&node)).transpose()?.unwrap_or(Scope::Chat),
        scope_instance: fields.opt_text("scope_instance")?.unwrap_or_default(),
        title: fields.opt_text("title")?,
        user: fields.opt_text("user")?,
        options: options(&fields.need("options")?)?,
        refreshable: fields.opt("refreshable").map(|node| node.flag()).transpose()?.unwrap_or(false),
        message_id: fields.opt_text("message_id")?,
        displayed: fields.opt("displayed").map(|node| texts(Some(node))).transpose()?,
        focused_option: fields.opt_text("focused_option")?,
        numbers_from: fields
            .opt("numbers_from")
            .map(|node| node.count())
            .transpose()?
            .map_or(1, |number| u16::try_from(number).unwrap_or(u16::MAX)),
        comparisons: fields
            .opt("comparisons")
            .map(|node| comparisons(&node))
            .transpose()?
            .unwrap_or_default(),
        asked: fields.opt("asked").map(|node| node.flag()).transpose()?.unwrap_or(false),
    };
    fields.finish()?;
    Ok(shown)
}

pub(super) fn options(node: &Node<'_>) -> Read<Vec<SetOption>> {
    node.list()?.iter().map(option).collect()
}

/// Parses `{ id, label, … }`, or a text that is both.
fn option(node: &Node<'_>) -> Read<SetOption> {
    if !node.is_map() {
        let text = node.text()?;
        return Ok(named(text.clone(), text));
    }
    let mut fields = node.map()?;
    let label = fields.need("label")?.text()?;
    let id = fields.opt_text("id")?.unwrap_or_else(|| label.clone());
    let mut option = named(id, label);
    option.sublabel = fields.opt_text("sublabel")?;
    option.badge = fields.opt_text("badge")?;
    option.aliases = texts(fields.opt("aliases"))?;
    if let Some(node) = fields.opt("metadata") {
        option.metadata = metadata(&node)?;
    }
    if let Some(node) = fields.opt("fields") {
        option.fields = properties(&node)?;
    }
    if let Some(node) = fields.opt("role") {
        let roles = ["normal", "exit", "none_of_these"];
        option.role = node.one_of("the role of an option", by_name::<OptionRole>, &roles)?;
    }
    if let Some(node) = fields.opt("repeatable") {
        option.repeatable = node.flag()?;
    }
    if let Some(exec_ref) = fields.opt_text("exec_ref")? {
        option.exec_ref = Some(exec_ref).filter(|exec_ref| exec_ref != "none");
    }
    if let Some(node) = fields.opt("risk") {
        option.risk = node.one_of("a risk", by_name::<Risk>, &["read", "write", "destructive"])?;
    }
    fields.finish()?;
    Ok(option)
}

/// Parses properties in the form that hosts send.
fn properties(node: &Node<'_>) -> Read<Properties> {
    let Json::Object(members) = node.json()? else { return Err(node.fail("fields are a map")) };
    let read = |(name, value)| Ok((name, FieldValue::from_json(value).map_err(|wrong| node.fail(wrong))?));
    members.into_iter().map(read).collect()
}

fn comparisons(node: &Node<'_>) -> Read<Vec<NamedComparison>> {
    let one = |node: &Node<'_>| {
        let mut fields = node.map()?;
        let own = NamedComparison {
            name: fields.need("name")?.text()?,
            field: fields.need("field")?.text()?,
            least: fields.opt("least").map(|node| node.flag()).transpose()?.unwrap_or(false),
        };
        fields.finish()?;
        Ok(own)
    };
    node.list()?.iter().map(one).collect()
}

fn metadata(node: &Node<'_>) -> Read<Metadata> {
    let mut fields = node.map()?;
    let metadata = Metadata {
        path: fields.opt_text("path")?,
        kind: fields.opt_text("type")?,
        owner: fields.opt_text("owner")?,
        recency_rank: fields.opt("recency_rank").map(|node| node.count()).transpose()?,
    };
    fields.finish()?;
    Ok(metadata)
}

// ---- expectations ----

pub(super) fn provenance(node: &Node<'_>) -> Read<Option<Provenance>> {
    let read = |word: &str| if word == "none" { Some(None) } else { by_name(word).map(Some) };
    node.one_of("a provenance", read, &PROVENANCES)
}

/// Parses the members of a handoff by their public names, or its kind alone.
pub(super) fn handoff(node: &Node<'_>) -> Read<Option<BTreeMap<String, Json>>> {
    let kind = |node: &Node<'_>| {
        let kinds = ["none", "semantic", "command", "new_request"];
        node.one_of("a kind of hand-over", |word| kinds.contains(&word).then(|| word.to_string()), &kinds)
    };
    if !node.is_map() {
        let kind = kind(node)?;
        return Ok((kind != "none").then(|| BTreeMap::from([("kind".to_string(), kind.into())])));
    }
    let mut fields = node.map()?;
    let mut wanted = BTreeMap::new();
    for key in HANDOFF {
        let Some(node) = fields.opt(key) else { continue };
        wanted.insert(key.into(), if key == "kind" { kind(&node)?.into() } else { node.json()? });
    }
    fields.finish()?;
    Ok(Some(wanted))
}

/// Parses `{ user, lists, activeOptionSetId, … }`, or `empty`.
pub(super) fn view(node: &Node<'_>) -> Read<ViewExpect> {
    if !node.is_map() {
        let read = |word: &str| (word == "empty").then_some(true);
        let empty = node.one_of("a view: `empty`, or its members", read, &["empty"])?;
        return Ok(ViewExpect { empty, ..ViewExpect::default() });
    }
    let mut fields = node.map()?;
    let mut view = ViewExpect { user: fields.opt_text("user")?, ..ViewExpect::default() };
    for key in VIEW {
        if let Some(node) = fields.opt(key) {
            view.fields.insert(key.into(), node.json()?);
        }
    }
    let lists = fields.opt("lists").map(|node| node.map()).transpose()?;
    for (name, node) in lists.map(Fields::rest).unwrap_or_default() {
        view.lists.insert(name, standing(&node)?);
    }
    fields.finish()?;
    Ok(view)
}

fn standing(node: &Node<'_>) -> Read<String> {
    let why = |word: &str| word.strip_prefix("parked(")?.strip_suffix(')').map(str::to_string);
    let known = |word: &str| {
        let plain = ["active", "soft", "gone"].contains(&word);
        (plain || why(word).is_some_and(|why| PARKED.contains(&why.as_str()))).then(|| word.to_string())
    };
    node.one_of("how a list stands", known, &["active", "soft", "gone", "parked(stop)"])
}

/// Parses one event or several, each a name or `name: { field: value }`.
pub(super) fn telemetry(node: &Node<'_>) -> Read<Vec<TelemetryExpect>> {
    if !node.is_list() && !node.is_map() && node.text()? == "none" {
        return Ok(Vec::new());
    }
    node.one_or_more()?.iter().map(event).collect()
}

fn event(node: &Node<'_>) -> Read<TelemetryExpect> {
    let names: Vec<&str> = Signal::ALL.iter().map(|signal| signal.as_str()).collect();
    if !node.is_map() {
        let event = node.one_of("an event of this lane", by_name::<Signal>, &names)?;
        return Ok(TelemetryExpect { event, fields: BTreeMap::new() });
    }
    let entries = node.map()?.rest();
    let [(name, node)] = entries.as_slice() else { return Err(node.fail("one event is one entry")) };
    let event =
        by_name::<Signal>(name).ok_or_else(|| node.fail(format!("`{name}` is not an event of this lane")))?;
    let (mut fields, mut wanted) = (node.map()?, BTreeMap::new());
    for key in FIELDS {
        if let Some(node) = fields.opt(key) {
            wanted.insert(key.into(), node.json()?);
        }
    }
    fields.finish()?;
    Ok(TelemetryExpect { event, fields: wanted })
}
