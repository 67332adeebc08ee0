//! Signatures of webhooks by a secret that both sides know, as WebSub and its users make them
//! (<https://www.w3.org/TR/websub/#signature-validation>).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Key;

impl Key {
    /// Returns true if a body was signed with this secret: `sha256=` and the HMAC in hexadecimal digits. The comparison takes
    /// the same time whatever is wrong.
    #[must_use]
    pub fn signed(&self, body: &[u8], signature: &str) -> bool {
        let Some(signature) = digits(signature) else { return false };
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.as_str().as_bytes()) else { return false };
        mac.update(body);
        mac.verify_slice(&signature).is_ok()
    }
}

/// The bytes of `sha256=` and 64 hexadecimal digits.
fn digits(signature: &str) -> Option<[u8; 32]> {
    let digits = signature.strip_prefix("sha256=").filter(|digits| digits.len() == 64)?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let [high, low] = [digit(pair[0])?, digit(pair[1])?];
        *byte = high * 16 + low;
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| digit.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_the_secret_and_the_whole_body() {
        let digits = "c2160ed2af0f9b1a14e16879208f959dc0da2804d6ea3ae2758a5d183116f511";
        let (good, body) = (format!("sha256={digits}"), b"Hello, World!");
        let secret = Key::parse("It'saSecrettoEverybody").unwrap();
        assert!(secret.signed(body, &good));
        assert!(secret.signed(body, &format!("sha256={}", digits.to_uppercase())));
        assert!(!secret.signed(b"Hello, World?", &good));
        assert!(!Key::parse("another").unwrap().signed(body, &good));
        let short = format!("sha256={}", &digits[2..]);
        let odd = format!("sha256={}g", &digits[1..]);
        let wide = format!("sha256={}é", &digits[2..]);
        for wrong in [digits, &short, &odd, &wide, &format!("sha1={digits}"), "sha256=", ""] {
            assert!(!secret.signed(body, wrong), "{wrong}");
        }
    }
}
