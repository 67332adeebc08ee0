//! Prompts: templates in `prompts/`, filled in (`spec 05 §4.1`, `spec 06 §7.5`).
//!
//! What others wrote never stands bare. Lines of context are JSON, escaped so that none can close its section or open
//! another; the message stands in a fence longer than any in it, whose marker is made of the effect's id and of the
//! message itself: whoever writes the message cannot know it. An id that may be picked is offered as `c1` and mapped back
//! by [`crate::parse`]. Secrets are taken out of all of it.

mod select;

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value as Filled, context};
use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::ask::{Ask, Question, Reviewed};
use throughline_engine::canon::{hex, sha256};
use throughline_engine::context::text::{fence, quote};
use throughline_engine::intent::Intent;
use throughline_engine::redact::redacted;
use throughline_engine::tickets::ItemType;

/// The name an answer calls the replied-to message by.
pub(crate) const ANCHOR: &str = "c1";

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_syntax(blocks_take_their_lines());
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let files = [
        ("rules.md", include_str!("../prompts/rules.md")),
        ("contract.md", include_str!("../prompts/contract.md")),
        ("input.md", include_str!("../prompts/input.md")),
        ("classify.md", include_str!("../prompts/classify.md")),
        ("select.md", include_str!("../prompts/select.md")),
        ("draft.md", include_str!("../prompts/draft.md")),
        ("review.md", include_str!("../prompts/review.md")),
        ("patch.md", include_str!("../prompts/patch.md")),
        ("synthesis.md", include_str!("../prompts/synthesis.md")),
        ("answer.md", include_str!("../prompts/answer.md")),
    ];
    for (name, text) in files {
        templates.add_template(name, text).unwrap_or_else(|error| panic!("the prompt {name}: {error}"));
    }
    templates
});

fn blocks_take_their_lines() -> SyntaxConfig {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    syntax.build().expect("nothing but white-space was changed")
}

/// A finished prompt: all that a model is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Rules and contract: all of it ours.
    pub system: String,
    /// What it is about: what people wrote, as data.
    pub user: String,
    /// What an answer looks like.
    pub schema: Value,
    /// The schema's name.
    pub name: &'static str,
    /// What marks the fence: of this effect only, and no part of the question.
    pub marker: String,
}

impl Prompt {
    /// The prompt of an ask.
    #[must_use]
    pub fn of(ask: &Ask, effect: &EffectId) -> Self {
        let Part { name, system, schema, material } = part(ask);
        let shown = serde_json::to_string(&schema).unwrap_or_default();
        let system = render(&format!("{name}.md"), context! { schema => shown, ..system });
        let marker =
            hex(&sha256(&[b"throughline/fence/1", effect.0.as_bytes(), b"\n", ask.text.as_bytes()])[..6]);
        // Which option is meant is said by the options: nothing else of the conversation is shown.
        let around = !matches!(ask.question, Question::Select(_));
        let window = ask.window.iter().filter(|_| around).map(|text| line(&[("text", text)]));
        let text = redacted(&ask.text);
        let user = context! {
            window => window.collect::<Vec<_>>(),
            anchor => anchor(ask).filter(|_| around),
            material,
            complaints => &ask.complaints,
            fence => fence(&text),
            marker => &marker,
            text,
        };
        Self { system, user: render("input.md", user), schema, name, marker }
    }
}

/// What differs from question to question.
struct Part {
    name: &'static str,
    system: Filled,
    schema: Value,
    material: Vec<String>,
}

impl Part {
    fn of(name: &'static str, system: Filled, schema: &str) -> Self {
        let schema =
            serde_json::from_str(schema).unwrap_or_else(|error| panic!("the schema of {name}: {error}"));
        Self { name, system, schema, material: Vec::new() }
    }
}

fn part(ask: &Ask) -> Part {
    let of = Part::of;
    match &ask.question {
        Question::Classify { labels } => {
            let offered: Vec<Filled> = labels
                .iter()
                .map(|label| context! { word => label.word(), means => means(*label) })
                .collect();
            let mut part =
                of("classify", context! { labels => offered }, include_str!("../prompts/classify.json"));
            let properties = &mut part.schema["properties"];
            properties["label"]["enum"] = labels.iter().map(|label| json!(label.word())).collect();
            properties["anchor"] = match offered_anchor(ask) {
                true => json!({"type": ["string", "null"], "enum": [ANCHOR, null]}),
                false => json!({"type": "null"}),
            };
            part
        }
        Question::Draft { item_type, stories, from } => {
            let epic = stories.is_some();
            let system = context! { wanted => wanted(*item_type, *stories), epic };
            let mut part = of("draft", system, include_str!("../prompts/draft.json"));
            part.material = from.iter().map(|text| line(&[("text", text)])).collect();
            part
        }
        Question::Review { kind } => {
            let kind = kind.as_deref().map(kind_in_words);
            of("review", context! { kind }, include_str!("../prompts/review.json"))
        }
        Question::Patch { review, version } => {
            let mut part = of("patch", context! { version }, include_str!("../prompts/patch.json"));
            part.material = material(review);
            part
        }
        Question::Synthesis { review } => {
            let mut part = of("synthesis", context! {}, include_str!("../prompts/text.json"));
            part.material = material(review);
            part
        }
        Question::Select(choice) => select::part(choice),
        Question::Answer => of("answer", context! {}, include_str!("../prompts/text.json")),
    }
}

/// A template and what it is filled with are both ours: one that cannot be rendered is found by the tests below.
fn render(name: &str, with: Filled) -> String {
    let template = TEMPLATES.get_template(name).and_then(|template| template.render(with));
    template.unwrap_or_else(|error| panic!("the prompt {name}: {error}"))
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

fn material(review: &Reviewed) -> Vec<String> {
    let mut lines = vec![line(&[("topic", &review.topic), ("summary", &review.summary)])];
    let lists = [("decision", &review.decisions), ("risk", &review.risks), ("question", &review.questions)];
    for (name, texts) in lists {
        lines.extend(texts.iter().map(|text| line(&[(name, text)])));
    }
    lines
}

/// Whether there is an id to pick: a quotation of a message we do not know has none.
fn offered_anchor(ask: &Ask) -> bool {
    ask.hint.as_ref().is_some_and(|hint| hint.focus_anchor_internal_id.is_some())
}

fn anchor(ask: &Ask) -> Option<String> {
    let text = ask.hint.as_ref()?.focus_anchor_text_snippet.as_str();
    Some(if offered_anchor(ask) { line(&[("id", ANCHOR), ("text", text)]) } else { line(&[("quote", text)]) })
}

/// One object of texts on one line.
fn line(members: &[(&str, &str)]) -> String {
    let quoted: Vec<_> = members.iter().map(|(name, text)| (*name, quoted(text))).collect();
    object(&quoted)
}

/// One object on one line, of values that are JSON.
fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{ {} }}", members.join(", "))
}

/// What somebody wrote, as a JSON string, without the secrets in it.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(&mut out, &redacted(text));
    out
}

#[cfg(test)]
mod tests;
