//! A key to a far side: read from a file, sent in one header, shown nowhere (`spec 06 §7.3`).

use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

/// A key to a far side. It has no `Debug`, and its memory is wiped when it is dropped.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

impl Key {
    /// The key in a file's text: one word of visible ASCII. `None`: it is not of that form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let key = text.trim();
        let good = (1..=1_024).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        good.then(|| Self(Zeroizing::new(key.to_owned())))
    }

    /// The key itself, for a library that makes its header.
    #[must_use]
    pub fn word(&self) -> &str {
        &self.0
    }

    /// The value of a header, marked so that no library shows it. `None`: with that scheme it is none.
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
        let header = Key::read("sk-abc\n").unwrap().header("Bearer ").unwrap();
        assert_eq!(
            (header.to_str().unwrap(), format!("{header:?}").as_str()),
            ("Bearer sk-abc", "Sensitive")
        );
        for wrong in ["", " \n", "two words", "line\nbreak", "schl\u{fc}ssel", &"x".repeat(1_025)] {
            assert!(Key::read(wrong).is_none(), "{wrong:?}");
        }
    }
}
