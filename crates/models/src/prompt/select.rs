//! Which option is meant (`spec 04 §12.2`): the options by alias, with everything that tells them apart. No word of the
//! conversation, no id of a host's, nothing of another place; and only what may be answered can be.

use minijinja::context;
use serde_json::{Value, json};
use throughline_engine::ask::{Candidate, Choice, Evidence, SELECT_CONTRACT};
use throughline_engine::selection::Scope;

use super::{Part, object, quoted};

/// The part of a prompt that asks for an option.
pub(super) fn part(choice: &Choice) -> Part {
    let alias = |candidate: Option<&Candidate>| candidate.map(|one| one.alias.clone()).unwrap_or_default();
    let system = context! {
        place => place(choice.scope),
        first => alias(choice.candidates.first()),
        last => alias(choice.candidates.last()),
        evidence => !choice.evidence.is_empty(),
        may_ask => choice.may_ask,
        contract => SELECT_CONTRACT,
        hints => choice.hints.join(", "),
        rejected => choice.rejected.join(", "),
    };
    let mut part = Part::of("select", system, include_str!("../../prompts/select.json"));
    offer(&mut part.schema["properties"], choice);
    part.material = choice.candidates.iter().map(option).collect();
    part.material.extend(choice.evidence.iter().map(|text| object(&[("evidence", quoted(text))])));
    part
}

/// Closes what may be answered to what is offered.
fn offer(properties: &mut Value, choice: &Choice) {
    let asking = choice.may_ask.then_some("request_context");
    properties["contract"]["enum"] = json!([SELECT_CONTRACT]);
    properties["decision"]["enum"] =
        ["select", "none", "need_more_info"].into_iter().chain(asking).map(Value::from).collect();
    let aliases = choice.candidates.iter().map(|candidate| json!(candidate.alias));
    properties["choice"]["enum"] = aliases.chain([Value::Null]).collect();
    if choice.may_ask {
        let kinds = evidence(choice.scope).iter().map(|kind| json!(kind.word()));
        properties["neededEvidenceTypes"]["items"]["enum"] = kinds.collect();
    }
}

/// What can be looked up for a list in that place: never something of another.
fn evidence(scope: Scope) -> &'static [Evidence] {
    use Evidence as E;
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

/// One option on one line, with all that the lane knows of it.
fn option(candidate: &Candidate) -> String {
    let Candidate { alias, label, sublabel, badge, names, metadata } = candidate;
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
    object(&members)
}
