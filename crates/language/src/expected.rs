//! The types of answers, and their form on the wire.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The type of answer that a question expects.
///
/// Its form on the wire, in `Display`, `FromStr` and serde, is a word, `selection:A|B` for a choice, or
/// `one_of:red=crimson,scarlet|blue` for a closed set.
///
/// ```
/// use throughline_language::Expected;
///
/// assert_eq!("date".parse(), Ok(Expected::Date));
/// assert_eq!("selection:Red|Blue".parse(), Ok(Expected::Selection(vec!["Red".into(), "Blue".into()])));
/// assert!("flavour".parse::<Expected>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Yes or no.
    Boolean,
    /// A time of day, or a range of them.
    Time,
    /// A date, or a range of them.
    Date,
    /// A date and a time of day.
    DateTime,
    /// A length of time.
    Duration,
    /// An integer or a decimal.
    Number,
    /// A whole number.
    Integer,
    /// An amount of a currency.
    Money,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// Somebody's name, or a mention of them.
    Person,
    /// A place: known to the gazetteer, or by shape.
    Location,
    /// One of the named options, by id, ordinal, label or distinctive word.
    Selection(Vec<String>),
    /// A value of a closed set, or a synonym of one.
    OneOf(Vec<Choice>),
    /// Any message that is not an interrupt, a command or an explicit new request.
    Text,
}

/// One value of a closed set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// Other words for it.
    pub synonyms: Vec<String>,
}

/// A wire form that names no type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownExpected(pub String);

/// The types whose wire form is a word.
const PLAIN: &[(&str, Expected)] = &[
    ("boolean", Expected::Boolean),
    ("time", Expected::Time),
    ("date", Expected::Date),
    ("datetime", Expected::DateTime),
    ("duration", Expected::Duration),
    ("number", Expected::Number),
    ("integer", Expected::Integer),
    ("money", Expected::Money),
    ("email", Expected::Email),
    ("phone", Expected::Phone),
    ("url", Expected::Url),
    ("person", Expected::Person),
    ("location", Expected::Location),
    ("text", Expected::Text),
];

impl fmt::Display for UnknownExpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown expected type \"{}\": known are {}, selection:A|B and one_of:A=synonym|B",
            self.0,
            PLAIN.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")
        )
    }
}

impl core::error::Error for UnknownExpected {}

impl Expected {
    /// The types whose wire form is a word, by that word: all but the choices, which name their members.
    pub fn words() -> impl Iterator<Item = &'static str> {
        PLAIN.iter().map(|(word, _)| *word)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selection(options) => write!(f, "selection:{}", options.join("|")),
            Self::OneOf(choices) => {
                for (i, choice) in choices.iter().enumerate() {
                    f.write_str(if i == 0 { "one_of:" } else { "|" })?;
                    f.write_str(&choice.value)?;
                    if !choice.synonyms.is_empty() {
                        write!(f, "={}", choice.synonyms.join(","))?;
                    }
                }
                Ok(())
            }
            plain => f.write_str(PLAIN.iter().find(|(_, known)| known == plain).map_or("", |(word, _)| word)),
        }
    }
}

impl FromStr for Expected {
    type Err = UnknownExpected;

    fn from_str(wire: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownExpected(wire.to_string());
        if let Some((_, plain)) = PLAIN.iter().find(|(word, _)| *word == wire) {
            return Ok(plain.clone());
        }
        let (kind, members) = wire.split_once(':').ok_or_else(unknown)?;
        let mut members = members.split('|').map(str::trim);
        match kind {
            "selection" => members.map(named_text).collect::<Option<_>>().map(Self::Selection),
            "one_of" => members.try_fold(Vec::new(), Choice::among).map(Self::OneOf),
            _ => None,
        }
        .ok_or_else(unknown)
    }
}

impl Choice {
    /// Reads `red=crimson,scarlet` and adds it to the choices before it.
    fn among(mut choices: Vec<Self>, wire: &str) -> Option<Vec<Self>> {
        let (value, synonyms) = wire.split_once('=').unwrap_or((wire, ""));
        let synonyms = synonyms.split(',').map(str::trim).filter(|word| !word.is_empty());
        choices.push(Self {
            value: named_text(value.trim())?,
            synonyms: synonyms.map(ToString::to_string).collect(),
        });
        Some(choices)
    }
}

fn named_text(text: &str) -> Option<String> {
    Some(text.to_string()).filter(|text| !text.is_empty())
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
