//! Extracts lines from messages when no model condenses them: the most informative messages, in their own
//! words.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::message::{Message, Role};
use crate::data::policy::context::{SUMMARY_LINE, SUMMARY_LINES};
use crate::facts::vocabulary;
use crate::summary::validate::names;
use crate::text::clean::clean;
use throughline_language::lexicon::SectionId;

/// Words of a decision, a limit or a commitment.
const WEIGHT: SectionId = vocabulary::named("summary.weight");
/// Words without information: greetings, thanks, "ok".
const NOISE: SectionId = vocabulary::named("summary.noise");

/// The highest-scoring lines of a fold, in the order of their messages. Of two equal scores the earlier
/// message wins.
pub(super) fn best_lines(messages: &[Message]) -> Vec<String> {
    let said = messages.iter().enumerate().filter(|(_, message)| !message.text.trim().is_empty());
    let mut scored: Vec<(i32, usize)> = said.map(|(at, message)| (-score(message), at)).collect();
    scored.sort_unstable();
    scored.truncate(SUMMARY_LINES);
    scored.sort_unstable_by_key(|(_, at)| *at);
    scored.into_iter().map(|(_, at)| line(&messages[at])).collect()
}

fn line(message: &Message) -> String {
    let day = message.at.rfc3339();
    let name = if message.by.is_empty() { "assistant" } else { &message.by };
    clean(&format!("{} {name}: {}", &day[..10], message.text), SUMMARY_LINE).into_owned()
}

fn score(message: &Message) -> i32 {
    let lower = message.text.to_lowercase();
    let said: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let weighs = said.iter().any(|word| vocabulary::is(WEIGHT, word));
    let precise = !names([message.text.as_str()]).is_empty() || exact(&message.text);
    let noise = said.iter().all(|word| vocabulary::is(NOISE, word));
    3 * i32::from(weighs) + 2 * i32::from(precise) + i32::from(message.role == Role::User)
        - 2 * i32::from(noise)
}

/// True if the text holds a date or an amount: three digits or more, or digits next to a sign such as "-",
/// ":" or "%".
fn exact(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word =
            word.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '"'));
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits >= 3
            || digits > 0 && word.chars().any(|c| matches!(c, '-' | '/' | ':' | '%' | '$' | '€' | '£'))
    })
}
