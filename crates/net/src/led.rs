//! Requests to addresses that another server or a browser names: an authorization server, a provider of sign-ins, a push
//! service. They go no further than requests to a server that was configured: https to public addresses, no redirects.

use std::time::Duration;

use http::{Request, Response as HttpResponse};
use reqwest::{Client, RequestBuilder, Url};

use crate::{Address, Reach, TransportError, client, send};

/// Client of addresses that a configured server leads to.
pub struct LedClient {
    public: Client,
    /// Client for this machine, if the configured server is on it. A server elsewhere never leads a request here.
    here: Option<Client>,
    /// Time of a request.
    timeout: Duration,
}

impl LedClient {
    /// Makes the client of what a configured server names.
    ///
    /// # Errors
    /// Returns a sentence for a person if TLS cannot be set up.
    pub fn new(server: &Address, connect: Duration, timeout: Duration) -> Result<Self, String> {
        let here = match server.reach() {
            Reach::Loopback => Some(client(Reach::Loopback, connect)?),
            Reach::Public | Reach::Elsewhere => None,
        };
        Ok(Self { public: client(Reach::Public, connect)?, here, timeout })
    }

    /// Makes the client of addresses that browsers name: public ones, and with `allow_loopback` those of this machine.
    ///
    /// # Errors
    /// Returns a sentence for a person if TLS cannot be set up.
    pub fn of_browsers(allow_loopback: bool, connect: Duration, timeout: Duration) -> Result<Self, String> {
        let here = allow_loopback.then(|| client(Reach::Loopback, connect)).transpose()?;
        Ok(Self { public: client(Reach::Public, connect)?, here, timeout })
    }

    /// Returns the origin of an address that may be asked: scheme, host, and the port if it is not the usual one.
    ///
    /// # Errors
    /// Returns the reason that nothing is sent there.
    pub fn origin(&self, url: &str) -> Result<String, String> {
        let url = Url::parse(url).map_err(|error| format!("it is no address: {error}"))?;
        self.client_for(&url)?;
        Ok(url.origin().ascii_serialization())
    }

    /// Refuses an address of a page that a person should not be sent to.
    ///
    /// # Errors
    /// Returns the reason.
    pub fn may_be_opened(&self, url: &str) -> Result<(), String> {
        let url = Url::parse(url).map_err(|error| format!("the page to open is no address: {error}"))?;
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
            (Reach::Public | Reach::Elsewhere, _) => Ok(&self.public),
        }
    }

    /// Sends a request.
    ///
    /// # Errors
    /// Returns a sentence for a person: nothing may be sent there, or there was no answer.
    pub async fn send(&self, request: Request<Vec<u8>>) -> Result<HttpResponse<Vec<u8>>, String> {
        let request = reqwest::Request::try_from(request).map_err(|error| error.to_string())?;
        let client = self.client_for(request.url())?.clone();
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let request = RequestBuilder::from_parts(client, request).timeout(self.timeout);
        let response = send(request, &host).await.map_err(|error| match error {
            TransportError::NotSent(why) | TransportError::Lost(why) => why,
        })?;
        let mut answer = HttpResponse::new(response.body);
        *answer.status_mut() =
            http::StatusCode::from_u16(response.status).map_err(|error| error.to_string())?;
        *answer.headers_mut() = response.headers;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(server: &str) -> LedClient {
        let server = Address::parse(server, true).unwrap();
        LedClient::new(&server, Duration::from_secs(1), Duration::from_secs(1)).unwrap()
    }

    #[test]
    fn a_browser_names_public_addresses() {
        let second = Duration::from_secs(1);
        let [public, here] = [false, true].map(|here| LedClient::of_browsers(here, second, second).unwrap());
        let push = "https://push.example.com:443/wpush/v2/x?token=y";
        assert_eq!(public.origin(push).unwrap(), "https://push.example.com");
        assert_eq!(here.origin("http://127.0.0.1:81/x").unwrap(), "http://127.0.0.1:81");
        for url in ["http://127.0.0.1:81/x", "https://192.168.0.1/", "https://localhost/", "no address"] {
            assert!(public.origin(url).is_err(), "{url}");
        }
    }

    /// Whatever a server names as its authorization server, no request goes further than one of the server's own would.
    #[test]
    fn a_server_leads_no_request_to_where_none_may_go() {
        let (public, here) = (led("https://crm.example.com/mcp"), led("http://127.0.0.1:1/mcp"));
        let allowed = |led: &LedClient, url: &str| led.client_for(&Url::parse(url).unwrap()).is_ok();
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
