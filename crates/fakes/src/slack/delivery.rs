//! The task that delivers: signed requests to the app's endpoints, with retries, or envelopes over its sockets.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::outbox::{Delivery, DeliveryId, Post, Sort};
use super::{FakeSlack, Shared, acked, sign};

/// The pause between two looks at the clock while something is under way.
const TICK: Duration = Duration::from_millis(10);

/// Delivers what is queued, for ever.
pub(super) async fn run(shared: Arc<Shared>) {
    let Ok(client) = reqwest::Client::builder().no_proxy().build() else { return };
    loop {
        let (posts, busy) = {
            let mut world = shared.world();
            let now = shared.now();
            (world.outbox.send_due(now), world.outbox.busy())
        };
        for post in posts {
            tokio::spawn(deliver(shared.clone(), client.clone(), post));
        }
        let rung = shared.bell.notified();
        if busy {
            // The clock is not ours: whether it has moved can only be looked up.
            let _ = tokio::time::timeout(TICK, rung).await;
        } else {
            rung.await;
        }
    }
}

async fn deliver(shared: Arc<Shared>, client: reqwest::Client, post: Post) {
    let delivery = shared.world().outbox.deliveries[post.id.0].clone();
    let (status, body) = send(&shared, &client, &delivery, &post).await;
    let answer = match body {
        Some(text) if text.is_empty() => Value::Null,
        Some(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        None => Value::Null,
    };
    taken(&shared, post.id, post.attempt, status, answer);
}

/// Takes note of an answer, and does what it asks for.
pub(super) fn taken(shared: &Shared, id: DeliveryId, attempt: usize, status: u16, answer: Value) {
    let now = shared.now();
    let mut world = shared.world();
    if world.outbox.answered(id, attempt, status, answer.clone(), now) {
        let delivery = world.outbox.deliveries[id.0].clone();
        acked::apply(&mut world, &delivery, &answer, now);
    }
    drop(world);
    shared.bell.notify_one();
}

async fn send(
    shared: &Shared,
    client: &reqwest::Client,
    delivery: &Delivery,
    post: &Post,
) -> (u16, Option<String>) {
    let seconds = (shared.now() / 1_000).to_string();
    let (kind, body) = encode(delivery);
    let mut request = client
        .post(&post.url)
        .header("content-type", kind)
        .header("user-agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
        .header("x-slack-request-timestamp", &seconds)
        .header("x-slack-signature", sign(&shared.secret(), &seconds, &body));
    if post.attempt > 0 {
        request = request.header("x-slack-retry-num", post.attempt.to_string());
        request = request.header("x-slack-retry-reason", delivery.reason);
    }
    match request.body(body).send().await {
        Ok(response) => (response.status().as_u16(), response.text().await.ok()),
        Err(_) => (0, None),
    }
}

/// Returns the content type and the body of a delivery: JSON for events, a form for the others.
fn encode(delivery: &Delivery) -> (&'static str, String) {
    let form = "application/x-www-form-urlencoded";
    let mut fields = form_urlencoded::Serializer::new(String::new());
    match delivery.sort {
        Sort::Event => ("application/json", delivery.payload.to_string()),
        Sort::Interaction => (form, fields.append_pair("payload", &delivery.payload.to_string()).finish()),
        Sort::Command => {
            for (name, value) in delivery.payload.as_object().into_iter().flatten() {
                fields.append_pair(name, value.as_str().unwrap_or_default());
            }
            (form, fields.finish())
        }
    }
}

impl FakeSlack {
    /// Sends a signed request of any body to one of the app's endpoints, and returns the status and the body of the
    /// answer: for requests that Slack sends while an app is set up, and for attacks.
    ///
    /// # Errors
    /// Fails if there is no answer.
    pub async fn posts_signed(&self, url: &str, kind: &str, body: &str) -> reqwest::Result<(u16, String)> {
        let seconds = (self.shared.now() / 1_000).to_string();
        let signature = sign(&self.shared.secret(), &seconds, body);
        let client = reqwest::Client::builder().no_proxy().build()?;
        let request = client.post(url).header("content-type", kind).header("x-slack-signature", signature);
        let response =
            request.header("x-slack-request-timestamp", seconds).body(body.to_owned()).send().await?;
        Ok((response.status().as_u16(), response.text().await?))
    }
}
