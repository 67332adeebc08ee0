//! A client of the HTTP API as any host would write it: every request has a key and is repeated until it is answered.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use ureq::Agent;

/// The time for which one request is repeated before the run is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of one server. Clones are cheap and share connections.
#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    url: String,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
    /// True if it was stored for an earlier request with the key.
    pub(super) replayed: bool,
    /// Time from the first byte of the request to the last of this answer.
    pub(super) took: Duration,
}

impl Client {
    pub(super) fn new(url: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .max_idle_connections(256)
            .max_idle_connections_per_host(256)
            .build();
        Self { agent: config.into(), url: url.trim_end_matches('/').into() }
    }

    /// True if the server reports that it is ready.
    pub(super) fn ready(&self) -> bool {
        self.agent
            .get(format!("{}/readyz", self.url))
            .call()
            .is_ok_and(|answer| answer.status().as_u16() == 200)
    }

    /// Returns the body of a 200 answer.
    pub(super) fn get(&self, path: &str) -> Result<Value> {
        let url = format!("{}{path}", self.url);
        let mut answer = self.agent.get(&url).call().with_context(|| format!("GET {path}"))?;
        let status = answer.status().as_u16();
        let text = answer.body_mut().read_to_string().with_context(|| format!("GET {path}"))?;
        if status != 200 {
            bail!("GET {path}: {status} {text}");
        }
        serde_json::from_str(&text).with_context(|| format!("GET {path}: no JSON: {text}"))
    }

    /// Sends a request again and again until its answer is final.
    pub(super) fn post(&self, path: &str, key: &str, body: &Value) -> Result<Answer> {
        let started = Instant::now();
        loop {
            let again = match self.once(path, key, body) {
                Ok(answer) if is_final(&answer) => return Ok(answer),
                Ok(answer) => format!("{} {}", answer.status, answer.body),
                Err(error) => format!("{error:#}"),
            };
            if started.elapsed() > PATIENCE {
                bail!("POST {path} with the key {key} has no answer after {} s: {again}", PATIENCE.as_secs());
            }
            sleep(Duration::from_millis(50));
        }
    }

    fn once(&self, path: &str, key: &str, body: &Value) -> Result<Answer> {
        let started = Instant::now();
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .header("Prefer", "wait=30")
            .send(body.to_string())?;
        let status = answer.status().as_u16();
        let replayed = answer.headers().get("Idempotency-Replayed").is_some();
        let text = answer.body_mut().read_to_string()?;
        let body = serde_json::from_str(&text).with_context(|| format!("{status}: no JSON: {text}"))?;
        Ok(Answer { status, body, replayed, took: started.elapsed() })
    }
}

/// False for answers that ask for another try: in progress, too many requests, not ready.
fn is_final(answer: &Answer) -> bool {
    let in_progress = answer.status == 409 && answer.body["code"] == "TL-2202";
    // 202: accepted, and not handled within the wait. A repeated request gets the turn.
    !in_progress && !matches!(answer.status, 202 | 408 | 429 | 500 | 502 | 503)
}
