//! An endpoint of somebody else, and a server that sends it events.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;
use throughline_engine::Timestamp;
use throughline_server::Sources;
use throughline_store::{ManualClock, MemoryStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::*;

/// Request that an endpoint received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or_else(|| panic!("no {name}: {self:?}"), |(_, value)| value.as_str())
    }

    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub(crate) fn conversation(&self) -> &str {
        self.body["place"]["conversation"].as_str().unwrap_or_default()
    }
}

/// Decides the status line and further headers of an answer; `None` keeps the sender waiting.
type Answer = Box<dyn Fn(&Received) -> Option<String> + Send>;

/// Endpoint of somebody else.
pub(crate) struct Endpoint {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<Answer>>,
}

impl Endpoint {
    pub(crate) async fn start(answer: impl Fn(&Received) -> Option<String> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let answer: Arc<Mutex<Answer>> = Arc::new(Mutex::new(Box::new(answer)));
        let (noted, asked) = (received.clone(), answer.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (noted, asked) = (noted.clone(), asked.clone());
                tokio::spawn(async move {
                    let Some(request) = read(&mut stream).await else { return };
                    noted.lock().unwrap().push(request.clone());
                    let said = asked.lock().unwrap()(&request);
                    let Some(said) = said else { return std::future::pending().await };
                    let answer = format!("HTTP/1.1 {said}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        Self { url, received, answer }
    }

    pub(crate) fn answers(&self, answer: impl Fn(&Received) -> Option<String> + Send + 'static) {
        *self.answer.lock().unwrap() = Box::new(answer);
    }

    pub(crate) fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn forget(&self) {
        self.received.lock().unwrap().clear();
    }

    /// Waits for as many requests.
    pub(crate) async fn has(&self, count: usize) -> Vec<Received> {
        eventually(&format!("{count} events arrive"), || async { self.all().len() >= count }).await;
        self.all()
    }
}

async fn read(stream: &mut tokio::net::TcpStream) -> Option<Received> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&chunk[..length]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let headers: Vec<(String, String)> = head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length =
            headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
        let length: usize = length?.ok()?;
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).ok()?;
            return Some(Received { headers, body });
        }
    }
}

pub(crate) fn ok(_: &Received) -> Option<String> {
    Some("204 No Content".into())
}

/// Server that sends to an endpoint, with a clock that only the test moves.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<MemoryStore>,
    sources: Sources,
    _folder: TempDir,
}

impl World {
    pub(crate) async fn start(endpoint: &Endpoint, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").unwrap();
        let webhooks = format!(
            "[{{ name = \"agent\", url = \"{}\", secret_files = [\"{}\"], allow_loopback = true{more} }}]",
            endpoint.url,
            secret.display()
        );
        let sources = demo().flag("webhooks", &webhooks, "--set");
        let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let server = Server::over(sources.clone(), store.clone()).await;
        let world = Self { server, clock, store, sources, _folder: folder };
        eventually("it follows", || async { world.standing().await["state"] == "running" }).await;
        world
    }

    /// Starts the server again over the same store.
    pub(crate) async fn again(self) -> Self {
        let Self { server, clock, store, sources, _folder } = self;
        server.stopped().await;
        let server = Server::over(sources.clone(), store.clone()).await;
        Self { server, clock, store, sources, _folder }
    }

    pub(crate) async fn standing(&self) -> Value {
        self.server.get("/v1/webhooks").send().await.json()["items"][0].clone()
    }

    pub(crate) async fn dead(&self) -> Vec<Value> {
        let page = self.server.get("/v1/webhooks/agent/dead").send().await.json();
        page["items"].as_array().unwrap().clone()
    }

    pub(crate) async fn act(&self, key: &str, path: &str) -> Reply {
        self.server.post(&format!("/v1/webhooks/agent/{path}")).header("Idempotency-Key", key).send().await
    }

    /// Returns what the stream has told so far.
    pub(crate) async fn events(&self, kinds: &str) -> Vec<Value> {
        let told = self.server.get(&format!("/v1/events?after=0&limit=200{kinds}")).send().await.json();
        told["items"].as_array().unwrap().clone()
    }
}
