//! The extractive drafter: takes what a message says and invents nothing (`spec 03 §6.1`).

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::words::{labelled, told_kind};
use super::{ItemType, Part};

/// What a message says about a ticket: the title is its object, labelled lines are parts, the rest of the
/// text is the problem.
///
/// ```
/// use throughline_engine::tickets::{ItemType, Part, extract};
/// let (kind, parts) = extract("login bug\nSteps: open the page\nExpected: a form\nActual: a 500", None, 255);
/// assert_eq!(kind, ItemType::Bug);
/// assert_eq!(parts[&Part::Title], "Login bug");
/// assert_eq!(parts[&Part::Actual], "a 500");
/// ```
#[must_use]
pub fn extract(
    text: &str,
    named: Option<ItemType>,
    title_chars: usize,
) -> (ItemType, BTreeMap<Part, String>) {
    let (head, body) = text.split_once('\n').unwrap_or((text, ""));
    let kind = named.unwrap_or_else(|| told_kind(head));
    let mut parts = BTreeMap::new();
    let title = title_line(head, title_chars);
    if !title.is_empty() {
        parts.insert(Part::Title, title);
    }
    let free = fill(&mut parts, body);
    if !free.is_empty() {
        parts.entry(if kind == ItemType::Bug { Part::Actual } else { Part::Problem }).or_insert(free);
    }
    (kind, parts)
}

/// Writes the labelled lines of `text` into `parts` and returns what had no label. A line without a label
/// continues the part above it.
pub fn fill(parts: &mut BTreeMap<Part, String>, text: &str) -> String {
    let mut current: Option<Part> = None;
    let mut free: Vec<&str> = Vec::new();
    let mut found: BTreeMap<Part, Vec<&str>> = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match labelled(line) {
            Some((part, rest)) => {
                current = Some(part);
                found.entry(part).or_default().extend((!rest.is_empty()).then_some(rest));
            }
            None => match current {
                Some(part) => found.entry(part).or_default().push(line),
                None => free.push(line),
            },
        }
    }
    for (part, lines) in found {
        if lines.is_empty() {
            parts.remove(&part);
        } else {
            parts.insert(part, lines.join("\n"));
        }
    }
    free.join("\n")
}

/// A title is one line with a capital, without the punctuation that led up to it.
pub(super) fn title_line(head: &str, chars: usize) -> String {
    let head =
        head.trim().trim_start_matches([':', '-', '–', '—']).trim().trim_end_matches(['.', '!']).trim();
    let mut letters = head.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first.chars().chain(letters).take(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_labelled_lines_and_keeps_the_rest() {
        let (kind, parts) = extract(
            "Export to CSV\nAccountants ask for it.\nAcceptance criteria:\n- a button\n- a file",
            None,
            255,
        );
        assert_eq!(kind, ItemType::Task);
        assert_eq!(parts[&Part::Title], "Export to CSV");
        assert_eq!(parts[&Part::Problem], "Accountants ask for it.");
        assert_eq!(parts[&Part::Acceptance], "- a button\n- a file");
    }

    #[test]
    fn invents_nothing() {
        let (kind, parts) = extract("login bug", None, 255);
        assert_eq!((kind, parts.len()), (ItemType::Bug, 1));
        assert!(extract("", None, 255).1.is_empty());
    }

    #[test]
    fn an_empty_label_clears_its_part() {
        let mut parts = BTreeMap::from([(Part::Risks, "none".to_string())]);
        assert_eq!(fill(&mut parts, "Risks:"), "");
        assert!(parts.is_empty());
    }
}
