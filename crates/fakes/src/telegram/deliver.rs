//! Webhook deliveries: one queue for each chat's messages and one for each person's presses; an update that was not
//! taken holds up its own queue and comes again, the same.

use std::collections::BTreeSet;

use serde_json::Value;

use super::FakeTelegram;

/// One delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The update.
    pub update: i64,
    /// What was answered; 0 when nothing was.
    pub status: u16,
    /// The answer's body.
    pub body: String,
}

impl FakeTelegram {
    /// Sets the webhook as `setWebhook` would, to an address that it would not take: `http`, on this machine.
    pub fn deliver_to(&self, url: &str, secret: Option<&str>) {
        self.shared.world().webhook = Some((url.into(), secret.map(Into::into)));
    }

    /// Delivers the first update of each queue, once, in the order `reversed` or not; says how each ended. What was
    /// answered with 2xx is done with.
    pub async fn round(&self, reversed: bool) -> Vec<Delivery> {
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
