//! Body of an error answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Body of every error answer (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemDetails {
    /// URN of the error code: `urn:throughline:error:TL-2203`.
    #[serde(rename = "type")]
    #[schema(example = "urn:throughline:error:TL-2203")]
    pub kind: String,
    /// Title, one line, equal for every occurrence.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// Description of this occurrence.
    pub detail: String,
    /// URN of this occurrence, with the id of the request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// Error code: `TL-2203`. `throughline explain` describes it.
    #[schema(example = "TL-2203")]
    pub code: String,
    /// Name of the code: `idempotency.key_reused`.
    #[schema(example = "idempotency.key_reused")]
    pub name: String,
    /// Errors in the body, each with its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Pointed>,
    /// Id of the turn that refused, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// For an outdated preview: the current version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Current>,
}

/// Error in a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pointed {
    /// Place: a JSON pointer. Empty for the whole body.
    pub pointer: String,
    /// Description.
    pub text: String,
}

/// Current version of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Current {
    /// Version.
    pub version: u32,
    /// Path where it can be read.
    pub href: String,
}
