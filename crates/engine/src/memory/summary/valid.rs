//! Whether a model's summary may stand: it says something, closes no section, and names nothing that its sources do not.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use unicode_segmentation::UnicodeSegmentation;

use crate::decision::Reason;
use crate::policy::Policy;
use crate::redact::redacted;

/// What the block of tasks is made of: a summary that repeats it is none.
const RESERVED: [&str; 4] = ["recent_history", "active_blockers", "READ-ONLY CONTEXT", "OUTPUT CONTRACT"];

/// The summary as it is stored, or why it is not taken.
pub(super) fn checked<'t>(
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
    if RESERVED.iter().any(|key| text.contains(key)) {
        return Err(Reason::SummaryFailed);
    }
    let known = names(sources);
    let grounded = names([text.as_str()]).iter().all(|name| known.contains(name));
    if grounded { Ok(text) } else { Err(Reason::SummaryUngrounded) }
}

/// The issue keys, addresses and mentions in these texts, folded, each once.
pub(super) fn names<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let words = texts.into_iter().flat_map(str::split_whitespace);
    let names = words.flat_map(|word| word.split(['<', '>', '(', ')', '[', ']', '"', ',', ';']));
    let names = names
        .map(|word| word.trim_end_matches(['.', ':', '!', '?', '\'']))
        .filter(|word| names_something(word));
    names.map(str::to_lowercase).collect::<BTreeSet<_>>().into_iter().collect()
}

fn names_something(word: &str) -> bool {
    word.contains("://") || word.starts_with("www.") || mention(word) || email(word) || issue_key(word)
}

fn mention(word: &str) -> bool {
    word.strip_prefix('@').is_some_and(|name| name.starts_with(char::is_alphanumeric))
}

fn email(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

/// `AUTH-99`: capitals, a hyphen, digits.
fn issue_key(word: &str) -> bool {
    word.split_once('-').is_some_and(|(project, number)| {
        let project = project.len() >= 2
            && project.starts_with(|c: char| c.is_ascii_uppercase())
            && project.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_');
        project && !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
    })
}
