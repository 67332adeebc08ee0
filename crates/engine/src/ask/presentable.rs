//! The part of a text that a model is still writing which people may see.
//!
//! It is no part of any decision. An answer is judged when it is whole ([`check_answer`](super::check_answer)); what is shown of it
//! before would pass the same judgement if it ended there.

use alloc::string::String;

use crate::data::policy::limits;
use crate::text::redact::{announces, redacted};
use crate::text::urging::urges;

/// Marks that end a sentence in scripts that set no blanks between words.
const STOPS: [char; 7] = ['。', '！', '？', '、', '，', '；', '：'];
/// Sentences that are left out from the end, before nothing is shown.
const TRIES: usize = 3;

/// Returns the part of an unfinished text that may be shown: without control characters, secrets and words that tell the reader
/// to approve. A last word that is not finished is held back, because it may become a secret. Nothing is shown of a text that
/// is too long to be an answer.
///
/// ```
/// use throughline_engine::ask::presentable;
/// assert_eq!(presentable("The build is gre"), "The build is");
/// assert_eq!(presentable("Use password: hunter2x no"), "Use [redacted:assignment]");
/// assert_eq!(presentable("All is well. Please press Approve now"), "All is well.");
/// ```
#[must_use]
pub fn presentable(text: &str) -> String {
    if text.chars().nth(limits::MODEL_ANSWER).is_some() {
        return String::new();
    }
    let seen: String = text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect();
    let clean = redacted(&seen[..finished(&seen)]);
    let mut shown = clean.trim_end();
    for _ in 0..TRIES {
        if !urges(shown) {
            return with_words(shown).into();
        }
        let before = shown.trim_end_matches(['.', '!', '?', ';', ':', '\n', ' ']);
        let end = before.rfind(['.', '!', '?', ';', ':', '\n']).map_or(0, |at| at + 1);
        shown = before[..end].trim_end();
    }
    String::new()
}

/// Returns the text up to its last line with a word: the sign of a list's next line would make a heading of the line before.
fn with_words(text: &str) -> &str {
    let mut rest = text;
    while let Some(at) = rest.rfind('\n').filter(|at| !rest[*at..].contains(char::is_alphanumeric)) {
        rest = rest[..at].trim_end();
    }
    rest
}

/// Returns the length of the text up to its last finished word.
fn finished(text: &str) -> usize {
    let blank = text.char_indices().rfind(|(_, c)| c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8());
    let line = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    if announces(line) {
        return blank;
    }
    let stop = text[blank..].char_indices().rfind(|(_, c)| STOPS.contains(c));
    stop.map_or(blank, |(at, c)| blank + at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn a_text_grows_by_whole_words() {
        for (text, shown) in [
            ("", ""),
            ("The", ""),
            ("The ", "The"),
            ("The build\n", "The build"),
            ("one\n- tw", "one"),
            ("Bell\u{7} and \u{1b}[31mred ", "Bell and [31mred"),
            ("短い。次の文", "短い。"),
            ("Nobody may approve it alone. So", "Nobody may approve it alone."),
            ("Please press Appr", "Please press"),
            ("Please press Approve ", ""),
            ("- tested\n- please approve\n", "- tested"),
            ("approve it. approve it. approve it. approve it. ", ""),
        ] {
            assert_eq!(presentable(text), shown, "{text}");
        }
        let long = "word ".repeat(limits::MODEL_ANSWER / 5);
        assert!(!presentable(&long).is_empty());
        assert_eq!(presentable(&(long + "x")), "");
    }

    /// Secrets that are cut anywhere: nothing that could be used is seen of one.
    #[test]
    fn a_secret_is_never_seen_in_part() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for (before, secret, behind) in [
            ("use ", token.as_str(), " please "),
            ("use (", token.as_str(), ") please "),
            ("password: ", "hunter2x", " and "),
            ("the password is ", "hunter2x", ", and "),
            ("Authorization: Bearer ", "abcdefghijklmnop", " x "),
            ("see https://ana:", "pw1s3cret", "@host/x "),
            ("-----BEGIN RSA PRIVATE KEY-----\n", "MIIabc\nMIIdef", "\n-----END RSA PRIVATE KEY-----\nbye "),
            ("", "eyJhbGci.eyJzdWIi.c2lnbmF0", " x "),
            ("curl -u ", "ana:s3cr3ts", " https://x "),
            ("APIキー。token=", "abc。def12345", " x "),
            ("Please approve. token: ", "a.b.c.d1234", " x "),
        ] {
            let text = format!("{before}{secret}{behind}");
            let pieces: Vec<&str> =
                secret.char_indices().filter_map(|(at, _)| secret.get(at..at + 4)).collect();
            for (cut, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let shown = presentable(&text[..cut]);
                assert!(
                    !pieces.iter().any(|piece| shown.contains(piece)),
                    "{:?} shows {shown:?}",
                    &text[..cut]
                );
            }
        }
    }

    proptest! {
        /// Whatever is shown would be taken as an answer, and has no secret in it.
        #[test]
        fn what_is_shown_passes_the_judgement(text in "(please |press |approve|it|, |\\. |not |the |build|\n|token=|ghp_|a1B2){0,16}") {
            for (cut, _) in text.char_indices() {
                let shown = presentable(&text[..cut]);
                prop_assert!(!urges(&shown), "{shown:?}");
                prop_assert_eq!(redacted(&shown), shown.as_str());
            }
        }

        /// A text without any of that is shown as it is, and only grows.
        #[test]
        fn plain_words_only_grow(text in "[a-zß ,.\n]{0,60}") {
            let mut before = String::new();
            for (cut, _) in text.char_indices() {
                let shown = presentable(&text[..cut]);
                if !urges(&text) {
                    prop_assert!(text.starts_with(&shown) && shown.starts_with(&before), "{shown:?}");
                }
                before = shown;
            }
        }
    }
}
