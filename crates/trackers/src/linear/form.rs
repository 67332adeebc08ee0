//! A ticket's parts as an issue: title, priority and a text with a section for each other part. Pure.

use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::text::inert;
use crate::common_checks::wrong;
use crate::remote;
use crate::remote::form::values;

/// Linear's names of priorities, with its numbers for them.
const PRIORITIES: [(&str, u8); 4] = [("Urgent", 1), ("High", 2), ("Medium", 3), ("Low", 4)];

/// The mistakes of an item by itself.
pub(super) fn faults(item: &Item) -> Vec<FieldFault> {
    let mut found = remote::form::faults(item, &[(Part::Priority, 1), (Part::Assignee, 1)]);
    if let Some(value) = values(item, Part::Priority).find(|value| number(value).is_none()) {
        let known = PRIORITIES.map(|(name, _)| name.to_owned()).into();
        let fault = TrackerFault::NoValue { part: Part::Priority, value: value.into(), known };
        found.push(wrong(item, "check.value", Part::Priority.as_str(), fault));
    }
    found
}

/// The number of an item's priority, if it has one.
pub(super) fn priority(item: &Item) -> Option<u8> {
    values(item, Part::Priority).find_map(number)
}

fn number(priority: &str) -> Option<u8> {
    let named = PRIORITIES.iter().find(|(name, _)| name.eq_ignore_ascii_case(priority));
    named.map(|(_, number)| *number)
}

/// The person that an item names.
pub(super) fn person(item: &Item) -> Option<&str> {
    values(item, Part::Assignee).next()
}

/// The labels that an item names.
pub(super) fn labels(item: &Item) -> impl Iterator<Item = &str> {
    values(item, Part::Labels)
}

/// The text of an item. `left` are the labels that the team does not have, which are told here.
pub(super) fn description(item: &Item, left: &[&str]) -> String {
    let told = |part: Part, text: &str| match part {
        Part::Title | Part::Priority | Part::Assignee => None,
        Part::Labels => Some(left.join(", ")),
        _ => Some(text.trim().to_owned()),
    };
    inert(&remote::form::sections(item, told, |name| format!("### {name}")))
}

#[cfg(test)]
mod tests {
    use throughline_engine::data::ticket::ItemType;

    use super::*;

    fn item(parts: &[(Part, &str)]) -> Item {
        Item::alone(ItemType::Task, parts.iter().map(|(part, text)| (*part, (*text).to_owned())).collect())
    }

    #[test]
    fn each_part_has_its_place() {
        let given = item(&[
            (Part::Title, " Log in "),
            (Part::Problem, "Nobody can, says @ana"),
            (Part::Labels, "sso, new"),
            (Part::Priority, "urgent"),
            (Part::Assignee, "bob"),
            (Part::Risks, "  "),
        ]);
        assert_eq!(faults(&given), []);
        assert_eq!((priority(&given), person(&given)), (Some(1), Some("bob")));
        assert_eq!(
            description(&given, &["new"]),
            "### Problem\n\nNobody can, says @\u{200b}ana\n\n### Labels\n\nnew"
        );
        assert_eq!(description(&given, &[]), "### Problem\n\nNobody can, says @\u{200b}ana");
        assert_eq!(priority(&item(&[])), None);
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let found = |parts: &[(Part, &str)]| {
            let found = faults(&item(parts)).into_iter();
            found.map(|fault| format!("{} {}", fault.code, fault.field)).collect::<Vec<_>>()
        };
        assert_eq!(
            found(&[(Part::Title, " "), (Part::Labels, "log in"), (Part::Assignee, "a, b")]),
            ["check.required title", "check.value labels", "check.value assignee"]
        );
        for (priority, expected) in [("HIGH", 0), ("low", 0), ("P1", 1), ("high, low", 1), ("high, P1", 2)] {
            let count = found(&[(Part::Title, "x"), (Part::Priority, priority)]).len();
            assert_eq!(count, expected, "{priority}");
        }
    }
}
