//! A drafter without a model: sorts a message's own words into the parts of a ticket and adds none.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::ticket::{ItemType, Part};
use crate::tickets::vocabulary::{labelled, told_kind};

/// Reads a ticket from a message. The first line is the title, cut to `title_chars` characters; labelled
/// lines fill their parts; the remaining text is the problem, or for a bug the actual behaviour. The item
/// type is `named` if given, else it is guessed from the first line.
///
/// ```
/// use throughline_engine::data::ticket::{ItemType, Part};
/// use throughline_engine::tickets::extract;
/// let text = "login bug\nSteps: open the page\nExpected: a form\nActual: a 500";
/// let (kind, parts) = extract(text, None, 255);
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

/// Writes the labelled lines of `text` into `parts` and returns the lines without a label. An unlabelled line
/// below a labelled one continues that part. A label with no text clears its part.
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

/// Formats a title: trimmed, without leading colons and dashes or a final full stop, first letter in upper
/// case, at most `chars` characters.
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
