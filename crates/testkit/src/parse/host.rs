//! Parses what a host's agent says, and what a host does with the effects that only it performs.

use std::collections::BTreeMap;

use throughline_engine::data::effect::EffectClass;
use throughline_engine::data::handover::HostAnswer as Handled;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::option_set::OptionsShown;

use super::ParseError;
use super::given::{expected, message_kind, when};
use super::node::{Fields, Node};
use super::option::{options, shown};
use crate::model::{HostAnswer, HostPost, MAIN, instance};

type Read<T> = Result<T, ParseError>;

/// `{ option.execute: [done, hold], turn.handover: [{ assistant.posted }], evidence.fetch: [{ options, focused }] }`.
pub(super) fn does(node: Option<Node<'_>>) -> Read<BTreeMap<String, Vec<HostAnswer>>> {
    let Some(node) = node.filter(|node| !node.is_empty()) else { return Ok(BTreeMap::new()) };
    let mut all = BTreeMap::new();
    for (class, node) in node.map()?.rest() {
        let Some(known) = EffectClass::parse(&class).filter(|class| class.is_host_only()) else {
            return Err(node.fail(format!(
                "`{class}` is nothing that only a host does: `option.execute`, `host.act`, `turn.handover`, `evidence.fetch`"
            )));
        };
        let read = |node: &Node<'_>| answer(known, node);
        all.insert(class, node.one_or_more()?.iter().map(read).collect::<Read<_>>()?);
    }
    Ok(all)
}

fn answer(class: EffectClass, node: &Node<'_>) -> Read<HostAnswer> {
    if node.is_map() {
        return match class {
            EffectClass::TurnHandover => handled(node),
            _ => holds(node),
        };
    }
    let read = |word: &str| {
        Some(match word {
            "done" => HostAnswer::Done,
            "hold" => HostAnswer::Held,
            "failed" => HostAnswer::Failed,
            "uncertain" => HostAnswer::Uncertain,
            _ => return None,
        })
    };
    node.one_of("what a host does", read, &["done", "hold", "failed", "uncertain"])
}

fn holds(node: &Node<'_>) -> Read<HostAnswer> {
    let mut fields = node.map()?;
    let options = options(&fields.need("options")?)?;
    let focused = fields.opt_text("focused")?;
    fields.finish()?;
    Ok(HostAnswer::Holds { options, focused })
}

/// `{ assistant.posted: { … }, options.shown: { … } }`, each as a turn has it.
fn handled(node: &Node<'_>) -> Read<HostAnswer> {
    let mut fields = node.map()?;
    let post = fields.opt("assistant.posted").map(|node| posts(&node, |_| Ok(MAIN.into()))).transpose()?;
    let list = fields.opt("options.shown").map(|node| shown(node.map()?)).transpose()?;
    fields.finish()?;
    if post.is_none() && list.is_none() {
        return Err(
            node.fail("an answer has `assistant.posted`, `options.shown` or both; `done` says nothing")
        );
    }
    let posted =
        post.map(|post| post.posted(|_| Err(node.fail("`expires` of an answer is a date and time"))));
    let options = list.map(|list| OptionsShown { scope_instance: instance(&list, MAIN), ..list });
    Ok(HostAnswer::Handled(Box::new(Handled { posted: posted.transpose()?, options })))
}

/// Parses the body of `assistant.posted`.
pub(super) fn posts(node: &Node<'_>, lane: impl Fn(&mut Fields<'_>) -> Read<String>) -> Read<HostPost> {
    let mut fields = node.map()?;
    let expected = fields.opt("expected").map(|node| expected(&node)).transpose()?;
    let kind = fields.opt("kind").map(|node| message_kind(&node)).transpose()?;
    let asks = if expected.is_some() { MessageKind::Question } else { MessageKind::Answer };
    let says = HostPost {
        lane: lane(&mut fields)?,
        kind: kind.unwrap_or(asks),
        task: fields.opt_text("task")?,
        text: fields.need("text")?.text()?,
        expected,
        asked_of: fields.opt_text("asked_of")?,
        expires: fields.opt("expires").map(|node| when(&node)).transpose()?,
    };
    fields.finish()?;
    Ok(says)
}
