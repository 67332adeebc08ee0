//! Characters that turn the direction of a text. A sentence with one can be shown as another sentence, so every surface
//! shows a replacement in its place, titles and names included (`docs/design/0034-untrusted-text.md`).

use std::borrow::Cow;

/// Sign in place of a character that is not shown.
pub const REPLACEMENT: char = '\u{fffd}';

/// Returns true for marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9, table 4).
#[must_use]
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a text for people in which nothing turns the direction.
///
/// ```
/// use throughline_channels::direction::steady;
/// assert_eq!(steady("pay \u{202e}0001"), "pay \u{fffd}0001");
/// assert_eq!(steady("שלום Ana"), "שלום Ana");
/// ```
#[must_use]
pub fn steady(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(turns_text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if turns_text(c) { REPLACEMENT } else { c }).collect())
}

/// Like [`steady`], for a text that is owned.
#[must_use]
pub fn steadied(text: String) -> String {
    match steady(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(steady) => steady,
    }
}
