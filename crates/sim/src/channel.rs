//! The virtual channel: takes every message, and gives each an id of its own.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use throughline_channels::{Channel, Delivered, Sending, Surface};
use throughline_engine::effect::Attempt;

/// A channel that is sent to, like Slack or Telegram; `web` reads from the store instead.
pub(crate) struct SimChannel {
    name: String,
    sent: AtomicU64,
}

impl SimChannel {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), sent: AtomicU64::new(0) }
    }
}

#[async_trait]
impl Channel for SimChannel {
    fn name(&self) -> &str {
        &self.name
    }

    fn surface(&self) -> Surface {
        if self.name == "web" { Surface::ReadFromStore } else { Surface::Sends }
    }

    async fn deliver(&self, _: Sending<'_>) -> Attempt<Delivered> {
        let n = self.sent.fetch_add(1, Ordering::Relaxed);
        Attempt::Applied(Delivered { id: Some(format!("{}:{n}", self.name)), more: false })
    }
}
