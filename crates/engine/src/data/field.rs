//! Properties of an option as its host knows them: a price, a rating, a day. They are compared by words such as "the
//! cheaper one" (`docs/design/0069-options-that-carry-fields.md`).

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throughline_language::normal;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::data::policy::limits;
use crate::data::time::Timestamp;
use crate::text::clean::label;

/// Properties by name.
pub type Fields = BTreeMap<String, FieldValue>;

/// Digits behind the point that a [`Decimal`] keeps.
const PLACES: usize = 18;
/// Digits before the point that it has at most.
const WHOLE: usize = 18;
const ONE: i128 = 1_000_000_000_000_000_000;

/// Decimal number of at most 18 digits before the point and 18 behind it, without rounding. Written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Decimal(i128);

impl Decimal {
    /// Reads digits with an optional sign, point and exponent: `-3.50`, `1e-7`. `None` for anything else, and for a number
    /// that does not fit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (text, exponent) = match text.split_once(['e', 'E']) {
            Some((text, exponent)) => (text, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (minus, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = !whole.is_empty() && digits(whole) && digits(fraction) && text.len() <= 4 * WHOLE;
        let all: String = [whole, fraction].concat();
        let all = all.trim_start_matches('0');
        if !fits || exponent.unsigned_abs() > 99 {
            return None;
        }
        if all.is_empty() {
            return Some(Self(0));
        }
        // The power of ten that the digits, read as a whole number, are multiplied with.
        let power = exponent - i32::try_from(fraction.len()).ok()? + i32::try_from(PLACES).ok()?;
        let kept = all.trim_end_matches('0');
        let power = power + i32::try_from(all.len() - kept.len()).ok()?;
        let power = u32::try_from(power).ok()?;
        if kept.len() + power as usize > WHOLE + PLACES {
            return None;
        }
        let units = kept.parse::<i128>().ok()?.checked_mul(10i128.checked_pow(power)?)?;
        Some(Self(if minus { -units } else { units }))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) =
            (self.0.unsigned_abs() / ONE.unsigned_abs(), self.0.unsigned_abs() % ONE.unsigned_abs());
        let fraction = alloc::format!("{fraction:018}");
        let fraction = fraction.trim_end_matches('0');
        let (sign, point) = (if self.0 < 0 { "-" } else { "" }, if fraction.is_empty() { "" } else { "." });
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

impl From<Decimal> for String {
    fn from(number: Decimal) -> Self {
        number.to_string()
    }
}

impl TryFrom<String> for Decimal {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("no decimal number of at most 18 digits before the point and 18 behind it")
    }
}

/// Value of a property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldValue {
    /// A number without a unit.
    Number(Decimal),
    /// A number of a unit: a currency by its ISO 4217 code, `km`, `h`.
    Quantity {
        /// Number.
        value: Decimal,
        /// Unit.
        unit: String,
    },
    /// A text of one line.
    Text(String),
    /// True or false.
    Flag(bool),
    /// Several texts.
    List(Vec<String>),
    /// A day or a moment, as RFC 3339 writes it.
    At(String),
}

const FORMS: &str = "a field is a number, a text, true or false, a list of texts, a day or moment as {\"at\": \"2026-03-01\"}, \
                     or a quantity as {\"value\": 120, \"unit\": \"EUR\"}";

/// Value that has an order among others of the same kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Measure<'f> {
    /// Unit, folded; empty for a number without one.
    pub(crate) unit: Unit<'f>,
    /// Place in the order.
    pub(crate) size: Size,
}

/// Kind and unit that two values must share to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit<'f> {
    None,
    Of(&'f str),
    Day,
    Moment,
}

/// Place of a value in the order of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Size {
    Number(Decimal),
    Time(i64),
}

impl FieldValue {
    /// Returns the value as one that can be compared; `None` for texts, lists and flags.
    pub(crate) fn measure(&self) -> Option<Measure<'_>> {
        let number = |unit, value: &Decimal| Some(Measure { unit, size: Size::Number(*value) });
        match self {
            Self::Number(value) => number(Unit::None, value),
            Self::Quantity { value, unit } => number(Unit::Of(unit), value),
            Self::At(text) => {
                let (unit, at) = moment(text)?;
                Some(Measure { unit, size: Size::Time(at) })
            }
            Self::Text(_) | Self::Flag(_) | Self::List(_) => None,
        }
    }

    /// Reads a value as hosts write it: a number, a text, a boolean, a list of texts, `{"at": …}`, or
    /// `{"value": …, "unit": …}`.
    ///
    /// # Errors
    ///
    /// Returns the fault, and what to send instead.
    pub fn from_json(value: Value) -> Result<Self, &'static str> {
        let decimal = |number: &serde_json::Number| {
            Decimal::parse(&number.to_string())
                .ok_or("a number has at most 18 digits before the point and 18 behind it")
        };
        let text = |value| if let Value::String(text) = value { Ok(text) } else { Err(FORMS) };
        match value {
            Value::Number(number) => decimal(&number).map(Self::Number),
            Value::String(text) => Ok(Self::Text(text)),
            Value::Bool(flag) => Ok(Self::Flag(flag)),
            Value::Array(list) => list.into_iter().map(text).collect::<Result<_, _>>().map(Self::List),
            Value::Object(mut members) => {
                let count = members.len();
                match (members.remove("at"), members.remove("value"), members.remove("unit")) {
                    (Some(Value::String(at)), None, None) if count == 1 => Ok(Self::At(at)),
                    (None, Some(Value::Number(value)), Some(Value::String(unit))) if count == 2 => {
                        Ok(Self::Quantity { value: decimal(&value)?, unit })
                    }
                    _ => Err(FORMS),
                }
            }
            Value::Null => Err(FORMS),
        }
    }

    /// Returns the value as hosts write it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let number = |number: &Decimal| serde_json::from_str(&number.to_string()).unwrap_or_default();
        match self {
            Self::Number(value) => number(value),
            Self::Quantity { value, unit } => json!({ "value": number(value), "unit": unit }),
            Self::Text(text) => json!(text),
            Self::Flag(flag) => json!(flag),
            Self::List(list) => json!(list),
            Self::At(at) => json!({ "at": at }),
        }
    }

    /// Returns its texts: what the option is or has.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (one, list): (Option<&String>, &[String]) = match self {
            Self::Text(text) => (Some(text), &[]),
            Self::List(list) => (None, list),
            Self::Number(_) | Self::Quantity { .. } | Self::Flag(_) | Self::At(_) => (None, &[]),
        };
        one.into_iter().chain(list).map(String::as_str)
    }

    /// Returns it with its texts as lines of what can be seen.
    pub(crate) fn in_lines(&self) -> Self {
        match self {
            Self::Text(text) => Self::Text(label(text)),
            Self::List(list) => Self::List(list.iter().map(|text| label(text)).collect()),
            other => other.clone(),
        }
    }

    /// Returns what is wrong with it, and what to send instead.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let long = |text: &String| {
            text.len() > limits::OPTION_LABEL_BYTES
                || text.graphemes(true).nth(limits::OPTION_LABEL).is_some()
        };
        match self {
            Self::Number(_) | Self::Flag(_) => None,
            Self::Quantity { unit, .. } => (unit.trim().is_empty()
                || unit.chars().count() > limits::FIELD_UNIT)
                .then_some("a unit has 1 to 32 characters: EUR, km, h"),
            Self::Text(text) => long(text).then_some("a text has at most 200 characters"),
            Self::List(list) => (list.len() > limits::FIELD_LIST || list.iter().any(long))
                .then_some("a list has at most 32 texts of at most 200 characters"),
            Self::At(text) => moment(text).is_none().then_some(
                "at is a day, 2026-03-01, or a moment, 2026-03-01T09:00:00Z, as RFC 3339 writes them",
            ),
        }
    }
}

/// Comparison that a list names itself: "the greenest" is the one with the least `co2`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedComparison {
    /// Words that ask for it.
    pub name: String,
    /// Field that is compared.
    pub field: String,
    /// True if the least value is meant, false if the greatest.
    #[serde(default)]
    pub least: bool,
}

impl NamedComparison {
    pub(crate) fn in_lines(&self) -> Self {
        Self { name: label(&self.name), field: label(&self.field), least: self.least }
    }

    /// Returns what is wrong with it, and what to send instead.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        name_problem(&self.name).or_else(|| name_problem(&self.field))
    }
}

/// Returns what is wrong with the name of a field, and what to send instead.
#[must_use]
pub fn name_problem(name: &str) -> Option<&'static str> {
    (normal::folded_text(name).is_empty() || name.chars().count() > limits::FIELD_NAME)
        .then_some("a field's name has 1 to 64 characters, and a letter or a digit among them")
}

/// Reads a day or a moment: the milliseconds since 1970 at which it begins.
fn moment(text: &str) -> Option<(Unit<'static>, i64)> {
    if text.len() == "2026-03-01".len() {
        let day = Timestamp::parse(&alloc::format!("{text}T00:00:00Z"))?;
        return Some((Unit::Day, day.0));
    }
    if let Some(at) = Timestamp::parse(text) {
        return Some((Unit::Moment, at.0));
    }
    let cut = text.len().checked_sub("+02:00".len())?;
    let (local, offset) = (text.get(..cut)?, text.get(cut..)?);
    let minutes =
        |part: &str| part.parse::<i64>().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()));
    let (hours, rest) = (minutes(offset.get(1..3)?)?, minutes(offset.get(4..)?)?);
    let sign = match offset.as_bytes() {
        [b'+', _, _, b':', ..] => 1,
        [b'-', _, _, b':', ..] => -1,
        _ => return None,
    };
    let local = Timestamp::parse(&alloc::format!("{local}Z")).filter(|_| hours < 24 && rest < 60)?;
    Some((Unit::Moment, local.0 - sign * (hours * 60 + rest) * Timestamp::MINUTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        for (text, written) in [
            ("120", "120"),
            ("4.60", "4.6"),
            ("-0.5", "-0.5"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("1e-7", "0.0000001"),
            ("1.5E3", "1500"),
            ("-0", "0"),
            ("0e50", "0"),
            ("999999999999999999.999999999999999999", "999999999999999999.999999999999999999"),
        ] {
            assert_eq!(
                Decimal::parse(text).map(|number| number.to_string()).as_deref(),
                Some(written),
                "{text}"
            );
        }
        for text in ["", "-", ".5", "1,5", "1e300", "1e-19", "1000000000000000000", "NaN", "1.2.3", "٣"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert!(Decimal::parse("9.5") < Decimal::parse("10") && Decimal::parse("-2") < Decimal::parse("-1"));
    }

    #[test]
    fn days_and_moments() {
        let at = |text: &str| FieldValue::At(text.into()).measure().map(|measure| measure.size);
        assert_eq!(at("2026-03-01T12:00:00+02:00"), at("2026-03-01T10:00:00Z"));
        assert_eq!(at("2026-03-01T12:00:00.5-00:30"), at("2026-03-01T12:30:00.500Z"));
        assert!(at("2026-03-01") < at("2026-03-02"));
        for text in [
            "2026-02-30",
            "tomorrow",
            "2026-03-01T12:00",
            "2026-03-01T12:00:00+0200",
            "2026-03-01T12:00:00+99:00",
        ] {
            assert!(at(text).is_none() && FieldValue::At(text.into()).problem().is_some(), "{text}");
        }
    }
}
