//! Answers to small talk and to questions about what is here.

use alloc::format;
use alloc::string::String;

use crate::data::policy::Policy;

pub(crate) const GREETING: &str =
    "Hello! I make tickets, reviews and decision records of what is said here. What can I do for you?";
pub(crate) const GREETING_AGAIN: &str = "Hello again!";
pub(crate) const BOT: &str =
    "I am a program: the assistant of this conversation. Say \"help\" for what I can do.";

/// Says in a line what the help says, because the help itself stands above.
pub(crate) fn help_again(policy: &Policy) -> String {
    format!(
        "As above: \"create a ticket for …\", \"review this\" or \"record the decision: …\"; {} status says what is open.",
        policy.command.0
    )
}

pub(crate) fn issue(key: &str, title: &str) -> String {
    if title.is_empty() { format!("· {key}") } else { format!("· {key}: {title}") }
}

pub(crate) fn draft(title: &str) -> String {
    format!("· draft: {}", if title.is_empty() { "without a title" } else { title })
}

pub(crate) fn tickets(lines: &[String]) -> String {
    match lines {
        [] => {
            "There are no tickets in this thread: none is drafted, and none was created or is tracked here."
                .into()
        }
        lines => format!("The tickets of this thread:\n{}", lines.join("\n")),
    }
}

pub(crate) fn fact(kind: &str, text: &str, author: &str) -> String {
    if author.is_empty() { format!("· {kind}: {text}") } else { format!("· {kind}: {text} (@{author})") }
}

pub(crate) fn known(about: Option<&str>, lines: &[String]) -> String {
    let about = about.filter(|about| !about.is_empty());
    match (about, lines) {
        (None, []) => "Nothing is noted here yet. Say \"remember that …\" and I keep it.".into(),
        (Some(about), []) => format!("Nothing is noted here about “{about}”."),
        (None, lines) => format!("Noted here:\n{}", lines.join("\n")),
        (Some(about), lines) => format!("Noted here about “{about}”:\n{}", lines.join("\n")),
    }
}

pub(crate) fn closed(titles: &[String]) -> String {
    match titles {
        [] => "No card of yours is open here.".into(),
        titles => format!("Closed: {}.", super::listed(titles)),
    }
}
