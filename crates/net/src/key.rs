//! API keys: read from a file, sent in one header, never logged (docs/design/0033-access-and-limits.md).

use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

/// An API key of a remote service. It has no `Debug`, and its memory is wiped when it is dropped.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

impl Key {
    /// Parses the text of a key file: one word of visible ASCII of at most 1024 bytes, which may have blanks around it.
    ///
    /// Returns `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::within(text, 1_024)
    }

    /// Parses a token that another server made: like a key, of at most 16 KiB. A signed one is longer than keys are.
    ///
    /// Returns `None` for any other text.
    #[must_use]
    pub fn token(text: &str) -> Option<Self> {
        Self::within(text, 16 * 1_024)
    }

    fn within(text: &str, most: usize) -> Option<Self> {
        let key = text.trim();
        let good = (1..=most).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        good.then(|| Self(Zeroizing::new(key.to_owned())))
    }

    /// Returns the key, for a library that makes the header itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the value of a header, `scheme` followed by the key, marked as sensitive so that HTTP libraries do not log
    /// it.
    ///
    /// Returns `None` if the scheme cannot be part of a header.
    #[must_use]
    pub fn header(&self, scheme: &str) -> Option<HeaderValue> {
        let text = Zeroizing::new(format!("{scheme}{}", *self.0));
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word_and_its_header_hides_it() {
        let header = Key::parse("sk-abc\n").unwrap().header("Bearer ").unwrap();
        assert_eq!(
            (header.to_str().unwrap(), format!("{header:?}").as_str()),
            ("Bearer sk-abc", "Sensitive")
        );
        for wrong in ["", " \n", "two words", "line\nbreak", "schl\u{fc}ssel", &"x".repeat(1_025)] {
            assert!(Key::parse(wrong).is_none(), "{wrong:?}");
        }
        assert!(Key::token(&"x".repeat(16 * 1_024)).is_some());
        for wrong in ["", "two words", &"x".repeat(16 * 1_024 + 1)] {
            assert!(Key::token(wrong).is_none());
        }
    }
}
