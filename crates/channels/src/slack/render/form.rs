//! Renders forms as modals: the fields of a card or of one of its items.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_messages::{self as messages, Language};

use super::rich::{Rich, Style};
use super::{TITLE, VIEW_BLOCKS, plain};
use crate::form::FormField;
use crate::slack::inbound::{FIELD, FormPlace};

/// The most characters of a field.
const FIELD_TEXT: usize = 3_000;
/// The longest label.
const LABEL: usize = 2_000;

/// The content of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormModel {
    /// The title.
    pub title: String,
    /// The card's button, and where the card is.
    pub place: FormPlace,
    /// The fields.
    pub fields: Vec<FormField>,
}

/// Renders a form. A value that is longer than a field of Slack is left out of the form, so that saving keeps it.
#[must_use]
pub fn form(model: &FormModel, language: Language) -> Value {
    let fits = |field: &&FormField| field.text.chars().count() <= FIELD_TEXT;
    let inputs = model.fields.iter().filter(fits).take(VIEW_BLOCKS).map(input);
    json!({"type": "modal", "callback_id": "tl.form", "title": plain(&model.title, TITLE),
        "submit": plain(&messages::slack_save(language), TITLE),
        "close": plain(&messages::script_cancel(language), TITLE),
        "private_metadata": serde_json::to_string(&model.place).unwrap_or_default(),
        "blocks": inputs.collect::<Vec<_>>()})
}

fn input(field: &FormField) -> Value {
    let name = format!("{FIELD}{}", field.name);
    let mut element = json!({"type": "plain_text_input", "action_id": name, "multiline": field.long,
        "max_length": FIELD_TEXT});
    if !field.text.is_empty() {
        element["initial_value"] = json!(field.text);
    }
    let mut block = json!({"type": "input", "block_id": name, "optional": true,
        "label": plain(&field.label, LABEL), "element": element});
    if !field.faults.is_empty() {
        block["hint"] = plain(&field.faults.join(" "), LABEL);
    }
    block
}

/// The answer to a form that is refused, because its card was changed or decided meanwhile: the reason, and what was typed
/// to copy.
#[must_use]
pub fn outdated(values: &BTreeMap<String, String>, why: Option<&str>, language: Language) -> Value {
    let mut text = Rich::default();
    if let Some(why) = why {
        text.push_untrusted(Style::Plain, &format!("{why}\n"));
    }
    text.push(Style::Plain, &messages::slack_outdated(language));
    for (name, value) in values.iter().filter(|(_, value)| !value.is_empty()) {
        text.push(Style::Bold, &format!("\n\n{name}\n"));
        text.push_untrusted(Style::Plain, value);
    }
    let mut blocks = text.blocks();
    blocks.truncate(VIEW_BLOCKS);
    json!({"type": "modal", "title": plain(&messages::slack_outdated_title(language), TITLE),
        "close": plain(&messages::slack_close(language), TITLE), "blocks": blocks})
}

/// The faults of typed values by block, if there are any. Slack holds the limits itself; a changed client need not.
#[must_use]
pub fn too_long(values: &BTreeMap<String, String>, language: Language) -> BTreeMap<String, String> {
    let long = values.iter().filter(|(_, value)| value.chars().count() > FIELD_TEXT);
    long.map(|(name, _)| (format!("{FIELD}{name}"), messages::slack_field_too_long(language, FIELD_TEXT)))
        .collect()
}
