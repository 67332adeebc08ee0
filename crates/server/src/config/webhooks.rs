//! Settings of outgoing webhooks.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use throughline_net::check_address;

/// Time of one request, unless the configuration says another one.
const TIMEOUT_MS: u64 = 10_000;
/// Longest time of one request.
const LONGEST_MS: u64 = 30_000;

/// Endpoint that events are sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookConfig {
    /// Name in paths, logs and metrics.
    pub name: String,
    /// Tenant whose events are sent.
    pub tenant: String,
    /// Address that they are sent to.
    pub url: String,
    /// Files of the secrets that sign.
    pub secret_files: Vec<PathBuf>,
    /// Kinds of events; empty means all.
    pub kinds: Vec<String>,
    /// Allows an address on this machine, and then `http`.
    pub allow_loopback: bool,
    /// Time of one request.
    pub timeout: Duration,
}

#[derive(Deserialize)]
pub(super) struct RawWebhook {
    name: String,
    tenant: Option<String>,
    url: String,
    #[serde(default)]
    secret_files: Vec<PathBuf>,
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(default)]
    allow_loopback: bool,
    timeout_ms: Option<u64>,
}

/// Returns the endpoints, and what is wrong with others, each with the path of the setting.
pub(super) fn checked(raw: Vec<RawWebhook>, tenant: &str) -> (Vec<WebhookConfig>, Vec<(String, String)>) {
    let (mut found, mut wrong, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (n, raw) in raw.into_iter().enumerate() {
        let mut refuse = |key: &str, why: String| {
            wrong.push((
                format!("webhooks.{n}.{key}"),
                format!("the webhook “{}” cannot be used: {why}", raw.name),
            ));
        };
        if !is_name(&raw.name) {
            refuse("name", "a name is 1 to 40 small letters, digits and dashes".into());
        } else if !names.insert(raw.name.clone()) {
            refuse("name", "there are two of that name".into());
        }
        if let Err(why) = check_address(&raw.url, raw.allow_loopback) {
            refuse("url", why);
        }
        if raw.secret_files.is_empty() {
            refuse(
                "secret_files",
                "without a secret nobody could tell its events from others; name a file of one".into(),
            );
        }
        let timeout = raw.timeout_ms.unwrap_or(TIMEOUT_MS);
        if !(1..=LONGEST_MS).contains(&timeout) {
            refuse("timeout_ms", format!("it is a number from 1 to {LONGEST_MS}"));
        }
        found.push(WebhookConfig {
            tenant: raw.tenant.unwrap_or_else(|| tenant.to_owned()),
            name: raw.name,
            url: raw.url,
            secret_files: raw.secret_files,
            kinds: raw.kinds,
            allow_loopback: raw.allow_loopback,
            timeout: Duration::from_millis(timeout),
        });
    }
    (found, wrong)
}

fn is_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&name.len()) && name.bytes().all(letter)
}
