//! Answers to small talk and to questions about what is here.

use alloc::format;
use alloc::string::String;

use throughline_messages::{self as say, Language};

pub(crate) fn issue(key: &str, title: &str) -> String {
    if title.is_empty() { format!("· {key}") } else { format!("· {key}: {title}") }
}

pub(crate) fn draft(language: Language, title: &str) -> String {
    let draft = if title.is_empty() {
        say::tickets_draft_untitled(language)
    } else {
        say::tickets_draft(language, title)
    };
    format!("· {draft}")
}

pub(crate) fn tickets(language: Language, lines: &[String]) -> String {
    match lines {
        [] => say::tickets_none(language),
        lines => format!("{}\n{}", say::tickets_here(language), lines.join("\n")),
    }
}

pub(crate) fn fact(language: Language, kind: &str, text: &str, author: &str) -> String {
    let kind = say::known_kind(language, kind);
    if author.is_empty() { format!("· {kind}: {text}") } else { format!("· {kind}: {text} (@{author})") }
}

pub(crate) fn known(language: Language, about: Option<&str>, lines: &[String]) -> String {
    let about = about.filter(|about| !about.is_empty());
    let lead = match (about, lines) {
        (None, []) => return say::known_nothing(language),
        (Some(about), []) => return say::known_nothing_about(language, about),
        (None, _) => say::known_noted(language),
        (Some(about), _) => say::known_noted_about(language, about),
    };
    format!("{lead}\n{}", lines.join("\n"))
}

pub(crate) fn closed(language: Language, titles: &[String]) -> String {
    match titles {
        [] => say::cards_none_closed(language),
        titles => say::cards_closed(language, super::listed(language, titles)),
    }
}
