//! Tells which messages a model, a tool or an agent wrote. What people wrote, and what the engine says, is never markup, also
//! where it quotes them.

use throughline_engine::data::ask::Answer;
use throughline_engine::data::effect::{EffectResult, Outcome};
use throughline_engine::data::event::{Event, EventKind};
use throughline_engine::data::message::Role;
use throughline_runtime::MessageView;

use super::markdown::read;
use super::{Node, Tag};

/// Returns the markup of a message of a turn on that event; `None` if it is shown as it is written.
pub(crate) fn of_message(view: &MessageView, event: Option<&Event>) -> Option<Vec<Node>> {
    if view.role != Role::Assistant || view.card.is_some() {
        return None;
    }
    if !view.by.is_empty() {
        return quoted(&view.text);
    }
    // Words that the event brought and that are said unchanged are its author's.
    event.and_then(|event| brought(&event.kind)).filter(|words| *words == view.text).and_then(read)
}

/// Returns the words of a model or of a host's agent that an event brings.
fn brought(kind: &EventKind) -> Option<&str> {
    match kind {
        EventKind::AssistantPosted(posted) => Some(&posted.text),
        EventKind::EffectSettled { outcome: Outcome::Done { result }, .. } => match result {
            EffectResult::Answered(Answer::Text { text, .. }) => Some(text),
            EffectResult::Handled(answer) => answer.posted.as_ref().map(|posted| posted.text.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// Marks up the words of a tool or a sub-agent, which the engine quotes line by line; its own lines are text.
fn quoted(text: &str) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        match line.strip_prefix("> ") {
            None => nodes.push(Node::of(Tag::Paragraph, vec![Node::Text(line.into())])),
            Some(first) => {
                let mut words = first.to_owned();
                while let Some(more) = lines.peek().and_then(|line| line.strip_prefix("> ")) {
                    words = words + "\n" + more;
                    lines.next();
                }
                nodes.push(Node::of(Tag::Quote, read(&words)?));
            }
        }
    }
    Some(nodes)
}
