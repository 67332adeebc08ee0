//! Server in this process on a free port, and a minimal client with one socket for each request.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use throughline_server::{Config, Instance, Sources, open, open_with, serve_instance};
use throughline_store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
    /// Folder of its database, if it has one of its own.
    folder: Option<TempDir>,
}

/// Returns the settings of a demo in memory, on a free port.
pub(crate) fn demo() -> Sources {
    Sources { demo: true, ..Sources::default() }.flag("server.listen", "127.0.0.1:0", "--listen").flag(
        "store.url",
        "memory:",
        "--store",
    )
}

/// Returns the settings of a demo with a file in that folder.
pub(crate) fn demo_in(folder: &Path) -> Sources {
    Sources { demo: true, data: Some(folder.into()), ..Sources::default() }.flag(
        "server.listen",
        "127.0.0.1:0",
        "--listen",
    )
}

impl Server {
    /// Starts a demo in memory.
    pub(crate) async fn demo() -> Self {
        Self::start(demo()).await
    }

    pub(crate) async fn start(sources: Sources) -> Self {
        let config = Config::load(&sources).expect("the test's configuration is right");
        Self::run(open(config).await.expect("the instance opens")).await
    }

    /// Starts a server over a given store.
    pub(crate) async fn over(sources: Sources, store: Arc<dyn Store>) -> Self {
        let config = Config::load(&sources).expect("the test's configuration is right");
        Self::run(open_with(config, store).await.expect("the instance opens")).await
    }

    /// Starts a server over a given instance.
    pub(crate) async fn run(instance: Instance) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, bound) = oneshot::channel();
        let task = tokio::spawn(async move {
            let told = move |address| {
                let _ = ready.send(address);
            };
            let until = async {
                let _ = stopped.await;
            };
            serve_instance(instance, told, until).await.expect("the server ends well");
        });
        Self { address: bound.await.expect("the server starts"), stop: Some(stop), task, folder: None }
    }

    /// Starts the demo once over each kind of store.
    pub(crate) async fn on_each_store() -> [Self; 2] {
        Self::on_each_store_with(|sources| sources).await
    }

    /// Starts a demo with these settings once over each kind of store.
    pub(crate) async fn on_each_store_with(settings: impl Fn(Sources) -> Sources) -> [Self; 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut in_a_file = Self::start(settings(demo_in(folder.path()))).await;
        in_a_file.folder = Some(folder);
        [Self::start(settings(demo())).await, in_a_file]
    }

    /// Begins the drain.
    pub(crate) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Drains and waits for the end.
    pub(crate) async fn stopped(mut self) {
        self.stop();
        tokio::time::timeout(Duration::from_secs(25), self.task)
            .await
            .expect("out in time")
            .expect("no panic");
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        Call::new(self.address, "GET", path)
    }

    pub(crate) fn post(&self, path: &str) -> Call {
        Call::new(self.address, "POST", path)
    }

    pub(crate) fn put(&self, path: &str) -> Call {
        Call::new(self.address, "PUT", path)
    }

    pub(crate) fn delete(&self, path: &str) -> Call {
        Call::new(self.address, "DELETE", path)
    }

    /// Makes a request that delivers an event without waiting.
    pub(crate) fn event(&self, key: &str, body: &Value) -> Call {
        self.post("/v1/events").header("Idempotency-Key", key).json(body)
    }

    /// Delivers an event and waits for its turn.
    pub(crate) async fn turn(&self, key: &str, body: &Value) -> Value {
        let reply = self.event(key, body).header("Prefer", "wait=10").send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    /// Posts a message and waits for its turn.
    pub(crate) async fn say(&self, key: &str, conversation: &str, who: &str, text: &str) -> Value {
        self.turn(key, &said(conversation, who, text)).await
    }

    /// Presses a button and waits for its turn.
    pub(crate) async fn press(&self, key: &str, conversation: &str, who: &str, token: &str) -> Value {
        self.turn(key, &pressed(conversation, who, token)).await
    }

    /// Requests a complete task; returns the preview's card.
    pub(crate) async fn preview(&self, conversation: &str) -> Value {
        let turn = self.say(&format!("ask-{conversation}"), conversation, "ana", TASK).await;
        card_of(&turn)
    }
}

/// Message with everything that a preview needs.
pub(crate) const TASK: &str = "Create a task for the manual\nTitle: Write the manual\nProblem: Nobody knows how it works\n\
                               Acceptance criteria: There is a manual";

pub(crate) fn said(conversation: &str, who: &str, text: &str) -> Value {
    json!({"lane": {"conversation": conversation}, "actor": {"id": who}, "kind": "message.posted", "text": text})
}

pub(crate) fn pressed(conversation: &str, who: &str, token: &str) -> Value {
    json!({"lane": {"conversation": conversation}, "actor": {"id": who}, "kind": "card.pressed", "press": {"token": token}})
}

/// Returns the newest card of an answer.
pub(crate) fn card_of(turn: &Value) -> Value {
    let messages = turn["messages"].as_array().expect("an answer has messages");
    let card = messages.iter().rev().find_map(|message| message.get("card"));
    card.unwrap_or_else(|| panic!("no card in {turn:#}")).clone()
}

/// Returns the token of a card's button.
pub(crate) fn token(card: &Value, action: &str) -> String {
    let buttons = card["buttons"].as_array().unwrap_or_else(|| panic!("no buttons on {card:#}"));
    let button = buttons.iter().find(|button| button["action"] == action);
    button.unwrap_or_else(|| panic!("no {action} on {card:#}"))["token"].as_str().expect("a token").to_owned()
}

/// Returns the notices to the person of a turn.
pub(crate) fn notice(turn: &Value) -> String {
    let effects = turn["effects"].as_array().expect("an answer has effects");
    let notices = effects.iter().filter(|effect| effect["class"] == "notice");
    notices.filter_map(|effect| effect["text"].as_str()).collect()
}

/// Request to send.
#[derive(Clone)]
pub(crate) struct Call {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    host: Option<String>,
}

impl Call {
    pub(crate) fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        let line = format!("{method} {path} HTTP/1.1");
        Self { address, line, headers: Vec::new(), body: Vec::new(), host: Some(address.to_string()) }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn host(mut self, host: Option<&str>) -> Self {
        self.host = host.map(Into::into);
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json").bytes(body.to_string().into_bytes())
    }

    pub(crate) fn bytes(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }

    /// Returns the bytes of the request.
    pub(crate) fn wire(&self) -> Vec<u8> {
        let mut head = format!("{}\r\n", self.line);
        if let Some(host) = &self.host {
            head.push_str(&format!("Host: {host}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\nConnection: close\r\n\r\n", self.body.len()));
        [head.as_bytes(), &self.body].concat()
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("the server listens")
    }

    pub(crate) async fn send(&self) -> Reply {
        let mut stream = self.connect().await;
        // The server may answer and close before it has read a body that it refuses.
        let _ = stream.write_all(&self.wire()).await;
        let reply = Reply::read(&mut stream).await;
        crate::contract::check(&self.line, &reply);
        reply
    }
}

/// Answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Reads until the server closes the connection.
    pub(crate) async fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        let reading = stream.read_to_end(&mut bytes);
        let ended = tokio::time::timeout(Duration::from_secs(40), reading).await.expect("an answer in time");
        assert!(ended.is_ok() || !bytes.is_empty(), "the connection broke without an answer: {ended:?}");
        Self::parse(&bytes)
    }

    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let split = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or_else(|| {
            panic!("no HTTP answer: {:?}", String::from_utf8_lossy(bytes));
        });
        let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = &bytes[split + 4..];
        let body = if chunked { unchunked(body) } else { body.to_vec() };
        Self { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Returns the answer, if it is JSON.
    pub(crate) fn json_items(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Checks that the answer is a complete problem document; returns its code.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{} {}",
            self.status,
            self.text()
        );
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{problem}");
        let code = problem["code"].as_str().expect("a code").to_owned();
        assert_eq!(problem["type"], format!("urn:throughline:error:{code}"));
        // Bytes that are no HTTP request get no request id.
        assert_eq!(
            problem["instance"].is_string(),
            self.header("throughline-request").is_some(),
            "{problem}"
        );
        for member in ["title", "detail", "name"] {
            assert!(problem[member].as_str().is_some_and(|text| !text.is_empty()), "{member} of {problem}");
        }
        let known = throughline_server::codes::explain(&code).expect("a code of the table");
        assert_eq!((problem["name"].as_str(), known.status), (Some(known.name), Some(self.status)));
        code
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
        let length = usize::from_str_radix(&String::from_utf8_lossy(&body[..end]), 16).unwrap_or(0);
        if length == 0 || body.len() < end + 2 + length {
            break;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = body.get(end + 4 + length..).unwrap_or_default();
    }
    whole
}

/// Polls until it is true, for what happens shortly after an answer.
pub(crate) async fn eventually<F: Future<Output = bool>>(what: &str, mut is: impl FnMut() -> F) {
    for _ in 0..200 {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it never came to pass that {what}");
}
