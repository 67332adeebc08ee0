//! All tools and sub-agents of an installation, by the names people call them by.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use throughline_engine::effect::Attempt;
use throughline_engine::work::{Errand, Job, Phase, Report};

use crate::a2a::Agent;
use crate::mcp::{Described, Server, ToolCall};
use crate::pins::{Pin, Pins, PinsError};
use crate::{Settings, ToolSetting, rejected};

/// The clients.
pub struct Clients {
    settings: Settings,
    servers: BTreeMap<String, Server>,
    agents: BTreeMap<String, Agent>,
    pins: Arc<dyn Pins>,
}

/// A tool or a sub-agent, as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// `tool:weather`, `agent:writer`; for a tool that is not configured, its server and its name there.
    pub name: String,
    /// Where: the server and the tool's name there, or the agent's address.
    pub at: String,
    /// How it stands.
    pub stands: Stands,
    /// What it says it does.
    pub description: String,
    /// What it has to know and is asked for nothing of.
    pub unasked: Vec<String>,
}

/// How a tool or an agent stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    /// As it was pinned: it may be used.
    Pinned,
    /// Never pinned: it is off.
    New,
    /// It says something else of itself than when it was pinned: it is off (`TL-5301`).
    Changed,
    /// Its server does not have it.
    Missing,
    /// It cannot be asked.
    Unreachable(String),
    /// A server has it, and nothing is configured for it.
    Unused,
}

/// What came of pinning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// What was new, or had changed.
    pub pinned: Vec<String>,
    /// What could not be asked, and why; for a person to read.
    pub unreachable: Vec<(String, String)>,
}

impl Stands {
    /// Its public name.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::New => "new",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Unreachable(_) => "unreachable",
            Self::Unused => "unused",
        }
    }
}

impl Clients {
    /// # Errors
    /// What cannot be used as it is configured, and why, for a person to read.
    pub fn new(settings: Settings, pins: Arc<dyn Pins>) -> Result<Self, (String, String)> {
        let timeouts = settings.timeouts;
        let mut servers = BTreeMap::new();
        for (name, setting) in &settings.servers {
            let server = Server::new(name, setting, timeouts).map_err(|why| (format!("mcp.{name}"), why))?;
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

    /// Everything that can be called: its target, and whether a call made twice under one effect id is one call.
    pub fn targets(&self) -> impl Iterator<Item = (String, bool)> {
        let tools = self.settings.tools.iter().map(|(name, tool)| (format!("tool:{name}"), tool.idempotent));
        let agents =
            self.settings.agents.iter().map(|(name, agent)| (format!("agent:{name}"), agent.idempotent));
        tools.chain(agents)
    }

    /// Makes one call, or looks how far an earlier one got.
    pub async fn work(&self, errand: &Errand<'_>) -> Attempt<Report> {
        match &errand.call.job {
            Job::Tool { name, args } => self.tool(name, args, errand).await,
            Job::Agent { name } => self.agent(name, errand).await,
            Job::Option(_) => rejected("only its host runs an option"),
        }
    }

    async fn tool(
        &self,
        name: &str,
        args: &BTreeMap<String, String>,
        errand: &Errand<'_>,
    ) -> Attempt<Report> {
        let found =
            self.settings.tools.get(name).and_then(|tool| Some((tool, self.servers.get(&tool.server)?)));
        let Some((tool, server)) = found else { return rejected(format!("there is no tool {name}")) };
        let answer = match &errand.call.phase {
            Phase::Begin => None,
            Phase::Answer { remote, given } => Some((remote.as_str(), given)),
            Phase::Stop { .. } => return Attempt::Applied(Report::Stopped(String::new())),
        };
        let call = ToolCall { tool: &tool.tool, args, answer, outward: errand.call.risk.outward() };
        let pin = format!("tool:{name}");
        let allowed = async |described: Option<&Described>| match described {
            Some(described) => self.allowed(&pin, described.said.clone()).await.map(drop),
            None => Err(rejected(format!("the server has no tool {} any more (TL-5301)", tool.tool))),
        };
        server.call(&call, allowed).await
    }

    async fn agent(&self, name: &str, errand: &Errand<'_>) -> Attempt<Report> {
        let Some(agent) = self.agents.get(name) else {
            return rejected(format!("there is no sub-agent {name}"));
        };
        let pin = format!("agent:{name}");
        if errand.underway.is_some() {
            // What goes on is looked after where it was begun, whatever the agent says of itself by now.
            return match self.pins.get(&pin).await {
                Ok(Some(pinned)) => agent.work(&pinned.said, errand).await,
                Ok(None) => rejected("it is not pinned any more (TL-5301)"),
                Err(error) => Attempt::NotApplied { why: error.to_string(), hint: None },
            };
        }
        let card = match agent.card().await {
            Ok(card) => card,
            Err(why) => return Attempt::NotApplied { why, hint: None },
        };
        match self.allowed(&pin, card).await {
            Ok(pinned) => agent.work(&pinned.said, errand).await,
            Err(refused) => refused,
        }
    }

    /// The pin, when what is said now is what was pinned.
    async fn allowed(&self, name: &str, said: Value) -> Result<Pin, Attempt<Report>> {
        let pinned = self.pins.get(name).await;
        let pinned = pinned.map_err(|error| Attempt::NotApplied { why: error.to_string(), hint: None })?;
        match pinned {
            Some(pinned) if pinned.hash == Pin::of(said).hash => Ok(pinned),
            Some(_) => Err(rejected(
                "what it says of itself has changed, so it is off until somebody looks at it and runs `throughline tools pin` (TL-5301)",
            )),
            None => Err(rejected(
                "nobody has looked at it yet, so it is off until somebody runs `throughline tools pin` (TL-5301)",
            )),
        }
    }

    /// Everything that is configured, and what servers have beside it, as it stands now.
    ///
    /// # Errors
    /// The pins cannot be read.
    pub async fn list(&self) -> Result<Vec<Listed>, PinsError> {
        let mut found = Vec::new();
        for (name, server) in &self.servers {
            let tools = server.tools().await;
            let configured = self.settings.tools.iter().filter(|(_, tool)| tool.server == *name);
            for (tool_name, tool) in configured {
                found.push(self.listed_tool(tool_name, tool, &tools).await?);
            }
            let used = |described: &&Described| {
                self.settings.tools.values().any(|tool| tool.server == *name && tool.tool == described.name)
            };
            for described in tools.iter().flatten().filter(|described| !used(described)) {
                let at = format!("{name}/{}", described.name);
                let description = described.description.clone();
                found.push(Listed {
                    name: at.clone(),
                    at,
                    stands: Stands::Unused,
                    description,
                    unasked: Vec::new(),
                });
            }
        }
        for (name, agent) in &self.agents {
            found.push(self.listed_agent(name, agent).await?);
        }
        found.sort_by(|a, b| {
            (a.stands == Stands::Unused, &a.name).cmp(&(b.stands == Stands::Unused, &b.name))
        });
        Ok(found)
    }

    async fn listed_tool(
        &self,
        name: &str,
        tool: &ToolSetting,
        tools: &Result<Vec<Described>, String>,
    ) -> Result<Listed, PinsError> {
        let (name, at) = (format!("tool:{name}"), format!("{}/{}", tool.server, tool.tool));
        let described = match tools {
            Err(why) => {
                let stands = Stands::Unreachable(why.clone());
                return Ok(Listed { name, at, stands, description: String::new(), unasked: Vec::new() });
            }
            Ok(tools) => tools.iter().find(|described| described.name == tool.tool),
        };
        let Some(described) = described else {
            return Ok(Listed {
                name,
                at,
                stands: Stands::Missing,
                description: String::new(),
                unasked: Vec::new(),
            });
        };
        let required = described.said["inputSchema"]["required"].as_array().into_iter().flatten();
        let unasked =
            required.filter_map(Value::as_str).filter(|name| !tool.args.iter().any(|arg| arg == name));
        Ok(Listed {
            stands: self.stands(&name, described.said.clone()).await?,
            unasked: unasked.map(str::to_owned).collect(),
            name,
            at,
            description: described.description.clone(),
        })
    }

    async fn listed_agent(&self, name: &str, agent: &Agent) -> Result<Listed, PinsError> {
        let name = format!("agent:{name}");
        let at =
            self.settings.agents.get(name.trim_start_matches("agent:")).map(|agent| agent.place.url.clone());
        let at = at.unwrap_or_default();
        let (stands, description) = match agent.card().await {
            Err(why) => (Stands::Unreachable(why), String::new()),
            Ok(card) => match agent.usable(&card) {
                Err(why) => (Stands::Unreachable(why), String::new()),
                Ok(()) => {
                    let description = card["description"].as_str().unwrap_or_default().to_owned();
                    (self.stands(&name, card).await?, description)
                }
            },
        };
        Ok(Listed { name, at, stands, description, unasked: Vec::new() })
    }

    async fn stands(&self, name: &str, said: Value) -> Result<Stands, PinsError> {
        Ok(match self.pins.get(name).await? {
            None => Stands::New,
            Some(pinned) if pinned.hash == Pin::of(said).hash => Stands::Pinned,
            Some(_) => Stands::Changed,
        })
    }

    /// Pins what is configured as it is now: all of it, or one by its name. Says what was pinned anew, and what could not
    /// be asked what it is; that keeps its pin, when it has one.
    ///
    /// # Errors
    /// A pin cannot be kept.
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
            if self.stands(&name, said.clone()).await? != Stands::Pinned {
                self.pins.put(&name, Pin::of(said), by).await?;
                done.pinned.push(name);
            }
        }
        Ok(done)
    }

    /// What is configured and wanted says of itself now, or why that is not known.
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
                let described = tools.as_ref().map_err(Clone::clone).and_then(|tools| {
                    let described = tools.iter().find(|described| described.name == *tool);
                    described.map(|it| it.said.clone()).ok_or_else(|| format!("{server} has no tool {tool}"))
                });
                (name, described)
            }));
        }
        for (name, agent) in &self.agents {
            let name = format!("agent:{name}");
            if wanted(&name) {
                let card = agent.card().await.and_then(|card| agent.usable(&card).map(|()| card));
                said.push((name, card));
            }
        }
        said
    }

    /// Ends every connection, and the processes with all they started.
    pub async fn close(&self) {
        for server in self.servers.values() {
            server.close().await;
        }
    }
}
