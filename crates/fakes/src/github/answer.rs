//! Answers and refusals of the API.

use serde_json::{Value, json};

/// The page that refusals refer to.
const DOCUMENTATION: &str = "https://docs.github.com/rest";

/// An answer. Its body is empty if `None`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Value>,
}

/// An answer, or a refusal without an effect.
pub(super) type Outcome = Result<Answer, Answer>;

impl Answer {
    pub(super) fn json(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Some(body) }
    }

    pub(super) fn ok(body: Value) -> Self {
        Self::json(200, body)
    }

    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: None }
    }

    pub(super) fn with(mut self, name: &'static str, text: String) -> Self {
        self.headers.push((name, text));
        self
    }

    /// Returns a refusal with a message.
    pub(super) fn refused(status: u16, message: &str) -> Self {
        let body =
            json!({"message": message, "documentation_url": DOCUMENTATION, "status": status.to_string()});
        Self::json(status, body)
    }

    pub(super) fn not_found() -> Self {
        Self::refused(404, "Not Found")
    }

    /// Returns the refusal of a body that is not of the documented form.
    pub(super) fn bad_request(why: &str) -> Self {
        Self::refused(422, &format!("Invalid request.\n\n{why}"))
    }

    /// Returns the refusal of values: `{"resource", "code", "field"}`, with a message or a value.
    pub(super) fn invalid(errors: &Value) -> Self {
        let body = json!({
            "message": "Validation Failed", "errors": errors, "documentation_url": DOCUMENTATION, "status": "422",
        });
        Self::json(422, body)
    }

    /// Returns the refusal of a field that is too long.
    pub(super) fn too_long(resource: &str, field: &str, most: usize) -> Self {
        let message = format!("{field} is too long (maximum is {most} characters)");
        Self::invalid(&json!([{"resource": resource, "code": "custom", "field": field, "message": message}]))
    }

    /// Returns the answer to a call whose object is somewhere else.
    pub(super) fn moved(get: bool, to: String) -> Self {
        let body = json!({"message": "Moved Permanently", "url": to, "documentation_url": DOCUMENTATION});
        Self::json(if get { 301 } else { 307 }, body).with("location", to)
    }
}
