//! The question which option is meant: the options under aliases, with everything that tells them apart
//! (`docs/design/0023-model-picks.md`). It contains no words of the conversation, no id of a host and
//! nothing of another place, and its schema allows only answers that were offered.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::ask::instructions::filled;
use crate::data::ask::{Candidate, EvidenceKind, SELECT_CONTRACT, SelectInput};
use crate::data::field::FieldValue;
use crate::data::scope::Scope;
use crate::text::json_object::{object, quoted};

pub(super) fn asked(choice: &SelectInput) -> String {
    fn alias(candidate: Option<&Candidate>) -> &str {
        candidate.map_or("", |one| one.alias.as_str())
    }
    let looked_up = if choice.evidence.is_empty() {
        ""
    } else {
        "; the lines with `evidence` say what was looked up since you were asked before"
    };
    let asking = if choice.may_ask {
        "- It is `request_context` when it could be told with more to see: `neededEvidenceTypes` names one or two kinds \
         of it.\n"
    } else {
        ""
    };
    let otherwise = if choice.may_ask { " for every other than `request_context`" } else { "" };
    let named = |aliases: &[String], says: fn(&str) -> String| match aliases {
        [] => String::new(),
        several => says(&several.join(", ")),
    };
    let hints = named(&choice.hints, |hints| {
        format!("- The words of the message resemble {hints}, the most alike first. It may mean another.\n")
    });
    let rejected = named(&choice.rejected, |rejected| format!("- The writer said no to {rejected}.\n"));
    let places: [(&str, &str); 9] = [
        ("place", place(choice.scope)),
        ("first", alias(choice.candidates.first())),
        ("last", alias(choice.candidates.last())),
        ("evidence", looked_up),
        ("asking", asking),
        ("otherwise", otherwise),
        ("contract", SELECT_CONTRACT),
        ("hints", &hints),
        ("rejected", &rejected),
    ];
    filled(include_str!("../prompts/select.md"), &places)
}

/// Restricts the schema to the options and the kinds of evidence that were offered.
pub(super) fn offer(properties: &mut Value, choice: &SelectInput) {
    let asking = choice.may_ask.then_some("request_context");
    properties["contract"]["enum"] = json!([SELECT_CONTRACT]);
    properties["decision"]["enum"] =
        ["select", "none", "need_more_info"].into_iter().chain(asking).map(Value::from).collect();
    let aliases = choice.candidates.iter().map(|candidate| json!(candidate.alias));
    properties["choice"]["enum"] = aliases.chain([Value::Null]).collect();
    if choice.may_ask {
        let kinds = evidence(choice.scope).iter().map(|kind| json!(kind.as_str()));
        properties["neededEvidenceTypes"]["items"]["enum"] = kinds.collect();
    }
}

/// The options and the evidence, one line each.
pub(super) fn material(choice: &SelectInput) -> Vec<String> {
    let options = choice.candidates.iter().map(option);
    let evidence = choice.evidence.iter().map(|text| object(&[("evidence", quoted(text))]));
    options.chain(evidence).collect()
}

/// The kinds of evidence that can be looked up for a list in this place, never something of another.
fn evidence(scope: Scope) -> &'static [EvidenceKind] {
    use EvidenceKind as E;
    match scope {
        Scope::Chat => &[E::ChatActiveOptions, E::ChatRecoverableOptions, E::ScopeDisambiguationHint],
        Scope::Widget => &[E::ActiveWidgetItems, E::ScopeDisambiguationHint],
        Scope::Dashboard => &[E::ActiveDashboardItems, E::ScopeDisambiguationHint],
        Scope::Workspace => &[E::ActiveWorkspaceItems, E::ScopeDisambiguationHint],
    }
}

fn place(scope: Scope) -> &'static str {
    match scope {
        Scope::Chat => "in the conversation",
        Scope::Widget => "in a panel beside the conversation",
        Scope::Dashboard => "on a dashboard",
        Scope::Workspace => "in the workspace",
    }
}

/// An option as one line, with everything the lane knows about it.
fn option(candidate: &Candidate) -> String {
    let Candidate { alias, label, sublabel, badge, names, metadata, fields } = candidate;
    let mut members = vec![("id", quoted(alias)), ("label", quoted(label))];
    let texts = [
        ("sublabel", sublabel),
        ("badge", badge),
        ("path", &metadata.path),
        ("type", &metadata.kind),
        ("owner", &metadata.owner),
    ];
    members.extend(texts.into_iter().filter_map(|(name, text)| Some((name, quoted(text.as_ref()?)))));
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        members.push(("names", format!("[{}]", names.join(", "))));
    }
    members.extend(metadata.recency_rank.map(|rank| ("recency_rank", rank.to_string())));
    if !fields.is_empty() {
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}: {}", quoted(name), property(value))).collect();
        members.push(("fields", format!("{{{}}}", fields.join(", "))));
    }
    object(&members)
}

/// A property's value; numbers as they are, without what a float would make of them.
fn property(value: &FieldValue) -> String {
    match value {
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Quantity { value, unit } => quoted(&format!("{value} {unit}")),
        FieldValue::Text(text) | FieldValue::At(text) => quoted(text),
        FieldValue::Flag(flag) => flag.to_string(),
        FieldValue::List(list) => {
            let list: Vec<String> = list.iter().map(|text| quoted(text)).collect();
            format!("[{}]", list.join(", "))
        }
    }
}
