//! Checks that are the same for every tracker and project: batches that do not fit together, titles of two lines,
//! labels with blanks, texts that are too long. Pure (`docs/design/0020-ticket-drafts-and-batches.md`).

use std::collections::BTreeSet;

use throughline_engine::data::fault::{Fault, FieldFault, HierarchyGap, TrackerFault};
use throughline_engine::data::policy::limits;
use throughline_engine::data::ticket::{Item, ItemType, Part};

use crate::project::ChildLink;

/// The longest title or label, in characters: Jira's limit, so that a project can move there.
pub const MAX_LINE: usize = 255;
/// The longest body, in characters: Jira's limit as well.
pub const MAX_BODY: usize = 32_767;

/// A mistake in this item.
pub(crate) fn wrong(item: &Item, code: &str, field: &str, fault: impl Into<Fault>) -> FieldFault {
    FieldFault { item: item.id.clone(), ..FieldFault::new(code, field, fault) }
}

/// Checks a batch as a whole (`check.shape`): its size, distinct ids, epics before their stories, no cycles.
pub(crate) fn batch(items: &[Item]) -> Vec<FieldFault> {
    let whole = |fault: TrackerFault| vec![FieldFault::new("check.shape", "items", fault)];
    let most = limits::BATCH_ITEMS;
    match items.len() {
        0 => return whole(TrackerFault::NothingToCreate),
        count if count > most => return whole(TrackerFault::TooManyItems { count, most }),
        _ => {}
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, item) in items.iter().enumerate() {
        if items.len() > 1 && !seen.insert(item.id.as_str()) {
            let fault = TrackerFault::SameId { id: item.id.clone() };
            found.push(wrong(item, "check.shape", "id", fault));
        }
        let Some(epic) = above(items, item) else { continue };
        if items[..at].iter().any(|before| before.id == epic.id) {
            continue;
        }
        let title = item.title().into();
        let fault = if circles(items, item) {
            TrackerFault::UnderItself { title }
        } else {
            TrackerFault::BeforeEpic { title, epic: epic.title().into() }
        };
        found.push(wrong(item, "check.shape", "parent", fault));
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
pub(crate) fn values(item: &Item, found: &mut Vec<FieldFault>) {
    let mut value = |part: Part, fault: TrackerFault| {
        if !found.iter().any(|e| e.field == part.as_str() && e.code == "check.required") {
            found.push(wrong(item, "check.value", part.as_str(), fault));
        }
    };
    if let Some(title) = item.fields.get(&Part::Title) {
        if title.trim().is_empty() {
            value(Part::Title, TrackerFault::BlankTitle);
        }
        if title.chars().any(char::is_control) {
            value(Part::Title, TrackerFault::TitleLines);
        }
        let length = title.chars().count();
        if length > MAX_LINE {
            value(Part::Title, TrackerFault::TitleLong { length, most: MAX_LINE });
        }
    }
    for label in several(item.fields.get(&Part::Labels).map_or("", String::as_str)) {
        if label.contains(char::is_whitespace) {
            let joined = label.split_whitespace().collect::<Vec<_>>().join("-");
            value(Part::Labels, TrackerFault::LabelBlank { joined, label: label.into() });
        }
        let length = label.chars().count();
        if length > MAX_LINE {
            value(Part::Labels, TrackerFault::LabelLong { length, most: MAX_LINE });
        }
    }
}

/// The values of a field that takes several: one per line, or separated by commas.
pub(crate) fn several(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '\n']).map(str::trim).filter(|value| !value.is_empty())
}

/// Checks the body (`check.adf`): it fits, which is not told again, and holds nothing that cannot be shown.
pub(crate) fn body(item: &Item, found: &mut Vec<FieldFault>) {
    let length = item.body().chars().count();
    let told = found.iter().any(|fault| fault.code == "check.adf" && fault.field == "body");
    if length > MAX_BODY && !told {
        let fault = TrackerFault::TextLong { length, most: MAX_BODY };
        found.push(wrong(item, "check.adf", "body", fault));
    }
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    for (part, _) in item.fields.iter().filter(|(part, text)| **part != Part::Title && text.contains(odd)) {
        let fault = TrackerFault::ControlCharacter { part: *part };
        found.push(wrong(item, "check.adf", part.as_str(), fault));
    }
}

/// Checks that an item has a title (`check.shape`).
pub(crate) fn title(item: &Item, found: &mut Vec<FieldFault>) {
    if !item.fields.contains_key(&Part::Title) && !found.iter().any(|e| e.field == Part::Title.as_str()) {
        found.push(wrong(item, "check.shape", Part::Title.as_str(), TrackerFault::NoTitle));
    }
}

/// Checks parents (`check.parent`) as far as the batch tells: the types, and the way stories are put under their epic,
/// `set`, which has to be among the `ways` that the project has.
pub(crate) fn parents(set: ChildLink, ways: &[ChildLink], project: &str, items: &[Item]) -> Vec<FieldFault> {
    let mut found = Vec::new();
    if items.iter().any(|item| item.parent.is_some()) && !ways.contains(&set) {
        found.push(FieldFault::new("check.parent", "parent", no_way(set, ways, project)));
    }
    for item in items.iter().filter(|item| item.parent.is_some()) {
        if let Some(fault) = level(item, above(items, item).map(|epic| epic.item_type)) {
            found.push(wrong(item, "check.parent", "parent", fault));
        }
    }
    found
}

/// The mistake in putting this item under an issue of that type, if the type is known.
pub(crate) fn level(item: &Item, above: Option<ItemType>) -> Option<TrackerFault> {
    if item.item_type == ItemType::Epic {
        return Some(TrackerFault::EpicUnder);
    }
    let above = above.filter(|above| *above != ItemType::Epic)?;
    Some(TrackerFault::WrongLevel { kind: item.item_type, above })
}

fn no_way(set: ChildLink, ways: &[ChildLink], project: &str) -> TrackerFault {
    let gap = match set {
        ChildLink::Parent => HierarchyGap::NoParent,
        ChildLink::EpicLink => HierarchyGap::NoEpicLink,
        ChildLink::Subtask => HierarchyGap::NoSubtasks,
    };
    let project = project.into();
    match ways.first() {
        Some(other) => TrackerFault::OtherHierarchy { gap, project, setting: other.as_str().into() },
        None => TrackerFault::NoHierarchy { gap, project },
    }
}
