//! The web as a channel: read from the store, each lane with a page of its own.

use async_trait::async_trait;
use throughline_channels::{Channel, Delivered, Sending, Surface};
use throughline_engine::LaneKey;
use throughline_engine::effect::Attempt;

use super::conversations::{CHANNEL, Page, address};
use crate::config::Server;

/// The web chat.
pub(crate) struct WebChannel {
    /// The address people see, without a slash at its end; `None`: nobody knows it yet.
    base: Option<String>,
}

impl WebChannel {
    /// The address that is configured, else the one that is listened on, unless the system picks its port or it is any
    /// address of the machine: nobody can follow a link to `0.0.0.0`.
    pub(crate) fn new(server: &Server) -> Self {
        let known = server.listen.port() != 0 && !server.listen.ip().is_unspecified();
        let listened = || known.then(|| format!("http://{}", server.listen));
        let base = server.public_url.clone().or_else(listened);
        Self { base: base.map(|base| base.trim_end_matches('/').to_owned()) }
    }
}

#[async_trait]
impl Channel for WebChannel {
    fn name(&self) -> &str {
        CHANNEL
    }

    fn surface(&self) -> Surface {
        Surface::ReadFromStore
    }

    async fn deliver(&self, _: Sending<'_>) -> Attempt<Delivered> {
        Attempt::Applied(Delivered::default())
    }

    fn link(&self, lane: &LaneKey) -> Option<String> {
        Some(format!("{}{}", self.base.as_ref()?, address(Page::Chat, &lane.conversation, None)))
    }
}
