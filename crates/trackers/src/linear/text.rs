//! Texts of issues and comments: Markdown in which nobody is called. Pure.

use crate::remote::{self, GAP};

/// The end of an address after which a person is named. Linear makes a mention of such an address.
const PROFILES: &str = "/profiles/";
/// The site of those addresses.
const SITE: &str = "linear.app/";

/// Makes a text say what it says and do nothing: no mention, and no address of a person, calls anybody.
pub(super) fn inert(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let text = remote::inert(text);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(PROFILES) {
        let (before, after) = rest.split_at(at + PROFILES.len());
        safe.push_str(before);
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        if word.contains(SITE) && !after.starts_with(GAP) {
            safe.push(GAP);
        }
        rest = after;
    }
    safe.push_str(rest);
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_calls_nobody() {
        for (text, expected) in [
            ("ask @ana", "ask @\u{200b}ana"),
            (
                "see https://linear.app/acme/profiles/ana.",
                "see https://linear.app/acme/profiles/\u{200b}ana.",
            ),
            (
                "[a](https://linear.app/acme/profiles/a) linear.app/x/profiles/b",
                "[a](https://linear.app/acme/profiles/\u{200b}a) linear.app/x/profiles/\u{200b}b",
            ),
            ("https://acme.example/profiles/ana", "https://acme.example/profiles/ana"),
            ("https://linear.app/acme/issue/ENG-1", "https://linear.app/acme/issue/ENG-1"),
        ] {
            assert_eq!(inert(text), expected, "{text}");
            assert_eq!(inert(expected), expected, "{text}: once is enough");
        }
    }
}
