//! Errors of the API.

use serde_json::{Value, json};

/// An error of a field, or of a whole request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Error {
    /// The HTTP status of the answer.
    pub(super) status: u16,
    message: String,
    code: &'static str,
    kind: &'static str,
    /// The sentence for people.
    presentable: String,
}

impl Error {
    fn new(status: u16, code: &'static str, kind: &'static str, message: &str, presentable: &str) -> Self {
        Self { status, message: message.into(), code, kind, presentable: presentable.into() }
    }

    /// Returns the error of a value that cannot be.
    pub(super) fn input(message: &str, presentable: &str) -> Self {
        Self::new(200, "INPUT_ERROR", "invalid input", message, presentable)
    }

    /// Returns the error of a value of another form.
    pub(super) fn argument(presentable: &str) -> Self {
        Self::new(400, "INVALID_INPUT", "invalid input", "Argument Validation Error", presentable)
    }

    pub(super) fn not_found(entity: &str) -> Self {
        Self::input(&format!("Entity not found: {entity}"), &format!("Could not find referenced {entity}."))
    }

    /// Returns the error of an id that is used already.
    pub(super) fn conflict(entity: &str, id: &str) -> Self {
        Self::input(
            &format!("conflict on insert of {entity}"),
            &format!("Entity {entity} with id {id} already exists."),
        )
    }

    /// Returns the error of a request that is not as the schema says.
    pub(super) fn invalid(message: &str) -> Self {
        Self::new(400, "GRAPHQL_VALIDATION_FAILED", "graphql error", message, message)
    }

    pub(super) fn not_authenticated() -> Self {
        let message = "Authentication required, not authenticated";
        let presentable = "You need to authenticate to access this operation.";
        Self::new(401, "AUTHENTICATION_ERROR", "authentication error", message, presentable)
    }

    pub(super) fn limited() -> Self {
        let message = "Rate limit exceeded";
        let presentable = "Rate limit exceeded. Only 2500 requests are allowed per 1 hour.";
        Self::new(400, "RATELIMITED", "ratelimited", message, presentable)
    }

    /// Returns the body of an answer with this error. `field` is what it is an error of.
    pub(super) fn body(&self, field: Option<&str>) -> Value {
        let mut error = json!({
            "message": self.message,
            "extensions": {
                "type": self.kind, "code": self.code, "statusCode": self.status.max(400), "userError": true,
                "userPresentableMessage": self.presentable,
            },
        });
        if let Some(field) = field {
            error["path"] = json!([field]);
        }
        json!({"errors": [error], "data": null})
    }
}
