//! Tools and sub-agents: from settings and token files to the workers that the runtime calls; stored pins; and
//! `doctor tools`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use throughline_engine::data::call::{CallOutcome, CallRequest};
use throughline_engine::data::canonical_json;
use throughline_engine::data::effect::Attempt;
use throughline_engine::retry::Guarantee;
use throughline_runtime::{NotReady, Permit, Worker};
use throughline_store::{Document, MemoryStore, Store, StoreError, SystemClock};
use throughline_tools::{
    AgentSetting, ChildSetting, Key, ListedTool, NoPlace, Pin, PinStatus, Pins, PinsError, ReadyClient,
    RemoteAddress, ServerAddress, ServerSetting, Settings, ToolSetting,
};

use crate::config::{Config, PlaceConfig, ServerAt};
use crate::finding::{Finding, State, finding};
use crate::start_error::StartError;
use crate::wire;

pub use throughline_tools::Clients;

/// Collection of the pins.
const PINS: &str = "pins";

/// Opens the clients of the configured tools and agents; `None` if there are none. Nothing is started or asked yet.
///
/// # Errors
/// A token file or an address cannot be used.
pub(crate) fn open(config: &Config, store: &Arc<dyn Store>) -> Result<Option<Arc<Clients>>, StartError> {
    if config.tools.is_empty() {
        return Ok(None);
    }
    let mut settings = Settings::default();
    for (name, server) in &config.tools.servers {
        let at = match &server.at {
            ServerAt::Child { command, args, env } => {
                let (command, args, env) = (command.clone(), args.clone(), env.clone());
                ServerAddress::Child(ChildSetting { command, args, env })
            }
            ServerAt::Http(at) => ServerAddress::Http(place(at)?),
        };
        let server = ServerSetting { at, calls: server.calls };
        settings.servers.insert(name.clone(), server);
    }
    for (name, tool) in &config.tools.tools {
        let setting = ToolSetting {
            server: tool.server.clone(),
            tool: tool.tool.clone(),
            args: tool.args.clone(),
            idempotent: tool.idempotent,
        };
        settings.tools.insert(name.clone(), setting);
    }
    for (name, agent) in &config.tools.agents {
        let setting = AgentSetting { place: place(&agent.place)?, idempotent: agent.idempotent };
        settings.agents.insert(name.clone(), setting);
    }
    let pins = StoredPins { store: store.clone(), tenant: config.tenant.clone() };
    let clients = Clients::new(settings, Arc::new(pins));
    let clients = clients.map_err(|(what, why)| StartError::Tool { why: format!("`{what}`: {why}") });
    Ok(Some(Arc::new(clients?)))
}

fn place(at: &PlaceConfig) -> Result<RemoteAddress, StartError> {
    let token = at.token_file.as_deref().map(token).transpose()?;
    Ok(RemoteAddress { url: at.url.clone(), token, allow_loopback: at.allow_loopback })
}

fn token(file: &Path) -> Result<Key, StartError> {
    let cannot = |why: String| StartError::Tool { why };
    let text = std::fs::read_to_string(file)
        .map_err(|error| cannot(format!("the token file {} cannot be read: {error}", file.display())))?;
    Key::parse(&text)
        .ok_or_else(|| cannot(format!("{} does not hold a token, which is one word", file.display())))
}

/// Returns the clients as workers of the runtime, by target.
pub(crate) fn workers(clients: Option<&Arc<Clients>>) -> BTreeMap<String, Arc<dyn Worker>> {
    let worker = |clients: &Arc<Clients>, idempotent| ToolWorker { clients: clients.clone(), idempotent };
    let all = clients.into_iter().flat_map(|clients| clients.targets().map(move |target| (clients, target)));
    all.map(|(clients, (target, idempotent))| {
        (target, Arc::new(worker(clients, idempotent)) as Arc<dyn Worker>)
    })
    .collect()
}

/// Worker for one tool or agent.
struct ToolWorker {
    clients: Arc<Clients>,
    idempotent: bool,
}

#[async_trait]
impl Worker for ToolWorker {
    fn guarantee(&self) -> Guarantee {
        if self.idempotent { Guarantee::Idempotent } else { Guarantee::Nothing }
    }

    async fn ready(&self, errand: &CallRequest<'_>) -> Result<Permit, NotReady> {
        self.clients.ready(errand).await.map(Permit::holding).map_err(|no_place| match no_place {
            NoPlace::Busy => NotReady::Busy,
            NoPlace::Known(outcome) => NotReady::Known(outcome),
        })
    }

    async fn work(&self, errand: &CallRequest<'_>, permit: Permit) -> Attempt<CallOutcome> {
        match permit.take::<ReadyClient>() {
            Some(ready) => self.clients.send(errand, ready).await,
            None => self.clients.work(errand).await,
        }
    }
}

/// Pins stored as documents.
struct StoredPins {
    store: Arc<dyn Store>,
    tenant: String,
}

fn cannot(act: &'static str) -> impl Fn(StoreError) -> PinsError {
    move |error| PinsError { act, why: error.to_string() }
}

#[async_trait]
impl Pins for StoredPins {
    async fn get(&self, name: &str) -> Result<Option<Pin>, PinsError> {
        let found = self.store.document(&self.tenant, PINS, name).await.map_err(cannot("read"))?;
        // A pin that cannot be read is treated as missing.
        Ok(found.and_then(|found| serde_json::from_str(&found.body).ok()))
    }

    async fn put(&self, name: &str, pin: Pin, by: &str) -> Result<(), PinsError> {
        let body = serde_json::to_string(&pin).map_err(|e| PinsError { act: "kept", why: e.to_string() })?;
        let before = self.store.document(&self.tenant, PINS, name).await.map_err(cannot("read"))?;
        let version = before.map_or(0, |before| before.version);
        let document = Document::new(name, version, body);
        let audit = canonical_json::jcs(&json!({
            "what": "pinned", "target": name, "by": by, "at": self.store.now(), "sha256": pin.hash,
        }));
        match self.store.write_documents(&self.tenant, vec![(PINS.into(), document)], Some(&audit)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(PinsError { act: "kept", why: "somebody else pinned it just now".into() }),
            Err(error) => Err(cannot("kept")(error)),
        }
    }
}

/// Returns every tool and agent with its state, for people and programs.
///
/// # Errors
/// The pins cannot be read.
pub async fn list(clients: &Clients) -> Result<Vec<wire::Tool>, PinsError> {
    Ok(clients.list().await?.into_iter().map(to_wire).collect())
}

fn to_wire(listed: ListedTool) -> wire::Tool {
    let why = match &listed.status {
        PinStatus::Unreachable(why) => Some(why.clone()),
        _ => None,
    };
    let state = listed.status.as_str().to_owned();
    wire::Tool {
        name: listed.name,
        at: listed.at,
        state,
        why,
        description: listed.description,
        unasked: listed.unasked,
    }
}

/// Asks every configured server and agent for its definition, and compares it with the pins in `store`. Returns
/// nothing if none is configured.
pub async fn examine(config: &Config, store: Option<Arc<dyn Store>>) -> Vec<Finding> {
    const WHAT: &str = "tools";
    let fresh = || Arc::new(MemoryStore::new(Arc::new(SystemClock::default()))) as Arc<dyn Store>;
    let clients = match open(config, &store.unwrap_or_else(fresh)) {
        Ok(None) => return Vec::new(),
        Ok(Some(clients)) => clients,
        Err(error) => {
            let fix = "correct what it names; docs/tools.md has an example (TL-5302)";
            return vec![finding(WHAT, State::Broken, error.to_string(), Some(fix))];
        }
    };
    let mut found = Vec::new();
    for (name, url) in here(config) {
        let fix = "remove allow_loopback outside of tests, unless it does run on this machine";
        found.push(finding(
            "tool address",
            State::Warning,
            format!("{name} may be on this machine: {url}"),
            Some(fix),
        ));
    }
    match clients.list().await {
        Ok(listed) => {
            found.extend(listed.iter().filter(|one| one.status != PinStatus::Unused).map(examined));
        }
        Err(error) => {
            found.push(finding(WHAT, State::Broken, error.to_string(), Some("look at the store first")))
        }
    }
    clients.close().await;
    found
}

/// Returns the addresses that may be on this machine.
fn here(config: &Config) -> Vec<(String, String)> {
    let servers = config.tools.servers.iter().filter_map(|(name, server)| match &server.at {
        ServerAt::Http(place) => Some((format!("mcp.{name}"), place)),
        ServerAt::Child { .. } => None,
    });
    let agents = config.tools.agents.iter().map(|(name, agent)| (format!("agents.{name}"), &agent.place));
    let all = servers.chain(agents).filter(|(_, place)| place.allow_loopback);
    all.map(|(name, place)| (name, place.url.clone())).collect()
}

fn examined(one: &ListedTool) -> Finding {
    let what = if one.name.starts_with("agent:") { "sub-agent" } else { "tool" };
    let line = |text: &str| format!("{} ({}): {text}", one.name, one.at);
    let broken = |text: &str, fix: &str| finding(what, State::Broken, line(text), Some(fix));
    match &one.status {
        PinStatus::Unreachable(why) => broken(why, "is it running, and is its address or command right?"),
        PinStatus::Missing => {
            broken("its server has no such tool", "`throughline tools list` shows what it has")
        }
        PinStatus::New => broken(
            "nobody has looked at it, so it is off",
            "read `throughline tools list`, then `throughline tools pin` (TL-5301)",
        ),
        PinStatus::Changed => broken(
            "it says something else of itself than when it was pinned, so it is off",
            "read `throughline tools list`, then `throughline tools pin` (TL-5301)",
        ),
        PinStatus::Pinned | PinStatus::Unused if !one.unasked.is_empty() => broken(
            &format!("it has to know {}, and nobody is asked for that", one.unasked.join(", ")),
            "name it in the tool's `args`",
        ),
        PinStatus::Pinned | PinStatus::Unused => finding(what, State::Ok, line("as it was pinned"), None),
    }
}

#[cfg(test)]
mod tests {
    use throughline_engine::data::effect::EffectClass;
    use throughline_store::lease_of;
    use throughline_tools::Timeouts;

    /// A call that outlived its lease would be taken for lost while it runs.
    #[test]
    fn a_call_ends_before_its_lease_does() {
        let Timeouts { ready, call, whole, .. } = Timeouts::default();
        assert!(ready + call <= whole, "of an agent: its card, and then what it is asked");
        for class in [EffectClass::ToolCall, EffectClass::AgentDelegate] {
            assert!(whole.as_millis() < u128::try_from(lease_of(class)).unwrap(), "{class:?}");
        }
    }
}
