//! A fake of model providers, with their three HTTP APIs: strict, scriptable, with a journal of requests.
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::model::{Behaviour, FakeModel};
//! let model = FakeModel::start().await.unwrap();
//! model.script(Behaviour::Say(r#"{"label":"ticket","confidence":0.9}"#.into()));
//! // … a client with base_url = model.url("v1") asks …
//! assert_eq!(model.violations(), [""; 0]);
//! # }
//! ```
//!
//! It is strict: it refuses what a vendor refuses, with the vendor's error texts, and a request without a scripted
//! behaviour is an error. After [`FakeModel::obey_texts`] it plays the worst model instead: it obeys every instruction
//! in the text it is given.

mod anthropic;
mod chat;
pub mod injected;
mod obedient;
mod responses;
mod schema;
mod serve;

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub use obedient::obedient_answer;

/// The reaction of the model to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers with this text.
    Say(String),
    /// Answers with this text, without token counts and under another model's name.
    SayUncounted(String),
    /// Answers with this text and this count of output tokens.
    SayCounted(String, u64),
    /// Streams this text in chunks, one every 20 ms, and closes the stream before the answer ends.
    Drip(String),
    /// Streams this answer, an event for each step that [`FakeModel::step`] allows.
    Steps(String),
    /// Redirects to another path with status 307.
    Redirect,
    /// Refuses the request with this status and a body in the vendor's format.
    Status(u16),
    /// Refuses the request with status 429 and this `Retry-After`.
    TooMany(String),
    /// Accepts the request and never answers.
    Hang,
    /// Streams this text, then sends nothing more and keeps the connection open.
    Stall(String),
    /// Streams this text, then breaks the connection.
    Cut(String),
    /// Streams this text and closes the stream properly, without the end of the answer.
    EndEarly(String),
    /// Answers with a refusal in these words.
    Refuse(String),
    /// Answers that the vendor's content filter stopped it.
    Filter,
    /// Answers with this text, cut at the token limit.
    Length(String),
    /// Answers twice with this text: two choices, messages or blocks.
    Two(String),
    /// Calls this tool, which the request did not offer.
    CallTool(String),
    /// Sends an error in place of the end of the answer, with status 200.
    Fail,
    /// Answers with a proxy's HTML page and status 200.
    Page,
}

impl Behaviour {
    /// Returns the count of output tokens to report.
    fn output(&self) -> u64 {
        if let Self::SayCounted(_, output) = self { *output } else { 12 }
    }
}

/// A request in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The path.
    pub path: String,
    /// The API key it was sent with.
    pub key: Option<String>,
    /// The JSON body.
    pub body: Value,
    /// The status of the answer.
    pub status: u16,
    /// The violations of the vendor's rules and published schema.
    pub violations: Vec<String>,
}

/// The state of a fake.
#[derive(Default)]
struct Inner {
    script: VecDeque<Behaviour>,
    journal: Vec<Request>,
    /// Fields that the endpoint refuses as unsupported.
    refused: BTreeSet<String>,
    obeys: bool,
    whole: bool,
    key: Option<String>,
    unscripted: usize,
    dropped: usize,
}

struct Shared {
    inner: Mutex<Inner>,
    /// Steps that are allowed and not taken.
    steps: Semaphore,
}

impl Default for Shared {
    fn default() -> Self {
        Self { inner: Mutex::default(), steps: Semaphore::new(0) }
    }
}

impl Shared {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running fake. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct FakeModel {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl FakeModel {
    /// Starts a fake on a free loopback port, with all three APIs.
    ///
    /// # Errors
    /// Fails if no port can be listened on.
    pub async fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = serve::router(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { shared, address })
    }

    /// Returns the base URL with a path appended: `v1` for `OpenAI`'s APIs, empty for Anthropic's.
    #[must_use]
    pub fn url(&self, under: &str) -> String {
        format!("http://{}/{under}", self.address)
    }

    // ---- configuration ----

    /// Queues the behaviour for a request. Requests take behaviours in order.
    pub fn script(&self, behaviour: Behaviour) {
        self.shared.inner().script.push_back(behaviour);
    }

    /// Lets an answer of [`Behaviour::Steps`] take this many more steps. The first ones of a text are its beginning and
    /// eleven letters each.
    pub fn step(&self, steps: usize) {
        self.shared.steps.add_permits(steps);
    }

    /// From now on obeys every instruction in the text of a request. Scripted behaviours are ignored.
    pub fn obey_texts(&self) {
        self.shared.inner().obeys = true;
    }

    /// Refuses requests with this field: `json_schema`, `response_format`, `temperature`, `stream_options`, `max_tokens`.
    pub fn reject_field(&self, field: &str) {
        self.shared.inner().refused.insert(field.into());
    }

    /// Answers with a whole document, also to requests for a stream.
    pub fn disable_streaming(&self) {
        self.shared.inner().whole = true;
    }

    /// Refuses requests with any other API key.
    pub fn require_key(&self, key: &str) {
        self.shared.inner().key = Some(key.into());
    }

    // ---- observations ----

    /// Returns all requests, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.inner().journal.clone()
    }

    /// Returns the number of requests.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.shared.inner().journal.len()
    }

    /// Returns the number of requests without a scripted behaviour.
    #[must_use]
    pub fn unscripted(&self) -> usize {
        self.shared.inner().unscripted
    }

    /// Returns the number of requests whose client disconnected before the end of the answer.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.shared.inner().dropped
    }

    /// Returns the violations of all requests so far.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.requests().into_iter().flat_map(|request| request.violations).collect()
    }
}

/// The body of an answer: server-sent events, or one document.
enum Answer {
    Events(Vec<String>),
    Document(String),
}

/// The HTTP API of a vendor.
trait Wire: Send + Sync {
    /// Returns the violations of the vendor's rules by a request.
    fn check(&self, body: &Value) -> Vec<String>;
    /// Returns the API key of a request, without its scheme.
    fn key(&self, headers: &axum::http::HeaderMap) -> Option<String>;
    /// Returns the JSON schema of the answer, or null, and the text of the last message.
    fn question(&self, body: &Value) -> (Value, String);
    /// Builds a complete answer.
    fn answer(&self, body: &Value, behaviour: &Behaviour, streamed: bool) -> Answer;
    /// Builds the first events of a streamed answer, without its end.
    fn partial_answer(&self, body: &Value, text: &str) -> Vec<String>;
    /// Builds the body of an error.
    fn error(&self, status: u16, text: &str) -> Value;
}

/// Splits a text into the chunks of a stream.
fn parts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(11.max(letters.len() / 64)).map(|part| part.iter().collect()).collect()
}
