//! Client for the official conformance suite of MCP: connects to the server whose address is the last argument, as an
//! installation does, looks at its tools, allows them and calls each with fitting arguments. Where somebody has to agree,
//! the person is played here: the page of consent is opened, and what it leads back to is handed over. `cargo xtask peers`
//! runs it.
#![expect(clippy::print_stdout, reason = "what is printed is kept with the results of the suite")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, Risk};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, ToolFault};
use throughline_engine::{EffectId, LaneKey, TaskId};
use throughline_net::Reach;
use throughline_tools::{
    Clients, GrantOf, GrantedAddress, Grants, Key, KnownAs, MemoryGrants, MemoryPins, OAuthSetting,
    RemoteAddress, ServerAddress, ServerSetting, Settings, SigningAlgorithm, Timeouts, ToolSetting,
};

/// Name of the server in the settings.
const SERVER: &str = "suite";
/// Address that a person comes back to. Nothing listens there: the redirect is read, and not followed.
const BACK: &str = "http://127.0.0.1:1/back";
/// The document that the suite takes for a client's description.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

#[tokio::main]
async fn main() -> Result<(), String> {
    let url = std::env::args().next_back().ok_or("the address of the server is missing")?;
    let at = address(&url)?;
    let grants: Arc<dyn Grants> = Arc::new(MemoryGrants::default());
    let found = clients(&at, &[], &grants)?;
    if is_of_person(&at) {
        connect(&found).await?;
    }
    let listed = found.list().await.map_err(|error| error.to_string())?;
    found.close().await;
    let tools: Vec<String> =
        listed.iter().filter_map(|tool| tool.at.split_once('/')).map(|at| at.1.into()).collect();
    println!("tools: {tools:?}");
    let clients = clients(&at, &tools, &grants)?;
    let pinned = clients.pin(None, "suite").await.map_err(|error| error.to_string())?;
    if !pinned.unreachable.is_empty() {
        return Err(format!("{:?}", pinned.unreachable));
    }
    for (n, tool) in tools.iter().enumerate() {
        let effect = EffectId(format!("fx_{n}"));
        let lane = LaneKey::new("suite", "suite", "api", "suite", "");
        let mut call = call(tool);
        let mut said = ask(&clients, &lane, &effect, &call).await;
        if matches!(&said, Attempt::Rejected { text: Fault::Tool(ToolFault::LacksRights), .. }) {
            // An operator is told so, and connects it again.
            connect(&clients).await?;
            said = ask(&clients, &lane, &effect, &call).await;
        }
        if let Attempt::Applied(CallOutcome::Asked(question)) = &said {
            // A person answers each field that is asked for, whatever its form.
            let given = question.fields.iter().map(|field| (field.name.clone(), "1".to_owned())).collect();
            call.phase = CallPhase::Answer { remote: question.remote.clone(), given };
            said = ask(&clients, &lane, &effect, &call).await;
        }
        println!("{tool}: {said:?}");
    }
    clients.close().await;
    Ok(())
}

/// Connects the server, as `throughline tools connect` does; the person agrees at once.
async fn connect(clients: &Clients) -> Result<(), String> {
    let consent = clients.begin_to_connect(SERVER, BACK).await?;
    println!("a person opens {}", consent.url);
    let browser = throughline_net::client(Reach::Loopback, Duration::from_secs(3))?;
    let page = browser.get(&consent.url).send().await.map_err(|error| error.to_string())?;
    let back = page.headers().get("location").and_then(|location| location.to_str().ok());
    let back = back.ok_or_else(|| format!("the page of consent leads nowhere: {}", page.status()))?;
    clients.finish_to_connect(SERVER, &consent, back, "suite").await
}

async fn ask(clients: &Clients, lane: &LaneKey, effect: &EffectId, call: &Call) -> Attempt<CallOutcome> {
    clients.work(&CallRequest { lane, effect, call, underway: None }).await
}

fn because((setting, why): (String, String)) -> String {
    format!("{setting}: {why}")
}

/// Returns the address with the way to a token that the suite's scenario is about.
fn address(url: &str) -> Result<ServerAddress, String> {
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    if !scenario.starts_with("auth/") {
        let open = RemoteAddress { url: url.into(), token: None, allow_loopback: true };
        return Ok(ServerAddress::Http(open));
    }
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let given = |name: &str| context[name].as_str();
    let key = |text: &str| Key::parse(text).ok_or("the suite's secret is none");
    let secret = given("client_secret").map(key).transpose()?;
    let of = match (given("client_id"), secret, given("private_key_pem")) {
        (Some(id), _, Some(pem)) => {
            GrantOf::SigningKey { client_id: id.into(), pem: pem.into(), algorithm: SigningAlgorithm::Es256 }
        }
        (Some(id), Some(secret), None) if scenario.starts_with("auth/client-credentials") => {
            GrantOf::Secret { client_id: id.into(), secret }
        }
        (Some(id), secret, None) => GrantOf::Person(KnownAs::Registered { client_id: id.into(), secret }),
        (None, ..) => GrantOf::Person(KnownAs::Document { url: DOCUMENT.into() }),
    };
    let oauth = OAuthSetting { of, scopes: Vec::new() };
    Ok(ServerAddress::Granted(GrantedAddress { url: url.into(), oauth, allow_loopback: true }))
}

fn is_of_person(at: &ServerAddress) -> bool {
    matches!(at, ServerAddress::Granted(GrantedAddress { oauth, .. }) if matches!(oauth.of, GrantOf::Person(_)))
}

fn clients(at: &ServerAddress, tools: &[String], grants: &Arc<dyn Grants>) -> Result<Clients, String> {
    let settings = settings(at, tools);
    Clients::new(settings, Arc::new(MemoryPins::default()), grants.clone()).map_err(because)
}

fn settings(at: &ServerAddress, tools: &[String]) -> Settings {
    let tool = |tool: &String| {
        let args = arguments(tool).into_keys().collect();
        (tool.clone(), ToolSetting { server: SERVER.into(), tool: tool.clone(), args, idempotent: false })
    };
    Settings {
        servers: BTreeMap::from([(SERVER.into(), ServerSetting { at: at.clone(), calls: 4 })]),
        tools: tools.iter().map(tool).collect(),
        agents: BTreeMap::new(),
        timeouts: Timeouts::default(),
    }
}

/// Returns arguments for the tools of the suite that have any.
fn arguments(tool: &str) -> BTreeMap<String, String> {
    let numbers = [("a".to_owned(), "2".to_owned()), ("b".to_owned(), "3".to_owned())];
    if tool == "add_numbers" { numbers.into() } else { BTreeMap::new() }
}

fn call(tool: &str) -> Call {
    Call {
        job: Job::Tool { name: tool.into(), args: arguments(tool) },
        phase: CallPhase::Begin,
        task: TaskId::from("t_suite"),
        text: "suite".into(),
        risk: Risk::Read,
        prompt: None,
    }
}
