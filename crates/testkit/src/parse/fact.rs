//! Parses facts.

use throughline_engine::data::event::FactStated;
use throughline_engine::data::fact::{Confidence, FactScope, FactStatus, FactType, Trust};

use super::ParseError;
use super::given::when;
use super::node::{Fields, Node};
use crate::model::{FactExpect, GivenFact, MAIN, StateFact};

type Read<T> = Result<T, ParseError>;

/// Parses a variant by its name.
macro_rules! one_of {
    ($node:expr, $of:ident, $what:literal) => {
        $node.one_of($what, $of::parse, &$of::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>())
    };
}

fn kind(node: &Node<'_>) -> Read<FactType> {
    one_of!(node, FactType, "a type of fact")
}

fn scope(node: &Node<'_>) -> Read<FactScope> {
    one_of!(node, FactScope, "a scope of facts")
}

fn trust(node: &Node<'_>) -> Read<Trust> {
    one_of!(node, Trust, "a trust")
}

/// Parses `0.9` to hundredths.
fn confidence(node: &Node<'_>) -> Read<Confidence> {
    let number = node.text()?.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    let number = number.ok_or_else(|| node.fail("a confidence is a number from 0 to 1"))?;
    Ok(Confidence::from_percent((number * 100.0).round() as u8))
}

fn opt<T>(
    fields: &mut Fields<'_>,
    key: &'static str,
    read: impl Fn(&Node<'_>) -> Read<T>,
) -> Read<Option<T>> {
    fields.opt(key).map(|node| read(&node)).transpose()
}

/// `{ type, scope, text, … }` of `given: facts`.
pub(super) fn given(node: &Node<'_>) -> Read<GivenFact> {
    let mut fields = node.map()?;
    let fact = GivenFact {
        kind: kind(&fields.need("type")?)?,
        scope: opt(&mut fields, "scope", scope)?.unwrap_or(FactScope::Thread),
        text: fields.need("text")?.text()?,
        lane: fields.opt_text("lane")?.unwrap_or_else(|| MAIN.into()),
        epic: fields.opt_text("epic")?,
        subject: fields.opt_text("subject")?,
        confidence: opt(&mut fields, "confidence", confidence)?.unwrap_or(Confidence(90)),
        trust: opt(&mut fields, "trust", trust)?.unwrap_or(Trust::Member),
        by: fields.opt_text("by")?.unwrap_or_else(|| "somebody".into()),
        at: opt(&mut fields, "at", when)?,
    };
    fields.finish()?;
    Ok(fact)
}

/// The body of `USER: { states: … }`.
pub(super) fn states(user: String, lane: String, node: &Node<'_>) -> Read<StateFact> {
    let mut fields = node.map()?;
    let fact = FactStated {
        kind: kind(&fields.need("type")?)?,
        scope: opt(&mut fields, "scope", scope)?.unwrap_or(FactScope::Thread),
        epic: fields.opt_text("epic")?,
        text: fields.need("text")?.text()?,
        subject: fields.opt_text("subject")?,
    };
    fields.finish()?;
    Ok(StateFact { user, lane, fact })
}

/// Parses all facts in reach: `none`, or a list in any order.
pub(super) fn expected(node: &Node<'_>) -> Read<Vec<FactExpect>> {
    if !node.is_list() {
        return node.one_of("`none` or a list", |word| (word == "none").then(Vec::new), &["none"]);
    }
    node.list()?.iter().map(one).collect()
}

fn one(node: &Node<'_>) -> Read<FactExpect> {
    if !node.is_map() {
        return Ok(FactExpect { text: Some(node.text()?), ..FactExpect::default() });
    }
    let mut fields = node.map()?;
    let fact = FactExpect {
        kind: opt(&mut fields, "type", kind)?,
        scope: opt(&mut fields, "scope", scope)?,
        epic: fields.opt_text("epic")?,
        text: fields.opt_text("text")?,
        status: opt(&mut fields, "status", |node| one_of!(node, FactStatus, "the status of a fact"))?,
        confidence: opt(&mut fields, "confidence", confidence)?,
        trust: opt(&mut fields, "trust", trust)?,
        subject: fields.opt_text("subject")?,
        sources: fields.opt("sources").map(|node| node.count()).transpose()?,
    };
    fields.finish()?;
    Ok(fact)
}
