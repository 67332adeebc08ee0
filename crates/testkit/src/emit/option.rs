//! Writes lists of options.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use serde_yaml_ng::Value;
use throughline_engine::data::field::NamedComparison;
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;
use throughline_engine::data::view::ClarifierType;

use super::{Build, texts};
use crate::compare::serialized_name;
use crate::model::{
    ChangeFocus, CloseList, GivenSet, HostAnswer, HostPost, MAIN, PressOption, ShowList, TelemetryExpect,
    ViewExpect, named,
};
use crate::yaml::{count, json, map, text};

pub(super) fn given_set(given: &GivenSet) -> Value {
    let mut all = Build(Vec::new());
    all.some("as", given.name.as_ref());
    if !given.lanes.is_empty() {
        all.put("lane", texts(&given.lanes));
    }
    shown(&mut all, &given.shown);
    let state = &given.state;
    for (key, list) in [("for", &state.users), ("rejected", &state.rejected)] {
        if !list.is_empty() {
            all.put(key, texts(list));
        }
    }
    if state.focused {
        all.put("focused", Value::Bool(true));
    }
    all.some("executed", state.executed.as_ref());
    all.some("acted", state.acted.as_ref());
    all.some("parked", state.parked.map(|why| serialized_name(&why)).as_ref());
    let asks = |kind: ClarifierType| match kind {
        ClarifierType::SelectionDisambiguation => "open".to_string(),
        kind => serialized_name(&kind),
    };
    all.some("clarifier", state.clarifier.map(asks).as_ref());
    map(all.0)
}

pub(super) fn host(host: &BTreeMap<String, Vec<HostAnswer>>) -> Value {
    let list = |answers: &Vec<HostAnswer>| Value::Sequence(answers.iter().map(answer).collect());
    map(host.iter().map(|(class, answers)| (class.clone(), list(answers))).collect())
}

fn answer(answer: &HostAnswer) -> Value {
    match answer {
        HostAnswer::Done => text("done"),
        HostAnswer::Held => text("hold"),
        HostAnswer::Failed => text("failed"),
        HostAnswer::Uncertain => text("uncertain"),
        HostAnswer::Handled(answer) => {
            let mut all = Build(Vec::new());
            if let Some(posted) = &answer.posted {
                all.put("assistant.posted", super::host(&HostPost::of(MAIN.into(), posted)));
            }
            if let Some(list) = &answer.options {
                all.put("options.shown", shows(&ShowList { lane: MAIN.into(), shown: list.clone() }));
            }
            map(all.0)
        }
        HostAnswer::Holds { options: list, focused } => {
            let mut all = Build(vec![("options".into(), options(list))]);
            all.some("focused", focused.as_ref());
            map(all.0)
        }
    }
}

pub(super) fn shows(shows: &ShowList) -> Value {
    let mut all = Build(Vec::new());
    all.lane(&shows.lane);
    shown(&mut all, &shows.shown);
    map(all.0)
}

pub(super) fn closes(closes: &CloseList) -> Value {
    let mut all = Build(Vec::new());
    all.lane(&closes.lane);
    all.some("set", closes.set.as_ref());
    all.some("scope_instance", closes.instance.as_ref());
    map(all.0)
}

pub(super) fn focuses(focus: &ChangeFocus) -> Value {
    let mut all = Build(Vec::new());
    all.lane(&focus.lane);
    all.put("user", text(&focus.user));
    if focus.scope != Scope::Widget {
        all.put("scope", text(focus.scope.as_str()));
    }
    all.some("scope_instance", Some(&focus.instance).filter(|instance| !instance.is_empty()));
    all.some("option", focus.option.as_ref());
    map(all.0)
}

pub(super) fn chooses(press: &PressOption) -> Value {
    let mut inner = Build(vec![("set".into(), text(&press.set)), ("option".into(), text(&press.option))]);
    inner.0.extend(press.version.map(|version| ("version".to_string(), count(version))));
    let mut all = Build(vec![("presses".into(), map(inner.0))]);
    all.lane(&press.lane);
    map(all.0)
}

fn shown(all: &mut Build, shown: &OptionsShown) {
    if shown.scope != Scope::Chat {
        all.put("scope", text(shown.scope.as_str()));
    }
    all.some("scope_instance", Some(&shown.scope_instance).filter(|instance| !instance.is_empty()));
    all.some("title", shown.title.as_ref());
    all.some("user", shown.user.as_ref());
    all.put("options", options(&shown.options));
    if shown.refreshable {
        all.put("refreshable", Value::Bool(true));
    }
    all.some("message_id", shown.message_id.as_ref());
    if let Some(order) = &shown.displayed {
        all.put("displayed", Value::Sequence(order.iter().map(|id| text(id)).collect()));
    }
    all.some("focused_option", shown.focused_option.as_ref());
    if shown.numbers_from != 1 {
        all.put("numbers_from", count(shown.numbers_from.into()));
    }
    let own = |own: &NamedComparison| {
        let mut all = Build(vec![("name".into(), text(&own.name)), ("field".into(), text(&own.field))]);
        if own.least {
            all.put("least", Value::Bool(true));
        }
        map(all.0)
    };
    if !shown.comparisons.is_empty() {
        all.put("comparisons", Value::Sequence(shown.comparisons.iter().map(own).collect()));
    }
    if shown.asked {
        all.put("asked", Value::Bool(true));
    }
}

fn options(options: &[SetOption]) -> Value {
    Value::Sequence(options.iter().map(option).collect())
}

fn option(option: &SetOption) -> Value {
    let plain = named(option.id.clone(), option.label.clone());
    if option.id == option.label && *option == plain {
        return text(&option.label);
    }
    let mut all = Build(Vec::new());
    if option.id != option.label {
        all.put("id", text(&option.id));
    }
    all.put("label", text(&option.label));
    all.some("sublabel", option.sublabel.as_ref());
    all.some("badge", option.badge.as_ref());
    if !option.aliases.is_empty() {
        all.put("aliases", texts(&option.aliases));
    }
    let known = &option.metadata;
    let mut metadata = Build(Vec::new());
    metadata.some("path", known.path.as_ref());
    metadata.some("type", known.kind.as_ref());
    metadata.some("owner", known.owner.as_ref());
    metadata.0.extend(known.recency_rank.map(|rank| ("recency_rank".to_string(), count(rank))));
    if !metadata.0.is_empty() {
        all.put("metadata", map(metadata.0));
    }
    if !option.fields.is_empty() {
        let fields = option.fields.iter().map(|(name, value)| (name.clone(), json(&value.to_json())));
        all.put("fields", map(fields.collect()));
    }
    if option.role != plain.role {
        all.put("role", text(&serialized_name(&option.role)));
    }
    if !option.repeatable {
        all.put("repeatable", Value::Bool(false));
    }
    if option.exec_ref != plain.exec_ref {
        all.put("exec_ref", text(option.exec_ref.as_deref().unwrap_or("none")));
    }
    if option.risk != plain.risk {
        all.put("risk", text(&serialized_name(&option.risk)));
    }
    map(all.0)
}

pub(super) fn handoff(wanted: &BTreeMap<String, Json>) -> Value {
    match (wanted.len(), wanted.get("kind")) {
        (1, Some(kind)) => json(kind),
        _ => members(wanted),
    }
}

pub(super) fn view(view: &ViewExpect) -> Value {
    if view.empty {
        return text("empty");
    }
    let mut all = Build(Vec::new());
    all.some("user", view.user.as_ref());
    all.0.extend(view.fields.iter().map(|(key, value)| (key.clone(), json(value))));
    if !view.lists.is_empty() {
        all.put("lists", map(view.lists.iter().map(|(name, how)| (name.clone(), text(how))).collect()));
    }
    map(all.0)
}

pub(super) fn telemetry(events: &[TelemetryExpect]) -> Value {
    let one = |told: &TelemetryExpect| match told.fields.is_empty() {
        true => text(told.event.as_str()),
        false => map(vec![(told.event.as_str().into(), members(&told.fields))]),
    };
    match events {
        [] => text("none"),
        events => Value::Sequence(events.iter().map(one).collect()),
    }
}

fn members(members: &BTreeMap<String, Json>) -> Value {
    map(members.iter().map(|(key, value)| (key.clone(), json(value))).collect())
}
