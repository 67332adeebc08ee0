//! The error answers of the Web API.

use serde_json::{Map, Value, json};

/// An error answer. All but a rate limit come with HTTP status 200.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiError {
    pub(super) error: String,
    pub(super) more: Map<String, Value>,
    /// The seconds to wait, of a rate limit.
    pub(super) retry_after: Option<u32>,
}

impl ApiError {
    pub(super) fn new(error: &str) -> Self {
        Self { error: error.into(), more: Map::new(), retry_after: None }
    }

    pub(super) fn too_many(seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..Self::new("ratelimited") }
    }

    pub(super) fn missing_scope(needed: &str, provided: &str) -> Self {
        let mut more = Map::new();
        more.insert("needed".into(), json!(needed));
        more.insert("provided".into(), json!(provided));
        Self { more, ..Self::new("missing_scope") }
    }

    /// Returns an error with the places that are wrong, as Slack lists them.
    pub(super) fn with_places(error: &str, places: &[String]) -> Self {
        let lines: Vec<String> = places.iter().map(|place| format!("[ERROR] {place}")).collect();
        let mut more = Map::new();
        more.insert("errors".into(), json!(places));
        more.insert("response_metadata".into(), json!({"messages": lines}));
        Self { more, ..Self::new(error) }
    }

    pub(super) fn status(&self) -> u16 {
        if self.retry_after.is_some() { 429 } else { 200 }
    }

    pub(super) fn body(&self) -> Value {
        let mut body = json!({"ok": false, "error": self.error});
        if let Some(body) = body.as_object_mut() {
            body.extend(self.more.clone());
        }
        body
    }
}
