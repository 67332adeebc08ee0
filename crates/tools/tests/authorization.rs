//! Authorization against a server of tools that is its own authorization server, over real connections.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, Risk};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, ToolFault};
use throughline_engine::{EffectId, LaneKey, TaskId};
use throughline_net::Reach;
use throughline_tools::{
    Clients, GrantOf, GrantedAddress, Grants, HeldGrant, KnownAs, MemoryGrants, MemoryPins, OAuthSetting,
    PinStatus, Pins, ServerAddress, ServerSetting, Settings, Timeouts, ToolSetting,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const BACK: &str = "http://127.0.0.1:1/connected";

/// State of the server.
#[derive(Default)]
struct State {
    /// Requests, as method and path.
    seen: Vec<String>,
    /// Number of tokens that were given; the last one is taken.
    given: u32,
    /// Seconds that the next token lasts.
    lasts_s: u32,
    refreshes: u32,
    /// True if no refresh token is taken.
    refuses_refresh: bool,
    /// Scope that a call needs.
    needs: Option<&'static str>,
    /// Scope that was asked for last.
    asked: String,
}

#[derive(Clone)]
struct Fake {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Fake {
    async fn start(lasts_s: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let fake = Self { url, state: Arc::new(Mutex::new(State { lasts_s, ..State::default() })) };
        let served = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = served.clone();
                tokio::spawn(async move { fake.serve(stream).await });
            }
        });
        fake
    }

    fn state<T>(&self, of: impl FnOnce(&mut State) -> T) -> T {
        of(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let mut request = Vec::new();
        let (head, mut body) = loop {
            if let Some(at) = request.windows(4).position(|end| end == b"\r\n\r\n") {
                let head = String::from_utf8(request[..at].to_vec()).ok()?;
                break (head, request[at + 4..].to_vec());
            }
            if stream.read_buf(&mut request).await.ok()? == 0 {
                return None;
            }
        };
        let header = |name: &str| {
            let named = head.lines().filter_map(|line| line.split_once(": "));
            let mut named = named.filter(|(key, _)| key.eq_ignore_ascii_case(name));
            named.next().map(|(_, value)| value.to_owned())
        };
        let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while body.len() < length {
            if stream.read_buf(&mut body).await.ok()? == 0 {
                return None;
            }
        }
        let line: Vec<&str> = head.lines().next()?.split(' ').collect();
        let token = header("authorization");
        let (status, more, answer) =
            self.answer(line[0], line[1], token.as_deref(), &String::from_utf8_lossy(&body));
        let answer = if answer.is_null() { String::new() } else { answer.to_string() };
        let text = format!(
            "HTTP/1.1 {status} x\r\n{more}content-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{answer}",
            answer.len()
        );
        stream.write_all(text.as_bytes()).await.ok()
    }

    fn answer(&self, method: &str, target: &str, token: Option<&str>, body: &str) -> (u16, String, Value) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        self.state(|state| state.seen.push(format!("{method} {path}")));
        let url = &self.url;
        match (method, path) {
            ("POST", "/mcp") => self.tools(token, &serde_json::from_str(body).unwrap()),
            ("GET", "/.well-known/oauth-protected-resource/mcp") => {
                let resource = format!("{url}/mcp");
                (200, String::new(), json!({"resource": resource, "authorization_servers": [url]}))
            }
            ("GET", "/.well-known/oauth-authorization-server") => {
                let endpoint = |name: &str| format!("{url}/{name}");
                let metadata = json!({
                    "issuer": url, "authorization_endpoint": endpoint("authorize"),
                    "token_endpoint": endpoint("token"), "registration_endpoint": endpoint("register"),
                    "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                });
                (200, String::new(), metadata)
            }
            ("POST", "/register") => {
                (201, String::new(), json!({"client_id": "us", "redirect_uris": [BACK]}))
            }
            ("GET", "/authorize") => {
                let value =
                    |name: &str| query.split('&').find_map(|one| one.strip_prefix(name)).unwrap_or("");
                self.state(|state| state.asked = value("scope=").replace('+', " "));
                (302, format!("location: {BACK}?code=c&state={}\r\n", value("state=")), Value::Null)
            }
            ("POST", "/token") => self.token(body),
            _ => (404, String::new(), Value::Null),
        }
    }

    fn token(&self, form: &str) -> (u16, String, Value) {
        self.state(|state| {
            assert!(form.contains("resource="), "{form}");
            if form.contains("grant_type=refresh_token") {
                state.refreshes += 1;
                // One that was used is taken no more.
                if state.refuses_refresh || !form.contains(&format!("refresh_token=r{}&", state.given)) {
                    return (400, String::new(), json!({"error": "invalid_grant"}));
                }
            }
            state.given += 1;
            let lasts_s = std::mem::replace(&mut state.lasts_s, 3_600);
            let (access, refresh) = (format!("t{}", state.given), format!("r{}", state.given));
            let got = json!({
                "access_token": access, "token_type": "Bearer", "expires_in": lasts_s, "refresh_token": refresh,
            });
            (200, String::new(), got)
        })
    }

    fn tools(&self, token: Option<&str>, message: &Value) -> (u16, String, Value) {
        let (given, needs, asked) = self.state(|state| (state.given, state.needs, state.asked.clone()));
        if token != Some(&format!("Bearer t{given}")) {
            return (401, "www-authenticate: Bearer scope=\"look\"\r\n".into(), Value::Null);
        }
        let result = match message["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            }),
            "tools/list" => json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}),
            "tools/call" => match needs {
                Some(scope) if !asked.split(' ').any(|one| one == scope) => {
                    let lacks = format!(
                        "www-authenticate: Bearer error=\"insufficient_scope\", scope=\"{scope}\"\r\n"
                    );
                    return (403, lacks, Value::Null);
                }
                _ => json!({"content": [{"type": "text", "text": "seen"}]}),
            },
            method if method.starts_with("notifications/") => return (202, String::new(), Value::Null),
            _ => {
                let error = json!({"code": -32601, "message": "no such method"});
                return (200, String::new(), json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
            }
        };
        (200, String::new(), json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }
}

/// An installation: what its processes share.
struct World {
    fake: Fake,
    grants: Arc<MemoryGrants>,
    pins: Arc<MemoryPins>,
}

impl World {
    async fn new(lasts_s: u32) -> Self {
        Self { fake: Fake::start(lasts_s).await, grants: Arc::default(), pins: Arc::default() }
    }

    /// A process of it.
    fn process(&self) -> Clients {
        let oauth = OAuthSetting { of: GrantOf::Person(KnownAs::Nobody), scopes: Vec::new() };
        let url = format!("{}/mcp", self.fake.url);
        let at = ServerAddress::Granted(GrantedAddress { url, oauth, allow_loopback: true });
        let tool =
            ToolSetting { server: "crm".into(), tool: "look".into(), args: Vec::new(), idempotent: false };
        let settings = Settings {
            servers: BTreeMap::from([("crm".into(), ServerSetting { at, calls: 4 })]),
            tools: BTreeMap::from([("look".into(), tool)]),
            agents: BTreeMap::new(),
            timeouts: Timeouts::default(),
        };
        let pins: Arc<dyn Pins> = self.pins.clone();
        let grants: Arc<dyn Grants> = self.grants.clone();
        Clients::new(settings, pins, grants).unwrap()
    }

    async fn held(&self) -> HeldGrant {
        self.grants.load("crm").await.unwrap().held
    }
}

async fn connect(clients: &Clients) -> Result<(), String> {
    let consent = clients.begin_to_connect("crm", BACK).await?;
    let browser = throughline_net::client(Reach::Loopback, Duration::from_secs(3)).unwrap();
    let page = browser.get(&consent.url).send().await.unwrap();
    let back = page.headers()["location"].to_str().unwrap();
    clients.finish_to_connect("crm", &consent, back, "ana").await
}

async fn call(clients: &Clients) -> Attempt<CallOutcome> {
    let call = Call {
        job: Job::Tool { name: "look".into(), args: BTreeMap::new() },
        phase: CallPhase::Begin,
        task: TaskId::from("t_1"),
        text: "look".into(),
        risk: Risk::Read,
        prompt: None,
    };
    let lane = LaneKey::new("acme", "w", "api", "c", "");
    let request = CallRequest { lane: &lane, effect: &EffectId("fx_1".into()), call: &call, underway: None };
    clients.work(&request).await
}

fn seen() -> Attempt<CallOutcome> {
    Attempt::Applied(CallOutcome::Said("seen".into()))
}

fn not_sent(why: ToolFault) -> Attempt<CallOutcome> {
    Attempt::NotApplied { why: why.into(), hint: None }
}

#[tokio::test]
async fn what_nobody_connected_is_sent_nothing_and_works_once_somebody_did() {
    let world = World::new(3_600).await;
    let clients = world.process();
    assert_eq!(clients.list().await.unwrap()[0].status, PinStatus::Unconnected);
    assert_eq!(call(&clients).await, not_sent(ToolFault::Unconnected));
    assert_eq!(world.fake.state(|state| state.seen.clone()), Vec::<String>::new());
    connect(&clients).await.unwrap();
    assert_eq!(world.fake.state(|state| state.asked.clone()), "look", "as the refusal named it");
    clients.pin(None, "ana").await.unwrap();
    assert_eq!(call(&clients).await, seen());
    assert_eq!(call(&world.process()).await, seen(), "and in a process that begins later");
}

#[tokio::test]
async fn a_token_that_ends_is_renewed_once_for_all_processes() {
    let world = World::new(10).await;
    let processes = [world.process(), world.process(), world.process()];
    connect(&processes[0]).await.unwrap();
    let listed = tokio::join!(processes[0].list(), processes[1].list(), processes[2].list());
    for listed in [listed.0, listed.1, listed.2] {
        assert_eq!(listed.unwrap()[0].status, PinStatus::New);
    }
    assert_eq!(world.fake.state(|state| state.refreshes), 1);
    assert!(matches!(world.held().await, HeldGrant::Ready(grant) if grant.access.as_str() == "t2"));
}

#[tokio::test]
async fn a_grant_that_is_taken_no_more_has_to_be_given_again() {
    let world = World::new(10).await;
    let clients = world.process();
    connect(&clients).await.unwrap();
    world.fake.state(|state| state.refuses_refresh = true);
    assert_eq!(clients.list().await.unwrap()[0].status, PinStatus::Unconnected);
    assert!(matches!(world.held().await, HeldGrant::Nothing));
    assert_eq!(world.fake.state(|state| state.refreshes), 1);
    connect(&clients).await.unwrap();
    assert_eq!(clients.list().await.unwrap()[0].status, PinStatus::New);
}

#[tokio::test]
async fn more_rights_are_asked_for_once() {
    let world = World::new(3_600).await;
    let clients = world.process();
    connect(&clients).await.unwrap();
    clients.pin(None, "ana").await.unwrap();
    world.fake.state(|state| state.needs = Some("write"));
    let lacks = |fault: ToolFault| Attempt::Rejected { text: Fault::Tool(fault), errors: Vec::new() };
    assert_eq!(call(&clients).await, lacks(ToolFault::LacksRights));
    connect(&clients).await.unwrap();
    assert_eq!(world.fake.state(|state| state.asked.clone()), "look write");
    assert_eq!(call(&clients).await, seen());
    // The server is never satisfied: nobody is sent to ask for the same again.
    world.fake.state(|state| state.asked = String::new());
    assert_eq!(call(&clients).await, lacks(ToolFault::RefusesToken));
}

#[tokio::test]
async fn who_does_not_agree_or_comes_from_elsewhere_changes_nothing() {
    let world = World::new(3_600).await;
    let clients = world.process();
    let consent = clients.begin_to_connect("crm", BACK).await.unwrap();
    for (query, says) in [
        ("error=access_denied&error_description=no%0Athanks&state=x", "access_denied: no thanks"),
        ("code=c&state=of-somebody-else", "state"),
        ("code=c", "state"),
        ("", "code"),
    ] {
        let back = format!("{BACK}?{query}");
        let why = clients.finish_to_connect("crm", &consent, &back, "eve").await.unwrap_err();
        assert!(why.contains(says), "{query}: {why}");
    }
    assert!(matches!(world.held().await, HeldGrant::Nothing));
    assert!(clients.begin_to_connect("none", BACK).await.is_err_and(|why| why.contains("mcp.none")));
}
