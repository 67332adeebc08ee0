//! An address that bodies are posted to, each in one attempt.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, Url};

use crate::http::builder;
use crate::{Address, Response, TransportError};

/// An address to post to, with a client that connects only within its reach.
#[derive(Clone)]
pub struct Endpoint {
    address: String,
    client: Client,
    timeout: Duration,
}

impl Endpoint {
    /// Checks the address. `timeout` is the time of one attempt, from connecting to the last byte of the answer.
    ///
    /// # Errors
    /// Returns the reason for a refusal, as a sentence for a person.
    pub fn new(url: &str, allow_loopback: bool, timeout: Duration) -> Result<Self, String> {
        let address = Address::parse(url, allow_loopback)?;
        let client = crate::client(address.reach(), timeout)?;
        Ok(Self { address: address.endpoint().to_owned(), client, timeout })
    }

    /// Prepares posts to a path below an address of the operator's own network, which may be anywhere and without TLS.
    /// For one that the configuration names and nothing that is received can change.
    ///
    /// # Errors
    /// Returns the reason for a refusal, as a sentence for a person. It does not repeat the address.
    pub fn own(base: &str, path: &str, timeout: Duration) -> Result<Self, String> {
        let url = Url::parse(base).map_err(|error| format!("it is no address: {error}"))?;
        let plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !matches!(url.scheme(), "http" | "https") || !plain {
            return Err("it is http or https with a host, a port and a path, and nothing else".into());
        }
        let address = format!("{}/{path}", url.as_str().trim_end_matches('/'));
        let client = builder(timeout).build().map_err(|error| format!("cannot set up TLS: {error}"))?;
        Ok(Self { address, client, timeout })
    }

    /// Returns the whole address.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Posts JSON once, with these headers. `act` names it in errors. A redirect is an answer like others.
    ///
    /// # Errors
    /// There is no response; the error says if a byte of the request may have been written.
    pub async fn post_json(
        &self,
        act: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Result<Response, TransportError> {
        let mut request = self.client.post(&self.address).timeout(self.timeout);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        crate::send(request.header("content-type", "application/json").body(body), act).await
    }

    /// Posts a body once, with these headers. `act` names it in errors.
    ///
    /// # Errors
    /// There is no response; the error says if a byte of the request may have been written.
    pub async fn post(
        &self,
        act: &str,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Response, TransportError> {
        let request = self.client.post(&self.address).timeout(self.timeout);
        crate::send(request.headers(headers).body(body), act).await
    }
}
