//! Sends calls to the Web API: one request, one answer, no retry, no redirect
//! (`docs/design/0031-effects-and-retries.md`).

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use throughline_net::{Address, Key, Response, TransportError};

use super::answer::{Answer, classify};
use super::outbound::Call;

/// The time to connect, TLS included.
const CONNECT: Duration = Duration::from_secs(3);
/// The time of a call.
const CALL: Duration = Duration::from_secs(30);

/// The encoding of arguments that every method reads.
const FORM: &str = "application/x-www-form-urlencoded";

/// A client of the Web API or of an emulator.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Address,
}

impl Client {
    /// Creates a client of the API at `base`: `https`, or `http` on this machine if `allow_loopback`.
    ///
    /// # Errors
    /// The address is neither; the text is for people.
    pub fn new(base: &str, allow_loopback: bool) -> Result<Self, String> {
        let base = Address::parse(base, allow_loopback)?;
        let http = throughline_net::client(base.reach(), CONNECT)?;
        Ok(Self { http, base })
    }

    /// Makes one call with a token and interprets its answer.
    pub async fn call(&self, token: &Key, call: &Call) -> Answer {
        classify(self.send(token, call).await)
    }

    /// Makes one call and returns its answer with the scopes of the token.
    pub async fn call_with_scopes(&self, token: &Key, call: &Call) -> (Answer, Option<String>) {
        let sent = self.send(token, call).await;
        let scopes =
            sent.as_ref().ok().and_then(|response| response.header("x-oauth-scopes").map(str::to_owned));
        (classify(sent), scopes)
    }

    /// Makes one call without a token: exchanging a code for one.
    pub async fn call_openly(&self, call: &Call) -> Answer {
        classify(self.request(HeaderMap::new(), call).await)
    }

    /// Uploads the bytes of a file to the address that Slack gave for it.
    ///
    /// # Errors
    /// The file did not arrive, or nobody knows.
    pub async fn upload(&self, address: &str, bytes: Vec<u8>) -> Result<(), String> {
        let url = reqwest::Url::parse(address).map_err(|error| format!("upload: {error}"))?;
        let sent = self.http.post(url).timeout(CALL).body(bytes).send().await;
        match sent {
            Ok(response) if response.status().is_success() => Ok(()),
            Ok(response) => Err(format!("upload: status {}", response.status())),
            Err(error) => Err(throughline_net::describe_error("upload", error)),
        }
    }

    async fn send(&self, token: &Key, call: &Call) -> Result<Response, TransportError> {
        let mut headers = HeaderMap::new();
        headers.extend(token.header("Bearer ").map(|value| (AUTHORIZATION, value)));
        self.request(headers, call).await
    }

    async fn request(&self, headers: HeaderMap, call: &Call) -> Result<Response, TransportError> {
        let url = self.base.join(call.method);
        let request = self.http.post(url).headers(headers).timeout(CALL).header(CONTENT_TYPE, FORM);
        throughline_net::send(request.body(encoded(call)), call.method).await
    }
}

/// The arguments as a form: texts as they are, anything else as JSON.
fn encoded(call: &Call) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in &call.arguments {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        form.append_pair(name, &text);
    }
    form.finish()
}

#[cfg(test)]
mod tests {
    use super::super::outbound;
    use super::*;

    fn key() -> Key {
        Key::parse("xoxb-1-2-secret").unwrap()
    }

    #[test]
    fn only_https_or_an_allowed_emulator() {
        for (base, here, good) in [
            ("https://slack.com/api", false, true),
            ("http://127.0.0.1:81/api", true, true),
            ("http://127.0.0.1:81/api", false, false),
            ("http://slack.com/api", false, false),
            ("ftp://x", true, false),
        ] {
            assert_eq!(Client::new(base, here).is_ok(), good, "{base}");
        }
    }

    #[tokio::test]
    async fn a_refused_connection_sent_nothing_and_tells_no_token() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/api", listener.local_addr().unwrap());
        drop(listener);
        let client = Client::new(&base, true).unwrap();
        let Answer::NotSent(why) = client.call(&key(), &outbound::auth_test()).await else { panic!() };
        assert!(why.starts_with("auth.test:") && !why.contains("xoxb"), "{why}");
    }

    #[tokio::test]
    async fn a_connection_that_breaks_proves_nothing() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/api", listener.local_addr().unwrap());
        let once = tokio::spawn(async move { drop(listener.accept().await) });
        let client = Client::new(&base, true).unwrap();
        let answer = client.call(&key(), &outbound::auth_test()).await;
        once.await.unwrap();
        assert!(matches!(&answer, Answer::Unknown(why) if !why.contains("xoxb")), "{answer:?}");
    }
}
