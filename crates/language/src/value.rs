//! The values of answers, in their normal form.

use alloc::string::String;
use core::ops::Range;

use serde::{Deserialize, Serialize};

use crate::words::Word;

/// The value an answer carried, in its normal form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Value {
    /// `true` for yes.
    Boolean(bool),
    /// `17:00`, `17:00/18:30`, `15:00/..` on the person's clock.
    Time(Reading),
    /// `2026-03-03`, `2026-03-07/2026-03-08`.
    Date(Reading),
    /// `2026-03-03T17:00`.
    #[serde(rename = "datetime")]
    DateTime(Reading),
    /// `PT2H`, `P3D`, after ISO 8601.
    Duration(String),
    /// Decimal digits as written by us: `3`, `-2`, `0.5`.
    Number(String),
    /// An amount.
    Money(Money),
    /// The address, its domain in lower case.
    Email(String),
    /// Digits, with a leading `+` when a country code was given.
    Phone(String),
    /// The address as written, with its scheme.
    Url(String),
    /// The name, the mention, or `me` for the one who wrote.
    Person(String),
    /// The place's name.
    Location(String),
    /// The chosen option, spelled as in the question.
    Selection(String),
    /// The value of the closed set.
    OneOf(String),
    /// The message.
    Text(String),
}

/// A value of words that may mean two things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The likelier value.
    pub is: String,
    /// The other reading, when the words leave two open: `17:00` of "5" next to `05:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub or: Option<String>,
}

/// An amount of a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    /// Decimal digits: `1250`, `3.5`.
    pub amount: String,
    /// The currency's ISO 4217 code, when one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

impl Value {
    /// The normal form as text, `yes` and `no` for a boolean.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Boolean(true) => "yes",
            Self::Boolean(false) => "no",
            Self::Time(reading) | Self::Date(reading) | Self::DateTime(reading) => &reading.is,
            Self::Money(money) => &money.amount,
            Self::Duration(text)
            | Self::Number(text)
            | Self::Email(text)
            | Self::Phone(text)
            | Self::Url(text)
            | Self::Person(text)
            | Self::Location(text)
            | Self::Selection(text)
            | Self::OneOf(text)
            | Self::Text(text) => text,
        }
    }
}

/// An answer to the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The answer's value.
    pub value: Value,
    /// The bytes of the message that say it.
    pub span: Range<usize>,
    /// The firmness of the answer.
    pub strength: Strength,
    /// The part of the message that is a separate clause, to be treated as a message of its own.
    pub remainder: Option<String>,
}

/// The firmness of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strength {
    /// The words mean this and nothing else.
    #[default]
    Firm,
    /// The words may as well acknowledge something: "ok".
    Weak,
}

/// A value inside a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// The bytes of the text that say it.
    pub span: Range<usize>,
}

impl Found {
    /// The value of these words.
    pub(crate) fn of(value: Value, words: &[Word]) -> Self {
        let span = words.first().map_or(0, |word| word.at)..words.last().map_or(0, |word| word.end);
        Self { value, span }
    }

    /// The answer, with the rest of the message.
    pub(crate) fn and(self, remainder: Option<String>) -> Match {
        Match { value: self.value, span: self.span, strength: Strength::Firm, remainder }
    }
}

/// The reason why a message is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMatch {
    /// A short stable phrase, for example `unexplained word`.
    pub reason: &'static str,
}

impl core::fmt::Display for NoMatch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "no answer: {}", self.reason)
    }
}

impl core::error::Error for NoMatch {}
