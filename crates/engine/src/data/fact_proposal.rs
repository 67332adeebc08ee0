//! Fact that a model proposes.

use crate::data::fact::Confidence;
use alloc::string::{String, ToString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Proposed fact. Nothing of it is stored before it was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactProposal {
    /// Kind: `decision`, `constraint` or `assumption`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Scope: `thread` or `epic`.
    pub scope: String,
    /// Text, one sentence.
    pub text: String,
    /// Confidence that the model claims.
    #[serde(skip_serializing_if = "ClaimedConfidence::is_missing")]
    pub confidence: ClaimedConfidence,
    /// Message that states the fact.
    pub message_id: String,
    /// Subject, if it is something that has one value at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// Confidence as a model states it. It is serialised as text, because hashed data holds no floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClaimedConfidence {
    /// Not stated.
    #[default]
    Missing,
    /// Stated; clamped to 0 to 1 and rounded to hundredths.
    Stated(Confidence),
    /// Stated, but not a number.
    NotANumber,
}

impl ClaimedConfidence {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_missing(&self) -> bool {
        *self == Self::Missing
    }
}

impl Serialize for ClaimedConfidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Missing => serializer.serialize_none(),
            Self::Stated(confidence) => serializer.serialize_str(&confidence.to_string()),
            Self::NotANumber => serializer.serialize_str("?"),
        }
    }
}

impl<'de> Deserialize<'de> for ClaimedConfidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = match Value::deserialize(deserializer)? {
            Value::Null => return Ok(Self::Missing),
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        Ok(number.filter(|number: &f64| !number.is_nan()).map_or(Self::NotANumber, |number| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is between 0 and 100"
            )]
            Self::Stated(Confidence::from_percent((number.clamp(0.0, 1.0) * 100.0 + 0.5) as u8))
        }))
    }
}
