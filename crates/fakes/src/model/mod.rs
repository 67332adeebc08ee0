//! Models behind the three wires that providers speak: strict, scriptable, with a journal (`spec 07 §7`, `§13`).
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::model::{Does, FakeModel};
//! let model = FakeModel::start().await.unwrap();
//! model.next(Does::Say(r#"{"label":"ticket","confidence":0.9}"#.into()));
//! // … a client with base_url = model.url("v1") asks …
//! assert_eq!(model.violations(), [""; 0]);
//! # }
//! ```
//!
//! It is strict: what a vendor refuses it refuses in the vendor's words, and a question that nobody scripted an answer
//! for is an error. [`FakeModel::obey`] makes a model of the worst kind instead: it does whatever the text says.

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

pub use obedient::obeyed;

/// What the model does with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// Says this, and nothing is wrong with how it comes.
    Say(String),
    /// The same, without a count of tokens and under another model's name.
    SayUncounted(String),
    /// The same, with that count of tokens.
    SayCounted(String, u64),
    /// Says this slowly, a part every 20 ms, and comes to no end.
    Drip(String),
    /// Sends the client to another address, where the answer would be.
    Redirect,
    /// Refuses the request with that status, in the vendor's form.
    Status(u16),
    /// 429, and when to come back.
    TooMany(String),
    /// Takes the request and never answers.
    Hang,
    /// Begins this answer and never goes on.
    Stall(String),
    /// Begins this answer and closes the connection.
    Cut(String),
    /// Ends in order, before the answer is over.
    EndEarly(String),
    /// Will not.
    Refuse(String),
    /// Was stopped by the vendor's filter.
    Filter,
    /// Was stopped at the limit of tokens, so far.
    Length(String),
    /// Gives two answers.
    Two(String),
    /// Calls a tool that nobody offered.
    CallTool(String),
    /// An error in the middle of the stream.
    Fail,
    /// A proxy's page, with status 200.
    Page,
}

impl Does {
    /// How many tokens it says that its answer has.
    fn output(&self) -> u64 {
        if let Self::SayCounted(_, output) = self { *output } else { 12 }
    }
}

/// One request as the journal has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The path.
    pub path: String,
    /// The key it came with.
    pub key: Option<String>,
    /// Its body.
    pub body: Value,
    /// The status of the answer.
    pub status: u16,
    /// What the vendor's rules and published schema say against it.
    pub violations: Vec<String>,
}

/// What goes on behind the port.
#[derive(Default)]
struct Inner {
    script: VecDeque<Does>,
    journal: Vec<Asked>,
    /// Fields this endpoint does not know, as its refusal names them.
    refused: BTreeSet<String>,
    obeys: bool,
    whole: bool,
    key: Option<String>,
    unscripted: usize,
    dropped: usize,
}

#[derive(Default)]
struct Shared(Mutex<Inner>);

impl Shared {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running fake. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct FakeModel {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl FakeModel {
    /// Starts one on a free port of this machine, with all three wires.
    ///
    /// # Errors
    /// No port can be listened on.
    pub async fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = serve::router(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { shared, address })
    }

    /// Where it is. `OpenAI`'s wires are under `v1`, Anthropic's at the root.
    #[must_use]
    pub fn url(&self, under: &str) -> String {
        format!("http://{}/{under}", self.address)
    }

    // ---- what it does ----

    /// What it does with the next question that has nothing before it.
    pub fn next(&self, does: Does) {
        self.shared.inner().script.push_back(does);
    }

    /// From now on it does whatever the texts it is shown say.
    pub fn obey(&self) {
        self.shared.inner().obeys = true;
    }

    /// It does not know that field: `json_schema`, `response_format`, `temperature`, `stream_options`, `max_tokens`.
    pub fn refuse(&self, field: &str) {
        self.shared.inner().refused.insert(field.into());
    }

    /// It answers in one piece, whatever it is asked for.
    pub fn answer_whole(&self) {
        self.shared.inner().whole = true;
    }

    /// It takes no other key.
    pub fn want_key(&self, key: &str) {
        self.shared.inner().key = Some(key.into());
    }

    // ---- what came of it ----

    /// Every request, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.inner().journal.clone()
    }

    /// How many requests came.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.shared.inner().journal.len()
    }

    /// Requests that nobody scripted an answer for.
    #[must_use]
    pub fn unscripted(&self) -> usize {
        self.shared.inner().unscripted
    }

    /// Requests whose asker went away before the answer was over.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.shared.inner().dropped
    }

    /// What is against any request so far.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.asked().into_iter().flat_map(|asked| asked.violations).collect()
    }
}

/// An answer in pieces: bodies of server-sent events, or one document.
enum Pieces {
    Events(Vec<String>),
    Document(String),
}

/// One vendor's wire.
trait Wire: Send + Sync {
    /// What its rules say against a request.
    fn check(&self, body: &Value) -> Vec<String>;
    /// The header that carries the key, without what stands before it.
    fn key(&self, headers: &axum::http::HeaderMap) -> Option<String>;
    /// The schema of the answer, where the request has one, and the words of the request.
    fn question(&self, body: &Value) -> (Value, String);
    /// An answer that is over, as it does things.
    fn answer(&self, body: &Value, does: &Does, streamed: bool) -> Pieces;
    /// The beginning of a streamed answer that is never over.
    fn beginning(&self, body: &Value, text: &str) -> Vec<String>;
    /// A refusal.
    fn error(&self, status: u16, text: &str) -> Value;
}

/// Text in parts, as a model says it.
fn parts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(11.max(letters.len() / 64)).map(|part| part.iter().collect()).collect()
}
