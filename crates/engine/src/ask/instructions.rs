//! The engine's own part of a prompt: a question's rules, the contract of its answer, and its material. The
//! wording is in `prompts/`, and what differs between questions fills its placeholders. Rules and contract
//! contain only the engine's own words; texts of others are in the material, as JSON
//! (`docs/design/0025-prompt-context.md`).

mod select;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::data::ask::{DraftText, Question, ReviewAnswer};
use crate::data::intent::Intent;
use crate::data::prompt::ANCHOR;
use crate::data::ticket::{ItemType, Part};
use crate::text::json_object::line;

/// The rules that all questions share.
const RULES: &str = include_str!("prompts/rules.md");
/// The rules for stating facts beside an answer.
const FACTS: &str = include_str!("prompts/facts.md");
const EPIC: &str = "- An epic stands before its stories. Stories that nothing is known about are left out; do not invent any to reach \
     a number.\n";

/// Section 1 of a prompt: the task and its rules, with the version of the wording.
pub(super) fn rules(question: &Question) -> String {
    let (name, asked) = asked(question);
    let shared = filled(RULES, &[("version", &format!("{name}-1"))]);
    format!("{shared}{asked}")
}

/// Section 2 of a prompt: the schema of the answer.
pub(super) fn contract(question: &Question, anchor: bool) -> String {
    format!(
        "## OUTPUT CONTRACT\nAnswer with one JSON object of this schema, with nothing before it and nothing after it.\n\
         {}\n",
        schema(question, anchor)
    )
}

/// The question's name and its words.
fn asked(question: &Question) -> (&'static str, String) {
    let name = question.name();
    let text = match question {
        Question::Classify { labels } => {
            let label = |label: &Intent| format!("- {}: {}\n", label.as_str(), means(*label));
            let labels: String = labels.iter().map(label).collect();
            filled(include_str!("prompts/classify.md"), &[("labels", &labels)])
        }
        Question::Draft { item_type, stories, .. } => {
            let epic = if stories.is_some() { EPIC } else { "" };
            let wanted = wanted(*item_type, *stories);
            filled(include_str!("prompts/draft.md"), &[("wanted", &wanted), ("epic", epic)])
        }
        Question::Revise { .. } => include_str!("prompts/revise.md").into(),
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

/// The JSON Schema of an answer. With `anchor`, the answer may name the anchor's id.
#[must_use]
pub fn schema(question: &Question, anchor: bool) -> Value {
    let text = match question {
        Question::Classify { .. } => include_str!("prompts/classify.json"),
        Question::Draft { .. } => include_str!("prompts/draft.json"),
        Question::Revise { .. } => include_str!("prompts/revise.json"),
        Question::Review { .. } => include_str!("prompts/review.json"),
        Question::Patch { .. } => include_str!("prompts/patch.json"),
        Question::Synthesis { .. } => include_str!("prompts/text.json"),
        Question::Select(_) => include_str!("prompts/select.json"),
        Question::Answer | Question::Summary { .. } => include_str!("prompts/told.json"),
    };
    // The schema is the engine's own and a test parses it, so this cannot fail.
    let mut schema: Value = serde_json::from_str(text).unwrap_or_default();
    match question {
        Question::Classify { labels } => {
            let properties = &mut schema["properties"];
            properties["label"]["enum"] = labels.iter().map(|label| json!(label.as_str())).collect();
            properties["anchor"] = match anchor {
                true => json!({"type": ["string", "null"], "enum": [ANCHOR, null]}),
                false => json!({"type": "null"}),
            };
        }
        Question::Select(choice) => select::offer(&mut schema["properties"], choice),
        Question::Revise { items } => {
            let properties = &mut schema["properties"]["changes"]["items"]["properties"];
            properties["item"]["enum"] = items.iter().map(|one| json!(one.item)).collect();
            let fields = Part::ALL.into_iter().filter(|part| part.is_revisable());
            properties["field"]["enum"] = fields.map(|part| json!(part.as_str())).collect();
        }
        _ => {}
    }
    schema
}

/// The material of a question beside the message, as lines of one JSON object each.
#[must_use]
pub fn material(question: &Question) -> Vec<String> {
    match question {
        Question::Draft { from, .. } => from.iter().map(|text| line(&[("text", text)])).collect(),
        Question::Revise { items } => items.iter().map(item_line).collect(),
        Question::Patch { review, .. } | Question::Synthesis { review } => reviewed(review),
        Question::Select(choice) => select::material(choice),
        Question::Summary { messages, .. } => messages.clone(),
        Question::Classify { .. } | Question::Review { .. } | Question::Answer => Vec::new(),
    }
}

fn item_line(item: &DraftText) -> String {
    let mut members = alloc::vec![("item", item.item.as_str()), ("type", item.item_type.as_str())];
    members.extend(item.fields.iter().map(|(part, text)| (part.as_str(), text.as_str())));
    line(&members)
}

fn reviewed(review: &ReviewAnswer) -> Vec<String> {
    let mut lines = alloc::vec![line(&[("topic", &review.topic), ("summary", &review.summary)])];
    let lists = [("decision", &review.decisions), ("risk", &review.risks), ("question", &review.questions)];
    for (name, texts) in lists {
        lines.extend(texts.iter().map(|text| line(&[(name, text)])));
    }
    lines
}

/// Replaces the placeholders `{name}` of a text.
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
        (Some(one), None) => format!("one item of the type {}", one.as_str()),
        (None, None) => "one item, of the type that fits best".into(),
    }
}

/// A fixed phrase for the kind, because only the engine's own words may be in a question.
fn kind_in_words(kind: &str) -> &'static str {
    match kind {
        "architecture" => "an architecture review",
        "security" => "a security review",
        "pm" => "a review of the product and the plan",
        _ => "a review of the kind that fits",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every placeholder of every text is filled, and every schema parses.
    #[test]
    fn nothing_is_left_open() {
        let review = ReviewAnswer::default;
        for question in [
            Question::Classify { labels: Intent::ALL.into() },
            Question::Draft { item_type: None, stories: Some(5), from: Vec::new() },
            Question::Revise { items: Vec::new() },
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
