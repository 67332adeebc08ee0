//! Webhook deliveries. Each chat has a queue for messages and each person one for presses. An update that is not
//! accepted is sent again, and holds up its queue until it is.

use std::collections::BTreeSet;

use serde_json::Value;

use super::FakeTelegram;

/// A delivery of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The id of the update.
    pub update: i64,
    /// The HTTP status of the answer; 0 without an answer.
    pub status: u16,
    /// The body of the answer.
    pub body: String,
}

impl FakeTelegram {
    /// Sets the webhook to a URL that `setWebhook` would refuse: plain http on loopback.
    pub fn set_webhook(&self, url: &str, secret: Option<&str>) {
        self.shared.world().webhook = Some((url.into(), secret.map(Into::into)));
    }

    /// Delivers the first update of each queue once, in reverse order of the queues if `reversed`. Removes those that are
    /// answered with 2xx. Returns the deliveries.
    pub async fn deliver(&self, reversed: bool) -> Vec<Delivery> {
        let (hook, mut heads) = {
            let mut world = self.shared.world();
            world.expire(self.shared.now());
            let mut queues = BTreeSet::new();
            let first = world.waiting.iter().filter(|waiting| queues.insert(waiting.queue.clone()));
            let heads: Vec<Value> = first.map(|waiting| waiting.update.clone()).collect();
            (world.webhook.clone(), heads)
        };
        let Some((url, secret)) = hook else { return Vec::new() };
        if reversed {
            heads.reverse();
        }
        let mut done = Vec::new();
        for update in heads {
            let (status, body) = post(&url, secret.as_deref(), &update).await;
            let id = update["update_id"].as_i64().unwrap_or_default();
            if (200..300).contains(&status) {
                self.shared.world().waiting.retain(|waiting| waiting.update["update_id"] != id);
            }
            done.push(Delivery { update: id, status, body });
        }
        done
    }
}

async fn post(url: &str, secret: Option<&str>, update: &Value) -> (u16, String) {
    let Ok(client) = reqwest::Client::builder().no_proxy().build() else { return (0, String::new()) };
    let mut request = client.post(url).header("content-type", "application/json").body(update.to_string());
    if let Some(secret) = secret {
        request = request.header("x-telegram-bot-api-secret-token", secret);
    }
    match request.send().await {
        Ok(response) => {
            let status = response.status().as_u16();
            (status, response.text().await.unwrap_or_default())
        }
        Err(_) => (0, String::new()),
    }
}
