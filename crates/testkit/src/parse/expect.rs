//! Parses `expect`.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::data::intent::Intent;
use throughline_engine::data::rung::Rung;
use throughline_engine::{Reason, Verdict};
use throughline_language::reference::Need;

use super::ParseError;
use super::node::{Fields, Node};
use super::option;
use super::turns::ACTIONS;
use super::work;
use super::{fact, summary};
use crate::model::{
    CardExpect, Expectation, FocusExpect, ItemExpect, ItemsExpect, PendingExpect, PendingFit, ReferenceExpect,
};

type Read<T> = Result<T, ParseError>;

/// Keys this version reads and cannot run.
const LATER: [&str; 1] = ["warnings"];

/// Codes that are noted for a list and are no reason of a turn: they keep a list from a model or from continuity.
const BETWEEN: [&str; 6] = [
    "feature_disabled",
    "classifier_not_eligible",
    "not_denoted",
    "all_candidates_rejected",
    "option_set_mismatch",
    "scope_mismatch",
];

/// All steps of a workflow.
const STEPS: [&str; 12] = [
    "draft_preview",
    "multi_ticket_preview",
    "decision_preview",
    "review_active",
    "review_frozen",
    "scope_gate",
    "uncertain_effect",
    "call_preview",
    "uncertain_call",
    "receipt",
    "remembered",
    "options",
];

/// All values of `card.state`.
const STATES: [&str; 16] = [
    "open",
    "working",
    "created",
    "done",
    "stopped",
    "posted",
    "failed",
    "uncertain",
    "cancelled",
    "rejected",
    "dismissed",
    "answered",
    "decided",
    "superseded",
    "expired",
    "withdrawn",
];

const VERDICTS: [&str; 9] =
    ["ignored", "observed", "recorded", "answered", "asked", "shown", "done", "refused", "deferred"];

const RUNGS: [&str; 12] = [
    "duplicate",
    "addressing",
    "workflow",
    "settled",
    "focus",
    "interrupt",
    "pending",
    "selection",
    "review",
    "intent",
    "remembered",
    "gate",
];

pub(super) fn expectations(node: &Node<'_>) -> Read<Vec<Expectation>> {
    if node.is_empty() {
        return Ok(Vec::new());
    }
    let mut fields = node.map()?;
    let mut all = Vec::new();
    decided(&mut fields, &mut all)?;
    seen(&mut fields, &mut all)?;
    chosen(&mut fields, &mut all)?;
    if let Some(node) = fields.opt("facts") {
        all.push(Expectation::Facts(fact::expected(&node)?));
    }
    if let Some(node) = fields.opt("summary") {
        all.push(Expectation::Summary(summary::expected(&node)?));
    }
    for key in LATER {
        if let Some(node) = fields.opt(key) {
            all.push(Expectation::Later { key: key.into(), value: node.json()? });
        }
    }
    if let Some(node) = fields.opt("not") {
        all.push(Expectation::Not(expectations(&node)?));
    }
    fields.finish()?;
    Ok(all)
}

/// Parses expectations about the decision.
fn decided(fields: &mut Fields<'_>, all: &mut Vec<Expectation>) -> Read<()> {
    if let Some(node) = fields.opt("decision") {
        all.push(Expectation::Decision(node.one_of("an outcome", by_name::<Verdict>, &VERDICTS)?));
    }
    if let Some(node) = fields.opt("reason") {
        all.push(Expectation::Reason(reason(&node)?));
    }
    if let Some(node) = fields.opt("rung") {
        let numbered =
            |word: &str| RUNGS.get(word.parse::<usize>().ok()?).and_then(|name| by_name::<Rung>(name));
        let read = |word: &str| numbered(word).or_else(|| by_name(word));
        all.push(Expectation::Rung(node.one_of("a rung", read, &RUNGS)?));
    }
    if let Some(node) = fields.opt("intent") {
        let intents = Intent::ALL.map(Intent::as_str);
        all.push(Expectation::Intent(node.one_of("an intent", Intent::parse, &intents)?));
    }
    if let Some(node) = fields.opt("applied") {
        all.push(Expectation::Applied(unless_none(node.text()?)));
    }
    if let Some(node) = fields.opt("focus") {
        all.push(Expectation::Focus(focus(&node)?));
    }
    if let Some(node) = fields.opt("reference") {
        all.push(Expectation::Reference(reference(&node)?));
    }
    Ok(())
}

/// Parses the code of a reason.
fn reason(node: &Node<'_>) -> Read<String> {
    let between = BETWEEN.map(|word| format!("selection.{word}"));
    let codes: Vec<&str> =
        Reason::ALL.iter().map(|reason| reason.code()).chain(between.iter().map(String::as_str)).collect();
    node.one_of("a reason of this version", |word| codes.contains(&word).then(|| word.to_string()), &codes)
}

/// `{ need, words }`, or the need alone.
fn reference(node: &Node<'_>) -> Read<ReferenceExpect> {
    let need = |node: &Node<'_>| {
        node.one_of("a kind of reference", by_name::<Need>, &["none", "bound", "needs_anchor"])
    };
    if !node.is_map() {
        return Ok(ReferenceExpect { need: Some(need(node)?), words: Vec::new() });
    }
    let mut fields = node.map()?;
    let expected = ReferenceExpect {
        need: fields.opt("need").map(|node| need(&node)).transpose()?,
        words: fields.opt("words").map(|node| texts(&node)).transpose()?.unwrap_or_default(),
    };
    fields.finish()?;
    Ok(expected)
}

/// Parses expectations about the lane and the world.
fn seen(fields: &mut Fields<'_>, all: &mut Vec<Expectation>) -> Read<()> {
    if let Some(node) = fields.opt("pending") {
        all.push(Expectation::Pending(pending(&node)?));
    }
    if let Some(node) = fields.opt("says") {
        all.push(Expectation::Says(texts(&node)?));
    }
    if let Some(node) = fields.opt("private") {
        all.push(Expectation::Private(texts(&node)?));
    }
    if let Some(node) = fields.opt("card") {
        all.push(Expectation::Card(if says_none(&node) { None } else { Some(card(&node)?) }));
    }
    if let Some(node) = fields.opt("effects") {
        all.push(Expectation::Effects(effects(&node)?));
    }
    if let Some(node) = fields.opt("model_calls") {
        all.push(Expectation::ModelCalls(node.count()?));
    }
    if let Some(node) = fields.opt("task") {
        all.push(Expectation::Task(if says_none(&node) { None } else { Some(work::task_expected(&node)?) }));
    }
    if let Some(node) = fields.opt("prompt") {
        all.push(Expectation::Prompt(texts(&node)?));
    }
    Ok(())
}

/// Parses expectations about lists of options.
fn chosen(fields: &mut Fields<'_>, all: &mut Vec<Expectation>) -> Read<()> {
    if let Some(node) = fields.opt("selected") {
        all.push(Expectation::Selected(unless_none(node.text()?)));
    }
    if let Some(node) = fields.opt("clarify") {
        let none = !node.is_list() && says_none(&node);
        all.push(Expectation::Clarify(if none { None } else { Some(texts(&node)?) }));
    }
    if let Some(node) = fields.opt("provenance") {
        all.push(Expectation::Provenance(option::provenance(&node)?));
    }
    if let Some(node) = fields.opt("handoff") {
        all.push(Expectation::Handoff(option::handoff(&node)?));
    }
    if let Some(node) = fields.opt("view") {
        all.push(Expectation::View(option::view(&node)?));
    }
    if let Some(node) = fields.opt("telemetry") {
        all.push(Expectation::Telemetry(option::telemetry(&node)?));
    }
    Ok(())
}

fn by_name<T: serde::de::DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Json::String(word.into())).ok()
}

fn says_none(node: &Node<'_>) -> bool {
    !node.is_map() && node.text().is_ok_and(|text| text == "none")
}

fn unless_none(text: String) -> Option<String> {
    (text != "none").then_some(text)
}

pub(super) fn texts(node: &Node<'_>) -> Read<Vec<String>> {
    node.one_or_more()?.iter().map(Node::text).collect()
}

fn pending(node: &Node<'_>) -> Read<PendingExpect> {
    if node.is_list() {
        return Ok(PendingExpect::All(node.list()?.iter().map(pending_fit).collect::<Read<_>>()?));
    }
    if says_none(node) { Ok(PendingExpect::None) } else { Ok(PendingExpect::One(pending_fit(node)?)) }
}

/// `{ kind, expected, value }`, or the kind alone.
fn pending_fit(node: &Node<'_>) -> Read<PendingFit> {
    if !node.is_map() {
        return Ok(PendingFit { kind: Some(node.text()?), ..PendingFit::default() });
    }
    let mut fields = node.map()?;
    let fit = PendingFit {
        kind: fields.opt_text("kind")?,
        expected: fields.opt_text("expected")?,
        value: fields.opt_text("value")?,
    };
    fields.finish()?;
    Ok(fit)
}

/// `{ source, anchor, task }`, or the source alone.
fn focus(node: &Node<'_>) -> Read<FocusExpect> {
    if !node.is_map() {
        return Ok(FocusExpect { source: Some(source(node)?), ..FocusExpect::default() });
    }
    let mut fields = node.map()?;
    let focus = FocusExpect {
        source: fields.opt("source").map(|node| source(&node)).transpose()?,
        anchor: fields.opt_text("anchor")?,
        task: fields.opt_text("task")?,
    };
    fields.finish()?;
    Ok(focus)
}

fn source(node: &Node<'_>) -> Read<String> {
    let all = ["reply", "reply.payload", "lane.recency", "none"];
    node.one_of("a source of focus", |word| all.contains(&word).then(|| word.to_string()), &all)
}

fn card(node: &Node<'_>) -> Read<CardExpect> {
    let one_of = |node: &Node<'_>, what: &str, all: &[&str]| {
        node.one_of(what, |word| all.contains(&word).then(|| word.to_string()), all)
    };
    let mut fields = node.map()?;
    let mut card = CardExpect {
        step: fields.opt("step").map(|node| one_of(&node, "a step", &STEPS)).transpose()?,
        version: fields.opt("version").map(|node| node.count()).transpose()?,
        buttons: None,
        title: fields.opt_text("title")?,
        state: fields.opt("state").map(|node| one_of(&node, "the state of a card", &STATES)).transpose()?,
        items: fields.opt("items").map(|node| items(&node)).transpose()?,
    };
    if let Some(node) = fields.opt("buttons") {
        card.buttons = Some(if says_none(&node) { Vec::new() } else { actions(&node)? });
    }
    fields.finish()?;
    Ok(card)
}

/// Parses a count of items, or a list of `{ label, title, state, buttons, error }` or part of a title.
fn items(node: &Node<'_>) -> Read<ItemsExpect> {
    if !node.is_list() {
        return node.count().map(ItemsExpect::Count);
    }
    node.list()?.iter().map(item).collect::<Read<_>>().map(ItemsExpect::All)
}

fn item(node: &Node<'_>) -> Read<ItemExpect> {
    if !node.is_map() {
        return Ok(ItemExpect { title: Some(node.text()?), ..ItemExpect::default() });
    }
    let mut fields = node.map()?;
    let mut item = ItemExpect {
        label: fields.opt_text("label")?,
        title: fields.opt_text("title")?,
        state: fields.opt_text("state")?,
        buttons: None,
        error: fields.opt_text("error")?,
    };
    if let Some(node) = fields.opt("buttons") {
        item.buttons = Some(if says_none(&node) { Vec::new() } else { actions(&node)? });
    }
    fields.finish()?;
    Ok(item)
}

fn actions(node: &Node<'_>) -> Read<Vec<String>> {
    let one = |node: &Node<'_>| {
        node.one_of("an action", |word| ACTIONS.contains(&word).then(|| word.to_string()), &ACTIONS)
    };
    node.list()?.iter().map(one).collect()
}

fn effects(node: &Node<'_>) -> Read<BTreeMap<String, u32>> {
    let mut effects = BTreeMap::new();
    if node.is_map() {
        for (class, node) in node.map()?.rest() {
            class_is_outward(&node, &class)?;
            effects.insert(class, node.count()?);
        }
        // A class with a count of 0 is left out.
        effects.retain(|_, n| *n > 0);
    } else if !says_none(node) {
        return Err(node.fail("`effects` is `none`, or how many of each class: { tracker.create: 1 }"));
    }
    Ok(effects)
}

/// Refuses a class that never leaves the thread: `effects` could not count it.
fn class_is_outward(node: &Node<'_>, class: &str) -> Read<()> {
    const OUTWARD: [&str; 8] = [
        "tracker.create",
        "tracker.update",
        "tracker.link",
        "post.channel",
        "tool.call",
        "agent.delegate",
        "option.execute",
        "host.act",
    ];
    match throughline_engine::data::effect::EffectClass::parse(class) {
        Some(known) if !known.can_leave() => {
            Err(node.fail(format!("`{class}` does not leave the thread; `effects` counts what does")))
        }
        Some(_) => Ok(()),
        None => {
            let read = |word: &str| OUTWARD.contains(&word).then_some(());
            read(class).ok_or_else(|| {
                node.fail(format!(
                    "`{class}` is not an effect class{}",
                    super::node::suggest(class, &OUTWARD)
                ))
            })
        }
    }
}
