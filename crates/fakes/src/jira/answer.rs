//! Answers and refusals of the API.

use serde_json::{Map, Value, json};

/// An answer. Its body is empty if `None`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Option<Value>,
}

/// An answer, or a refusal without an effect.
pub(super) type Outcome = Result<Answer, Answer>;

impl Answer {
    pub(super) fn json(status: u16, body: Value) -> Self {
        Self { status, body: Some(body) }
    }

    pub(super) fn ok(body: Value) -> Self {
        Self::json(200, body)
    }

    pub(super) fn empty(status: u16) -> Self {
        Self { status, body: None }
    }

    /// Returns a refusal with a message.
    pub(super) fn refused(status: u16, message: &str) -> Self {
        Self::json(status, json!({"errorMessages": [message], "errors": {}}))
    }

    /// Returns a refusal because of fields.
    pub(super) fn wrong_fields(errors: Map<String, Value>) -> Self {
        Self::json(400, json!({"errorMessages": [], "errors": errors}))
    }

    /// Returns a refusal because of a field.
    pub(super) fn wrong_field(name: &str, why: &str) -> Self {
        Self::json(400, json!({"errorMessages": [], "errors": {name: why}}))
    }

    /// Returns the refusal of a body that is not of the documented form.
    pub(super) fn bad_payload() -> Self {
        Self::refused(400, "Invalid request payload. Refer to the REST API documentation and try again.")
    }

    pub(super) fn no_issue() -> Self {
        Self::refused(404, "Issue does not exist or you do not have permission to see it.")
    }
}
