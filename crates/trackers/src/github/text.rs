//! Lines of our own in texts of issues and comments: the mark of an effect, and relations. Pure.

use throughline_engine::EffectId;

use crate::remote::ending;

/// The beginning of a line that holds the id of an effect.
pub(super) const MARKER: &str = "<!-- throughline-";
/// Its end.
pub(super) const MARKER_END: &str = " -->";
/// The beginning of a line that names another issue.
const RELATION: &str = "Relates to ";

/// The line by which the issue or comment of an effect is found.
pub(super) fn marker(effect: &EffectId) -> String {
    format!("{MARKER}{effect}{MARKER_END}")
}

/// The line by which an issue names another: `#7`, or `acme/web#7` in another repository.
pub(super) fn relation(repository: &str, other: &str, number: u64) -> String {
    let of = if repository.eq_ignore_ascii_case(other) { "" } else { other };
    format!("{RELATION}{of}#{number}")
}

/// A text with a relation more. The marker stays last.
pub(super) fn with_relation(text: &str, relation: &str) -> String {
    let text = text.trim_end();
    let last = text.lines().last().unwrap_or_default();
    let is_marked = last.trim().starts_with(MARKER);
    let told = if is_marked { text[..text.len() - last.len()].trim_end() } else { text };
    let follows = told.lines().last().is_some_and(|line| line.starts_with(RELATION));
    let told = if follows { format!("{told}\n{relation}") } else { ending(told, relation) };
    if is_marked { ending(&told, last) } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::has_line;

    #[test]
    fn a_relation_is_added_before_the_marker() {
        let marker = marker(&"fx_1".into());
        assert_eq!(marker, "<!-- throughline-fx_1 -->");
        let one = with_relation(&ending("It is slow", &marker), &relation("acme/web", "Acme/Web", 7));
        assert_eq!(one, "It is slow\n\nRelates to #7\n\n<!-- throughline-fx_1 -->");
        let two = with_relation(&one, &relation("acme/web", "acme/ops", 8));
        assert_eq!(two, "It is slow\n\nRelates to #7\nRelates to acme/ops#8\n\n<!-- throughline-fx_1 -->");
        assert!(has_line(&two, "Relates to #7") && !has_line(&two, "Relates to #8"));
        assert!(has_line(&two.replace('\n', "\r\n"), &marker));
        assert_eq!(with_relation("", "Relates to #7"), "Relates to #7");
        assert_eq!(with_relation(&marker, "Relates to #7"), format!("Relates to #7\n\n{marker}"));
    }
}
