//! A small app: calls methods, opens sockets, receives requests.

use std::sync::LazyLock;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use throughline_fakes::slack::FakeSlack;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

const LONGEST: Duration = Duration::from_secs(20);

/// The client of all tests: it costs time to make. It keeps no connections, which end with the runtime they are of.
static CLIENT: LazyLock<reqwest::Client> =
    LazyLock::new(|| reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap());

/// Calls a method with JSON and a token. Returns the status and the answer.
pub(crate) async fn with_token(slack: &FakeSlack, method: &str, token: &str, body: Value) -> (u16, Value) {
    let mut request = CLIENT.post(format!("{}{method}", slack.api()));
    request = request.header("content-type", "application/json; charset=utf-8").body(body.to_string());
    if !token.is_empty() {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let wait = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    let text = response.text().await.unwrap();
    let mut answer: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    if let Some(wait) = wait {
        answer["retry-after"] = json!(wait);
    }
    (status, answer)
}

/// Calls a method with the bot's token.
pub(crate) async fn api(slack: &FakeSlack, method: &str, body: Value) -> Value {
    with_token(slack, method, FakeSlack::BOT_TOKEN, body).await.1
}

/// Calls a method that succeeds.
pub(crate) async fn call(slack: &FakeSlack, method: &str, body: Value) -> Value {
    let answer = api(slack, method, body).await;
    assert_eq!(answer["ok"], true, "{method}: {answer}");
    answer
}

/// Posts JSON without a token.
pub(crate) async fn post(url: &str, body: Value) -> (u16, String) {
    let request = CLIENT.post(url).header("content-type", "application/json").body(body.to_string());
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

/// A socket of Socket Mode.
pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// The address it was opened with.
    pub(crate) url: String,
    /// The first frame.
    pub(crate) hello: Value,
}

impl Socket {
    pub(crate) async fn open(slack: &FakeSlack) -> Self {
        let opened = with_token(slack, "apps.connections.open", FakeSlack::APP_TOKEN, json!({})).await.1;
        let url = opened["url"].as_str().unwrap_or_else(|| panic!("no socket: {opened}")).to_owned();
        let stream = Self::connect(&url).await.unwrap();
        let mut socket = Self { stream, url, hello: Value::Null };
        socket.hello = socket.frame().await;
        assert_eq!(socket.hello["type"], "hello");
        socket
    }

    pub(crate) async fn connect(url: &str) -> Option<WebSocketStream<MaybeTlsStream<TcpStream>>> {
        connect_async(url).await.ok().map(|(stream, _)| stream)
    }

    /// Returns the next text frame.
    pub(crate) async fn frame(&mut self) -> Value {
        loop {
            let next = tokio::time::timeout(LONGEST, self.stream.next()).await.expect("a frame");
            match next.unwrap().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                _ => continue,
            }
        }
    }

    /// Sends a ping, and returns the next frame that is no text.
    pub(crate) async fn ping(&mut self, payload: &'static str) -> Message {
        self.stream.send(Message::Ping(payload.into())).await.unwrap();
        loop {
            let next = tokio::time::timeout(LONGEST, self.stream.next()).await.expect("a frame");
            match next.unwrap().unwrap() {
                Message::Text(_) => continue,
                other => return other,
            }
        }
    }

    /// Sends any text.
    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.send(Message::Text(text.to_owned().into())).await.unwrap();
    }

    /// Acknowledges the next envelope, and returns it.
    pub(crate) async fn ack(&mut self) -> Value {
        self.ack_with(Value::Null).await
    }

    pub(crate) async fn ack_with(&mut self, payload: Value) -> Value {
        let envelope = self.frame().await;
        let mut ack = json!({"envelope_id": envelope["envelope_id"]});
        if !payload.is_null() {
            ack["payload"] = payload;
        }
        self.stream.send(Message::Text(ack.to_string().into())).await.unwrap();
        envelope
    }
}

/// A request that the app received.
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn field(&self, name: &str) -> String {
        let mut fields = form_urlencoded::parse(self.body.as_bytes());
        fields.find(|(known, _)| known == name).map(|(_, value)| value.into_owned()).unwrap()
    }

    pub(crate) fn payload(&self) -> Value {
        serde_json::from_str(&self.field("payload")).unwrap()
    }
}

/// A server that keeps what it receives, and answers 200 unless told otherwise.
pub(crate) struct Receiver {
    pub(crate) url: String,
    received: mpsc::UnboundedReceiver<Request>,
    answers: mpsc::UnboundedSender<(u16, String)>,
}

type Ends = std::sync::Arc<(
    mpsc::UnboundedSender<Request>,
    tokio::sync::Mutex<mpsc::UnboundedReceiver<(u16, String)>>,
)>;

async fn receive(
    State(ends): State<Ends>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, String) {
    let _ = ends.0.send(Request { path: uri.path().into(), headers, body });
    let (status, text) = ends.1.lock().await.try_recv().unwrap_or((200, String::new()));
    (StatusCode::from_u16(status).unwrap(), text)
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sent, received) = mpsc::unbounded_channel();
        let (answers, next) = mpsc::unbounded_channel();
        let ends: Ends = std::sync::Arc::new((sent, tokio::sync::Mutex::new(next)));
        let router = axum::Router::new().fallback(receive).with_state(ends);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, received, answers }
    }

    /// Sets the answer to the next request.
    pub(crate) fn answer(&self, status: u16, body: &str) {
        self.answers.send((status, body.into())).unwrap();
    }

    pub(crate) async fn next(&mut self) -> Request {
        tokio::time::timeout(LONGEST, self.received.recv()).await.expect("a request").unwrap()
    }
}

/// Gets a page. Returns the status and, of a redirect, where it leads, else the text.
pub(crate) async fn get(url: &str) -> (u16, String) {
    static STAYS: LazyLock<reqwest::Client> = LazyLock::new(|| {
        let stays = reqwest::redirect::Policy::none();
        reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).redirect(stays).build().unwrap()
    });
    let response = STAYS.get(url).send().await.unwrap();
    let status = response.status().as_u16();
    match response.headers().get("location") {
        Some(location) => (status, location.to_str().unwrap().to_owned()),
        None => (status, response.text().await.unwrap()),
    }
}
