//! Error of a single field, from a tracker or a tool.

use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// Error of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// Item of a batch, by id; empty for a single item, or for all items.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// Check that failed: `check.required` or another.
    pub code: String,
    /// Field.
    pub field: String,
    /// Message for a person.
    pub text: String,
    /// True if the message says by itself what it is about, as ours do; a far side may leave that to the field.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub whole: bool,
}

impl FieldError {
    /// Code for an argument that a tool does not accept.
    pub const ARGUMENT: &'static str = "tool.argument";

    /// Returns the message, with the field's name added if the message does not contain it.
    #[must_use]
    pub fn display_text(&self) -> String {
        let names = self.whole
            || self.field.is_empty()
            || self.text.to_lowercase().contains(&self.field.to_lowercase());
        if names { self.text.clone() } else { format!("{} ({})", self.text, self.field) }
    }

    /// Makes an error of this version for a single item, or for all items.
    #[must_use]
    pub fn new(code: &str, field: &str, text: impl Into<String>) -> Self {
        Self { item: String::new(), code: code.into(), field: field.into(), text: text.into(), whole: false }
    }
}
