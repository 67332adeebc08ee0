//! Encryption for one browser, which the push service cannot read (RFC 8291, in one record of RFC 8188).

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// Bytes of a salt, of a secret, and of a public key.
const SALT: usize = 16;
const SECRET: usize = 16;
const POINT: usize = 65;
/// Size of the record.
const RECORD: u32 = 4_096;
/// Longest text that a record has room for: without its head, the mark of the last record and the tag.
const LONGEST: usize = RECORD as usize - SALT - 4 - 1 - POINT - 1 - 16;

/// Keys of a browser's subscription, as it tells them: its public key and its secret, in Base64.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct BrowserKeys {
    p256dh: String,
    auth: String,
}

impl BrowserKeys {
    /// Returns true if something can be encrypted for them.
    pub(crate) fn are_keys(&self) -> bool {
        encrypt(self, b"x").is_some()
    }
}

/// Encrypts a text; `None` if it is too long, or the keys are none.
pub(super) fn encrypt(to: &BrowserKeys, text: &[u8]) -> Option<Vec<u8>> {
    let mut salt = [0; SALT];
    getrandom::fill(&mut salt).ok()?;
    encrypted(to, &PrivateKey::generate(&ECDH_P256).ok()?, salt, text)
}

fn encrypted(to: &BrowserKeys, own: &PrivateKey, salt: [u8; SALT], text: &[u8]) -> Option<Vec<u8>> {
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
    let (theirs, secret) = (decode(&to.p256dh)?, decode(&to.auth)?);
    if theirs.len() != POINT || secret.len() != SECRET || text.len() > LONGEST {
        return None;
    }
    let ours = own.compute_public_key().ok()?;
    let shared = agree(own, UnparsedPublicKey::new(&ECDH_P256, &theirs), (), |shared| {
        Ok(Salt::new(HKDF_SHA256, &secret).extract(shared))
    });
    let input: [u8; 32] = expand(&shared.ok()?, &[b"WebPush: info\0", &theirs, ours.as_ref()])?;
    let root = Salt::new(HKDF_SHA256, &salt).extract(&input);
    let key: [u8; 16] = expand(&root, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; NONCE_LEN] = expand(&root, &[b"Content-Encoding: nonce\0"])?;
    // A record ends with the mark of the last one.
    let mut sealed = [text, &[2]].concat();
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed).ok()?;
    let length = u8::try_from(POINT).ok()?;
    Some([salt.as_slice(), &RECORD.to_be_bytes(), &[length], ours.as_ref(), &sealed].concat())
}

/// Length of what is derived.
struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(from: &Prk, info: &[&[u8]]) -> Option<[u8; N]> {
    let mut derived = [0; N];
    from.expand(info, Bytes(N)).ok()?.fill(&mut derived).ok()?;
    Some(derived)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(p256dh: &str, auth: &str) -> BrowserKeys {
        BrowserKeys { p256dh: p256dh.into(), auth: auth.into() }
    }

    const P256DH: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkN\
        toIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    /// Checks the example of RFC 8291, section 5.
    #[test]
    fn the_example_of_the_standard() {
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let own = decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        let own = PrivateKey::from_private_key(&ECDH_P256, &own).unwrap();
        let salt = decode("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let text = b"When I grow up, I want to be a watermelon";
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6T\
            lzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        let found = encrypted(&keys(P256DH, AUTH), &own, salt, text).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.encode(found), expected);
    }

    #[test]
    fn a_record_holds_what_fits_and_keys_are_checked() {
        let full = encrypt(&keys(P256DH, AUTH), &vec![b'x'; LONGEST]).unwrap();
        assert_eq!(full.len(), RECORD as usize);
        assert!(encrypt(&keys(P256DH, AUTH), &vec![b'x'; LONGEST + 1]).is_none());
        assert!(keys(&format!("{P256DH}="), &format!("{AUTH}==")).are_keys(), "padding does not count");
        let moved = P256DH.replace('a', "b");
        for (p256dh, auth) in [("", AUTH), (P256DH, ""), (&*moved, AUTH), (AUTH, P256DH), ("é", AUTH)] {
            assert!(!keys(p256dh, auth).are_keys(), "{p256dh} {auth}");
        }
    }
}
