//! A client of one A2A agent, version 1.0, over JSON-RPC or HTTP+JSON (`docs/design/0037-models-and-tools.md`).
//!
//! Written here because the official crate holds the protocol's types and no client, and its types refuse the state
//! names of version 0.3. A message's id is the effect's, its context the lane's. The context that a prompt of that
//! lane would get is sent beside the text, as metadata.

mod card;
mod task;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use throughline_engine::Language;
use throughline_engine::data::call::{CallOutcome, CallPhase, CallRequest, RemoteTask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, ToolFault};
use throughline_net::{Address, describe_error, retry_after};
use tokio::time::timeout;

use self::card::{Binding, Interface};
use crate::outcome::rejected;
use crate::{AgentSetting, Timeouts, transport_fault};

/// The longest answer, in bytes.
const MAX_ANSWER: usize = 4 * 1024 * 1024;
/// The protocol's version, in a header of every request.
const VERSION: &str = "1.0";
/// JSON-RPC error codes with a meaning of their own.
const TASK_NOT_FOUND: i64 = -32_001;
const INVALID_AGENT_RESPONSE: i64 = -32_006;
const INTERNAL_ERROR: i64 = -32_603;
/// The characters to encode in a path: all but the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One agent.
pub(crate) struct Agent {
    home: Address,
    allow_loopback: bool,
    http: Client,
    headers: HeaderMap,
    timeouts: Timeouts,
}

/// A request to an agent.
enum AgentRequest<'a> {
    Send(Value),
    Get(&'a str),
    Cancel(&'a str),
}

/// The end of a request.
enum AgentReply {
    /// Its result.
    Result(Value),
    /// The agent refuses, for good.
    Refused(Fault),
    /// The agent has no such task; also a refusal.
    TaskNotFound(Fault),
    /// No byte of it arrived, or it was not processed.
    NotSent(Fault, Option<i64>),
    /// It is not known whether it was processed.
    Unknown(Fault),
}

/// The reason there is no card.
pub(crate) struct NoCard {
    pub(crate) fault: Fault,
    /// For operators.
    pub(crate) why: String,
}

impl Agent {
    /// # Errors
    /// It cannot be used as configured; the text is for people.
    pub(crate) fn new(setting: &AgentSetting, timeouts: Timeouts) -> Result<Self, String> {
        let place = &setting.place;
        let home = Address::parse(&place.url, place.allow_loopback)?;
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

    /// Fetches the agent's card.
    ///
    /// # Errors
    /// There is none.
    pub(crate) async fn card(&self) -> Result<Value, NoCard> {
        let at = self.home.join(card::AT);
        let got = timeout(self.timeouts.ready, self.request(Method::GET, &at, None)).await;
        let fault = match got.unwrap_or_else(|_| AgentReply::Unknown(ToolFault::NotInTime.into())) {
            AgentReply::Result(card @ Value::Object(_)) => return Ok(card),
            AgentReply::Result(_) => ToolFault::CardUnusable.into(),
            AgentReply::Refused(why)
            | AgentReply::TaskNotFound(why)
            | AgentReply::NotSent(why, _)
            | AgentReply::Unknown(why) => why,
        };
        let why = format!("it has no card for us: {}", fault.text(Language::En));
        Err(NoCard { fault, why })
    }

    /// Checks that a card can be used.
    ///
    /// # Errors
    /// The reason it cannot; the text is for people.
    pub(crate) fn usable(&self, card: &Value) -> Result<(), String> {
        card::interface(card, &self.home, self.allow_loopback).map(drop)
    }

    /// Sends a message, polls a task, or cancels one, using the interface of that card.
    pub(crate) async fn work(&self, card: &Value, errand: &CallRequest<'_>) -> Attempt<CallOutcome> {
        let interface = match card::interface(card, &self.home, self.allow_loopback) {
            Ok(interface) => interface,
            Err(why) => {
                tracing::warn!(why, "the card of a sub-agent cannot be used");
                return rejected(ToolFault::CardUnusable);
            }
        };
        let outward = errand.call.risk.is_outward();
        match (&errand.call.phase, errand.underway) {
            (CallPhase::Stop { .. }, Some(there)) => self.stop(&interface, there).await,
            (CallPhase::Stop { .. }, None) => Attempt::Applied(CallOutcome::Stopped(String::new())),
            (_, Some(there)) => self.poll(&interface, there, outward).await,
            (phase, None) => self.send(&interface, errand, phase).await,
        }
    }

    async fn send(
        &self,
        interface: &Interface,
        errand: &CallRequest<'_>,
        phase: &CallPhase,
    ) -> Attempt<CallOutcome> {
        let mut message = json!({
            "messageId": errand.effect.as_str(),
            "contextId": errand.lane.id().as_str(),
            "role": "ROLE_USER",
            "parts": [{"text": errand.call.text}],
        });
        if let Some(prompt) = &errand.call.prompt {
            // Beside the task's text: an agent without a model reads the parts alone.
            message["metadata"] = json!({"throughline/context": prompt.text()});
        }
        if let CallPhase::Answer { remote, .. } = phase {
            message["taskId"] = json!(remote);
        }
        let configuration = json!({"acceptedOutputModes": ["text/plain"], "returnImmediately": true});
        let body = json!({"message": message, "configuration": configuration});
        match self.ask(interface, errand.effect.as_str(), &AgentRequest::Send(body)).await {
            AgentReply::Result(result) => task::answer(&result, errand.call.risk.is_outward()),
            AgentReply::Refused(why) | AgentReply::TaskNotFound(why) => rejected(why),
            AgentReply::NotSent(why, hint) => Attempt::NotApplied { why, hint },
            AgentReply::Unknown(why) => Attempt::Unknown { why },
        }
    }

    /// Polls a task. A failed poll changes nothing; an agent that no longer knows the task has ended it.
    async fn poll(&self, interface: &Interface, there: &RemoteTask, outward: bool) -> Attempt<CallOutcome> {
        let still = || Attempt::Applied(CallOutcome::Underway(there.clone()));
        match self.ask(interface, "look", &AgentRequest::Get(&there.remote)).await {
            AgentReply::Result(task) => match task::report(&task, outward) {
                Attempt::Unknown { .. } => still(),
                Attempt::Applied(CallOutcome::Underway(now)) if now.told.is_empty() => {
                    Attempt::Applied(CallOutcome::Underway(RemoteTask { told: there.told.clone(), ..now }))
                }
                report => report,
            },
            AgentReply::TaskNotFound(why) if outward => Attempt::Unknown { why },
            AgentReply::TaskNotFound(why) => rejected(ToolFault::Unknown { why: why.text(Language::En) }),
            AgentReply::Refused(_) | AgentReply::NotSent(..) | AgentReply::Unknown(_) => still(),
        }
    }

    /// Cancels a task. An agent that refuses is done with it, or cannot stop: either way it was asked.
    async fn stop(&self, interface: &Interface, there: &RemoteTask) -> Attempt<CallOutcome> {
        match self.ask(interface, "stop", &AgentRequest::Cancel(&there.remote)).await {
            AgentReply::Result(_) => Attempt::Applied(CallOutcome::Stopped(String::new())),
            AgentReply::Refused(why) | AgentReply::TaskNotFound(why) => rejected(why),
            AgentReply::NotSent(why, hint) => Attempt::NotApplied { why, hint },
            AgentReply::Unknown(why) => Attempt::Unknown { why },
        }
    }

    async fn ask(&self, interface: &Interface, id: &str, ask: &AgentRequest<'_>) -> AgentReply {
        let Interface { binding, address, tenant } = interface;
        match binding {
            Binding::JsonRpc => {
                let (method, mut params) = match ask {
                    AgentRequest::Send(body) => ("SendMessage", body.clone()),
                    AgentRequest::Get(task) => ("GetTask", json!({"id": task})),
                    AgentRequest::Cancel(task) => ("CancelTask", json!({"id": task})),
                };
                if let Some(tenant) = tenant {
                    params["tenant"] = json!(tenant);
                }
                let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                match self.request(Method::POST, address.endpoint(), Some(&body)).await {
                    AgentReply::Result(mut answer) if answer["result"].is_object() => {
                        AgentReply::Result(answer["result"].take())
                    }
                    AgentReply::Result(answer) if answer["error"].is_object() => {
                        refused(&answer, ToolFault::NoResult)
                    }
                    AgentReply::Result(_) => AgentReply::Unknown(ToolFault::NoResult.into()),
                    other => other,
                }
            }
            Binding::HttpJson => {
                let under = tenant.as_ref().map(|tenant| format!("{tenant}/")).unwrap_or_default();
                let (method, path, body) = match ask {
                    AgentRequest::Send(body) => (Method::POST, "message:send".to_owned(), Some(body)),
                    AgentRequest::Get(task) => (Method::GET, format!("tasks/{}", segment(task)), None),
                    AgentRequest::Cancel(task) => {
                        (Method::POST, format!("tasks/{}:cancel", segment(task)), None)
                    }
                };
                self.request(method, &address.join(&format!("{under}{path}")), body).await
            }
        }
    }

    /// Sends one request. Only a connection that was never made proves that nothing was sent.
    async fn request(&self, method: Method, url: &str, body: Option<&Value>) -> AgentReply {
        let request = self.http.request(method.clone(), url).headers(self.headers.clone());
        let request = match body {
            Some(body) => request.body(body.to_string()),
            None if method == Method::POST => request.body("{}"),
            None => request,
        };
        let answered = async {
            match request.send().await {
                Ok(answer) => read(answer).await,
                Err(error) => transport(error),
            }
        };
        let answered = timeout(self.timeouts.call, answered).await;
        answered.unwrap_or_else(|_| AgentReply::Unknown(ToolFault::NotInTime.into()))
    }
}

/// Interprets a request without a response. Only a connection that was never made proves that nothing was sent.
fn transport(error: reqwest::Error) -> AgentReply {
    let unsent = transport_fault::is_unsent(&error);
    tracing::warn!(error = describe_error("a sub-agent", error), "a sub-agent did not answer");
    match unsent {
        true => AgentReply::NotSent(ToolFault::OutOfReach.into(), None),
        false => AgentReply::Unknown(ToolFault::BrokenOff.into()),
    }
}

/// Interprets a response.
async fn read(mut answer: Response) -> AgentReply {
    let status = answer.status().as_u16();
    let hint =
        answer.headers().get("retry-after").and_then(|value| value.to_str().ok()).and_then(retry_after);
    let mut bytes = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > MAX_ANSWER => {
                return AgentReply::Unknown(ToolFault::AnswerLong.into());
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => return transport(error),
        }
    }
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match status {
        200..=299 if body.is_null() => AgentReply::Unknown(ToolFault::NoResult.into()),
        200..=299 => AgentReply::Result(body),
        429 => AgentReply::NotSent(ToolFault::TooOften.into(), hint),
        // A body that is not the protocol's may come from a proxy on the way.
        400..=499 if status != 408 && body.is_object() => refused(&body, ToolFault::Failing { status }),
        _ => AgentReply::Unknown(ToolFault::Failing { status }.into()),
    }
}

/// Interprets a refusal of either binding.
fn refused(body: &Value, otherwise: ToolFault) -> AgentReply {
    let error = &body["error"];
    let words = [&error["message"], &body["message"], &body["detail"], &body["title"]];
    let why = words.into_iter().find_map(Value::as_str).map(|said| Fault::Said(shorten(said)));
    let why = why.unwrap_or(otherwise.into());
    match error["code"].as_i64() {
        // Something broke inside the agent, like a status 500.
        Some(INTERNAL_ERROR | INVALID_AGENT_RESPONSE) => AgentReply::Unknown(why),
        Some(TASK_NOT_FOUND) => AgentReply::TaskNotFound(why),
        _ if says_not_found(body) => AgentReply::TaskNotFound(why),
        _ => AgentReply::Refused(why),
    }
}

/// HTTP+JSON names the error in its details, or by the type of a problem document.
fn says_not_found(body: &Value) -> bool {
    let mut details = body["error"]["details"].as_array().into_iter().flatten();
    let problem = body["type"].as_str().unwrap_or_default();
    details.any(|detail| detail["reason"] == "TASK_NOT_FOUND") || problem.ends_with("/task-not-found")
}

/// Cuts a diagnosis for people to 240 characters.
fn shorten(text: &str) -> String {
    text.chars().take(240).collect()
}

/// Percent-encodes an id as one segment of a path.
fn segment(id: &str) -> PercentEncode<'_> {
    utf8_percent_encode(id, RESERVED)
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn an_id_is_one_segment() {
        assert_eq!(segment("a/../b?x=1#ü-_~").to_string(), "a%2F..%2Fb%3Fx%3D1%23%C3%BC-_~");
    }
}
