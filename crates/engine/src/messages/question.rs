//! Sentences about a question that stays open while a person says something else.

use alloc::format;
use alloc::string::String;

use crate::data::policy::limits;
use crate::data::ticket::Part;
use crate::text::redact::snippet;
use throughline_language::Beside;

/// The question for one field of a draft.
pub(crate) fn of_part(part: Part) -> String {
    format!("{}?", part.label())
}

/// The last question of a message that asked something.
pub(crate) fn last(asked: &str) -> String {
    let asked = asked.trim();
    let end = asked.rfind('?').map_or(asked.len(), |at| at + 1);
    let begin = asked[..end].trim_end_matches('?').rfind(['.', '!', '?', '\n', ':']).map_or(0, |at| at + 1);
    snippet(&asked[begin..end], limits::QUESTION_SHOWN)
}

/// The answer to a remark on the question.
pub(crate) fn stands(remark: Option<Beside>, question: &str) -> String {
    match remark {
        Some(Beside::Remark) => {
            format!("I asked: “{question}” Answer it in your own words, or say “cancel” to drop it.")
        }
        Some(Beside::Refusal | Beside::Unknown) => {
            format!(
                "OK, no hurry. Still open: “{question}” Answer it when you can, or say “cancel” to drop it."
            )
        }
        None => format!("I need it in words: “{question}”"),
    }
}

/// Says that the message was no answer. `next`: nothing else is asked before it.
pub(crate) fn still_open(question: &str, next: bool) -> String {
    if next {
        format!("Still open: “{question}”")
    } else {
        format!("Put aside for now: “{question}”")
    }
}

/// The question, as a line of what waits.
pub(crate) fn waits(question: &str) -> String {
    format!("· question: “{question}”")
}

/// Says that a question that was put aside is the next one again.
pub(crate) fn back_to(question: &str) -> String {
    format!("Back to: “{question}”")
}
