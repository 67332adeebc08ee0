//! Tokens of commands that run beside the store: signed with the instance key, each for one minute. Whoever can read the
//! key's file could sign in as anybody and read the database, so its holder has every scope
//! (`docs/design/0085-commands-find-the-server.md`).

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_runtime::Keys;
use throughline_store::{Clock as _, SystemClock};

use crate::auth::{Caller, Scope, Token};
use crate::config::Config;
use crate::instance_key;
use crate::start_error::StartError;

/// Beginning of such a token.
const BEGINS: &str = "tlm_";
/// Lifetime of a token, in milliseconds.
const LIFETIME: i64 = Timestamp::MINUTE;
/// Purpose of the signature.
const PURPOSE: &str = "command-beside-the-store";
/// Id of the caller, part of the delivery keys.
const CALLER: &str = "this-machine";

/// Content of a token.
#[derive(Serialize, Deserialize)]
struct Content {
    /// User it acts as.
    principal: String,
    /// End of its validity.
    ends: Timestamp,
}

/// Maker of tokens.
pub struct LocalTokens {
    keys: Keys,
    principal: String,
}

impl LocalTokens {
    /// Reads the instance key, for a user to act as.
    ///
    /// # Errors
    /// The key cannot be read.
    pub fn new(key_file: &Path, principal: &str) -> Result<Self, StartError> {
        Ok(Self { keys: Keys::new(instance_key::load(key_file)?), principal: principal.into() })
    }

    /// Makes a token for the next minute.
    #[must_use]
    pub fn make(&self) -> String {
        let ends = SystemClock::default().now().plus(LIFETIME);
        let content = Content { principal: self.principal.clone(), ends };
        let said = serde_json::to_vec(&content).unwrap_or_default();
        let signature = self.keys.sign(PURPOSE, &said);
        format!("{BEGINS}{}.{}", URL_SAFE_NO_PAD.encode(said), URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Returns the caller who presents such a token, if it was made with this installation's key and its minute is not over.
pub(crate) fn caller(config: &Config, keys: &Keys, now: Timestamp, bearer: &str) -> Option<Caller> {
    let (said, signature) = bearer.strip_prefix(BEGINS)?.split_once('.')?;
    let (said, signature) = (URL_SAFE_NO_PAD.decode(said).ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?);
    let content: Content =
        keys.signed(PURPOSE, &said, &signature).then(|| serde_json::from_slice(&said).ok()).flatten()?;
    let out = config.user(&config.tenant, &content.principal).is_some_and(|user| user.is_out());
    // A token from the future is a wrong clock's or a longer lifetime's.
    let valid = content.ends >= now && content.ends <= now.plus(2 * LIFETIME);
    let token = Token {
        id: CALLER.into(),
        sha256: String::new(),
        tenant: config.tenant.clone(),
        app: config.app.clone(),
        scopes: Scope::ALL.into(),
        principal: content.principal,
    };
    (valid && !out).then(|| token.caller())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(key: u8) -> LocalTokens {
        LocalTokens { keys: Keys::new([key; 32]), principal: "ana".into() }
    }

    #[test]
    fn a_token_is_good_for_its_minute_and_its_installation() {
        let config = Config::demo(None).unwrap();
        let keys = Keys::new([7; 32]);
        let now = SystemClock::default().now();
        let token = tokens(7).make();
        let found = caller(&config, &keys, now, &token).unwrap();
        assert_eq!(found.principal, "ana");
        assert!(found.may(Scope::Audit) && found.may(Scope::ActAs));
        assert!(caller(&config, &keys, now.plus(2 * LIFETIME), &token).is_none(), "over");
        assert!(caller(&config, &keys, now.plus(-3 * LIFETIME), &token).is_none(), "not yet");
        assert!(caller(&config, &Keys::new([8; 32]), now, &token).is_none(), "another installation");
        let (said, signature) = token.strip_prefix(BEGINS).unwrap().split_once('.').unwrap();
        let other = URL_SAFE_NO_PAD.encode(
            serde_json::to_vec(&Content { principal: "bob".into(), ends: now.plus(LIFETIME) }).unwrap(),
        );
        for wrong in [
            "tlm_".to_owned(),
            "tlm_.".to_owned(),
            format!("tlm_{said}."),
            format!("tlm_{other}.{signature}"),
            format!("{said}.{signature}"),
            format!("{token}A"),
        ] {
            assert!(caller(&config, &keys, now, &wrong).is_none(), "{wrong}");
        }
    }
}
