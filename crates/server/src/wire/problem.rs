//! The body of every error answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The body of every error answer (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemDetails {
    /// `urn:throughline:error:TL-2203`.
    #[serde(rename = "type")]
    #[schema(example = "urn:throughline:error:TL-2203")]
    pub kind: String,
    /// One line, the same for every occurrence.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is the matter with this request.
    pub detail: String,
    /// Names this occurrence: the request's id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// `TL-2203`; `throughline explain` says more.
    #[schema(example = "TL-2203")]
    pub code: String,
    /// `idempotency.key_reused`.
    #[schema(example = "idempotency.key_reused")]
    pub name: String,
    /// What is wrong where in the body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Pointed>,
    /// The turn that refused, when one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// For an outdated preview: the version that is current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Current>,
}

/// One thing wrong with a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pointed {
    /// Where: a JSON pointer. Empty is the whole body.
    pub pointer: String,
    /// What is wrong.
    pub text: String,
}

/// The current version of what was decided on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Current {
    /// Its version.
    pub version: u32,
    /// Where to see it.
    pub href: String,
}
