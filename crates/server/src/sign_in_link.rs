//! One-time sign-in links: signed with the instance key, valid for ten minutes, used up by the button on the page
//! they lead to. Opening a link does not use it up, since mail scanners and previews open links too.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_runtime::Keys;
use throughline_store::{Clock as _, Document, SystemClock};

use crate::app::App;
use crate::codes;
use crate::config::Config;
use crate::instance_key;
use crate::problem::Problem;
use crate::random;
use crate::start_error::StartError;
use crate::wire;

/// Lifetime of a link, in milliseconds.
const LIFETIME: i64 = 10 * Timestamp::MINUTE;
/// Purpose of the signature.
const PURPOSE: &str = "web-sign-in-link";
/// Collection of the links that were used.
const USED: &str = "web.links";

/// Content of a link.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Link {
    id: String,
    /// User of the configured tenant whom it signs in.
    pub(crate) user: String,
    /// End of its validity.
    pub(crate) ends: Timestamp,
}

impl Link {
    /// Makes a link for a configured user.
    pub(crate) fn to(user: &str, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self { id: random::id()?, user: user.into(), ends: now.plus(LIFETIME) })
    }

    /// Returns the link as it is handed to the person, with the public address.
    pub(crate) fn into_wire(self, keys: &Keys, config: &Config, address: SocketAddr) -> wire::SignInLink {
        let said = serde_json::to_vec(&self).unwrap_or_default();
        let signature = keys.sign(PURPOSE, &said);
        let base = config.server.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let (said, signature) = (URL_SAFE_NO_PAD.encode(&said), URL_SAFE_NO_PAD.encode(signature));
        let url = format!("{}/sign-in?link={said}.{signature}", base.trim_end_matches('/'));
        wire::SignInLink { url, expires_at: self.ends.rfc3339(), user: self.user }
    }

    /// Reads a link and checks its signature, its lifetime and its user.
    pub(crate) fn read(app: &App, text: &str) -> Result<Self, Problem> {
        let decoded = || {
            let (said, signature) = text.split_once('.')?;
            let (said, signature) =
                (URL_SAFE_NO_PAD.decode(said).ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?);
            let ours = app.runtime().keys().signed(PURPOSE, &said, &signature);
            ours.then(|| serde_json::from_slice::<Self>(&said).ok()).flatten()
        };
        let link = decoded().ok_or_else(|| over("it is not one that was made here"))?;
        let known = app.config().active_user(&app.config().tenant, &link.user).is_some();
        if link.ends < app.store().now() || !known {
            return Err(over("its time is over"));
        }
        Ok(link)
    }

    /// Uses the link up, durably. Of several concurrent attempts, one succeeds.
    pub(crate) async fn consume(&self, app: &App) -> Result<(), Problem> {
        let used = Document::new(&self.id, 0, app.store().now().rfc3339());
        let first =
            app.store().write_documents(&app.config().tenant, vec![(USED.into(), used)], None).await?;
        first.then_some(()).ok_or_else(|| over("it was used before"))
    }
}

/// Makes a link for a configured user from the installation's files, for `throughline token link`. It needs no
/// running server, since a link is stored only when it is used.
///
/// # Errors
/// The instance key cannot be read, or there is none because the store is in memory.
pub fn sign_in_link(config: &Config, user: &str) -> Result<wire::SignInLink, StartError> {
    let cannot = |file: std::path::PathBuf, why: String| StartError::Key { file, why };
    let file = config.key_file().ok_or_else(|| {
        cannot("of a store in memory".into(), "it is inside the process that serves it".into())
    })?;
    let keys = Keys::new(instance_key::load(&file)?);
    let link =
        Link::to(user, SystemClock::default().now()).map_err(|error| cannot(file, error.to_string()))?;
    Ok(link.into_wire(&keys, config, config.server.listen))
}

fn over(why: &str) -> Problem {
    Problem::new(&codes::LINK_OVER, format!("this link signs nobody in: {why}; ask for a new one"))
}
