//! A client of one A2A agent, version 1.0, over JSON-RPC or HTTP+JSON (`spec 07 §8`).
//!
//! It is ours because the official crate holds the protocol's types and no client, and its types refuse the state names of
//! version 0.3. A message's id is the effect's, its context the lane's; beside the words goes what a prompt of that lane is
//! told, as metadata.

mod card;
mod task;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use throughline_engine::effect::Attempt;
use throughline_engine::work::{Errand, Phase, Report, Underway};
use throughline_net::{Address, retry_after, told};
use tokio::time::timeout;

use self::card::{Binding, Interface};
use crate::{AgentSetting, Timeouts, rejected};

/// The most bytes of one answer (`spec 06 §4.4`).
const MAX_ANSWER: usize = 4 * 1024 * 1024;
/// The protocol's version, in a header of every request.
const VERSION: &str = "1.0";
/// The codes of JSON-RPC's errors that say more than no.
const TASK_NOT_FOUND: i64 = -32_001;
const INVALID_AGENT_RESPONSE: i64 = -32_006;
const INTERNAL_ERROR: i64 = -32_603;

/// One agent.
pub(crate) struct Agent {
    home: Address,
    allow_loopback: bool,
    http: Client,
    headers: HeaderMap,
    timeouts: Timeouts,
}

/// What is asked of an agent.
enum Ask<'a> {
    Send(Value),
    Get(&'a str),
    Cancel(&'a str),
}

/// How one request ended.
enum Got {
    /// Its result.
    Result(Value),
    /// It says no, for good.
    No(String),
    /// It says that it has no such task: a no as well.
    Gone(String),
    /// No byte of it arrived, or it was not processed.
    NotSent(String, Option<i64>),
    /// Nobody knows.
    Unknown(String),
}

impl Agent {
    /// # Errors
    /// It cannot be used as it is configured; for a person to read.
    pub(crate) fn new(setting: &AgentSetting, timeouts: Timeouts) -> Result<Self, String> {
        let place = &setting.place;
        let home = Address::read(&place.url, place.allow_loopback)?;
        let http = throughline_net::client(home.reach(), timeouts.connect)?;
        let mut headers = HeaderMap::new();
        headers.insert("a2a-version", HeaderValue::from_static(VERSION));
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        if let Some(token) = &place.token {
            let value = token.header("Bearer ").ok_or("the token cannot stand in a header")?;
            headers.insert("authorization", value);
        }
        Ok(Self { home, allow_loopback: place.allow_loopback, http, headers, timeouts })
    }

    /// Its card, as it is now.
    ///
    /// # Errors
    /// There is none; for a person to read.
    pub(crate) async fn card(&self) -> Result<Value, String> {
        let at = self.home.at(card::AT);
        let got = timeout(self.timeouts.ready, self.request(Method::GET, &at, None)).await;
        match got.unwrap_or_else(|_| Got::Unknown("it did not answer in time".into())) {
            Got::Result(card @ Value::Object(_)) => Ok(card),
            Got::Result(_) => Err("its card is none".into()),
            Got::No(why) | Got::Gone(why) | Got::NotSent(why, _) | Got::Unknown(why) => {
                Err(format!("it has no card for us: {why}"))
            }
        }
    }

    /// Whether a card can be used.
    ///
    /// # Errors
    /// Why not; for a person to read.
    pub(crate) fn usable(&self, card: &Value) -> Result<(), String> {
        card::interface(card, &self.home, self.allow_loopback).map(drop)
    }

    /// Sends a message, looks at a task, or cancels one, as the agent of that card.
    pub(crate) async fn work(&self, card: &Value, errand: &Errand<'_>) -> Attempt<Report> {
        let interface = match card::interface(card, &self.home, self.allow_loopback) {
            Ok(interface) => interface,
            Err(why) => return rejected(why),
        };
        let outward = errand.call.risk.outward();
        match (&errand.call.phase, errand.underway) {
            (Phase::Stop { .. }, Some(there)) => self.stop(&interface, there).await,
            (Phase::Stop { .. }, None) => Attempt::Applied(Report::Stopped(String::new())),
            (_, Some(there)) => self.look(&interface, there, outward).await,
            (phase, None) => self.send(&interface, errand, phase).await,
        }
    }

    async fn send(&self, interface: &Interface, errand: &Errand<'_>, phase: &Phase) -> Attempt<Report> {
        let mut message = json!({
            "messageId": errand.effect.as_str(),
            "contextId": errand.lane.id().as_str(),
            "role": "ROLE_USER",
            "parts": [{"text": errand.call.text}],
        });
        if let Some(prompt) = &errand.call.prompt {
            // Beside the task, and no word of it: an agent that is no model reads the parts alone.
            message["metadata"] = json!({"throughline/context": prompt.text()});
        }
        if let Phase::Answer { remote, .. } = phase {
            message["taskId"] = json!(remote);
        }
        let configuration = json!({"acceptedOutputModes": ["text/plain"], "returnImmediately": true});
        let body = json!({"message": message, "configuration": configuration});
        match self.ask(interface, errand.effect.as_str(), &Ask::Send(body)).await {
            Got::Result(result) => task::answer(&result, errand.call.risk.outward()),
            Got::No(why) | Got::Gone(why) => rejected(why),
            Got::NotSent(why, hint) => Attempt::NotApplied { why, hint },
            Got::Unknown(why) => Attempt::Unknown { why },
        }
    }

    /// How far it is. A look that fails changes nothing, refused or not; an agent that says it knows the task no more has
    /// ended it.
    async fn look(&self, interface: &Interface, there: &Underway, outward: bool) -> Attempt<Report> {
        let still = || Attempt::Applied(Report::Underway(there.clone()));
        match self.ask(interface, "look", &Ask::Get(&there.remote)).await {
            Got::Result(task) => match task::report(&task, outward) {
                Attempt::Unknown { .. } => still(),
                Attempt::Applied(Report::Underway(now)) if now.told.is_empty() => {
                    Attempt::Applied(Report::Underway(Underway { told: there.told.clone(), ..now }))
                }
                report => report,
            },
            Got::Gone(why) if outward => Attempt::Unknown { why },
            Got::Gone(why) => rejected(format!("it knows nothing of this any more: {why}")),
            Got::No(_) | Got::NotSent(..) | Got::Unknown(_) => still(),
        }
    }

    /// Cancelling twice cancels once. An agent that says no is done with it, or never stops: either way it was told.
    async fn stop(&self, interface: &Interface, there: &Underway) -> Attempt<Report> {
        match self.ask(interface, "stop", &Ask::Cancel(&there.remote)).await {
            Got::Result(_) => Attempt::Applied(Report::Stopped(String::new())),
            Got::No(why) | Got::Gone(why) => rejected(why),
            Got::NotSent(why, hint) => Attempt::NotApplied { why, hint },
            Got::Unknown(why) => Attempt::Unknown { why },
        }
    }

    async fn ask(&self, interface: &Interface, id: &str, ask: &Ask<'_>) -> Got {
        let Interface { binding, address, tenant } = interface;
        match binding {
            Binding::JsonRpc => {
                let (method, mut params) = match ask {
                    Ask::Send(body) => ("SendMessage", body.clone()),
                    Ask::Get(task) => ("GetTask", json!({"id": task})),
                    Ask::Cancel(task) => ("CancelTask", json!({"id": task})),
                };
                if let Some(tenant) = tenant {
                    params["tenant"] = json!(tenant);
                }
                let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                match self.request(Method::POST, address.endpoint(), Some(&body)).await {
                    Got::Result(mut answer) if answer["result"].is_object() => {
                        Got::Result(answer["result"].take())
                    }
                    Got::Result(answer) if answer["error"].is_object() => refused(&answer, "it says no"),
                    Got::Result(_) => Got::Unknown("it answered with no result".into()),
                    other => other,
                }
            }
            Binding::HttpJson => {
                let under = tenant.as_ref().map(|tenant| format!("{tenant}/")).unwrap_or_default();
                let (method, path, body) = match ask {
                    Ask::Send(body) => (Method::POST, "message:send".to_owned(), Some(body)),
                    Ask::Get(task) => (Method::GET, format!("tasks/{}", segment(task)), None),
                    Ask::Cancel(task) => (Method::POST, format!("tasks/{}:cancel", segment(task)), None),
                };
                self.request(method, &address.at(&format!("{under}{path}")), body).await
            }
        }
    }

    /// One request. Only a connection that never came about is proof that nothing was sent.
    async fn request(&self, method: Method, url: &str, body: Option<&Value>) -> Got {
        let request = self.http.request(method.clone(), url).headers(self.headers.clone());
        let request = match body {
            Some(body) => request.body(body.to_string()),
            None if method == Method::POST => request.body("{}"),
            None => request,
        };
        let answered = async {
            match request.send().await {
                Ok(answer) => read(answer).await,
                Err(error) if error.is_connect() || error.is_builder() => {
                    Got::NotSent(told("it was not reached", error), None)
                }
                Err(error) => Got::Unknown(told("it did not answer", error)),
            }
        };
        let answered = timeout(self.timeouts.call, answered).await;
        answered.unwrap_or_else(|_| Got::Unknown("it did not answer in time".into()))
    }
}

/// What an answer proves (`spec 06 §4.3`).
async fn read(mut answer: Response) -> Got {
    let status = answer.status().as_u16();
    let hint =
        answer.headers().get("retry-after").and_then(|value| value.to_str().ok()).and_then(retry_after);
    let mut bytes = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > MAX_ANSWER => {
                return Got::Unknown("its answer is longer than 4 MiB".into());
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => return Got::Unknown(told("its answer broke off", error)),
        }
    }
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match status {
        200..=299 if body.is_null() => Got::Unknown("it answered with no JSON".into()),
        200..=299 => Got::Result(body),
        429 => Got::NotSent("it is asked too often".into(), hint),
        // Without a body that is the protocol's, somebody on the way may have said it.
        400..=499 if status != 408 && body.is_object() => {
            refused(&body, &format!("it answered with status {status}"))
        }
        _ => Got::Unknown(format!("it answered with status {status}")),
    }
}

/// What a refusal says, under either binding's form of it.
fn refused(body: &Value, otherwise: &str) -> Got {
    let error = &body["error"];
    let words = [&error["message"], &body["message"], &body["detail"], &body["title"]];
    let why = short(words.into_iter().find_map(Value::as_str).unwrap_or(otherwise));
    match error["code"].as_i64() {
        // Something broke inside of it: a status 500 where there are statuses.
        Some(INTERNAL_ERROR | INVALID_AGENT_RESPONSE) => Got::Unknown(why),
        Some(TASK_NOT_FOUND) => Got::Gone(why),
        _ if says_not_found(body) => Got::Gone(why),
        _ => Got::No(why),
    }
}

/// HTTP+JSON names what is wrong in an error's details, or by the type of a problem.
fn says_not_found(body: &Value) -> bool {
    let mut details = body["error"]["details"].as_array().into_iter().flatten();
    let problem = body["type"].as_str().unwrap_or_default();
    details.any(|detail| detail["reason"] == "TASK_NOT_FOUND") || problem.ends_with("/task-not-found")
}

/// A diagnosis for people: seed 001 cuts it there.
fn short(text: &str) -> String {
    text.chars().take(240).collect()
}

/// An id as one segment of a path.
fn segment(id: &str) -> String {
    let mut out = String::new();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn an_id_is_one_segment() {
        assert_eq!(segment("a/../b?x=1#ü"), "a%2F..%2Fb%3Fx%3D1%23%C3%BC");
    }
}
