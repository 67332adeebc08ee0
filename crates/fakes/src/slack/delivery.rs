//! The task that delivers: signed requests to the app's endpoints, with retries, or envelopes over its sockets.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::{Value, json};

use super::outbox::{Delivery, DeliveryId, Given, Post, Sort};
use super::{FakeSlack, Shared, acked, sign};

/// The pause between two looks at the clock while something is under way.
const TICK: Duration = Duration::from_millis(10);

/// The client of all fakes: it costs time to make. It keeps no connections, which end with the runtime they are of.
static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build();
    client.unwrap_or_else(|error| panic!("no HTTP client can be made: {error}"))
});

/// Delivers what is queued, for ever.
pub(super) async fn run(shared: Arc<Shared>) {
    loop {
        let (posts, busy) = {
            let mut world = shared.world();
            let now = shared.now();
            (world.outbox.send_due(now), world.outbox.busy())
        };
        for post in posts {
            tokio::spawn(deliver(shared.clone(), post));
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

async fn deliver(shared: Arc<Shared>, post: Post) {
    let delivery = shared.world().outbox.deliveries[post.id.0].clone();
    let given = send(&shared, &delivery, &post).await;
    taken(&shared, post.id, post.attempt, &given);
}

/// Takes note of an answer, and does what it asks for.
pub(super) fn taken(shared: &Shared, id: DeliveryId, attempt: usize, given: &Given) {
    let now = shared.now();
    let mut world = shared.world();
    if world.outbox.answered(id, attempt, given, now) {
        let delivery = world.outbox.deliveries[id.0].clone();
        acked::apply(&mut world, &delivery, &given.answer, now);
    }
    drop(world);
    shared.bell.notify_one();
}

async fn send(shared: &Shared, delivery: &Delivery, post: &Post) -> Given {
    let seconds = (shared.now() / 1_000).to_string();
    let (kind, body) = encode(delivery);
    let mut request = CLIENT
        .post(&post.url)
        .header("content-type", kind)
        .header("user-agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
        .header("x-slack-request-timestamp", &seconds)
        .header("x-slack-signature", sign(&shared.secret(), &seconds, &body));
    if post.attempt > 0 {
        request = request.header("x-slack-retry-num", post.attempt.to_string());
        request = request.header("x-slack-retry-reason", delivery.reason);
    }
    let Ok(response) = request.body(body).send().await else {
        return Given { status: 0, answer: Value::Null, last: false };
    };
    let status = response.status().as_u16();
    let last = response.headers().get("x-slack-no-retry").is_some_and(|value| value == "1");
    Given { status, answer: read(response.text().await.unwrap_or_default()), last }
}

/// Returns an answer as JSON, else as text; null if it says nothing.
fn read(text: String) -> Value {
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) if fields.is_empty() => Value::Null,
        Ok(answer) => answer,
        Err(_) if text.is_empty() => Value::Null,
        Err(_) => Value::String(text),
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
    /// Asks an endpoint for its challenge, as when it is entered in the app's settings. Returns true if the answer is right.
    pub async fn verifies(&self, url: &str) -> bool {
        let challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P";
        let body = json!({"type": "url_verification", "token": "verification-token", "challenge": challenge});
        let answer = self.posts_signed(url, "application/json", &body.to_string()).await;
        let Ok((200, text)) = answer else { return false };
        let read: Value = serde_json::from_str(&text).unwrap_or_default();
        text == challenge || read["challenge"] == challenge
    }

    /// Sends a signed request of any body to one of the app's endpoints, and returns the status and the body of the
    /// answer: for requests that Slack sends while an app is set up, and for attacks.
    ///
    /// # Errors
    /// Fails if there is no answer.
    pub async fn posts_signed(&self, url: &str, kind: &str, body: &str) -> reqwest::Result<(u16, String)> {
        let seconds = (self.shared.now() / 1_000).to_string();
        let signature = sign(&self.shared.secret(), &seconds, body);
        let request = CLIENT.post(url).header("content-type", kind).header("x-slack-signature", signature);
        let response =
            request.header("x-slack-request-timestamp", seconds).body(body.to_owned()).send().await?;
        Ok((response.status().as_u16(), response.text().await?))
    }
}
