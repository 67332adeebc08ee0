//! All tools and sub-agents of an installation, by the names people call them by.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use throughline_engine::data::call::{CallOutcome, CallPhase, CallRequest, Job};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::ToolFault;

use crate::a2a::Agent;
use crate::mcp::{NoTools, ReadyCall, Server, ToolCall, ToolDescription};
use crate::outcome::{NoPlace, rejected};
use crate::pins::{Pin, Pins, PinsError};
use crate::{Consent, Grants, Settings, ToolSetting};

/// The clients of all configured servers and agents.
pub struct Clients {
    settings: Settings,
    servers: BTreeMap<String, Server>,
    agents: BTreeMap<String, Agent>,
    pins: Arc<dyn Pins>,
}

/// A client that is ready for one call, and holds its connection until the call has ended.
pub struct ReadyClient(Ready);

enum Ready {
    Tool(Box<ReadyCall>),
    /// The agent's card, as it was pinned.
    Agent(Value),
}

/// A tool or a sub-agent, with its status.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedTool {
    /// `tool:weather`, `agent:writer`; for a tool that is not configured, its server and its name there.
    pub name: String,
    /// The server and the tool's name there, or the agent's address.
    pub at: String,
    /// The status.
    pub status: PinStatus,
    /// Its own description.
    pub description: String,
    /// Required arguments that people are not asked for.
    pub unasked: Vec<String>,
}

/// The status of a tool or an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinStatus {
    /// As it was pinned; it may be used.
    Pinned,
    /// Never pinned; it is off.
    New,
    /// Its description has changed since it was pinned; it is off (`TL-5301`).
    Changed,
    /// Its server does not have it.
    Missing,
    /// Somebody has to connect its server first, or again (`TL-5303`).
    Unconnected,
    /// It cannot be reached; the reason.
    Unreachable(String),
    /// A server offers it, and it is not configured.
    Unused,
}

/// The result of pinning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// The names that were new or had changed.
    pub pinned: Vec<String>,
    /// The names that could not be reached, with the reason for people.
    pub unreachable: Vec<(String, String)>,
}

impl PinStatus {
    /// The name in the API.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::New => "new",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Unconnected => "unconnected",
            Self::Unreachable(_) => "unreachable",
            Self::Unused => "unused",
        }
    }
}

impl Clients {
    /// # Errors
    /// The setting that cannot be used, and the reason, for people.
    pub fn new(
        settings: Settings,
        pins: Arc<dyn Pins>,
        grants: Arc<dyn Grants>,
    ) -> Result<Self, (String, String)> {
        let timeouts = settings.timeouts;
        let mut servers = BTreeMap::new();
        for (name, setting) in &settings.servers {
            let server =
                Server::new(name, setting, timeouts, &grants).map_err(|why| (format!("mcp.{name}"), why))?;
            servers.insert(name.clone(), server);
        }
        let mut agents = BTreeMap::new();
        for (name, setting) in &settings.agents {
            let agent = Agent::new(setting, timeouts).map_err(|why| (format!("agents.{name}"), why))?;
            agents.insert(name.clone(), agent);
        }
        if let Some((name, tool)) =
            settings.tools.iter().find(|(_, tool)| !servers.contains_key(&tool.server))
        {
            return Err((format!("tools.{name}"), format!("there is no MCP server “{}”", tool.server)));
        }
        Ok(Self { settings, servers, agents, pins })
    }

    /// Every target that can be called, and true if a call made twice under one effect id is one call.
    pub fn targets(&self) -> impl Iterator<Item = (String, bool)> {
        let tools = self.settings.tools.iter().map(|(name, tool)| (format!("tool:{name}"), tool.idempotent));
        let agents =
            self.settings.agents.iter().map(|(name, agent)| (format!("agent:{name}"), agent.idempotent));
        tools.chain(agents)
    }

    /// Makes one call, or asks how far an earlier one got.
    pub async fn work(&self, errand: &CallRequest<'_>) -> Attempt<CallOutcome> {
        match self.ready(errand).await {
            Ok(ready) => self.send(errand, ready).await,
            Err(NoPlace::Known(early)) => early,
            Err(NoPlace::Busy) => Attempt::NotApplied { why: ToolFault::Busy.into(), hint: None },
        }
    }

    /// Waits for the connection and for earlier calls on it, and checks the pin and the arguments. Nothing of the call is
    /// sent.
    ///
    /// # Errors
    /// There is no place for the call, or its outcome is known without sending it.
    pub async fn ready(&self, errand: &CallRequest<'_>) -> Result<ReadyClient, NoPlace> {
        match &errand.call.job {
            Job::Tool { name, args } => self.tool_ready(name, args, errand).await,
            Job::Agent { name } => self.agent_ready(name, errand).await,
            Job::Option(_) | Job::Act(_) => Err(rejected(ToolFault::HostRuns).into()),
            Job::Change(_) => Err(rejected(ToolFault::TrackerChanges).into()),
        }
    }

    /// Sends what is ready. A call of a tool is given up by dropping this, and its server is told.
    pub async fn send(&self, errand: &CallRequest<'_>, ready: ReadyClient) -> Attempt<CallOutcome> {
        match (ready.0, &errand.call.job) {
            (Ready::Tool(call), _) => call.send().await,
            (Ready::Agent(card), Job::Agent { name }) => match self.agents.get(name) {
                Some(agent) => agent.work(&card, errand).await,
                None => rejected(ToolFault::NoAgent { name: name.into() }),
            },
            (Ready::Agent(_), _) => rejected(ToolFault::NotAgent),
        }
    }

    async fn tool_ready(
        &self,
        name: &str,
        args: &BTreeMap<String, String>,
        errand: &CallRequest<'_>,
    ) -> Result<ReadyClient, NoPlace> {
        let found =
            self.settings.tools.get(name).and_then(|tool| Some((tool, self.servers.get(&tool.server)?)));
        let Some((tool, server)) = found else {
            return Err(rejected(ToolFault::NoTool { name: name.into() }).into());
        };
        let answer = match &errand.call.phase {
            CallPhase::Begin => None,
            CallPhase::Answer { remote, given } => Some((remote.as_str(), given)),
            CallPhase::Stop { .. } => {
                return Err(Attempt::Applied(CallOutcome::Stopped(String::new())).into());
            }
        };
        let call = ToolCall { tool: &tool.tool, args, answer, outward: errand.call.risk.is_outward() };
        let pin = format!("tool:{name}");
        let allowed = async |described: Option<&ToolDescription>| match described {
            Some(described) => self.allowed(&pin, described.definition.clone()).await.map(drop),
            None => Err(rejected(ToolFault::Withdrawn { name: tool.tool.clone() })),
        };
        server.ready(&call, allowed).await.map(|call| ReadyClient(Ready::Tool(Box::new(call))))
    }

    async fn agent_ready(&self, name: &str, errand: &CallRequest<'_>) -> Result<ReadyClient, NoPlace> {
        let Some(agent) = self.agents.get(name) else {
            return Err(rejected(ToolFault::NoAgent { name: name.into() }).into());
        };
        let pin = format!("agent:{name}");
        let pinned = if errand.underway.is_some() {
            // Work is polled where it was begun, whatever the agent's card says by now.
            self.pin_of(&pin).await?.ok_or_else(|| rejected(ToolFault::Unpinned))?
        } else {
            let card = agent.card().await.map_err(|no_card| {
                tracing::warn!(agent = name, why = no_card.why, "a sub-agent has no card");
                Attempt::NotApplied { why: no_card.fault, hint: None }
            })?;
            self.allowed(&pin, card).await?
        };
        Ok(ReadyClient(Ready::Agent(pinned.said)))
    }

    async fn pin_of(&self, name: &str) -> Result<Option<Pin>, Attempt<CallOutcome>> {
        self.pins.get(name).await.map_err(|error| {
            tracing::error!(name, %error, "a pin cannot be read");
            Attempt::NotApplied { why: ToolFault::PinsUnread.into(), hint: None }
        })
    }

    /// The pin, if the description is still the pinned one.
    async fn allowed(&self, name: &str, said: Value) -> Result<Pin, Attempt<CallOutcome>> {
        match self.pin_of(name).await? {
            Some(pinned) if pinned.hash == Pin::of(said).hash => Ok(pinned),
            Some(_) => Err(rejected(ToolFault::Changed)),
            None => Err(rejected(ToolFault::Unseen)),
        }
    }

    /// Lists everything that is configured, and what servers offer beside it, with its status now.
    ///
    /// # Errors
    /// The pins cannot be read.
    pub async fn list(&self) -> Result<Vec<ListedTool>, PinsError> {
        let mut found = Vec::new();
        for (name, server) in &self.servers {
            let tools = server.tools().await;
            let configured = self.settings.tools.iter().filter(|(_, tool)| tool.server == *name);
            for (tool_name, tool) in configured {
                found.push(self.listed_tool(tool_name, tool, &tools).await?);
            }
            let used = |described: &&ToolDescription| {
                self.settings.tools.values().any(|tool| tool.server == *name && tool.tool == described.name)
            };
            for described in tools.iter().flatten().filter(|described| !used(described)) {
                let at = format!("{name}/{}", described.name);
                let description = described.description.clone();
                found.push(ListedTool {
                    name: at.clone(),
                    at,
                    status: PinStatus::Unused,
                    description,
                    unasked: Vec::new(),
                });
            }
        }
        for (name, agent) in &self.agents {
            found.push(self.listed_agent(name, agent).await?);
        }
        found.sort_by(|a, b| {
            (a.status == PinStatus::Unused, &a.name).cmp(&(b.status == PinStatus::Unused, &b.name))
        });
        Ok(found)
    }

    async fn listed_tool(
        &self,
        name: &str,
        tool: &ToolSetting,
        tools: &Result<Vec<ToolDescription>, NoTools>,
    ) -> Result<ListedTool, PinsError> {
        let (name, at) = (format!("tool:{name}"), format!("{}/{}", tool.server, tool.tool));
        let described = match tools {
            Err(why) => {
                let status = match why {
                    NoTools::Unconnected { .. } => PinStatus::Unconnected,
                    NoTools::Unreachable(why) => PinStatus::Unreachable(why.clone()),
                };
                return Ok(ListedTool { name, at, status, description: String::new(), unasked: Vec::new() });
            }
            Ok(tools) => tools.iter().find(|described| described.name == tool.tool),
        };
        let Some(described) = described else {
            return Ok(ListedTool {
                name,
                at,
                status: PinStatus::Missing,
                description: String::new(),
                unasked: Vec::new(),
            });
        };
        let required = described.definition["inputSchema"]["required"].as_array().into_iter().flatten();
        let unasked =
            required.filter_map(Value::as_str).filter(|name| !tool.args.iter().any(|arg| arg == name));
        Ok(ListedTool {
            status: self.pin_status(&name, described.definition.clone()).await?,
            unasked: unasked.map(str::to_owned).collect(),
            name,
            at,
            description: described.description.clone(),
        })
    }

    async fn listed_agent(&self, name: &str, agent: &Agent) -> Result<ListedTool, PinsError> {
        let name = format!("agent:{name}");
        let at =
            self.settings.agents.get(name.trim_start_matches("agent:")).map(|agent| agent.place.url.clone());
        let at = at.unwrap_or_default();
        let (status, description) = match agent.card().await {
            Err(no_card) => (PinStatus::Unreachable(no_card.why), String::new()),
            Ok(card) => match agent.usable(&card) {
                Err(why) => (PinStatus::Unreachable(why), String::new()),
                Ok(()) => {
                    let description = card["description"].as_str().unwrap_or_default().to_owned();
                    (self.pin_status(&name, card).await?, description)
                }
            },
        };
        Ok(ListedTool { name, at, status, description, unasked: Vec::new() })
    }

    async fn pin_status(&self, name: &str, said: Value) -> Result<PinStatus, PinsError> {
        Ok(match self.pins.get(name).await? {
            None => PinStatus::New,
            Some(pinned) if pinned.hash == Pin::of(said).hash => PinStatus::Pinned,
            Some(_) => PinStatus::Changed,
        })
    }

    /// Pins the current descriptions: of everything configured, or of one by name. Returns what was pinned anew and
    /// what could not be reached; the latter keeps its pin, if it has one.
    ///
    /// # Errors
    /// A pin cannot be stored.
    pub async fn pin(&self, only: Option<&str>, by: &str) -> Result<Pinned, PinsError> {
        let mut done = Pinned::default();
        for (name, said) in self.said(|name| only.is_none_or(|only| only == name)).await {
            let said = match said {
                Ok(said) => said,
                Err(why) => {
                    done.unreachable.push((name, why));
                    continue;
                }
            };
            if self.pin_status(&name, said.clone()).await? != PinStatus::Pinned {
                self.pins.put(&name, Pin::of(said), by).await?;
                done.pinned.push(name);
            }
        }
        Ok(done)
    }

    /// The current descriptions of what is configured and wanted, or the reason one is not known.
    async fn said(&self, wanted: impl Fn(&str) -> bool) -> Vec<(String, Result<Value, String>)> {
        let mut said = Vec::new();
        for (server, client) in &self.servers {
            let of_it = self.settings.tools.iter().filter(|(_, tool)| tool.server == *server);
            let of_it = of_it.map(|(name, tool)| (format!("tool:{name}"), &tool.tool));
            let of_it: Vec<_> = of_it.filter(|(name, _)| wanted(name)).collect();
            if of_it.is_empty() {
                continue;
            }
            let tools = client.tools().await;
            said.extend(of_it.into_iter().map(|(name, tool)| {
                let described = tools.as_ref().map_err(NoTools::to_string).and_then(|tools| {
                    let described = tools.iter().find(|described| described.name == *tool);
                    described
                        .map(|it| it.definition.clone())
                        .ok_or_else(|| format!("{server} has no tool {tool}"))
                });
                (name, described)
            }));
        }
        for (name, agent) in &self.agents {
            let name = format!("agent:{name}");
            if wanted(&name) {
                let card = agent.card().await.map_err(|no_card| no_card.why);
                let card = card.and_then(|card| agent.usable(&card).map(|()| card));
                said.push((name, card));
            }
        }
        said
    }

    /// Begins to connect a server whose tokens a person grants. They open the address of the consent, and come back to
    /// `back`.
    ///
    /// # Errors
    /// There is nothing to agree to; the text is for people.
    pub async fn begin_to_connect(&self, server: &str, back: &str) -> Result<Consent, String> {
        self.server(server)?.begin(back).await
    }

    /// Ends what [`Self::begin_to_connect`] began, with the whole address that the person came back by. `by` is who they
    /// are, for the record.
    ///
    /// # Errors
    /// There is no grant, or it was not kept. An earlier one stays. The text is for people.
    pub async fn finish_to_connect(
        &self,
        server: &str,
        consent: &Consent,
        back: &str,
        by: &str,
    ) -> Result<(), String> {
        self.server(server)?.finish(consent, back, by).await
    }

    fn server(&self, name: &str) -> Result<&Server, String> {
        self.servers.get(name).ok_or_else(|| format!("there is no `mcp.{name}` in the configuration"))
    }

    /// Ends every connection, and every server process with all it started.
    pub async fn close(&self) {
        for server in self.servers.values() {
            server.close().await;
        }
    }
}
