//! Checks that are the same for every tracker and project: batches that do not fit together, titles of two lines,
//! labels with blanks, texts that are too long. Pure (`docs/design/0020-ticket-drafts-and-batches.md`).

use std::collections::BTreeSet;

use throughline_engine::Language;
use throughline_engine::data::field_error::FieldError;
use throughline_engine::data::policy::limits;
use throughline_engine::data::ticket::{Item, Part};

/// The longest title or label, in characters: Jira's limit, so that a project can move there.
pub const MAX_LINE: usize = 255;
/// The longest body, in characters: Jira's limit as well.
pub const MAX_BODY: usize = 32_767;

/// A mistake in this item.
pub(crate) fn wrong(item: &Item, code: &str, field: &str, text: impl Into<String>) -> FieldError {
    FieldError { item: item.id.clone(), ..FieldError::new(code, field, text) }
}

/// Checks a batch as a whole (`check.shape`): its size, distinct ids, epics before their stories, no cycles.
pub(crate) fn batch(items: &[Item]) -> Vec<FieldError> {
    let whole = |text: String| vec![FieldError::new("check.shape", "items", text)];
    let most = limits::BATCH_ITEMS;
    match items.len() {
        0 => return whole("There is nothing to create".into()),
        n if n > most => return whole(format!("{n} items are too many at once; at most {most} are created")),
        _ => {}
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, item) in items.iter().enumerate() {
        if items.len() > 1 && !seen.insert(item.id.as_str()) {
            let text = format!("Two items share the id “{}”", item.id);
            found.push(wrong(item, "check.shape", "id", text));
        }
        let Some(epic) = above(items, item) else { continue };
        if items[..at].iter().any(|before| before.id == epic.id) {
            continue;
        }
        let text = if circles(items, item) {
            format!("“{}” would be under itself", item.title())
        } else {
            format!("“{}” comes before its epic “{}”", item.title(), epic.title())
        };
        found.push(wrong(item, "check.shape", "parent", text));
    }
    found
}

/// The item of the batch that this one is under.
pub(crate) fn above<'a>(items: &'a [Item], item: &Item) -> Option<&'a Item> {
    let parent = item.parent.as_ref().filter(|parent| !parent.is_empty())?;
    items.iter().find(|other| other.id == *parent)
}

/// True if this item is under itself, at any distance.
fn circles(items: &[Item], item: &Item) -> bool {
    let way = std::iter::successors(above(items, item), |at| above(items, at));
    way.take(items.len()).any(|at| at.id == item.id)
}

/// Checks values that every tracker has (`check.value`): a title of one line, labels without blanks. A field with an
/// error is not reported again.
pub(crate) fn values(item: &Item, found: &mut Vec<FieldError>) {
    let mut value = |part: Part, text: String| {
        if !found.iter().any(|e| e.field == part.as_str() && e.code == "check.required") {
            found.push(wrong(item, "check.value", part.as_str(), text));
        }
    };
    if let Some(title) = item.fields.get(&Part::Title) {
        if title.trim().is_empty() {
            value(Part::Title, "The title has nothing in it".into());
        }
        if title.chars().any(char::is_control) {
            value(Part::Title, "The title must be one line".into());
        }
        let length = title.chars().count();
        if length > MAX_LINE {
            value(Part::Title, format!("The title has {length} characters; at most {MAX_LINE} fit"));
        }
    }
    for label in several(item.fields.get(&Part::Labels).map_or("", String::as_str)) {
        if label.contains(char::is_whitespace) {
            let joined = label.split_whitespace().collect::<Vec<_>>().join("-");
            value(Part::Labels, format!("The label “{label}” has a blank in it; write {joined}"));
        }
        let length = label.chars().count();
        if length > MAX_LINE {
            value(Part::Labels, format!("A label has {length} characters; at most {MAX_LINE} fit"));
        }
    }
}

/// The values of a field that takes several: one per line, or separated by commas.
pub(crate) fn several(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '\n']).map(str::trim).filter(|value| !value.is_empty())
}

/// Checks the body (`check.adf`): it fits, and holds nothing that cannot be shown.
pub(crate) fn body(item: &Item, found: &mut Vec<FieldError>) {
    let length = item.body().chars().count();
    if length > MAX_BODY {
        let text = format!("The text has {length} characters in all; at most {MAX_BODY} fit");
        found.push(wrong(item, "check.adf", "body", text));
    }
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    for (part, _) in item.fields.iter().filter(|(part, text)| **part != Part::Title && text.contains(odd)) {
        let text =
            format!("{} holds a control character, which no tracker can show", part.label(Language::En));
        found.push(wrong(item, "check.adf", part.as_str(), text));
    }
}

/// Checks that an item has a title (`check.shape`).
pub(crate) fn title(item: &Item, found: &mut Vec<FieldError>) {
    if !item.fields.contains_key(&Part::Title) && !found.iter().any(|e| e.field == Part::Title.as_str()) {
        found.push(wrong(item, "check.shape", Part::Title.as_str(), "The item has no title"));
    }
}
