//! An HTTP client of a running instance.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use throughline_server::local_token::LocalTokens;
use throughline_server::wire::{
    Approval, Context, Effect, Lane, LaneInfo, LearnProposal, LearnSuggestion, LearnedVersion, Page, Pause,
    PauseChange, PinnedTools, Replays, Resolve, SignInLink, Tool, TurnAnswer, TurnInfo, Why,
};
use ureq::Agent;
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig};

use super::{LANES, newest};
use crate::app::App;
use crate::error::Failure;
use crate::exit::Exit;
use crate::random;

/// The characters to encode: all but the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The time limit of a request: longer than the server may wait for a decision.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The largest page size of the API.
const PAGE_SIZE: usize = 200;

/// An HTTP client of an instance. Clones share its connections.
#[derive(Clone)]
pub(crate) struct Remote {
    agent: Agent,
    url: String,
    credential: Credential,
}

/// The proof of who asks.
#[derive(Clone)]
enum Credential {
    /// None: a demo needs none.
    None,
    /// A token of the configuration.
    Token(String),
    /// A token for each request, made of the instance key.
    Local(Arc<LocalTokens>),
}

/// The answer to a delivered event.
pub(crate) struct Delivered {
    /// The decoded answer.
    pub(crate) answer: TurnAnswer,
    /// The answer's JSON, with members that this version does not decode.
    pub(crate) body: Value,
}

impl Remote {
    /// Creates a client with the token of `--token-file`. Sends nothing.
    pub(crate) fn new(app: &App, url: &str) -> Result<Self, Failure> {
        let token = match &app.flags.token_file {
            None => None,
            Some(file) => {
                let failed = |error| {
                    Failure::usage(format!("cannot read the token file {}", file.display())).because(&error)
                };
                Some(fs::read_to_string(file).map_err(failed)?.trim().to_owned())
            }
        };
        Self::at(url, token)
    }

    /// Creates a client of the instance at an address.
    pub(crate) fn at(url: &str, token: Option<String>) -> Result<Self, Failure> {
        Self::with(url, token.map_or(Credential::None, Credential::Token))
    }

    /// Creates a client of the server that has the local store.
    pub(crate) fn beside(url: &str, tokens: Arc<LocalTokens>) -> Result<Self, Failure> {
        Self::with(url, Credential::Local(tokens))
    }

    fn with(url: &str, credential: Credential) -> Result<Self, Failure> {
        let mut config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(TIMEOUT));
        if url.starts_with("https://") {
            config = config.tls_config(
                TlsConfig::builder()
                    .unversioned_rustls_crypto_provider(Arc::new(
                        rustls::crypto::aws_lc_rs::default_provider(),
                    ))
                    .root_certs(RootCerts::PlatformVerifier)
                    .build(),
            );
        } else if !url.starts_with("http://") {
            return Err(Failure::usage(format!("cannot talk to {url}"))
                .hint("write http://HOST:PORT or https://HOST"));
        }
        Ok(Self { agent: config.build().into(), url: url.trim_end_matches('/').into(), credential })
    }

    /// Returns the value of the header that proves who asks.
    fn authorization(&self) -> Option<String> {
        match &self.credential {
            Credential::None => None,
            Credential::Token(token) => Some(format!("Bearer {token}")),
            Credential::Local(tokens) => Some(format!("Bearer {}", tokens.make())),
        }
    }

    /// Returns the address of the instance.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends a GET request.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        if let Some(proof) = self.authorization() {
            request = request.header("Authorization", proof);
        }
        self.read(path, request.call())
    }

    /// Reads a list page by page, up to `limit` items.
    fn list<T: DeserializeOwned>(&self, path: &str, limit: usize) -> Result<Vec<T>, Failure> {
        let separator = if path.contains('?') { '&' } else { '?' };
        let mut items = Vec::new();
        let mut cursor = String::new();
        while items.len() < limit {
            let page = (limit - items.len()).min(PAGE_SIZE);
            let page: Page<T> = self.get(&format!("{path}{separator}limit={page}{cursor}"))?;
            items.extend(page.items);
            match page.next {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        items.truncate(limit);
        Ok(items)
    }

    /// Sends a POST or PUT request with an idempotency key.
    fn send<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Result<T, Failure> {
        let url = format!("{}{path}", self.url);
        let request = if method == "PUT" { self.agent.put(&url) } else { self.agent.post(&url) };
        let mut request = request
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .header("Prefer", "wait=30");
        if let Some(proof) = self.authorization() {
            request = request.header("Authorization", proof);
        }
        self.read(path, request.send(body.to_string()))
    }

    fn read<T: DeserializeOwned>(
        &self,
        path: &str,
        answer: Result<Response<ureq::Body>, ureq::Error>,
    ) -> Result<T, Failure> {
        let cut = |error: &ureq::Error| {
            Failure::new(format!("cannot reach {}", self.url))
                .because(error)
                .hint(
                    "is it running? `throughline serve` starts one; without --server the local store is read",
                )
                .exit(Exit::Unreachable)
        };
        let mut answer = answer.map_err(|error| cut(&error))?;
        let status = answer.status().as_u16();
        let text = answer.body_mut().read_to_string().map_err(|error| cut(&error))?;
        if status >= 400 {
            return Err(problem_failure(&self.url, status, &text));
        }
        serde_json::from_str(&text).map_err(|error| {
            let what = format!("{}{path} answered with something else than this version expects", self.url);
            Failure::new(what).because(&error).hint("is it another version? `throughline version`")
        })
    }

    /// Delivers an event and waits for its turn.
    pub(crate) fn deliver(&self, key: &str, event: &Value) -> Result<Delivered, Failure> {
        let body: Value = self.send("POST", "/v1/events", key, event)?;
        let answer = serde_json::from_value(body.clone()).map_err(|error| {
            // 202: the event is stored, but its turn took longer than the request waits.
            Failure::new("the event was accepted, but there is no decision yet")
                .because(&error)
                .hint("look again later: `throughline lanes list`")
        })?;
        Ok(Delivered { answer, body })
    }

    /// Approves or rejects an approval.
    pub(crate) fn decide(
        &self,
        id: &str,
        version: u32,
        decision: &str,
        key: &str,
    ) -> Result<TurnAnswer, Failure> {
        let body = json!({ "version": version, "decision": decision });
        self.send("POST", &format!("/v1/approvals/{}/decide", segment(id)), key, &body)
    }

    /// Resolves an uncertain effect.
    pub(crate) fn resolve(&self, id: &str, answer: &Resolve, key: &str) -> Result<TurnAnswer, Failure> {
        let body = serde_json::to_value(answer)
            .map_err(|error| Failure::new("cannot write the answer").because(&error))?;
        self.send("POST", &format!("/v1/effects/{}/resolve", segment(id)), key, &body)
    }

    /// Sets the kill switch.
    pub(crate) fn set_pause(&self, change: &PauseChange, key: &str) -> Result<Pause, Failure> {
        let body = serde_json::to_value(change)
            .map_err(|error| Failure::new("cannot write the change").because(&error))?;
        self.send("PUT", "/v1/pause", key, &body)
    }

    /// Sends a DELETE request, without a time limit: erasing may take long.
    pub(crate) fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let url = format!("{}{path}", self.url);
        let mut request = self.agent.delete(&url).config().timeout_global(None).build();
        if let Some(proof) = self.authorization() {
            request = request.header("Authorization", proof);
        }
        self.read(path, request.call())
    }

    /// Creates a link that signs a person in.
    pub(crate) fn sign_in_link(&self, user: &str) -> Result<SignInLink, Failure> {
        // The server stores nothing for a link, so any idempotency key will do.
        self.send("POST", "/v1/sign-in-links", "link", &json!({ "user": user }))
    }

    /// Creates a link that connects a person's Telegram account to a user.
    pub(crate) fn telegram_link(&self, user: &str) -> Result<SignInLink, Failure> {
        self.send("POST", "/v1/telegram-links", "link", &json!({ "user": user }))
    }

    /// Returns the tools and sub-agents with their state.
    pub(crate) fn tools(&self) -> Result<Vec<Tool>, Failure> {
        Ok(self.get::<Page<Tool>>("/v1/tools")?.items)
    }

    /// Pins all tools and sub-agents, or the one named.
    pub(crate) fn pin_tools(&self, name: Option<&str>) -> Result<PinnedTools, Failure> {
        let key = random::key("pin")?;
        self.send("POST", "/v1/tools/pin", &key, &json!({ "name": name }))
    }

    /// Asks what could be learned of the log.
    pub(crate) fn suggest_learning(&self, lanes: u32) -> Result<LearnSuggestion, Failure> {
        self.get(&format!("/v1/learn?lanes={lanes}"))
    }

    /// Asks for the approval of what is to be learned.
    pub(crate) fn propose_learning(
        &self,
        proposal: &LearnProposal,
        key: &str,
    ) -> Result<TurnAnswer, Failure> {
        self.send("POST", "/v1/learn", key, &json!(proposal))
    }

    /// Reads what was learned.
    pub(crate) fn learned(&self) -> Result<Vec<LearnedVersion>, Failure> {
        Ok(self.get::<Page<LearnedVersion>>("/v1/learn/versions")?.items)
    }

    pub(crate) fn why(&self, turn: &str) -> Result<Why, Failure> {
        self.get(&format!("/v1/turns/{}/why", segment(turn)))
    }

    pub(crate) fn lanes(&self, person: Option<&str>, limit: usize) -> Result<Vec<LaneInfo>, Failure> {
        let person = person.map(|person| format!("?person={}", segment(person))).unwrap_or_default();
        Ok(newest(self.list(&format!("/v1/lanes{person}"), LANES)?, limit))
    }

    pub(crate) fn lane(&self, id: &str) -> Result<Lane, Failure> {
        self.get(&format!("/v1/lanes/{}", segment(id)))
    }

    pub(crate) fn context(&self, id: &str, max_tokens: Option<u32>) -> Result<Context, Failure> {
        let most = max_tokens.map(|most| format!("?max_tokens={most}")).unwrap_or_default();
        self.get(&format!("/v1/lanes/{}/context{most}", segment(id)))
    }

    pub(crate) fn turns(&self, lane: &str, limit: usize) -> Result<Vec<TurnInfo>, Failure> {
        self.list(&format!("/v1/lanes/{}/turns", segment(lane)), limit)
    }

    pub(crate) fn approvals(&self, all: bool, limit: usize) -> Result<Vec<Approval>, Failure> {
        self.list(if all { "/v1/approvals?state=all" } else { "/v1/approvals" }, limit)
    }

    pub(crate) fn approval(&self, id: &str) -> Result<Approval, Failure> {
        self.get(&format!("/v1/approvals/{}", segment(id)))
    }

    pub(crate) fn effects(&self, state: Option<&str>, limit: usize) -> Result<Vec<Effect>, Failure> {
        match state {
            Some(state) => self.list(&format!("/v1/effects?state={}", segment(state)), limit),
            None => self.list("/v1/effects", limit),
        }
    }

    pub(crate) fn effect(&self, id: &str) -> Result<Effect, Failure> {
        self.get(&format!("/v1/effects/{}", segment(id)))
    }

    pub(crate) fn pause(&self) -> Result<Pause, Failure> {
        self.get("/v1/pause")
    }

    pub(crate) fn replay(&self, target: &str, seen: &mut dyn FnMut(usize)) -> Result<Replays, Failure> {
        let body =
            if target.starts_with("tn_") { json!({ "turn": target }) } else { json!({ "lane": target }) };
        let key = format!("replay-{target}-{}", std::process::id());
        let replays: Replays = self.send("POST", "/v1/replay", &key, &body)?;
        seen(replays.turns);
        Ok(replays)
    }
}

/// Percent-encodes a text as one segment of a path, or one value of a query.
pub(crate) fn segment(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, RESERVED)
}

/// Words a problem document (RFC 9457).
fn problem_failure(url: &str, status: u16, text: &str) -> Failure {
    let problem: Value = serde_json::from_str(text).unwrap_or_default();
    let member = |name: &str| problem[name].as_str().map(str::to_owned);
    let title = member("title").unwrap_or_else(|| format!("{url} answered {status}"));
    let mut failure = Failure::new(title).exit(match status {
        400 | 404 | 405 | 413 | 415 | 422 => Exit::Failure,
        401 | 403 | 409 | 410 | 423 => Exit::Refused,
        429 | 500.. => Exit::Unreachable,
        _ => Exit::Failure,
    });
    if let Some(detail) = member("detail") {
        failure = failure.why(detail);
    }
    if let Some(code) = member("code") {
        if let Some(known) = throughline_server::codes::explain(&code) {
            failure = failure.hint(known.fix);
        }
        failure = failure.code(code);
    }
    failure
}
