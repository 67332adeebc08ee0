//! JSON objects as prompts write them.

use crate::text::clean::quote;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Returns an object of texts, on one line.
pub(crate) fn line(members: &[(&str, &str)]) -> String {
    let quoted: Vec<_> = members.iter().map(|(name, text)| (*name, quoted(text))).collect();
    object(&quoted)
}

/// Returns an object of values that are JSON already, on one line.
pub(crate) fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{ {} }}", members.join(", "))
}

/// Returns foreign text as a JSON string, without secrets.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(&mut out, &crate::text::redact::redacted(text));
    out
}
