//! Key by which push services know this installation, and what it signs for them (RFC 8292). The key is made of the instance
//! key, so processes that share a store have the same one, and it is kept nowhere.

use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::sha256;

/// Time for which a signature counts; a service takes none of more than a day.
const LIFETIME: i64 = 12 * Timestamp::HOUR;

/// Key pair of an installation.
pub(crate) struct Vapid {
    pair: EcdsaKeyPair,
    public: String,
}

impl Vapid {
    /// Makes the pair of an instance key. One hash in four thousand million is no private key; then the next one is taken.
    pub(super) fn of(instance_key: &[u8; 32]) -> Option<Self> {
        (0..=u8::MAX).find_map(|n| Self::of_scalar(&sha256(&[b"throughline/push/1", instance_key, &[n]])))
    }

    fn of_scalar(scalar: &[u8]) -> Option<Self> {
        let private = PrivateKey::from_private_key(&ECDH_P256, scalar).ok()?;
        let point = private.compute_public_key().ok()?;
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair = EcdsaKeyPair::from_private_key_and_public_key(algorithm, scalar, point.as_ref()).ok()?;
        Some(Self { pair, public: URL_SAFE_NO_PAD.encode(point.as_ref()) })
    }

    /// Returns the public key, as browsers ask for it.
    pub(crate) fn public(&self) -> &str {
        &self.public
    }

    /// Returns the `Authorization` of requests to a service.
    pub(super) fn authorization(&self, origin: &str, contact: &str, now: Timestamp) -> Option<String> {
        let ends = now.plus(LIFETIME).0.div_euclid(Timestamp::SECOND);
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let head = part(json!({"typ": "JWT", "alg": "ES256"}));
        let said = part(json!({"aud": origin, "exp": ends, "sub": contact}));
        let signed = format!("{head}.{said}");
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        let signature = URL_SAFE_NO_PAD.encode(signature.as_ref());
        Some(format!("vapid t={signed}.{signature}, k={}", self.public))
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    #[test]
    fn a_service_can_check_what_was_signed() {
        let [vapid, other] = [7, 8].map(|byte| Vapid::of(&[byte; 32]).unwrap());
        assert_eq!(
            vapid.public(),
            Vapid::of(&[7; 32]).unwrap().public(),
            "the same key for the same instance"
        );
        assert_ne!(vapid.public(), other.public());
        let said =
            vapid.authorization("https://push.example.com", "mailto:a@example.org", Timestamp(0)).unwrap();
        let (token, key) = said.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        let expected =
            json!({"aud": "https://push.example.com", "exp": 43_200, "sub": "mailto:a@example.org"});
        assert_eq!(claims, expected);
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let check = |key: &str| {
            let key = URL_SAFE_NO_PAD.decode(key).unwrap();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key)
                .verify(signed.as_bytes(), &signature)
                .is_ok()
        };
        assert!(check(key) && !check(other.public()));
    }

    #[test]
    fn no_hash_that_is_no_private_key_is_one() {
        assert!(Vapid::of_scalar(&[0; 32]).is_none() && Vapid::of_scalar(&[0xff; 32]).is_none());
    }
}
