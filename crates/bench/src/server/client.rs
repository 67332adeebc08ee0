//! A client of the HTTP API as any host would write it.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use ureq::Agent;

use super::load::Awaited;
use super::slack::Signed;
use crate::load::messages::REPLY;

/// A client of one server as one tenant. Clones share connections.
#[derive(Clone)]
pub(crate) struct Client {
    agent: Agent,
    url: String,
    token: String,
}

/// The body of a message's event.
pub(crate) fn message(conversation: &str) -> String {
    let lane = json!({ "channel": "api", "conversation": conversation });
    json!({ "lane": lane, "kind": "message.posted", "text": REPLY }).to_string()
}

impl Client {
    pub(crate) fn new(url: &str, token: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .no_delay(true)
            .build();
        Self { agent: config.into(), url: url.into(), token: token.into() }
    }

    /// True if the server reports that it is ready.
    pub(crate) fn ready(&self) -> bool {
        let answer = self.agent.get(format!("{}/readyz", self.url)).call();
        answer.is_ok_and(|answer| answer.status().as_u16() == 200)
    }

    /// Sends a message and returns the id of its lane once it is durable.
    pub(crate) fn say(&self, conversation: &str, key: &str) -> anyhow::Result<String> {
        let answer = self.post(&message(conversation), key, Awaited::Durable)?;
        let answer: Value = serde_json::from_str(&answer)?;
        Ok(answer["lane"].as_str().context("the answer names the lane")?.to_owned())
    }

    /// Sends an event; an error unless the answer is the one that is waited for.
    pub(crate) fn post(&self, body: &str, key: &str, awaited: Awaited) -> anyhow::Result<String> {
        let mut request = self
            .agent
            .post(format!("{}/v1/events", self.url))
            .header("Authorization", format!("Bearer {}", self.token))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key);
        if !awaited.prefer().is_empty() {
            request = request.header("Prefer", awaited.prefer());
        }
        let mut answer = request.send(body)?;
        let text = answer.body_mut().read_to_string()?;
        ensure!(answer.status().as_u16() == awaited.status(), "POST /v1/events: {} {text}", answer.status());
        Ok(text)
    }

    /// Delivers an event as Slack does; an error unless the answer is 200.
    pub(crate) fn deliver(&self, signed: &Signed) -> anyhow::Result<()> {
        let mut answer = self
            .agent
            .post(format!("{}/slack/events", self.url))
            .header("Content-Type", "application/json")
            .header("X-Slack-Request-Timestamp", &signed.seconds)
            .header("X-Slack-Signature", &signed.signature)
            .send(&signed.body)?;
        let text = answer.body_mut().read_to_string()?;
        ensure!(answer.status().as_u16() == 200, "POST /slack/events: {} {text}", answer.status());
        Ok(())
    }

    /// Returns the metrics by name; those with labels are added up.
    pub(crate) fn metrics(&self) -> anyhow::Result<BTreeMap<String, f64>> {
        let mut answer = self.agent.get(format!("{}/metrics", self.url)).call()?;
        Ok(metrics(&answer.body_mut().read_to_string()?))
    }

    /// Opens a stream of a lane and waits for its first bytes. It stays open until the returned value is dropped.
    pub(crate) fn stream(&self, lane: &str) -> anyhow::Result<TcpStream> {
        let address = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).context("cannot connect")?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(
            stream,
            "GET /v1/lanes/{lane}/stream HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
             Accept: text/event-stream\r\n\r\n",
            self.token
        )?;
        let (mut seen, mut part) = (Vec::new(), [0; 4_096]);
        while !seen.windows(6).any(|words| words == b": here") {
            let read = stream.read(&mut part)?;
            seen.extend_from_slice(&part[..read]);
            if read == 0 || !seen.starts_with(b"HTTP/1.1 200") {
                bail!("the stream was not opened: {}", String::from_utf8_lossy(&seen));
            }
        }
        Ok(stream)
    }
}

fn metrics(text: &str) -> BTreeMap<String, f64> {
    let mut all: BTreeMap<String, f64> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, value)) = line.rsplit_once(' ') else { continue };
        let name = name.split('{').next().unwrap_or(name);
        *all.entry(name.into()).or_default() += value.parse().unwrap_or(0.0);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_metrics_over_their_labels() {
        let text = "# TYPE a counter\na{x=\"1\"} 2\na{x=\"2\"} 3\n\n# TYPE b gauge\nb 0.5\n";
        assert_eq!(metrics(text), [("a".to_owned(), 5.0), ("b".to_owned(), 0.5)].into());
    }
}
