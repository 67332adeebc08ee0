//! One-time links to sign in with: signed with the instance key, good for ten minutes, used up by the first who
//! presses the button on the page they lead to (`spec 07 §4`). Opening one uses nothing up: mail scanners and
//! previews open links too.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_runtime::Keys;
use throughline_store::{Clock as _, Document, SystemClock};

use super::session::random;
use crate::app::App;
use crate::problem::Problem;
use crate::{Config, StartError, codes, key, wire};

/// How long a link works.
const LIFETIME: i64 = 10 * Timestamp::MINUTE;
/// What the signature is for.
const PURPOSE: &str = "web-sign-in-link";
/// Where it is kept that a link was used.
const USED: &str = "web.links";

/// What a link says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Link {
    id: String,
    /// The user it signs in, of the configured tenant.
    pub(crate) user: String,
    /// Until when.
    pub(crate) ends: Timestamp,
}

impl Link {
    /// A new one for a configured user.
    pub(crate) fn to(user: &str, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self { id: random()?, user: user.into(), ends: now.plus(LIFETIME) })
    }

    /// What is handed to the person: where the link leads, at the address people see.
    pub(crate) fn told(self, keys: &Keys, config: &Config, address: SocketAddr) -> wire::SignInLink {
        let said = serde_json::to_vec(&self).unwrap_or_default();
        let signature = keys.sign(PURPOSE, &said);
        let base = config.server.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let (said, signature) = (URL_SAFE_NO_PAD.encode(&said), URL_SAFE_NO_PAD.encode(signature));
        let url = format!("{}/sign-in?link={said}.{signature}", base.trim_end_matches('/'));
        wire::SignInLink { url, expires_at: self.ends.rfc3339(), user: self.user }
    }

    /// Reads one that was handed back, if it is ours, in time, and of somebody who is still there.
    pub(crate) fn read(app: &App, text: &str) -> Result<Self, Problem> {
        let decoded = || {
            let (said, signature) = text.split_once('.')?;
            let (said, signature) =
                (URL_SAFE_NO_PAD.decode(said).ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?);
            let ours = app.runtime().keys().signed(PURPOSE, &said, &signature);
            ours.then(|| serde_json::from_slice::<Self>(&said).ok()).flatten()
        };
        let link = decoded().ok_or_else(|| over("it is not one that was made here"))?;
        let known = app.config().user(&app.config().tenant, &link.user).is_some();
        if link.ends < app.store().now() || !known {
            return Err(over("its time is over"));
        }
        Ok(link)
    }

    /// Uses it up, durably. Of several who try, one succeeds.
    pub(crate) async fn consume(&self, app: &App) -> Result<(), Problem> {
        let used = Document { key: self.id.clone(), version: 0, body: app.store().now().rfc3339() };
        let first =
            app.store().write_documents(&app.config().tenant, vec![(USED.into(), used)], None).await?;
        first.then_some(()).ok_or_else(|| over("it was used before"))
    }
}

/// A link for a configured user, made where the installation's files are: what `throughline token link` prints. It
/// needs no running server, since nothing is kept of a link before it is used.
///
/// # Errors
/// The instance key cannot be read, or there is none because the store is in memory.
pub fn sign_in_link(config: &Config, user: &str) -> Result<wire::SignInLink, StartError> {
    let cannot = |file: std::path::PathBuf, why: String| StartError::Key { file, why };
    let file = config.key_file().ok_or_else(|| {
        cannot("of a store in memory".into(), "it is inside the process that serves it".into())
    })?;
    let keys = Keys::new(key::load(&file)?);
    let link =
        Link::to(user, SystemClock::default().now()).map_err(|error| cannot(file, error.to_string()))?;
    Ok(link.told(&keys, config, config.server.listen))
}

fn over(why: &str) -> Problem {
    Problem::new(&codes::LINK_OVER, format!("this link signs nobody in: {why}; ask for a new one"))
}
