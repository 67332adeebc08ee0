//! Outgoing webhooks: the events of all conversations, posted to endpoints and signed as Standard Webhooks says
//! (`docs/design/0071-webhooks.md`).

pub(crate) mod queue;
mod retries;
mod sender;
mod signature;

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use throughline_engine::{Millis, Timestamp};
use throughline_net::{Endpoint, TransportError, retry_after_at};

use self::signature::{Secret, signatures};
use crate::config::{Config, WebhookConfig};
use crate::finding::{Finding, State, finding};
use crate::routes::tenant_events::Kinds;
use crate::start_error::StartError;

pub(crate) use sender::run;

/// Endpoint that events are sent to.
pub(crate) struct Webhook {
    pub(crate) name: String,
    pub(crate) tenant: String,
    pub(crate) url: String,
    pub(crate) kinds: Kinds,
    endpoint: Endpoint,
    secrets: Vec<Secret>,
}

/// Result of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The endpoint took it.
    Delivered,
    /// The endpoint wants no more events.
    Gone,
    /// It did not take it. It may say how long to wait.
    Failed { why: String, wait: Option<Millis> },
}

impl Webhook {
    /// Sends an event once. Whoever receives it twice knows it by its id.
    pub(crate) async fn send(&self, id: &str, body: String, now: Timestamp) -> Attempt {
        let seconds = now.0.div_euclid(Timestamp::SECOND);
        let (stamp, signed) = (seconds.to_string(), signatures(&self.secrets, id, seconds, &body));
        let headers = [
            ("webhook-id", id),
            ("webhook-timestamp", stamp.as_str()),
            ("webhook-signature", signed.as_str()),
        ];
        let answer = match self.endpoint.post_json("post an event", &headers, body).await {
            Ok(answer) => answer,
            Err(TransportError::NotSent(why) | TransportError::Lost(why)) => {
                return Attempt::Failed { why, wait: None };
            }
        };
        match answer.status {
            200..300 => Attempt::Delivered,
            410 => Attempt::Gone,
            status => {
                let moved =
                    if (300..400).contains(&status) { ", and redirects are not followed" } else { "" };
                let wait =
                    answer.header("retry-after").and_then(|text| retry_after_at(text, SystemTime::now()));
                Attempt::Failed { why: format!("it answered {status}{moved}"), wait }
            }
        }
    }
}

/// Opens the configured webhooks. Nothing is sent yet.
///
/// # Errors
/// An address or the file of a secret cannot be used.
pub(crate) fn open(config: &Config) -> Result<Vec<Arc<Webhook>>, StartError> {
    let one = |webhook: &WebhookConfig| {
        open_one(webhook).map(Arc::new).map_err(|why| StartError::Webhook { name: webhook.name.clone(), why })
    };
    config.webhooks.iter().map(one).collect()
}

fn open_one(config: &WebhookConfig) -> Result<Webhook, String> {
    let secrets = config.secret_files.iter().map(|file| secret(file)).collect::<Result<Vec<_>, _>>()?;
    let kinds = (!config.kinds.is_empty()).then(|| config.kinds.join(","));
    Ok(Webhook {
        name: config.name.clone(),
        tenant: config.tenant.clone(),
        url: config.url.clone(),
        kinds: Kinds::parse(kinds.as_deref()).map_err(|_| "its kinds cannot be used".to_owned())?,
        endpoint: Endpoint::new(&config.url, config.allow_loopback, config.timeout)?,
        secrets,
    })
}

fn secret(file: &Path) -> Result<Secret, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("the file of the secret, {}, cannot be read: {error}", file.display()))?;
    Secret::parse(&text).ok_or_else(|| {
        format!("{} does not hold a secret, which is whsec_ and 24 to 64 bytes in Base64", file.display())
    })
}

/// Checks each configured webhook without sending anything.
pub fn examine(config: &Config) -> Vec<Finding> {
    let one = |webhook: &WebhookConfig| match open_one(webhook) {
        Err(why) => {
            let fix = "correct what it names; docs/webhooks.md has an example (TL-5401)";
            finding("webhook", State::Broken, format!("{}: {why}", webhook.name), Some(fix))
        }
        Ok(_) if webhook.allow_loopback => {
            let fix = "remove allow_loopback outside of tests, unless it does run on this machine";
            let text = format!("{} may be on this machine: {}", webhook.name, webhook.url);
            finding("webhook", State::Warning, text, Some(fix))
        }
        Ok(_) => finding("webhook", State::Ok, format!("{} goes to {}", webhook.name, webhook.url), None),
    };
    config.webhooks.iter().map(one).collect()
}
