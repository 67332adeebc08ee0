//! Agents that misbehave, over a socket: how their answers are interpreted, and the end of remote work.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, RemoteTask, Risk};
use throughline_engine::data::effect::Attempt;
use throughline_engine::{LaneKey, Language};
use throughline_tools::{AgentSetting, Clients, MemoryGrants, MemoryPins, RemoteAddress, Settings, Timeouts};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The answer to everything but a request for its card.
type Says = Arc<Mutex<(u16, String)>>;

const HTML: &str = "<html>Not here</html>";

struct World {
    clients: Clients,
    says: Says,
    asked: Arc<Mutex<Vec<String>>>,
}

impl World {
    async fn new(binding: &str) -> Self {
        Self::under(binding, "").await
    }

    /// An agent whose interface is at a path of its host.
    async fn under(binding: &str, path: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = format!("http://{}", listener.local_addr().unwrap());
        let card = json!({"name": "writer", "supportedInterfaces": [
            {"protocolBinding": binding, "protocolVersion": "1.0", "url": format!("{at}{path}")}]});
        let (says, asked) = (Says::default(), Arc::<Mutex<Vec<String>>>::default());
        let (answers, notes) = (says.clone(), asked.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (card, answers, notes) = (card.to_string(), answers.clone(), notes.clone());
                tokio::spawn(async move {
                    let _ = serve(stream, &card, &answers, &notes).await;
                });
            }
        });
        let clients = clients(&at, Timeouts::default());
        let world = Self { clients, says, asked };
        assert_eq!(world.clients.pin(None, "ana").await.unwrap().pinned, ["agent:writer"]);
        world
    }

    /// Sends it a message with that risk; with `underway`, polls work that was begun.
    async fn work(&self, risk: Risk, underway: Option<&RemoteTask>) -> Attempt<CallOutcome> {
        work(&self.clients, risk, underway).await
    }

    fn answers(&self, status: u16, body: &str) {
        *self.says.lock().unwrap() = (status, body.to_owned());
    }
}

fn clients(at: &str, timeouts: Timeouts) -> Clients {
    let place = RemoteAddress { url: at.to_owned(), token: None, allow_loopback: true };
    let agents = BTreeMap::from([("writer".into(), AgentSetting { place, idempotent: false })]);
    let settings = Settings { agents, timeouts, ..Settings::default() };
    Clients::new(settings, Arc::new(MemoryPins::default()), Arc::new(MemoryGrants::default())).unwrap()
}

async fn work(clients: &Clients, risk: Risk, underway: Option<&RemoteTask>) -> Attempt<CallOutcome> {
    let lane = LaneKey::new("t", "a", "web", "c", "");
    let call = Call {
        job: Job::Agent { name: "writer".into() },
        phase: CallPhase::Begin,
        task: "t_1".into(),
        text: "write".into(),
        risk,
        prompt: None,
    };
    let effect = "fx_1".into();
    clients.work(&CallRequest { lane: &lane, effect: &effect, call: &call, underway }).await
}

/// One request of one connection.
async fn serve(
    stream: TcpStream,
    card: &str,
    answers: &Says,
    notes: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    let line = head.lines().next().unwrap_or_default().to_owned();
    let (status, body) = match line.contains("agent-card.json") {
        true => (200, card.to_owned()),
        false => {
            notes.lock().unwrap().push(line);
            answers.lock().unwrap().clone()
        }
    };
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    stream.get_mut().write_all(answer.as_bytes()).await
}

fn error(code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": "fx_1", "error": {"code": code, "message": message}}).to_string()
}

/// A refusal has a body that was understood (`docs/design/0031-effects-and-retries.md`). A page of a proxy proves
/// nothing.
#[tokio::test]
async fn only_an_answer_that_was_understood_refuses() {
    for binding in ["JSONRPC", "HTTP+JSON"] {
        let world = World::new(binding).await;
        for (status, body) in [
            (301, "{}"),
            (403, HTML),
            (404, HTML),
            (404, ""),
            (408, "{}"),
            (413, "\"too long\""),
            (502, HTML),
            (200, HTML),
        ] {
            world.answers(status, body);
            let attempt = world.work(Risk::Write, None).await;
            assert!(matches!(attempt, Attempt::Unknown { .. }), "{binding} {status} {body}: {attempt:?}");
        }
        world.answers(400, r#"{"error": {"message": "no such field"}}"#);
        let attempt = world.work(Risk::Write, None).await;
        assert!(
            matches!(&attempt, Attempt::Rejected { text, .. } if text.text(Language::En) == "no such field"),
            "{binding}: {attempt:?}"
        );
        world.answers(429, "");
        assert!(matches!(world.work(Risk::Write, None).await, Attempt::NotApplied { .. }), "{binding}");
    }
    let world = World::new("JSONRPC").await;
    world.answers(200, &error(-32_602, "no such field"));
    assert!(matches!(world.work(Risk::Write, None).await, Attempt::Rejected { .. }));
    world.answers(200, &error(-32_603, "it broke"));
    assert!(matches!(world.work(Risk::Write, None).await, Attempt::Unknown { .. }), "as a status 500 is");
}

/// An agent that never shows its card does not use up the time of the send: nothing was sent.
#[tokio::test]
async fn a_card_has_no_more_time_than_it_takes_to_be_ready() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let timeouts =
        Timeouts { ready: Duration::from_millis(200), call: Duration::from_secs(300), ..Timeouts::default() };
    let clients = clients(&format!("http://{}", silent.local_addr().unwrap()), timeouts);
    let asked = tokio::time::timeout(Duration::from_secs(100), work(&clients, Risk::Write, None)).await;
    let attempt = asked.expect("it ended");
    assert!(
        matches!(&attempt, Attempt::NotApplied { why, .. } if why.text(Language::En).contains("in time")),
        "{attempt:?}"
    );
}

/// A server may answer `/a2a` with a redirect to `/a2a/`, and redirects are not followed.
#[tokio::test]
async fn an_address_is_used_as_it_is_said() {
    for (binding, path, asked) in [
        ("JSONRPC", "/a2a/", "post /a2a/ http/1.1"),
        ("JSONRPC", "/a2a", "post /a2a http/1.1"),
        ("JSONRPC", "", "post / http/1.1"),
        ("HTTP+JSON", "/a2a/", "post /a2a/message:send http/1.1"),
    ] {
        let world = World::under(binding, path).await;
        world.answers(429, "");
        world.work(Risk::Read, None).await;
        assert_eq!(*world.asked.lock().unwrap(), [asked]);
    }
}

/// One failed poll ends nothing; only an agent that has no such task does.
#[tokio::test]
async fn only_an_agent_that_knows_no_such_task_ends_it() {
    let there = RemoteTask::at("t1", "half done");
    let gone = json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "no task t1",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND"}]}});
    let problem = json!({"type": "https://a2a-protocol.org/errors/task-not-found", "title": "no task t1"});
    for (binding, status, says) in [
        ("JSONRPC", 200, error(-32_001, "no task t1")),
        ("JSONRPC", 404, error(-32_001, "no task t1")),
        ("HTTP+JSON", 404, gone.to_string()),
        ("HTTP+JSON", 404, problem.to_string()),
    ] {
        let world = World::new(binding).await;
        for (status, body) in [
            (401, r#"{"error": {"message": "who are you"}}"#.to_owned()),
            (404, HTML.to_owned()),
            (404, r#"{"detail": "Not Found"}"#.to_owned()),
            (200, error(-32_603, "it broke")),
            (200, error(-32_600, "what")),
            (500, String::new()),
        ] {
            world.answers(status, &body);
            let attempt = world.work(Risk::Read, Some(&there)).await;
            assert_eq!(
                attempt,
                Attempt::Applied(CallOutcome::Underway(there.clone())),
                "{binding} {status} {body}"
            );
        }
        world.answers(status, &says);
        let attempt = world.work(Risk::Read, Some(&there)).await;
        assert!(
            matches!(&attempt, Attempt::Rejected { text, .. } if text.text(Language::En).contains("no task t1")),
            "{attempt:?}"
        );
        let attempt = world.work(Risk::Write, Some(&there)).await;
        assert!(matches!(attempt, Attempt::Unknown { .. }), "what it did nobody knows: {attempt:?}");
    }
}
