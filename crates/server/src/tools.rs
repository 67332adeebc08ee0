//! Tools and sub-agents: from settings and token files to the workers that the runtime calls; stored pins; and
//! `doctor tools`.

mod grants;

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
    AgentSetting, ChildSetting, GrantOf, GrantedAddress, Key, KnownAs, ListedTool, NoPlace, OAuthSetting,
    Pin, PinStatus, Pins, PinsError, ReadyClient, RemoteAddress, ServerAddress, ServerSetting, Settings,
    ToolSetting,
};

use self::grants::StoredGrants;
use crate::config::{Config, GrantConfig, KnownAsConfig, OAuthConfig, PlaceConfig, ServerAt};
use crate::finding::{Finding, State, finding};
use crate::instance::Instance;
use crate::start_error::StartError;
use crate::wire;

pub use throughline_tools::Clients;

/// Collection of the pins.
const PINS: &str = "pins";

/// Opens the clients of the configured tools and agents; `None` if there are none. Nothing is started or asked yet.
///
/// # Errors
/// A token file or an address cannot be used.
pub(crate) fn open(
    config: &Config,
    store: &Arc<dyn Store>,
    key: &[u8; 32],
) -> Result<Option<Arc<Clients>>, StartError> {
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
            ServerAt::Granted { url, oauth: way, allow_loopback } => {
                let (url, oauth, allow_loopback) = (url.clone(), oauth(way)?, *allow_loopback);
                ServerAddress::Granted(GrantedAddress { url, oauth, allow_loopback })
            }
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
    let grants = StoredGrants::new(store.clone(), &config.tenant, key);
    let clients = Clients::new(settings, Arc::new(pins), Arc::new(grants));
    let clients = clients.map_err(|(what, why)| StartError::Tool { why: format!("`{what}`: {why}") });
    Ok(Some(Arc::new(clients?)))
}

fn place(at: &PlaceConfig) -> Result<RemoteAddress, StartError> {
    let token = at.token_file.as_deref().map(token).transpose()?;
    Ok(RemoteAddress { url: at.url.clone(), token, allow_loopback: at.allow_loopback })
}

fn oauth(way: &OAuthConfig) -> Result<OAuthSetting, StartError> {
    let of = match &way.of {
        GrantConfig::Person(KnownAsConfig::Nobody) => GrantOf::Person(KnownAs::Nobody),
        GrantConfig::Person(KnownAsConfig::Document { url }) => {
            GrantOf::Person(KnownAs::Document { url: url.clone() })
        }
        GrantConfig::Person(KnownAsConfig::Registered { client_id, file }) => {
            let secret = file.as_deref().map(token).transpose()?;
            GrantOf::Person(KnownAs::Registered { client_id: client_id.clone(), secret })
        }
        GrantConfig::Secret { client_id, file } => {
            GrantOf::Secret { client_id: client_id.clone(), secret: token(file)? }
        }
        GrantConfig::SigningKey { client_id, file, algorithm } => GrantOf::SigningKey {
            client_id: client_id.clone(),
            pem: text(file)?.into(),
            algorithm: *algorithm,
        },
    };
    Ok(OAuthSetting { of, scopes: way.scopes.clone() })
}

fn text(file: &Path) -> Result<String, StartError> {
    std::fs::read_to_string(file).map_err(|error| StartError::Tool {
        why: format!("the token file {} cannot be read: {error}", file.display()),
    })
}

fn token(file: &Path) -> Result<Key, StartError> {
    let cannot = |why: String| StartError::Tool { why };
    let text = text(file)?;
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

/// Asks every configured server and agent for its definition, and compares it with the pins of an installation. Without
/// one, nothing is pinned and nothing granted. Returns nothing if none is configured.
pub async fn examine(config: &Config, instance: Option<&Instance>) -> Vec<Finding> {
    const WHAT: &str = "tools";
    let fresh = || Arc::new(MemoryStore::new(Arc::new(SystemClock::default()))) as Arc<dyn Store>;
    let opened = match instance {
        Some(instance) => Ok(instance.tools.clone()),
        None => open(config, &fresh(), &[0; 32]),
    };
    let clients = match opened {
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
        ServerAt::Http(PlaceConfig { url, allow_loopback, .. })
        | ServerAt::Granted { url, allow_loopback, .. } => {
            Some((format!("mcp.{name}"), url, *allow_loopback))
        }
        ServerAt::Child { .. } => None,
    });
    let agents = config.tools.agents.iter();
    let agents =
        agents.map(|(name, agent)| (format!("agents.{name}"), &agent.place.url, agent.place.allow_loopback));
    let all = servers.chain(agents).filter(|(.., allow_loopback)| *allow_loopback);
    all.map(|(name, url, _)| (name, url.clone())).collect()
}

fn examined(one: &ListedTool) -> Finding {
    let what = if one.name.starts_with("agent:") { "sub-agent" } else { "tool" };
    let line = |text: &str| format!("{} ({}): {text}", one.name, one.at);
    let broken = |text: &str, fix: &str| finding(what, State::Broken, line(text), Some(fix));
    match &one.status {
        PinStatus::Unconnected => broken(
            "nobody has connected its server, or the connection has ended",
            "`throughline tools connect NAME`, with the name of its server (TL-5303)",
        ),
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
