//! Client for the official conformance suite of MCP: connects to the server whose address is the last argument, as an
//! installation does, looks at its tools, allows them and calls each with fitting arguments. `cargo xtask peers` runs it.
#![expect(clippy::print_stdout, reason = "what is printed is kept with the results of the suite")]

use std::collections::BTreeMap;
use std::sync::Arc;

use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, Risk};
use throughline_engine::data::effect::Attempt;
use throughline_engine::{EffectId, LaneKey, TaskId};
use throughline_tools::{
    Clients, MemoryPins, RemoteAddress, ServerAddress, ServerSetting, Settings, Timeouts, ToolSetting,
};

/// Name of the server in the settings.
const SERVER: &str = "suite";

#[tokio::main]
async fn main() -> Result<(), String> {
    let url = std::env::args().next_back().ok_or("the address of the server is missing")?;
    let found = Clients::new(settings(&url, &[]), Arc::new(MemoryPins::default())).map_err(because)?;
    let listed = found.list().await.map_err(|error| error.to_string())?;
    found.close().await;
    let tools: Vec<String> =
        listed.iter().filter_map(|tool| tool.at.split_once('/')).map(|at| at.1.into()).collect();
    println!("tools: {tools:?}");
    let clients = Clients::new(settings(&url, &tools), Arc::new(MemoryPins::default())).map_err(because)?;
    let pinned = clients.pin(None, "suite").await.map_err(|error| error.to_string())?;
    if !pinned.unreachable.is_empty() {
        return Err(format!("{:?}", pinned.unreachable));
    }
    for (n, tool) in tools.iter().enumerate() {
        let effect = EffectId(format!("fx_{n}"));
        let lane = LaneKey::new("suite", "suite", "api", "suite", "");
        let mut call = call(tool);
        let mut said = ask(&clients, &lane, &effect, &call).await;
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

async fn ask(clients: &Clients, lane: &LaneKey, effect: &EffectId, call: &Call) -> Attempt<CallOutcome> {
    clients.work(&CallRequest { lane, effect, call, underway: None }).await
}

fn because((setting, why): (String, String)) -> String {
    format!("{setting}: {why}")
}

fn settings(url: &str, tools: &[String]) -> Settings {
    let at = ServerAddress::Http(RemoteAddress { url: url.into(), token: None, allow_loopback: true });
    let tool = |tool: &String| {
        let args = arguments(tool).into_keys().collect();
        (tool.clone(), ToolSetting { server: SERVER.into(), tool: tool.clone(), args, idempotent: false })
    };
    Settings {
        servers: BTreeMap::from([(SERVER.into(), ServerSetting { at, calls: 4 })]),
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
