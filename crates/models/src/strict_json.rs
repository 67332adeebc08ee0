//! Reads a model's raw answer as exactly one JSON object, whatever the vendor promises
//! (`docs/design/0037-models-and-tools.md`): at most one code fence around it, no name twice in one object, nothing
//! before or after it. Each failure has a stable word.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::unique_names::UniqueNames;

/// The longest answer that is read, in bytes.
pub const MAX_ANSWER: usize = 256 * 1024;

/// Reads the one JSON object that a raw answer must be, as `T`; else the stable word for the failure.
pub(crate) fn read<T: DeserializeOwned>(raw: &str) -> Result<T, &'static str> {
    let json = one_object(raw)?;
    serde_json::from_str::<UniqueNames>(json).map_err(|error| named(&error))?;
    serde_json::from_str(json).map_err(|error| named(&error))
}

/// Strips a code fence and checks that an object begins.
fn one_object(raw: &str) -> Result<&str, &'static str> {
    if raw.len() > MAX_ANSWER {
        return Err("too_long");
    }
    let text = raw.trim();
    if text.is_empty() {
        return Err("empty");
    }
    let json = match text.strip_prefix("```") {
        Some(fenced) => unfence(fenced)?,
        None => text,
    };
    // A value of another shape is a schema error; text around or in place of the object is prose.
    match json.chars().next() {
        Some('{') => Ok(json),
        Some(_) if serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok() => Err("schema"),
        Some(_) => Err("prose"),
        None => Err("empty"),
    }
}

/// The content of a code fence: after an optional language, up to a closing fence that ends the text.
fn unfence(fenced: &str) -> Result<&str, &'static str> {
    let inner = fenced.strip_suffix("```").ok_or(if fenced.contains("```") { "prose" } else { "cut" })?;
    if inner.contains("```") {
        return Err("prose");
    }
    let language = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    Ok(inner[language..].trim())
}

/// The stable word for an error of serde.
fn named(error: &serde_json::Error) -> &'static str {
    let text = error.to_string();
    match error.classify() {
        Category::Eof => "cut",
        Category::Syntax if text.starts_with("trailing characters") => "prose",
        Category::Data if text.starts_with("duplicate field") => "two_choices",
        Category::Data => "schema",
        Category::Syntax | Category::Io => "malformed",
    }
}
