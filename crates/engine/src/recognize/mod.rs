//! Recognisers: does this text answer that question, and with which value?
//!
//! Everything here is total and linear in the text: any Unicode in, a [`Match`] or a [`NoMatch`] out. Matching is
//! strict (`spec 02 §6`): the *whole* message is the value and words from closed lists, or it begins or ends with a
//! clause that is (`spec 02 §5.4`). The lists are data: see [`lexicon`].

mod boolean;
mod clause;
mod closing;
mod interrupt;
pub(crate) mod lexicon;
mod location;
mod number;
mod selection;
pub(crate) mod words;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use closing::{acknowledgement, greeting};
pub use interrupt::{Interrupt, interrupt};
pub use words::Words;

use lexicon::{RECOGNIZE, RECOGNIZE_NAMES, SectionId};
use words::Word;

/// What a waiting question accepts (`spec 02 §6`).
///
/// The wire form is a word, or `selection:A|B` for a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Yes or no.
    Boolean,
    /// An integer or a decimal.
    Number,
    /// A place, by shape only: an open gazetteer belongs to a later recogniser.
    Location,
    /// One of the named options, by id, ordinal, label or distinctive word.
    Selection(Vec<String>),
    /// Any message that is not an interrupt, a command or an explicit new request.
    Text,
}

/// The value an answer carried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Value {
    /// `true` for yes.
    Boolean(bool),
    /// Decimal digits as written by us: `3`, `-2`, `0.5`.
    Number(String),
    /// The place's name.
    Location(String),
    /// The chosen option, spelled as in the question.
    Selection(String),
    /// The message.
    Text(String),
}

/// A message that answers the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// What it says.
    pub value: Value,
    /// The part of the message that is a separate clause and still has to be routed (`spec 02 §5.4`).
    pub remainder: Option<String>,
}

/// A message that does not, and why: the word goes into the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMatch {
    /// A short stable phrase, for example `unexplained word`.
    pub reason: &'static str,
}

/// The wire form of a type nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownExpected(pub String);

impl fmt::Display for UnknownExpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown expected type \"{}\": known are boolean, number, location, text and selection:A|B",
            self.0
        )
    }
}

impl core::error::Error for UnknownExpected {}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("boolean"),
            Self::Number => f.write_str("number"),
            Self::Location => f.write_str("location"),
            Self::Text => f.write_str("text"),
            Self::Selection(options) => write!(f, "selection:{}", options.join("|")),
        }
    }
}

impl FromStr for Expected {
    type Err = UnknownExpected;

    fn from_str(wire: &str) -> Result<Self, Self::Err> {
        Ok(match wire {
            "boolean" => Self::Boolean,
            "number" => Self::Number,
            "location" => Self::Location,
            "text" => Self::Text,
            _ => {
                let options: Vec<String> = wire
                    .strip_prefix("selection:")
                    .ok_or_else(|| UnknownExpected(wire.to_string()))?
                    .split('|')
                    .map(|o| o.trim().to_string())
                    .collect();
                if options.iter().any(String::is_empty) {
                    return Err(UnknownExpected(wire.to_string()));
                }
                Self::Selection(options)
            }
        })
    }
}

impl Serialize for Expected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|e| de::Error::custom(format!("{e}")))
    }
}

/// Whether `text` answers a question that expects `expected`: [`answer`] for a text that was not read yet.
///
/// # Errors
///
/// [`NoMatch`] says why the message is no answer.
pub fn matches(expected: &Expected, text: &str) -> Result<Match, NoMatch> {
    answer(expected, &Words::of(text))
}

/// Whether a message answers a question that expects `expected`, and with what (`spec 02 §6`).
///
/// Interrupts win over every type; an option that is literally named like one is chosen by its number.
///
/// # Errors
///
/// [`NoMatch`] says why the message is no answer.
pub fn answer(expected: &Expected, message: &Words) -> Result<Match, NoMatch> {
    if message.text().trim_start().starts_with('/') {
        return Err(NoMatch { reason: "command" });
    }
    if interrupt(message).is_some() {
        return Err(NoMatch { reason: "interrupt" });
    }
    if message.all().is_empty() {
        return Err(NoMatch { reason: "no words" });
    }
    if *expected == Expected::Text {
        return free_text(message);
    }
    let mut reason = "unexplained word";
    for lexicon in RECOGNIZE {
        let read = match expected {
            Expected::Boolean => boolean::read(lexicon, message),
            Expected::Number => number::read(lexicon, message),
            Expected::Location => location::read(lexicon, message),
            Expected::Selection(options) => selection::read(lexicon, message, options),
            Expected::Text => break,
        };
        match read {
            Ok(found) => return Ok(found),
            Err(no) => reason = no.reason,
        }
    }
    Err(NoMatch { reason })
}

/// `spec 02 §6`, `text`: anything but an interrupt, a command, an explicit new request or a mere "thanks".
fn free_text(message: &Words) -> Result<Match, NoMatch> {
    if crate::intent::rules::is_explicit_request(message) {
        return Err(NoMatch { reason: "explicit request" });
    }
    if acknowledgement(message) {
        return Err(NoMatch { reason: "acknowledgement" });
    }
    Ok(Match { value: Value::Text(message.text().trim().to_string()), remainder: None })
}

/// The section of that name in the recognisers' lexicons.
const fn named(name: &str) -> SectionId {
    lexicon::named(RECOGNIZE_NAMES, name)
}

/// Whether the message is nothing but a quotation, which gives no value of its own.
fn all_quoted(words: &[Word]) -> bool {
    words.iter().all(|w| w.quoted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    #[test]
    fn the_wire_form_goes_both_ways() {
        for wire in
            ["boolean", "number", "location", "text", "selection:A|B|C", "selection:Login bug|Dark mode"]
        {
            let parsed: Expected = wire.parse().unwrap();
            assert_eq!(parsed.to_string(), wire);
            let json = serde_json::to_string(&parsed).unwrap();
            assert_eq!(serde_json::from_str::<Expected>(&json).unwrap(), parsed);
        }
        for wire in ["", "Boolean", "selection", "selection:", "selection:A||B", "gender"] {
            let message = wire.parse::<Expected>().unwrap_err().to_string();
            assert!(
                message.contains(wire) && message.contains("boolean, number, location, text"),
                "{message}"
            );
        }
    }

    #[test]
    fn text_takes_what_is_no_request() {
        for (text, taken) in [
            ("Italian", true),
            ("The quarterly plan, second draft", true),
            ("a sentence about creating tickets", true),
            ("stop", false),
            ("/maro forget", false),
            ("create a ticket for the login bug", false),
            ("Can you find me a hotel?", false),
            ("What is their address?", false),
            ("Thanks, that's all.", false),
            ("", false),
            ("🎉", false),
        ] {
            assert_eq!(matches(&Expected::Text, text).is_ok(), taken, "{text}");
        }
    }

    fn every_type() -> [Expected; 6] {
        [
            Expected::Boolean,
            Expected::Number,
            Expected::Location,
            Expected::Text,
            Expected::Selection(vec!["A".into(), "B".into()]),
            Expected::Selection(vec!["Login bug".into(), "".into(), "30 %".into(), "ﬁne ß".into()]),
        ]
    }

    #[test]
    fn an_interrupt_answers_nothing() {
        for expected in every_type() {
            for text in ["stop", "never mind", "Please stop!", "cancel", "start over"] {
                assert_eq!(
                    matches(&expected, text),
                    Err(NoMatch { reason: "interrupt" }),
                    "{expected} {text}"
                );
            }
        }
    }

    #[test]
    fn a_very_long_message_is_read_in_one_pass() {
        for word in ["and ", "the ", "please ", "two ", "yes, ", "San ", "no. ", "create a ticket and "] {
            let text = word.repeat(2_000);
            for expected in every_type() {
                let _ = matches(&expected, &text);
            }
            let _ = crate::intent::rules::rule(&Words::of(&text));
        }
    }

    proptest! {
        #[test]
        fn any_unicode_is_read_without_panic(text in any::<String>()) {
            for expected in every_type() {
                let _ = matches(&expected, &text);
            }
            let message = Words::of(&text);
            let _ = (interrupt(&message), acknowledgement(&message), greeting(&message));
        }

        #[test]
        fn any_words_are_read_without_panic(
            parts in prop::collection::vec(prop::sample::select(vec![
                "yes", "no", "ok", "two", "three hundred", "3", "1,5", ",", ".", "?", "and", "but", "Swansea", "the", "B",
                "option", "second", "please", "make it", "thanks", "\"", "👍🏽", "İ", "ß", "\n> ", "San", "ＡＢ", "‍", "in",
            ]), 0..24),
        ) {
            let text = parts.join(" ");
            for expected in every_type() {
                if let Ok(found) = matches(&expected, &text) && let Some(rest) = found.remainder {
                    prop_assert!(text.contains(&rest) && !rest.is_empty());
                }
            }
        }
    }
}
