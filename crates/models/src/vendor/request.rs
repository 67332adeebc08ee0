//! A request to a vendor, and the features of an endpoint that it may use.

use serde_json::Value;

use super::kind::Kind;

/// A finished question.
pub(crate) struct Request<'a> {
    pub(crate) model: &'a str,
    pub(crate) system: &'a str,
    pub(crate) user: &'a str,
    /// The answer's schema, and its name.
    pub(crate) schema: &'a Value,
    pub(crate) name: &'a str,
    pub(crate) max_output: u32,
}

/// The way an answer is made to be JSON, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonMode {
    /// By the answer's schema, enforced by the vendor.
    Schema,
    /// Some JSON object, enforced by the vendor.
    Object,
    /// By the prompt alone.
    Plain,
}

/// The features that an endpoint supports: all, until it refuses one by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features {
    pub(crate) json_mode: JsonMode,
    /// `temperature`.
    pub(crate) temperature: bool,
    /// True for the older name of the output limit, where there are two.
    pub(crate) max_tokens: bool,
    /// `stream_options`.
    pub(crate) usage: bool,
    /// For Anthropic, true for the structured-output field instead of a forced tool.
    pub(crate) native: bool,
}

impl Features {
    pub(crate) fn everything(native: bool) -> Self {
        Self { json_mode: JsonMode::Schema, temperature: true, max_tokens: true, usage: true, native }
    }

    /// The features to use after a refusal with this text; `None` if it names none of them. Every change removes a
    /// feature, so the loop ends.
    pub(crate) fn without(self, refusal: &str, kind: Kind) -> Option<Self> {
        let refusal = refusal.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        let next = match self.json_mode {
            JsonMode::Schema => JsonMode::Object,
            JsonMode::Object | JsonMode::Plain => JsonMode::Plain,
        };
        let formats = kind == Kind::OpenAiChat && self.json_mode != JsonMode::Plain;
        if formats && says(&["response_format", "json_schema", "json_object", "structured output"]) {
            return Some(Self { json_mode: next, ..self });
        }
        if self.usage && kind == Kind::OpenAiChat && says(&["stream_options"]) {
            return Some(Self { usage: false, ..self });
        }
        if self.temperature && says(&["temperature"]) {
            return Some(Self { temperature: false, ..self });
        }
        if self.max_tokens && kind == Kind::OpenAiChat && says(&["max_completion_tokens"]) {
            return Some(Self { max_tokens: false, ..self });
        }
        None
    }
}
