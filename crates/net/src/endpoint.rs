//! An address that bodies are posted to, each in one attempt.

use std::time::Duration;

use reqwest::Client;

use crate::{Address, Response, TransportError};

/// An address to post to, with a client that connects only within its reach.
#[derive(Clone)]
pub struct Endpoint {
    address: Address,
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
        Ok(Self { address, client, timeout })
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
        let mut request = self.client.post(self.address.endpoint()).timeout(self.timeout);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        crate::send(request.header("content-type", "application/json").body(body), act).await
    }
}
