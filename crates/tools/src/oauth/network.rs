//! Requests of authorization, under the rules for addresses that hold for tools.

use std::time::Duration;

use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use throughline_net::{Address, LedClient};

/// The time of a request. All requests of a renewal end within the turn of the process that renews.
const REQUEST: Duration = Duration::from_secs(5);

/// Client of authorization servers.
pub(super) struct Network(LedClient);

impl Network {
    pub(super) fn new(server: &Address, connect: Duration) -> Result<Self, String> {
        LedClient::new(server, connect, REQUEST).map(Self)
    }

    /// Refuses an address of a page that a person should not be sent to.
    pub(super) fn may_be_opened(&self, url: &str) -> Result<(), String> {
        self.0.may_be_opened(url)
    }
}

impl OAuthHttpClient for Network {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move { Ok(self.0.send(request.request).await?) })
    }
}
