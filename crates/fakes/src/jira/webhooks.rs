//! Webhooks: registrations, and signed deliveries of changes in their order.

use std::sync::{Arc, PoisonError};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::answer::{Answer, Outcome};
use super::state::World;
use super::wire::Asked;
use super::{Shared, lock};

/// The time until a registration expires: 30 days, in milliseconds.
const LIFETIME: i64 = 30 * 86_400_000;

/// A change of an issue.
pub(super) struct Change {
    pub(super) event: &'static str,
    pub(super) issue: Value,
    pub(super) by: Value,
    pub(super) items: Vec<Value>,
    pub(super) at: i64,
}

impl Change {
    fn payload(&self, id: usize) -> Value {
        let mut body =
            json!({"timestamp": self.at, "webhookEvent": self.event, "user": self.by, "issue": self.issue});
        if self.event == "jira:issue_updated" {
            body["issue_event_type_name"] = json!("issue_generic");
            body["changelog"] = json!({"id": (10_000 + id).to_string(), "items": self.items});
        }
        body
    }
}

/// A delivery: its identifier and its body.
#[derive(Clone)]
pub(super) struct Delivery {
    identifier: String,
    body: String,
    /// The number of deliveries of it before this one.
    retry: u32,
}

/// The receiver of deliveries.
pub(super) struct Target {
    sender: UnboundedSender<Delivery>,
    sent: Vec<Delivery>,
}

/// Starts to deliver changes to an address.
pub(super) fn start(shared: &Arc<Shared>, url: &str, secret: Option<&str>) {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(deliver(shared.clone(), url.to_owned(), secret.map(str::to_owned), receiver));
    // Changes from before are not delivered.
    shared.world().changes.clear();
    *lock(&shared.target) = Some(Target { sender, sent: Vec::new() });
}

async fn deliver(
    shared: Arc<Shared>,
    url: String,
    secret: Option<String>,
    mut receiver: UnboundedReceiver<Delivery>,
) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap_or_default();
    while let Some(Delivery { identifier, body, retry }) = receiver.recv().await {
        let mut request = client.post(&url).header("Content-Type", "application/json; charset=UTF-8");
        request = request
            .header("X-Atlassian-Webhook-Identifier", identifier)
            .header("User-Agent", "Atlassian HttpClient");
        if retry > 0 {
            request = request.header("X-Atlassian-Webhook-Retry", retry.to_string());
        }
        if let Some(secret) = &secret {
            request = request.header("X-Hub-Signature", sign(secret, &body));
        }
        let status = request.body(body).send().await.map_or(0, |answer| answer.status().as_u16());
        lock(&shared.delivered).push(status);
    }
}

/// Returns the value of `X-Hub-Signature` for a body.
#[must_use]
pub fn sign(secret: &str, body: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(body.as_bytes());
    let digest: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digest}")
}

impl Shared {
    /// Hands the changes of the world to the deliveries.
    pub(super) fn publish(&self, world: &mut World) {
        let changes = std::mem::take(&mut world.changes);
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(target) = target.as_mut() else { return };
        for change in changes {
            let number = target.sent.len();
            let identifier = format!("{:016x}", 0xa71a_5000 + number);
            let delivery = Delivery { identifier, body: change.payload(number).to_string(), retry: 0 };
            target.sent.push(delivery.clone());
            let _ = target.sender.send(delivery);
        }
    }

    /// Delivers the newest change again, as Jira does if it got no answer.
    pub(super) fn redeliver(&self) {
        if let Some(target) = lock(&self.target).as_mut()
            && let Some(newest) = target.sent.last_mut()
        {
            newest.retry += 1;
            let _ = target.sender.send(newest.clone());
        }
    }
}

// ---- registrations ----

pub(super) fn list(world: &World, asked: &Asked) -> Outcome {
    let (start, most) = asked.page(100, 100)?;
    let values: Vec<_> = world.hooks.iter().skip(start).take(most).collect();
    let (total, last) = (world.hooks.len(), start + values.len() >= world.hooks.len());
    Ok(Answer::ok(
        json!({"startAt": start, "maxResults": most, "total": total, "isLast": last, "values": values}),
    ))
}

pub(super) fn register(world: &mut World, asked: &Asked, now: i64) -> Outcome {
    let (Some(url), Some(wanted)) = (asked.body["url"].as_str(), asked.body["webhooks"].as_array()) else {
        return Err(Answer::bad_payload());
    };
    let mut results = Vec::new();
    for hook in wanted {
        if hook["jqlFilter"].as_str().is_none_or(str::is_empty)
            || hook["events"].as_array().is_none_or(Vec::is_empty)
        {
            results.push(json!({"errors": ["The jqlFilter and the events must be given."]}));
            continue;
        }
        let id = world.next_id();
        let mut kept = hook.clone();
        (kept["id"], kept["url"], kept["expirationDate"]) = (json!(id), json!(url), json!(now + LIFETIME));
        world.hooks.push(kept);
        results.push(json!({"createdWebhookId": id}));
    }
    Ok(Answer::ok(json!({"webhookRegistrationResult": results})))
}

pub(super) fn remove(world: &mut World, asked: &Asked) -> Outcome {
    let ids = asked.body["webhookIds"].as_array().ok_or_else(Answer::bad_payload)?;
    world.hooks.retain(|hook| !ids.contains(&hook["id"]));
    Ok(Answer::empty(202))
}
