//! A ticket's parts as an issue: title, labels and a text with a section for each other part. Pure.

use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::config::GithubProject;
use crate::common_checks::{several, wrong};
use crate::remote::form::values;
use crate::remote::{self, inert};

/// The longest label that GitHub takes, in characters. Longer ones are part of the text.
const LABEL: usize = 50;
/// The most people that an issue is given to.
const PEOPLE: usize = 10;

/// An issue to create, without its people.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) title: String,
    pub(super) body: String,
    pub(super) labels: Vec<String>,
}

/// The mistakes of an item by itself.
pub(super) fn faults(item: &Item) -> Vec<FieldFault> {
    let mut found = remote::form::faults(item, &[(Part::Priority, 1), (Part::Assignee, PEOPLE)]);
    if let Some(label) = priority(item).filter(|label| !fits(label)) {
        let (value, known) = (label, Vec::new());
        let fault = TrackerFault::NoValue { part: Part::Priority, value, known };
        found.push(wrong(item, "check.value", Part::Priority.as_str(), fault));
    }
    found
}

/// The issue of an item.
pub(super) fn fill(item: &Item, settings: &GithubProject) -> Form {
    let mut labels: Vec<String> =
        settings.type_label(item.item_type).map(str::to_owned).into_iter().collect();
    let named = values(item, Part::Labels).map(str::to_owned);
    for label in priority(item).into_iter().chain(named).filter(|label| fits(label)) {
        if !labels.iter().any(|known| known.to_lowercase() == label.to_lowercase()) {
            labels.push(label);
        }
    }
    let body = remote::form::sections(item, told, |name| format!("### {name}"));
    Form { title: item.title().trim().to_owned(), body: inert(&body), labels }
}

/// The people that an item names.
pub(super) fn people(item: &Item) -> impl Iterator<Item = &str> {
    values(item, Part::Assignee)
}

/// True if GitHub takes anything of this item that only those may set who sort issues.
pub(super) fn needs_sorting(item: &Item, settings: &GithubProject) -> bool {
    item.parent.is_some() || people(item).next().is_some() || !fill(item, settings).labels.is_empty()
}

fn priority(item: &Item) -> Option<String> {
    values(item, Part::Priority).next().map(|value| format!("priority: {}", value.to_lowercase()))
}

fn fits(label: &str) -> bool {
    label.chars().count() <= LABEL
}

/// The text of a part that has no other place.
fn told(part: Part, text: &str) -> Option<String> {
    match part {
        Part::Title | Part::Priority | Part::Assignee => None,
        Part::Labels => Some(several(text).filter(|label| !fits(label)).collect::<Vec<_>>().join(", ")),
        _ => Some(text.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use throughline_engine::data::ticket::ItemType;

    use super::*;

    fn item(item_type: ItemType, parts: &[(Part, &str)]) -> Item {
        Item::alone(item_type, parts.iter().map(|(part, text)| (*part, (*text).to_owned())).collect())
    }

    #[test]
    fn each_part_has_its_place() {
        let settings = GithubProject {
            type_labels: [(ItemType::Bug, "bug".to_owned())].into(),
            ..GithubProject::default()
        };
        let long = "x".repeat(51);
        let given = item(
            ItemType::Bug,
            &[
                (Part::Title, " Log in "),
                (Part::Problem, "Nobody can, says @ana"),
                (Part::Labels, &format!("sso, Bug, {long}")),
                (Part::Priority, "High"),
                (Part::Assignee, "@bob"),
                (Part::Risks, "  "),
            ],
        );
        assert_eq!(faults(&given), []);
        let form = fill(&given, &settings);
        assert_eq!(
            (form.title.as_str(), form.labels),
            ("Log in", vec!["bug".into(), "priority: high".into(), "sso".into()])
        );
        assert_eq!(
            form.body,
            format!("### Problem\n\nNobody can, says @\u{200b}ana\n\n### Labels\n\n{long}")
        );
        assert_eq!(fill(&item(ItemType::Epic, &[]), &settings).labels, ["epic"]);
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let people = "a, b, c, d, e, f, g, h, i, j, k";
        let given = item(
            ItemType::Task,
            &[
                (Part::Title, " "),
                (Part::Labels, "log in"),
                (Part::Priority, "high, low"),
                (Part::Assignee, people),
            ],
        );
        let found: Vec<_> = faults(&given).into_iter().map(|fault| (fault.code, fault.field)).collect();
        let expected = [
            ("check.required", "title"),
            ("check.value", "labels"),
            ("check.value", "priority"),
            ("check.value", "assignee"),
        ];
        assert_eq!(found, expected.map(|(code, field)| (code.to_owned(), field.to_owned())));
    }
}
