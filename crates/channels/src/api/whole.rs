//! Whole numbers as JSON Schema knows them: `3.0` is one, and is read as `3`. Many languages write numbers so.

use serde::{Deserialize, Deserializer, de};
use serde_json::Number;

/// Reads a whole number.
///
/// # Errors
///
/// It is no number, has a fraction, or does not fit.
pub fn required<'de, D: Deserializer<'de>, T: TryFrom<u64>>(from: D) -> Result<T, D::Error> {
    number(&Number::deserialize(from)?)
}

/// Reads a whole number that may be absent or `null`.
///
/// # Errors
///
/// It is no number, has a fraction, or does not fit.
pub fn optional<'de, D: Deserializer<'de>, T: TryFrom<u64>>(from: D) -> Result<Option<T>, D::Error> {
    Option::<Number>::deserialize(from)?.as_ref().map(number).transpose()
}

fn number<T: TryFrom<u64>, E: de::Error>(number: &Number) -> Result<T, E> {
    let whole = number.as_u64().or_else(|| from_float(number.as_f64()?));
    let fits = whole.and_then(|whole| T::try_from(whole).ok());
    let most = u64::MAX >> u64::BITS.saturating_sub(8 * size_of::<T>() as u32);
    fits.ok_or_else(|| E::custom(format!("{number} is not a whole number from 0 to {most}")))
}

/// Returns a floating point number without a fraction as the whole number it is.
fn from_float(number: f64) -> Option<u64> {
    let text = number.to_string();
    // Printed without an exponent and, without a fraction, without a point.
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Numbers {
        #[serde(deserialize_with = "required")]
        one: u32,
        #[serde(default, deserialize_with = "optional")]
        other: Option<u32>,
    }

    #[test]
    fn a_number_without_a_fraction_is_whole() {
        for (text, one, other) in [
            (r#"{"one": 3}"#, 3, None),
            (r#"{"one": 3.0, "other": null}"#, 3, None),
            (r#"{"one": 0.0, "other": 4294967295.0}"#, 0, Some(u32::MAX)),
            (r#"{"one": 7e2, "other": 4294967295}"#, 700, Some(u32::MAX)),
        ] {
            assert_eq!(serde_json::from_str::<Numbers>(text).unwrap(), Numbers { one, other }, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in ["3.5", "-1", "-1.0", "4294967296", "4294967296.0", "1e300", "\"3\"", "null", "[]"] {
            let text = format!(r#"{{"one": {wrong}}}"#);
            assert!(serde_json::from_str::<Numbers>(&text).is_err(), "{wrong}");
        }
    }
}
