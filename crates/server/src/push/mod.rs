//! Notifications on people's devices by the push services of their browsers: one for each approval and device, as long as it
//! waits (`docs/design/0092-notifications.md`).
//!
//! `devices.rs` keeps who wants them where, `sender.rs` follows the turns and sends, `note.rs` is what one says, `encrypt.rs`
//! makes it readable for one browser alone, and by `vapid.rs` a push service knows who sends.

pub(crate) mod devices;
mod encrypt;
mod note;
mod sender;
mod vapid;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{Request, StatusCode};
use throughline_engine::data::canonical_json::sha256;
use throughline_engine::{Millis, Timestamp};
use throughline_net::{LedClient, retry_after_at};
use throughline_store::StoreError;

use self::devices::{Device, Devices, Subscription};
use self::note::Note;
use self::vapid::Vapid;
use crate::app::App;
use crate::config::Config;
use crate::config::mail::opens_approvals;
use crate::sealed::Seal;
use crate::start_error::StartError;

pub(crate) use sender::run;

/// Time of connecting, and of a request.
const CONNECT: Duration = Duration::from_secs(5);
const REQUEST: Duration = Duration::from_secs(10);
/// Longest time that a push service is asked to keep what it cannot deliver, in seconds.
const LONGEST: i64 = 28 * 24 * 3_600;
/// Characters of a topic, at most 32 of Base64.
const TOPIC: usize = 32;

/// Way to browsers.
pub(crate) struct Push {
    contact: String,
    vapid: Vapid,
    seal: Seal,
    client: LedClient,
}

/// Result of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The service took it.
    Sent,
    /// The subscription is none any more.
    Gone,
    /// The service will not take this one.
    Refused(String),
    /// It did not take it now. It may say how long to wait.
    Later { why: String, wait: Option<Millis> },
}

/// Opens the way to browsers, if a contact is configured. Nothing is sent yet.
///
/// # Errors
/// TLS cannot be set up.
pub(crate) fn open(config: &Config, instance_key: &[u8; 32]) -> Result<Option<Arc<Push>>, StartError> {
    let Some(push) = &config.push else { return Ok(None) };
    let cannot = |why: String| StartError::Push { why };
    let client = LedClient::of_browsers(push.allow_loopback, CONNECT, REQUEST).map_err(cannot)?;
    let vapid = Vapid::of(instance_key).ok_or_else(|| cannot("no key pair can be made".into()))?;
    let seal = Seal::new(instance_key, "push");
    Ok(Some(Arc::new(Push { contact: push.contact.clone(), vapid, seal, client })))
}

impl Push {
    /// Returns the public key that browsers subscribe for.
    pub(crate) fn key(&self) -> &str {
        self.vapid.public()
    }

    /// Checks a subscription before it is kept.
    ///
    /// # Errors
    /// Returns the reason for a refusal, as a sentence for a person.
    pub(crate) fn check(&self, subscription: &Subscription) -> Result<(), String> {
        self.client.origin(&subscription.endpoint)?;
        subscription.keys.are_keys().then_some(()).ok_or_else(|| "its keys are none".into())
    }

    /// Sends a note once. A later one of the same topic takes the place of one that the service still has.
    async fn send(&self, to: &Subscription, note: &Note, now: Timestamp) -> Attempt {
        let refused = |why: &str| Attempt::Refused(why.into());
        let later = |why: String| Attempt::Later { why, wait: None };
        let origin = match self.client.origin(&to.endpoint) {
            Ok(origin) => origin,
            Err(why) => return Attempt::Refused(why),
        };
        let Some(body) = encrypt::encrypt(&to.keys, note.text.as_bytes()) else {
            return refused("it cannot be encrypted for this browser");
        };
        let Some(authorization) = self.vapid.authorization(&origin, &self.contact, now) else {
            return later("it could not be signed".into());
        };
        let left = note.ends.map_or(LONGEST, |end| end.since(now).div_euclid(Timestamp::SECOND));
        let request = Request::post(&to.endpoint)
            .header("authorization", authorization)
            .header("content-encoding", "aes128gcm")
            .header("content-type", "application/octet-stream")
            .header("ttl", left.clamp(0, LONGEST).to_string())
            .header("topic", &note.topic)
            .header("urgency", "normal")
            .body(body);
        let Ok(request) = request else { return refused("its address is none") };
        let answer = match self.client.send(request).await {
            Ok(answer) => answer,
            Err(why) => return later(why),
        };
        match answer.status() {
            status if status.is_success() => Attempt::Sent,
            StatusCode::NOT_FOUND | StatusCode::GONE => Attempt::Gone,
            status if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                let said = answer.headers().get("retry-after").and_then(|text| text.to_str().ok());
                let wait = said.and_then(|text| retry_after_at(text, SystemTime::now()));
                Attempt::Later { why: format!("it answered {}", status.as_u16()), wait }
            }
            status => Attempt::Refused(format!("it answered {}", status.as_u16())),
        }
    }
}

/// Returns a topic of an approval that says nothing of it to the push service.
fn topic(tenant: &str, approval: &str) -> String {
    let mut topic = URL_SAFE_NO_PAD.encode(sha256(&[tenant.as_bytes(), b"\n", approval.as_bytes()]));
    topic.truncate(TOPIC);
    topic
}

/// Ends the devices of a session that was signed out of.
///
/// # Errors
/// The store did not answer.
pub(crate) async fn session_ended(app: &App, tenant: &str, session: &str) -> Result<(), StoreError> {
    end_where(app, tenant, |device| device.session == session).await
}

/// Ends the devices of a person who is out.
///
/// # Errors
/// The store did not answer.
pub(crate) async fn person_ended(app: &App, tenant: &str, person: &str) -> Result<(), StoreError> {
    end_where(app, tenant, |device| device.person == person).await
}

/// Ends devices. Those of before count again when notifications are switched on again, so they end while they are off too.
async fn end_where(app: &App, tenant: &str, ends: impl Fn(&Device) -> bool) -> Result<(), StoreError> {
    Devices::new(app.instance.store.clone(), tenant).end_where(ends).await
}

/// Returns true if a device's person may be told there: they are not out, and have not signed out there.
fn counts(app: &App, tenant: &str, device: &Device) -> bool {
    let person = app.config().active_user(tenant, &device.person);
    person.is_some_and(|user| opens_approvals(&user)) && !app.ended.contains(&device.session)
}
