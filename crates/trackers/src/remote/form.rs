//! A ticket's parts, for trackers with a title, a text and a few fields: the mistakes in them, and sections of the text. Pure.

use throughline_engine::Language;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use crate::common_checks::{self, several, wrong};

/// The mistakes of an item that no tracker takes, and parts with more values than it takes.
pub(crate) fn faults(item: &Item, most: &[(Part, usize)]) -> Vec<FieldFault> {
    let mut found = Vec::new();
    if item.title().trim().is_empty() {
        let fault = TrackerFault::Required { part: Part::Title };
        found.push(wrong(item, "check.required", Part::Title.as_str(), fault));
    }
    common_checks::values(item, &mut found);
    common_checks::body(item, &mut found);
    for (part, most) in most {
        let count = values(item, *part).count();
        if count > *most {
            let fault = TrackerFault::NotOne { count, part: *part };
            found.push(wrong(item, "check.value", part.as_str(), fault));
        }
    }
    found
}

/// The values of a part.
pub(crate) fn values(item: &Item, part: Part) -> impl Iterator<Item = &str> {
    several(item.fields.get(&part).map_or("", String::as_str))
}

/// The text of an item: a section for each part that `told` has a text for, under a heading that `heading` makes of its name.
pub(crate) fn sections(
    item: &Item,
    told: impl Fn(Part, &str) -> Option<String>,
    heading: impl Fn(&str) -> String,
) -> String {
    let section = |part: Part, text: &str| {
        let text = told(part, text)?;
        (!text.is_empty()).then(|| format!("{}\n\n{text}", heading(&part.label(Language::En))))
    };
    let sections = item.fields.iter().filter_map(|(part, text)| section(*part, text));
    sections.collect::<Vec<_>>().join("\n\n")
}
