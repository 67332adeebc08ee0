//! Button tokens: 128 bits that only this installation can make, and that name nothing on the wire
//! (`docs/design/0032-approvals.md`).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use throughline_engine::CardId;
use throughline_engine::data::action::Action;
use throughline_engine::data::canonical_json::{hex, jcs, sha256};
use throughline_engine::data::card_model::CardModel;
use throughline_store::TokenRow;

/// Beginning of what is stored of a token that was pressed.
const PRESSED: &str = "sha256:";

type HmacSha256 = Hmac<Sha256>;

/// The instance key, from which the key of each tenant is derived. It never leaves this type.
#[derive(Clone)]
pub struct Keys {
    instance: [u8; 32],
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let Ok(mut mac) = HmacSha256::new_from_slice(key) else { return [0; 32] };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

impl Keys {
    /// Creates keys from the instance key.
    #[must_use]
    pub fn new(instance: [u8; 32]) -> Self {
        Self { instance }
    }

    /// HKDF-SHA-256 (RFC 5869) of the instance key: no salt, the purpose in the info, one block.
    fn derived(&self, info: &[&[u8]]) -> [u8; 32] {
        let extracted = mac(&[0; 32], &[&self.instance]);
        let info: Vec<&[u8]> = info.iter().copied().chain([&[1][..]]).collect();
        mac(&extracted, &info)
    }

    fn tenant(&self, tenant: &str) -> [u8; 32] {
        self.derived(&[b"throughline/tenant-token-key/1", tenant.as_bytes()])
    }

    /// Signs data that is handed out and has to come back unchanged. Each purpose has a key of its own.
    #[must_use]
    pub fn sign(&self, purpose: &str, data: &[u8]) -> [u8; 32] {
        mac(&self.derived(&[b"throughline/signed/1/", purpose.as_bytes()]), &[data])
    }

    /// Returns true if [`Self::sign`] made this signature for the same purpose and data. Takes as long for a wrong
    /// signature as for a right one.
    #[must_use]
    pub fn signed(&self, purpose: &str, data: &[u8], signature: &[u8]) -> bool {
        let key = self.derived(&[b"throughline/signed/1/", purpose.as_bytes()]);
        let Ok(mut mac) = HmacSha256::new_from_slice(&key) else { return false };
        mac.update(data);
        mac.verify_slice(signature).is_ok()
    }

    /// The token of one button. It depends on nothing else, so a card that is rendered again stays pressable.
    #[must_use]
    pub fn token(&self, tenant: &str, record: &CardId, version: u32, item: &str, action: Action) -> String {
        token(&self.tenant(tenant), tenant, record.as_str(), version, item, action.as_str())
    }

    /// The hash under which the store finds a token.
    #[must_use]
    pub fn hash(token: &str) -> String {
        hex(&sha256(&[token.as_bytes()]))
    }

    /// Returns what is stored of a token that was pressed: its hash, which presses nothing.
    #[must_use]
    pub(crate) fn pressed(token: &str) -> String {
        format!("{PRESSED}{}", Self::hash(token))
    }

    /// Returns the hash under which the store finds the button of a stored press. Events of earlier versions hold the
    /// token itself, which has no colon.
    pub(crate) fn hash_of_pressed(stored: &str) -> String {
        stored.strip_prefix(PRESSED).map_or_else(|| Self::hash(stored), ToOwned::to_owned)
    }

    /// Sets the tokens of a card's buttons.
    pub fn fill(&self, tenant: &str, card: &mut CardModel) {
        let key = self.tenant(tenant);
        let of = |item: &str, action: Action| {
            token(&key, tenant, card.id.as_str(), card.version, item, action.as_str())
        };
        for button in card.buttons.iter_mut().filter(|button| button.blocked.is_none()) {
            button.token = Some(of("", button.action));
        }
        for item in &mut card.items {
            for button in &mut item.buttons {
                button.token = Some(of(&item.id, button.action));
            }
        }
    }

    /// The token rows of a card's buttons, for the store.
    #[must_use]
    pub fn rows(&self, tenant: &str, card: &CardModel) -> Vec<TokenRow> {
        let key = self.tenant(tenant);
        let row = |item: &str, action: Action| {
            let token = token(&key, tenant, card.id.as_str(), card.version, item, action.as_str());
            TokenRow {
                hash: Self::hash(&token),
                card: card.id.clone(),
                version: card.version,
                item: item.into(),
                action: action.as_str().into(),
            }
        };
        let pressable = card.buttons.iter().filter(|button| button.blocked.is_none());
        let own = pressable.map(|button| row("", button.action));
        let of_items =
            card.items.iter().flat_map(|item| item.buttons.iter().map(|button| row(&item.id, button.action)));
        own.chain(of_items).collect()
    }
}

fn token(key: &[u8; 32], tenant: &str, record: &str, version: u32, item: &str, action: &str) -> String {
    let name = jcs(&json!(["throughline/token/1", tenant, record, version, item, action]));
    URL_SAFE_NO_PAD.encode(&mac(key, &[name.as_bytes()])[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key is the bytes 00 to 1f.
    #[test]
    fn the_token_format_is_fixed() {
        let mut key = [0u8; 32];
        for (i, byte) in key.iter_mut().enumerate() {
            *byte = u8::try_from(i).unwrap();
        }
        assert_eq!(token(&key, "acme", "ap_01", 3, "", "approve"), "dUkK6gJL61egst2uZvqf2w");
    }

    #[test]
    fn of_a_press_its_hash_is_stored_and_the_hash_presses_nothing() {
        let token = "dUkK6gJL61egst2uZvqf2w";
        let stored = Keys::pressed(token);
        assert!(!stored.contains(token));
        assert_eq!(Keys::hash_of_pressed(&stored), Keys::hash(token));
        assert_eq!(Keys::hash_of_pressed(token), Keys::hash(token), "an event of an earlier version");
        // Whoever read the store and sends what it holds has another token.
        let again = Keys::pressed(&stored);
        assert_ne!(Keys::hash_of_pressed(&again), Keys::hash(token));
    }

    #[test]
    fn a_signature_holds_for_its_purpose_and_its_bytes() {
        let keys = Keys::new([7; 32]);
        let signature = keys.sign("a", b"data");
        assert!(keys.signed("a", b"data", &signature));
        assert!(!keys.signed("b", b"data", &signature));
        assert!(!keys.signed("a", b"dat", &signature));
        assert!(!keys.signed("a", b"data", &signature[..31]));
        assert!(!Keys::new([8; 32]).signed("a", b"data", &signature));
    }
}
