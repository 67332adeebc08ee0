//! What we say to a model ourselves: the rules of a question, what an answer to it looks like, and the material it is
//! about (`spec 05 §4.1`, sections 1, 2 and 8). The words are in `prompts/`; what differs from question to question is
//! put into their places, and all of it is ours.

mod select;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::{Question, Reviewed};
use crate::context::text::quote;
use crate::intent::Intent;
use crate::tickets::ItemType;

/// The name an answer calls the replied-to message by.
pub const ANCHOR: &str = "c1";

/// The words all questions share.
const RULES: &str = include_str!("prompts/rules.md");
/// What may be stated beside an answer.
const FACTS: &str = include_str!("prompts/facts.md");
const EPIC: &str = "- An epic stands before its stories. Stories that nothing is known about are left out; do not invent any to reach \
     a number.\n";

/// Section 1: what is asked for, and how. The version is a part of it, and moves with the words.
pub(super) fn rules(question: &Question) -> String {
    let (name, asked) = asked(question);
    let shared = filled(RULES, &[("version", &format!("{name}-1"))]);
    format!("{shared}{asked}")
}

/// Section 2: what an answer looks like.
pub(super) fn contract(question: &Question, anchor: bool) -> String {
    format!(
        "## OUTPUT CONTRACT\nAnswer with one JSON object of this schema, with nothing before it and nothing after it.\n\
         {}\n",
        schema(question, anchor)
    )
}

/// The question in words, and its name.
fn asked(question: &Question) -> (&'static str, String) {
    let name = question.name();
    let text = match question {
        Question::Classify { labels } => {
            let label = |label: &Intent| format!("- {}: {}\n", label.word(), means(*label));
            let labels: String = labels.iter().map(label).collect();
            filled(include_str!("prompts/classify.md"), &[("labels", &labels)])
        }
        Question::Draft { item_type, stories, .. } => {
            let epic = if stories.is_some() { EPIC } else { "" };
            let wanted = wanted(*item_type, *stories);
            filled(include_str!("prompts/draft.md"), &[("wanted", &wanted), ("epic", epic)])
        }
        Question::Review { kind } => {
            let kind =
                kind.as_deref().map(|kind| format!(", as {}", kind_in_words(kind))).unwrap_or_default();
            filled(include_str!("prompts/review.md"), &[("kind", &kind)])
        }
        Question::Patch { version, .. } => {
            filled(include_str!("prompts/patch.md"), &[("version", &version.to_string())])
        }
        Question::Synthesis { .. } => include_str!("prompts/synthesis.md").into(),
        Question::Select(choice) => select::asked(choice),
        Question::Answer => filled(include_str!("prompts/answer.md"), &[("facts", FACTS)]),
        Question::Summary { .. } => filled(include_str!("prompts/summary.md"), &[("facts", FACTS)]),
    };
    (name, text)
}

/// What an answer has to be, as JSON Schema. `anchor`: there is a message whose id may be named.
#[must_use]
pub fn schema(question: &Question, anchor: bool) -> Value {
    let text = match question {
        Question::Classify { .. } => include_str!("prompts/classify.json"),
        Question::Draft { .. } => include_str!("prompts/draft.json"),
        Question::Review { .. } => include_str!("prompts/review.json"),
        Question::Patch { .. } => include_str!("prompts/patch.json"),
        Question::Synthesis { .. } => include_str!("prompts/text.json"),
        Question::Select(_) => include_str!("prompts/select.json"),
        Question::Answer | Question::Summary { .. } => include_str!("prompts/told.json"),
    };
    // Ours, and read by a test: there is no other outcome.
    let mut schema: Value = serde_json::from_str(text).unwrap_or_default();
    match question {
        Question::Classify { labels } => {
            let properties = &mut schema["properties"];
            properties["label"]["enum"] = labels.iter().map(|label| json!(label.word())).collect();
            properties["anchor"] = match anchor {
                true => json!({"type": ["string", "null"], "enum": [ANCHOR, null]}),
                false => json!({"type": "null"}),
            };
        }
        Question::Select(choice) => select::offer(&mut schema["properties"], choice),
        _ => {}
    }
    schema
}

/// What a question is about beside the message: one object a line.
#[must_use]
pub fn material(question: &Question) -> Vec<String> {
    match question {
        Question::Draft { from, .. } => from.iter().map(|text| line(&[("text", text)])).collect(),
        Question::Patch { review, .. } | Question::Synthesis { review } => reviewed(review),
        Question::Select(choice) => select::material(choice),
        Question::Summary { messages, .. } => messages.clone(),
        Question::Classify { .. } | Question::Review { .. } | Question::Answer => Vec::new(),
    }
}

fn reviewed(review: &Reviewed) -> Vec<String> {
    let mut lines = alloc::vec![line(&[("topic", &review.topic), ("summary", &review.summary)])];
    let lists = [("decision", &review.decisions), ("risk", &review.risks), ("question", &review.questions)];
    for (name, texts) in lists {
        lines.extend(texts.iter().map(|text| line(&[(name, text)])));
    }
    lines
}

/// The places of a text, filled in.
fn filled(text: &str, places: &[(&str, &str)]) -> String {
    places.iter().fold(text.to_string(), |text, (name, with)| text.replace(&format!("{{{name}}}"), with))
}

fn means(label: Intent) -> &'static str {
    match label {
        Intent::Ticket => "have an issue, a story, a bug, a task or an epic written down in the tracker",
        Intent::Review => "have something reviewed or assessed",
        Intent::Discussion => "talk about something, hear an opinion or an explanation",
        Intent::Meta => "know what this assistant can do or how it is used, see what is open, or say hello",
        Intent::Ambiguous => "none of these, several of them, or it cannot be told",
    }
}

fn wanted(item_type: Option<ItemType>, stories: Option<u8>) -> String {
    match (item_type, stories) {
        (_, Some(stories)) => format!("an epic with up to {stories} stories"),
        (Some(one), None) => format!("one item of the type {}", one.word()),
        (None, None) => "one item, of the type that fits best".into(),
    }
}

/// Only words of ours stand in a question.
fn kind_in_words(kind: &str) -> &'static str {
    match kind {
        "architecture" => "an architecture review",
        "security" => "a security review",
        "pm" => "a review of the product and the plan",
        _ => "a review of the kind that fits",
    }
}

/// One object of texts on one line.
pub(crate) fn line(members: &[(&str, &str)]) -> String {
    let quoted: Vec<_> = members.iter().map(|(name, text)| (*name, quoted(text))).collect();
    object(&quoted)
}

/// One object on one line, of values that are JSON.
pub(crate) fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{ {} }}", members.join(", "))
}

/// What somebody wrote, as a JSON string, without the secrets in it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(&mut out, &crate::redact::redacted(text));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place of every text is filled, and every schema can be read.
    #[test]
    fn nothing_is_left_open() {
        let review = Reviewed::default;
        for question in [
            Question::Classify { labels: Intent::ALL.into() },
            Question::Draft { item_type: None, stories: Some(5), from: Vec::new() },
            Question::Review { kind: Some("pm".into()) },
            Question::Patch { review: review(), version: 2 },
            Question::Synthesis { review: review() },
            Question::Answer,
            Question::Summary { base_cursor: 0, to: "m_1_0".into(), messages: Vec::new() },
        ] {
            let rules = rules(&question);
            assert!(rules.starts_with("## RULES\nVersion ") && rules.ends_with('\n'), "{rules}");
            assert!(!rules.contains('{') && !rules.contains("\n\n"), "{rules}");
            assert!(schema(&question, true)["properties"].is_object());
        }
    }
}
