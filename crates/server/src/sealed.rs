//! Secrets of others that are kept in the store: encrypted with a key that is made of the instance key.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use throughline_engine::data::canonical_json::sha256;

/// Key that secrets are sealed with.
pub(crate) struct Seal(LessSafeKey);

impl Seal {
    /// Makes the key for a purpose, so that no secret of one is taken for a secret of another.
    pub(crate) fn new(instance_key: &[u8; 32], purpose: &str) -> Self {
        let key = sha256(&[instance_key, purpose.as_bytes()]);
        let key = UnboundKey::new(&AES_256_GCM, &key).expect("a key of 256 bits");
        Self(LessSafeKey::new(key))
    }

    /// Encrypts a secret for a name: it cannot be opened under another one.
    ///
    /// # Errors
    /// The operating system provides no random bytes.
    pub(crate) fn close(&self, name: &str, secret: &str) -> Result<String, getrandom::Error> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce)?;
        let mut sealed = secret.as_bytes().to_vec();
        let within = Nonce::assume_unique_for_key(nonce);
        let closed = self.0.seal_in_place_append_tag(within, Aad::from(name.as_bytes()), &mut sealed);
        closed.expect("a secret is short");
        sealed.splice(0..0, nonce);
        Ok(STANDARD_NO_PAD.encode(sealed))
    }

    /// Decrypts a secret; `None` if it was sealed with another key or for another name, or was changed.
    pub(crate) fn open(&self, name: &str, sealed: &str) -> Option<String> {
        let mut bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let opened = self.0.open_in_place(nonce, Aad::from(name.as_bytes()), sealed).ok()?;
        String::from_utf8(opened.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_opened_by_its_key_and_its_name_alone() {
        let seal = Seal::new(&[7; 32], "slack");
        let sealed = seal.close("T1", "xoxb-secret").unwrap();
        assert!(!sealed.contains("xoxb"));
        assert_ne!(sealed, seal.close("T1", "xoxb-secret").unwrap(), "no two are alike");
        assert_eq!(seal.open("T1", &sealed).as_deref(), Some("xoxb-secret"));
        assert_eq!(seal.open("T2", &sealed), None);
        assert_eq!(Seal::new(&[8; 32], "slack").open("T1", &sealed), None);
        assert_eq!(Seal::new(&[7; 32], "other").open("T1", &sealed), None);
        for wrong in ["", "AAAA", "not base64!", &sealed[..10], &sealed.replace('A', "B")] {
            assert!(seal.open("T1", wrong).is_none() || wrong == sealed, "{wrong}");
        }
    }
}
