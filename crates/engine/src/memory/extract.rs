//! What a model proposes as facts, and which of it is taken (`spec 05 §11`): extraction is advisory, code decides.

use alloc::string::{String, ToString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::fact::Confidence;

/// One fact as a model proposes it: nothing of it is believed before it was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposal {
    /// `decision`, `constraint` or `assumption`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `thread` or `epic`.
    pub scope: String,
    /// The sentence.
    pub text: String,
    /// How sure the model says it is.
    #[serde(skip_serializing_if = "Claim::is_missing")]
    pub confidence: Claim,
    /// The message it was read from.
    pub message_id: String,
    /// What it is about, when that can have one value at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A confidence as a model gives it. Stored as text, so that what is hashed holds no floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claim {
    /// It does not say.
    #[default]
    Missing,
    /// It says so much, clamped to what can be.
    Is(Confidence),
    /// It says something that is no number.
    Bad,
}

impl Claim {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_missing(&self) -> bool {
        *self == Self::Missing
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Missing => serializer.serialize_none(),
            Self::Is(confidence) => serializer.serialize_str(&confidence.to_string()),
            Self::Bad => serializer.serialize_str("?"),
        }
    }
}

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = match Value::deserialize(deserializer)? {
            Value::Null => return Ok(Self::Missing),
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        Ok(number.filter(|number: &f64| !number.is_nan()).map_or(Self::Bad, |number| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is between 0 and 100"
            )]
            Self::Is(Confidence::of((number.clamp(0.0, 1.0) * 100.0 + 0.5) as u8))
        }))
    }
}
