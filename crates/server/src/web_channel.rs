//! Web channel: users read from the store, and each lane has a page.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_channels::{Channel, Delivered, Sending, Surface};
use throughline_engine::LaneKey;
use throughline_engine::data::effect::Attempt;

use crate::config::Server;

/// Name of the channel.
pub(crate) const CHANNEL: &str = "web";

/// Web channel.
pub(crate) struct WebChannel {
    /// Public address without a trailing slash; `None` if unknown.
    base: Option<String>,
}

impl WebChannel {
    /// Uses the configured address, else the one that is listened on, unless its port is chosen by the system or it
    /// is a wildcard address: nobody can follow a link to `0.0.0.0`.
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

/// Page that shows a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Page {
    /// Chat alone.
    #[default]
    Chat,
    /// Chat with panels.
    Workspace,
    /// Chat in a frame of another site's page.
    Embed,
}

impl Page {
    /// Every page.
    const ALL: [Self; 3] = [Self::Chat, Self::Workspace, Self::Embed];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/",
            Self::Workspace => "/workspace",
            Self::Embed => "/embed",
        }
    }

    /// Returns its name in addresses and forms.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Workspace => "workspace",
            Self::Embed => "embed",
        }
    }

    /// Returns the page of that name; the chat for any other.
    pub(crate) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|page| page.name() == name).unwrap_or_default()
    }
}

/// Returns the address of the end of a conversation, or of the part before a revision.
pub(crate) fn address(page: Page, conversation: &str, before: Option<u64>) -> String {
    let before = before.map(|revision| format!("&before={revision}")).unwrap_or_default();
    format!("{}{before}#end", at(page, conversation))
}

/// Returns the address of a conversation's page, to which parameters can be added.
pub(crate) fn at(page: Page, conversation: &str) -> String {
    let id: String = form_urlencoded::byte_serialize(conversation.as_bytes()).collect();
    format!("{}?c={id}", page.path())
}
