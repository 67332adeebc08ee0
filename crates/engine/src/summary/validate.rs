//! Checks a model's summary: it has to say something, must not open a section of the prompt, and may name
//! only what its sources name.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use unicode_segmentation::UnicodeSegmentation;

use crate::data::decision::Reason;
use crate::data::policy::Policy;
use crate::text::redact::redacted;
use crate::text::urging::urges;

/// Marks of the record of tasks and of the contract: a summary that repeats them is rejected.
const RESERVED: [&str; 4] = ["recent_history", "active_blockers", "READ-ONLY CONTEXT", "OUTPUT CONTRACT"];

/// The summary in the form in which it is stored, or the reason for which it is rejected.
pub(super) fn validate<'t>(
    text: &str,
    sources: impl IntoIterator<Item = &'t str>,
    policy: &Policy,
) -> Result<String, Reason> {
    let text = redacted(text.trim()).into_owned();
    let length = text.graphemes(true).count();
    let headed = text.lines().any(|line| line.trim_start().starts_with('#'));
    if length == 0 || length > policy.summary.max_graphemes || headed {
        return Err(Reason::SummaryFailed);
    }
    if RESERVED.iter().any(|key| text.contains(key)) || urges(&text) {
        return Err(Reason::SummaryFailed);
    }
    if names([text.as_str()]).is_subset(&names(sources)) { Ok(text) } else { Err(Reason::SummaryUngrounded) }
}

/// The issue keys, addresses and mentions in these texts, folded. Each is recognized from its first
/// character to its last whatever surrounds it: markup, quotes, another name.
pub(super) fn names<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts {
        // Typographic hyphens, which some people use in keys.
        let text = text.replace(['\u{2010}', '\u{2011}'], "-");
        found.extend(keys(&text).map(str::to_lowercase));
        let text = text.to_lowercase();
        found.extend(urls(&text).into_iter().map(String::from));
        found.extend(people(&text).map(String::from));
    }
    found
}

/// The length in bytes of the run of such characters at the end of a text.
fn tail(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.len() - text.trim_end_matches(of).len()
}

/// The length in bytes of the run of such characters at the beginning of a text.
fn head(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.len() - text.trim_start_matches(of).len()
}

/// Issue keys like `AUTH-99`: capitals, a hyphen, digits.
fn keys(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('-').filter_map(move |(at, _)| {
        let (before, behind) = (&text[..at], &text[at + 1..]);
        let of_project = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let run = at - tail(before, of_project);
        // Leading underscores are markup.
        let from = run + head(&text[run..at], |c| c == '_');
        let number = head(behind, |c| c.is_ascii_digit());
        let project = at - from >= 2 && text[from..].starts_with(|c: char| c.is_ascii_uppercase());
        let apart = !text[..run].ends_with(char::is_alphanumeric)
            && !behind[number..].starts_with(char::is_alphanumeric);
        (project && number > 0 && apart).then(|| &text[from..=at + number])
    })
}

/// Web addresses, without the punctuation that ends their sentence.
fn urls(text: &str) -> Vec<&str> {
    let of_address = |c: char| match c {
        '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '`' | '*' | '|' | ',' | ';' => false,
        c => c.is_alphanumeric() || c.is_ascii_graphic(),
    };
    let mut found = Vec::new();
    for mark in ["://", "www."] {
        let mut read = 0;
        while let Some(at) = text[read..].find(mark).map(|at| read + at) {
            let scheme = if mark == "://" { tail(&text[read..at], |c| c.is_ascii_alphabetic()) } else { 0 };
            let behind = at + mark.len();
            read = behind + head(&text[behind..], of_address);
            let within = mark == "www." && text[..at].ends_with(char::is_alphanumeric);
            if read > behind && !within {
                found.push(text[at - scheme..read].trim_end_matches(['.', ':', '!', '?', '_', '/']));
            }
        }
    }
    found
}

/// E-mail addresses and mentions.
fn people(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('@').filter_map(move |(at, _)| {
        let marked = |c: char| !c.is_alphanumeric();
        let of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '%');
        let run = at - tail(&text[..at], of_name);
        let from = run + head(&text[run..at], marked);
        let host = &text[at + 1..][..head(&text[at + 1..], |c| of_name(c) && !matches!(c, '+' | '%'))];
        let host = host.trim_end_matches(marked);
        let named = host.starts_with(char::is_alphanumeric) && (from == at || host.contains('.'));
        named.then(|| &text[from..=at + host.len()])
    })
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use super::*;

    #[test]
    fn a_name_is_one_whatever_stands_around_it() {
        for name in ["AUTH-99", "X2_Y-7", "ana@example.com", "@ana.b", "https://x.test/a?b=c", "www.x.test/a"]
        {
            let expected = BTreeSet::from([name.to_lowercase()]);
            for dressed in [
                name.into(),
                format!("**{name}**"),
                format!("_{name}_ and so on"),
                format!("so `{name}`."),
                format!("{name}'s part"),
                format!("{name}’s part"),
                format!("“{name}”, ({name}) [{name}] <{name}|it>"),
                format!("who?{{{name}}}!"),
                format!("see: {name}: well, {name}; {name}…"),
            ] {
                assert_eq!(names([dressed.as_str()]), expected, "{dressed}");
            }
        }
    }

    #[test]
    fn each_of_several_is_named() {
        for (text, expected) in [
            ("AUTH-12/AUTH-99", vec!["auth-12", "auth-99"]),
            ("AUTH-12,AUTH-99+AUTH-7", vec!["auth-12", "auth-7", "auth-99"]),
            ("AUTH-12-fix and AUTH\u{2011}13", vec!["auth-12", "auth-13"]),
            ("ana@x.test/bob@y.test", vec!["ana@x.test", "bob@y.test"]),
            ("@ana/@bob", vec!["@ana", "@bob"]),
            ("https://x.test/browse/AUTH-1/", vec!["auth-1", "https://x.test/browse/auth-1"]),
            ("HTTPS://www.X.test", vec!["https://www.x.test", "www.x.test"]),
        ] {
            assert_eq!(names([text]).into_iter().collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_name() {
        for text in [
            "2026-01-15",
            "A-1, 3-4, x-ray-9, sAUTH-9, AUTH-9a, AUTH-, -9",
            "at 5 @ noon, a@b, @ , @-",
            "either://",
            "awww.nice www.",
            "",
        ] {
            assert_eq!(names([text]), BTreeSet::new(), "{text}");
        }
    }

    /// A quadratic reader would take minutes here.
    #[test]
    fn a_long_text_is_read_once() {
        for part in ["a://", "www.", "@", "a@", "A-", "AB-1", "_", "A"] {
            let _ = names([part.repeat(300_000 / part.len()).as_str()]);
        }
    }
}
