//! Parses expected summaries.

use super::ParseError;
use super::expect::texts;
use super::node::Node;
use crate::model::SummaryExpect;

/// Parses `{ text, version, cursor, raw, tail, asked }`, all optional.
pub(super) fn expected(node: &Node<'_>) -> Result<SummaryExpect, ParseError> {
    let mut fields = node.map()?;
    let count = |node: Option<Node<'_>>| node.map(|node| node.count()).transpose();
    let summary = SummaryExpect {
        text: fields.opt_text("text")?.map(|text| Some(text).filter(|text| text != "none")),
        version: count(fields.opt("version"))?,
        cursor: count(fields.opt("cursor"))?.map(u64::from),
        raw: count(fields.opt("raw"))?.map(|raw| raw as usize),
        tail: fields.opt("tail").map(|node| texts(&node)).transpose()?,
        asked: fields.opt("asked").map(|node| node.flag()).transpose()?,
    };
    fields.finish()?;
    Ok(summary)
}
