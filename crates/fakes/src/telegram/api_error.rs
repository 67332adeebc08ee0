//! The error answers of the Bot API.

use serde_json::{Value, json};

/// An error answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiError {
    pub(super) code: u16,
    pub(super) description: String,
    pub(super) parameters: Option<Value>,
}

impl ApiError {
    pub(super) fn new(code: u16, description: &str) -> Self {
        Self { code, description: description.into(), parameters: None }
    }

    pub(super) fn bad(why: &str) -> Self {
        Self::new(400, &format!("Bad Request: {why}"))
    }

    pub(super) fn too_many(seconds: u32) -> Self {
        let parameters = Some(json!({"retry_after": seconds}));
        Self { parameters, ..Self::new(429, &format!("Too Many Requests: retry after {seconds}")) }
    }

    pub(super) fn migrated(to: i64) -> Self {
        let parameters = Some(json!({"migrate_to_chat_id": to}));
        Self { parameters, ..Self::bad("group chat was upgraded to a supergroup chat") }
    }

    pub(super) fn body(&self) -> Value {
        let mut body = json!({"ok": false, "error_code": self.code, "description": self.description});
        if let Some(parameters) = &self.parameters {
            body["parameters"] = parameters.clone();
        }
        body
    }
}
