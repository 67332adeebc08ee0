//! Links to issues that an item names as dependencies: `after AUTH-7`, or with the kind of the link before it,
//! `blocks: AUTH-7, AUTH-9`.

use serde::{Deserialize, Serialize};
use throughline_engine::data::ticket::{Item, Part};

/// The kind of a link without one.
pub(crate) const PLAIN: &str = "depends on";

/// The kind of a link that people ask for in words.
pub(crate) const RELATED: &str = "relates to";

/// A link from one issue to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The kind: `depends on`, `blocks`.
    pub kind: String,
    /// The key of the other issue.
    pub key: String,
}

/// The issues of known projects that an item names, each once, line by line. `is_project` tells which words are keys of
/// projects.
pub(crate) fn named(item: &Item, is_project: &dyn Fn(&str) -> bool) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    for line in item.fields.get(&Part::Dependencies).map_or("", String::as_str).lines() {
        let (kind, rest) = match line.split_once(':') {
            Some((before, rest)) if keys(before, is_project).is_empty() => (kind(before), rest),
            _ => (PLAIN.to_owned(), line),
        };
        for key in keys(rest, is_project) {
            let link = Link { kind: kind.clone(), key };
            if !found.contains(&link) {
                found.push(link);
            }
        }
    }
    found
}

/// The kind at the beginning of a line, without its bullet.
fn kind(before: &str) -> String {
    let bare = before.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() { PLAIN.into() } else { bare.to_lowercase() }
}

/// The words that are keys of issues: a known project, and a number.
fn keys(text: &str, is_project: &dyn Fn(&str) -> bool) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    let is_key = |word: &&str| {
        let Some((project, number)) = word.rsplit_once('-') else { return false };
        is_project(project) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    };
    words.filter(is_key).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use throughline_engine::data::ticket::ItemType;

    #[test]
    fn names_issues_with_the_kind_of_the_link() {
        let table: [(&str, &[(&str, &str)]); 7] = [
            ("after (DEMO-1), not UTF-8 or XYZ-1", &[("depends on", "DEMO-1")]),
            ("- Blocks: DEMO-1, DEMO-2", &[("blocks", "DEMO-1"), ("blocks", "DEMO-2")]),
            ("relates to: DEMO-3\nDEMO-4", &[("relates to", "DEMO-3"), ("depends on", "DEMO-4")]),
            ("DEMO-1: the first", &[("depends on", "DEMO-1")]),
            ("- : DEMO-1", &[("depends on", "DEMO-1")]),
            ("DEMO-1 and DEMO-1", &[("depends on", "DEMO-1")]),
            ("DEMO-x, DEMO-, demo-1", &[]),
        ];
        for (text, expected) in table {
            let item = Item::alone(ItemType::Task, [(Part::Dependencies, text.to_owned())].into());
            let found = named(&item, &|project| project == "DEMO");
            let found: Vec<_> = found.iter().map(|link| (link.kind.as_str(), link.key.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
