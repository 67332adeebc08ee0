//! Canonical JSON (JCS, RFC 8785) and the hashes built on it.
//!
//! A `serde_json::Value` is not hashed as `serde_json` writes it: another crate of the same binary may enable
//! `preserve_order`, and the bytes would change. This writer sorts the members itself.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 digest.
pub type Hash = [u8; 32];

/// Returns the canonical JSON of a value.
///
/// Object members are sorted by UTF-16 code units, there is no white space, and numbers are integers: the
/// engine holds no floats. A value that cannot be serialised, such as a map with keys that are no strings,
/// becomes `null`.
///
/// ```
/// let value = serde_json::json!({"b": 1, "a": ["x", null]});
/// assert_eq!(throughline_engine::data::canonical_json::jcs(&value), r#"{"a":["x",null],"b":1}"#);
/// ```
pub fn jcs<T: Serialize + ?Sized>(value: &T) -> String {
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    let mut out = String::new();
    write(&value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (i, (name, value)) in members.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::String(text) => write_string(text, out),
        other => _ = write!(out, "{other}"),
    }
}

fn write_string(text: &str, out: &mut String) {
    // Fast path: most strings are names and sentences with nothing to escape.
    if text.bytes().all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\')) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    }
}

/// Appends an array of strings in canonical form.
pub(crate) fn write_strings(texts: &[&str], out: &mut String) {
    out.push('[');
    for (i, text) in texts.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(text, out);
    }
    out.push(']');
}

/// Returns the SHA-256 of the parts joined together.
pub fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Returns the bytes in lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

/// Decodes lower-case hexadecimal; `None` if the text is anything else.
#[must_use]
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    };
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes().chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// Appends lower-case base32 (RFC 4648 alphabet) without padding. The number of bytes has to be a multiple of
/// five.
pub fn base32(bytes: &[u8], out: &mut String) {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let (mut buffer, mut bits) = (0u32, 0u32);
    for &byte in bytes {
        buffer = (buffer << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(char::from(ALPHABET[(buffer >> bits & 31) as usize]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_has_a_known_hash() {
        let payload = serde_json::json!({
            "kind": "tracker.batch", "project": "AUTH",
            "items": [
                {"type": "epic", "title": "Auth", "id": "e1"},
                {"type": "story", "title": "Log in", "parent": "e1", "id": "s1"},
            ],
        });
        assert_eq!(
            hex(&sha256(&[jcs(&payload).as_bytes()])),
            "86a606e57236c1fb9b06ea5e590f977ceb848278e316643b351bf528e7e07985"
        );
    }
}
