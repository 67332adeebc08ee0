//! Requests of authorization, under the rules for addresses that hold for tools: https to public addresses, no redirects.

use std::time::Duration;

use http::Response as HttpResponse;
use reqwest::{Client, RequestBuilder, Url};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use throughline_net::{Address, Reach, TransportError};

/// The time of a request. All requests of a renewal end within the turn of the process that renews.
const REQUEST: Duration = Duration::from_secs(5);

/// Client of authorization servers.
pub(super) struct Network {
    public: Client,
    /// Client for this machine, if the server of tools is on it. A server elsewhere never leads a request here.
    here: Option<Client>,
}

impl Network {
    pub(super) fn new(server: &Address, connect: Duration) -> Result<Self, String> {
        let client = |reach| throughline_net::client(reach, connect);
        let here = match server.reach() {
            Reach::Loopback => Some(client(Reach::Loopback)?),
            Reach::Public => None,
        };
        Ok(Self { public: client(Reach::Public)?, here })
    }

    /// Refuses an address of a page that a person should not be sent to.
    pub(super) fn may_be_opened(&self, url: &str) -> Result<(), String> {
        let url = Url::parse(url).map_err(|error| format!("its page of consent is no address: {error}"))?;
        self.client_for(&url).map(drop)
    }

    /// Returns the client for an address that a server named, or the reason that nothing is sent there.
    fn client_for(&self, url: &Url) -> Result<&Client, String> {
        let mut bare = url.clone();
        bare.set_query(None);
        let address = Address::parse(bare.as_str(), self.here.is_some())?;
        match (address.reach(), &self.here) {
            (Reach::Loopback, Some(here)) => Ok(here),
            (Reach::Loopback, None) => Err(format!("“{bare}” is on this machine")),
            (Reach::Public, _) => Ok(&self.public),
        }
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<HttpResponse<Vec<u8>>, OAuthHttpClientError> {
        let request = reqwest::Request::try_from(request.request)?;
        let client = self.client_for(request.url())?.clone();
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let request = RequestBuilder::from_parts(client, request).timeout(REQUEST);
        let response = throughline_net::send(request, &host).await.map_err(|error| match error {
            TransportError::NotSent(why) | TransportError::Lost(why) => why,
        })?;
        let mut answer = HttpResponse::new(response.body);
        *answer.status_mut() = http::StatusCode::from_u16(response.status)?;
        *answer.headers_mut() = response.headers;
        Ok(answer)
    }
}

impl OAuthHttpClient for Network {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.send(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(server: &str) -> Network {
        let server = Address::parse(server, true).unwrap();
        Network::new(&server, Duration::from_secs(1)).unwrap()
    }

    /// Whatever a server names as its authorization server, no request goes further than one of the server's own would.
    #[test]
    fn a_server_leads_no_request_to_where_none_may_go() {
        let (public, here) = (network("https://crm.example.com/mcp"), network("http://127.0.0.1:1/mcp"));
        let allowed = |network: &Network, url: &str| network.client_for(&Url::parse(url).unwrap()).is_ok();
        for url in ["https://login.example.com/token", "https://8.8.8.8/.well-known/x?tenant=1"] {
            assert!(allowed(&public, url) && allowed(&here, url), "{url}");
        }
        for url in ["http://127.0.0.1:2/token", "http://localhost/token?x=1", "https://[::1]/"] {
            assert!(!allowed(&public, url) && allowed(&here, url), "{url}");
        }
        for url in [
            "http://login.example.com/token",
            "https://10.0.0.1/token",
            "https://169.254.169.254/latest",
            "https://[fd00::1]/",
            "https://user:word@login.example.com/",
            "ftp://login.example.com/",
            "file:///etc/passwd",
        ] {
            assert!(!allowed(&public, url) && !allowed(&here, url), "{url}");
        }
    }
}
