//! Renders replies, questions, notices and posts: text and nothing else.

use super::rich::{Rich, Style};
use super::{MESSAGE_TEXT, Message};
use crate::direction::turns_text;

/// Renders the messages of a reply, a notice or a post.
#[must_use]
pub fn reply(text: &str) -> Vec<Message> {
    let mut rich = Rich::default();
    push_linked(&mut rich, if text.trim().is_empty() { "…" } else { text.trim_end() });
    let mut messages = Vec::new();
    let mut blocks = Vec::new();
    for block in rich.blocks() {
        let mut more = blocks.clone();
        more.push(block.clone());
        if super::texts(&more) > MESSAGE_TEXT {
            messages.push(std::mem::take(&mut blocks));
            more = vec![block];
        }
        blocks = more;
    }
    messages.push(blocks);
    messages.into_iter().map(|blocks| Message::new(text, blocks)).collect()
}

/// Adds text with its addresses as links, which show what they lead to.
pub(super) fn push_linked(rich: &mut Rich, text: &str) {
    let mut rest = text;
    while let Some(at) = ["https://", "http://"].into_iter().filter_map(|scheme| rest.find(scheme)).min() {
        let (before, tail) = rest.split_at(at);
        let end = tail
            .find(|c: char| c.is_whitespace() || turns_text(c) || matches!(c, '<' | '>' | '"' | ')'))
            .unwrap_or(tail.len());
        let address = tail[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        rich.push_untrusted(Style::Plain, before);
        if address.ends_with('/') && address.matches('/').count() == 2 || address.chars().count() > 2_000 {
            rich.push_untrusted(Style::Plain, address);
        } else {
            rich.push(Style::Link(address.into()), address);
        }
        rest = &tail[address.len()..];
    }
    rich.push_untrusted(Style::Plain, rest);
}
