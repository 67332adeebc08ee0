//! Sentences about a question that stays open while a person says something else.

use alloc::string::String;

use throughline_language::Beside;
use throughline_messages::{self as say, Language};

use crate::data::policy::limits;
use crate::text::redact::snippet;

/// The last question of a message that asked something.
pub(crate) fn last(asked: &str) -> String {
    let asked = asked.trim();
    let end = asked.rfind('?').map_or(asked.len(), |at| at + 1);
    let begin = asked[..end].trim_end_matches('?').rfind(['.', '!', '?', '\n', ':']).map_or(0, |at| at + 1);
    snippet(&asked[begin..end], limits::QUESTION_SHOWN)
}

/// The answer to a remark on the question.
pub(crate) fn stands(language: Language, remark: Option<Beside>, question: &str) -> String {
    match remark {
        Some(Beside::Remark) => say::question_remark(language, question),
        Some(Beside::Refusal | Beside::Unknown) => say::question_later(language, question),
        None => say::question_in_words(language, question),
    }
}

/// Says that the message was no answer. `next`: nothing else is asked before it.
pub(crate) fn still_open(language: Language, question: &str, next: bool) -> String {
    if next {
        say::question_still_open(language, question)
    } else {
        say::question_put_aside(language, question)
    }
}

/// The question, as a line of what waits.
pub(crate) fn waits(language: Language, question: &str) -> String {
    super::waits(&say::question_waits(language, question))
}
