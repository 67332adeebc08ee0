//! Lines of our own in texts of issues and comments. Pure.

/// A text that ends with a line of its own, after an empty one.
pub(crate) fn ending(text: &str, line: &str) -> String {
    let gap = if text.is_empty() { "" } else { "\n\n" };
    format!("{text}{gap}{line}")
}

/// True if a line of a text is this one.
pub(crate) fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|one| one.trim() == line)
}
