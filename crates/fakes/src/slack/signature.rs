//! Signatures of requests to an app, version 0: an HMAC over the time and the body.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Returns the value of `x-slack-signature` for a body sent at a time, in seconds since 1970.
#[must_use]
pub fn sign(secret: &str, seconds: &str, body: impl AsRef<[u8]>) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(format!("v0:{seconds}:").as_bytes());
    mac.update(body.as_ref());
    let digest: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v0={digest}")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::sign;
    use crate::telegram::specs;

    #[test]
    fn signs_as_documented() {
        let body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V\
                    &channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=\
                    &response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlg\
                    cZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
        let signed = sign("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", body);
        assert_eq!(signed, "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503");
    }

    #[test]
    fn signs_as_the_official_client_does() {
        let Ok(text) = std::fs::read_to_string(specs().join("slack/signature-v0-vectors.json")) else {
            return;
        };
        let vectors: Vec<Value> = serde_json::from_str(&text).unwrap();
        assert!(!vectors.is_empty());
        for vector in vectors {
            let part = |name: &str| vector[name].as_str().unwrap();
            assert_eq!(sign(part("signing_secret"), part("timestamp"), part("body")), part("signature"));
        }
    }
}
