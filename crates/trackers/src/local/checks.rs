//! The dry run (`spec 06 §6.1`) as far as a project of the local tracker can be checked without looking at its
//! issues: pure, every problem at once, in the order of the table.

use throughline_engine::effect::FieldError;
use throughline_engine::tickets::{Item, Part};

use super::config::{LocalConfig, ProjectConfig};

/// A title or label is at most this many characters: what Jira takes, so that a project can move there.
pub const MAX_LINE: usize = 255;
/// A body is at most this many characters: likewise.
pub const MAX_BODY: usize = 32_767;

/// One thing wrong.
pub(super) fn problem(code: &str, field: &str, text: String) -> FieldError {
    FieldError::new(code, field, text)
}

/// What is wrong with this item for this project, references apart.
pub(super) fn problems(config: &LocalConfig, project: &str, item: &Item) -> Vec<FieldError> {
    let Some(settings) = config.projects.get(project) else {
        let known = config.projects.keys().cloned().collect::<Vec<_>>().join(", ");
        let text = format!("There is no project {project}; known are: {known}");
        return vec![problem("check.project", "project", text)];
    };
    if settings.archived {
        let text = format!("{project} is archived and takes no new issues");
        return vec![problem("check.project", "project", text)];
    }
    let mut found = Vec::new();
    item_type(settings, project, item, &mut found);
    required(settings, item, &mut found);
    fields(settings, project, item, &mut found);
    values(item, &mut found);
    body(item, &mut found);
    shape(item, &mut found);
    found
}

/// Whether this person may create here.
pub(super) fn permission(config: &LocalConfig, project: &str, by: Option<&str>) -> Option<FieldError> {
    let settings = config.projects.get(project)?;
    if settings.admits(by) {
        return None;
    }
    let listed = settings.create.join(", ");
    let text = match by {
        Some(by) => format!("{by} may not create issues in {project}; who may: {listed}"),
        None => format!("Nobody is named, and only some may create issues in {project}: {listed}"),
    };
    Some(problem("check.permission", "project", text))
}

fn item_type(settings: &ProjectConfig, project: &str, item: &Item, found: &mut Vec<FieldError>) {
    if !settings.types.contains(&item.item_type) {
        let offered = settings.types.iter().map(|t| t.word()).collect::<Vec<_>>().join(", ");
        let text = format!("{project} has no type {}; it offers: {offered}", item.item_type.word());
        found.push(problem("check.type", "type", text));
    }
}

fn required(settings: &ProjectConfig, item: &Item, found: &mut Vec<FieldError>) {
    for part in Part::ALL.into_iter().filter(|part| settings.required.contains(part)) {
        if item.fields.get(&part).is_none_or(|text| text.trim().is_empty()) {
            found.push(problem("check.required", part.word(), format!("{} is required", part.label())));
        }
    }
}

fn fields(settings: &ProjectConfig, project: &str, item: &Item, found: &mut Vec<FieldError>) {
    for part in item.fields.keys().filter(|part| !settings.has_field(**part)) {
        let text = format!("{project} has no field for {}", part.label());
        found.push(problem("check.field", part.word(), text));
    }
}

fn values(item: &Item, found: &mut Vec<FieldError>) {
    let mut value = |part: Part, text: String| {
        // A field that is required and blank was named once already.
        if !found.iter().any(|e| e.field == part.word() && e.code == "check.required") {
            found.push(problem("check.value", part.word(), text));
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
    for label in item.fields.get(&Part::Labels).map_or("", String::as_str).split([',', '\n']).map(str::trim) {
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

fn body(item: &Item, found: &mut Vec<FieldError>) {
    let length = item.body().chars().count();
    if length > MAX_BODY {
        let text = format!("The text has {length} characters in all; at most {MAX_BODY} fit");
        found.push(problem("check.adf", "body", text));
    }
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    for (part, _) in item.fields.iter().filter(|(part, text)| **part != Part::Title && text.contains(odd)) {
        let text = format!("{} holds a control character, which no tracker can show", part.label());
        found.push(problem("check.adf", part.word(), text));
    }
}

fn shape(item: &Item, found: &mut Vec<FieldError>) {
    if !item.fields.contains_key(&Part::Title) && !found.iter().any(|e| e.field == Part::Title.word()) {
        found.push(problem("check.shape", Part::Title.word(), "The item has no title".into()));
    }
}

/// The issue keys of `projects` named in what the item depends on.
pub(super) fn references(config: &LocalConfig, item: &Item) -> Vec<String> {
    let text = item.fields.get(&Part::Dependencies).map_or("", String::as_str);
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    let keys = words.filter(|word| {
        let Some((project, number)) = word.rsplit_once('-') else { return false };
        config.projects.contains_key(project)
            && number.bytes().all(|b| b.is_ascii_digit())
            && !number.is_empty()
    });
    let mut keys: Vec<String> = keys.map(str::to_owned).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
