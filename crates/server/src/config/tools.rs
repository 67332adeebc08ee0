//! Settings of `mcp`, `tools` and `agents`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;
use throughline_engine::data::call::{Agent, Risk, Tool};
use throughline_language::Expected;
use throughline_tools::check_address;

use super::tool_oauth::RawOAuth;
pub use super::tool_oauth::{GrantConfig, KnownAsConfig, OAuthConfig};

/// Tools and sub-agents with clients in this process. The host behind the HTTP API performs the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolsConfig {
    /// MCP servers by name.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Tools by name.
    pub tools: BTreeMap<String, ToolConfig>,
    /// Sub-agents by name.
    pub agents: BTreeMap<String, AgentConfig>,
}

/// Most calls of an MCP server at once, unless set.
const CALLS: usize = 4;
/// Largest setting of it.
const MAX_CALLS: usize = 32;

/// MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// Place.
    pub at: ServerAt,
    /// Most calls at once.
    pub calls: usize,
}

/// Place of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAt {
    /// Child process.
    Child {
        /// Program.
        command: PathBuf,
        /// Arguments.
        args: Vec<String>,
        /// Names of the environment variables passed to it.
        env: Vec<String>,
    },
    /// Server over HTTP.
    Http(PlaceConfig),
    /// Server over HTTP whose tokens are granted.
    Granted {
        /// URL.
        url: String,
        /// Way to a token.
        oauth: OAuthConfig,
        /// Allows an address on this machine.
        allow_loopback: bool,
    },
}

/// Address of a server or agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceConfig {
    /// URL.
    pub url: String,
    /// File that holds the bearer token.
    pub token_file: Option<PathBuf>,
    /// Allows an address on this machine.
    pub allow_loopback: bool,
}

/// Tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolConfig {
    /// Name of the server.
    pub server: String,
    /// Name of the tool on that server.
    pub tool: String,
    /// Arguments that a person is asked for before the call.
    pub args: Vec<String>,
    /// True if calling it twice has the effect of one call, as the operator declares.
    pub idempotent: bool,
}

/// A2A agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentConfig {
    /// Address.
    pub place: PlaceConfig,
    /// True if sending a message twice has the effect of sending it once, as the operator declares.
    pub idempotent: bool,
}

impl ToolsConfig {
    /// Returns true if nothing configured has a client here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.agents.is_empty()
    }

    /// Returns the token files, each once.
    pub(super) fn token_files(&self) -> BTreeSet<&PathBuf> {
        let servers = self.servers.values().filter_map(|server| match &server.at {
            ServerAt::Http(place) => place.token_file.as_ref(),
            ServerAt::Granted { oauth, .. } => oauth.secret_file(),
            ServerAt::Child { .. } => None,
        });
        servers.chain(self.agents.values().filter_map(|agent| agent.place.token_file.as_ref())).collect()
    }
}

#[derive(Deserialize)]
pub(super) struct RawServer {
    command: Option<PathBuf>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Vec<String>,
    url: Option<String>,
    token_file: Option<PathBuf>,
    oauth: Option<RawOAuth>,
    #[serde(default)]
    allow_loopback: bool,
    calls: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct RawTool {
    server: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    risk: Risk,
    #[serde(default)]
    args: BTreeMap<String, Expected>,
    #[serde(default)]
    idempotent: bool,
}

#[derive(Deserialize)]
pub(super) struct RawAgent {
    url: Option<String>,
    #[serde(default)]
    risk: Risk,
    token_file: Option<PathBuf>,
    #[serde(default)]
    allow_loopback: bool,
    #[serde(default)]
    idempotent: bool,
}

/// Tables as written in the file.
pub(super) struct RawTools {
    pub(super) servers: BTreeMap<String, RawServer>,
    pub(super) tools: BTreeMap<String, RawTool>,
    pub(super) agents: BTreeMap<String, RawAgent>,
}

/// Result of checking the tables: definitions for the engine, settings of the clients, and errors as pairs of setting
/// and problem.
pub(super) struct Checked {
    pub(super) tools: BTreeMap<String, Tool>,
    pub(super) agents: BTreeMap<String, Agent>,
    pub(super) clients: ToolsConfig,
    pub(super) wrong: Vec<(String, String)>,
}

pub(super) fn checked(raw: RawTools) -> Checked {
    let mut found = Checked {
        tools: BTreeMap::new(),
        agents: BTreeMap::new(),
        clients: ToolsConfig::default(),
        wrong: Vec::new(),
    };
    for (name, raw) in raw.servers {
        match server(raw) {
            Ok(server) => drop(found.clients.servers.insert(name, server)),
            Err((key, why)) => found.say("mcp", &name, key, &why),
        }
    }
    for (name, raw) in raw.tools {
        found.tool(name, raw);
    }
    for (name, raw) in raw.agents {
        let RawAgent { url, risk, token_file, allow_loopback, idempotent } = raw;
        found.agents.insert(name.clone(), Agent { risk, stops: url.is_some() });
        match url {
            None if token_file.is_some() => found.say("agents", &name, ".url", "a token goes to no address"),
            None => {}
            Some(url) => match place(url, token_file, allow_loopback) {
                Ok(place) => drop(found.clients.agents.insert(name, AgentConfig { place, idempotent })),
                Err((key, why)) => found.say("agents", &name, key, &why),
            },
        }
    }
    found
}

impl Checked {
    fn say(&mut self, table: &str, name: &str, key: &str, why: &str) {
        let text = format!("`{table}.{name}` cannot be used: {why}");
        self.wrong.push((format!("{table}.{name}{key}"), text));
    }

    fn tool(&mut self, name: String, raw: RawTool) {
        let RawTool { server, tool, risk, args, idempotent } = raw;
        let names = args.keys().cloned().collect();
        self.tools.insert(name.clone(), Tool { risk, args });
        match server {
            None if tool.is_some() => self.say("tools", &name, ".server", "it names a tool of no server"),
            None => {}
            Some(server) if self.wrong.iter().any(|(path, _)| path.starts_with(&format!("mcp.{server}"))) => {
            }
            Some(server) if !self.clients.servers.contains_key(&server) => {
                self.say("tools", &name, ".server", &format!("there is no `mcp.{server}`"));
            }
            Some(server) => {
                let tool = tool.unwrap_or_else(|| name.clone());
                self.clients.tools.insert(name, ToolConfig { server, tool, args: names, idempotent });
            }
        }
    }
}

pub(super) type SettingError = (&'static str, String);

fn server(raw: RawServer) -> Result<ServerConfig, SettingError> {
    let RawServer { command, args, env, url, token_file, oauth, allow_loopback, calls } = raw;
    let calls = calls.unwrap_or(CALLS);
    if !(1..=MAX_CALLS).contains(&calls) {
        return Err((".calls", format!("it is 1 to {MAX_CALLS}")));
    }
    let at = match (command, url) {
        (Some(_), Some(_)) => Err(("", "it is a `command` or a `url`, not both".into())),
        (None, None) => Err(("", "it names neither a `command` nor a `url`".into())),
        (Some(_), None) if token_file.is_some() => {
            Err((".token_file", "a process is given no token; name what it needs in `env`".into()))
        }
        (Some(_), None) if oauth.is_some() => {
            Err((".oauth", "a process is given no token; name what it needs in `env`".into()))
        }
        (None, Some(_)) if token_file.is_some() && oauth.is_some() => {
            Err(("", "its token is in a `token_file` or is granted by `oauth`, not both".into()))
        }
        (Some(command), None) => Ok(ServerAt::Child { command, args, env }),
        (None, Some(url)) if let Some(oauth) = oauth => {
            check_address(&url, allow_loopback).map_err(|why| (".url", why))?;
            Ok(ServerAt::Granted { url, oauth: oauth.checked()?, allow_loopback })
        }
        (None, Some(url)) => Ok(ServerAt::Http(place(url, token_file, allow_loopback)?)),
    };
    Ok(ServerConfig { at: at?, calls })
}

fn place(
    url: String,
    token_file: Option<PathBuf>,
    allow_loopback: bool,
) -> Result<PlaceConfig, SettingError> {
    check_address(&url, allow_loopback).map_err(|why| (".url", why))?;
    Ok(PlaceConfig { url, token_file, allow_loopback })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        #[serde(default)]
        mcp: BTreeMap<String, RawServer>,
        #[serde(default)]
        tools: BTreeMap<String, RawTool>,
        #[serde(default)]
        agents: BTreeMap<String, RawAgent>,
    }

    fn of(text: &str) -> Checked {
        let File { mcp, tools, agents } = toml::from_str(text).unwrap();
        checked(RawTools { servers: mcp, tools, agents })
    }

    #[test]
    fn what_nobody_classified_is_destructive_and_what_has_no_client_is_the_hosts() {
        let found = of(r#"
            mcp.local = { command = "weatherd" }
            tools.weather = { server = "local", tool = "get-weather", risk = "read", args = { city = "location" } }
            tools.reboot = { server = "local" }
            tools.hosted = { risk = "read" }
            agents.writer = { url = "https://agents.example.com" }
            agents.hosted = { risk = "read" }
        "#);
        assert_eq!(found.wrong, []);
        assert_eq!((found.tools.len(), found.clients.tools.len()), (3, 2));
        assert_eq!(
            (found.tools["reboot"].risk, found.tools["weather"].risk),
            (Risk::Destructive, Risk::Read)
        );
        assert_eq!(found.clients.tools["reboot"].tool, "reboot");
        assert_eq!((found.agents["writer"].risk, found.agents["writer"].stops), (Risk::Destructive, true));
        assert_eq!((found.agents["hosted"].stops, found.clients.agents.len()), (false, 1));
    }

    #[test]
    fn what_cannot_work_is_said_once_with_its_setting() {
        for (text, path, says) in [
            (r#"mcp.a = {}"#, "mcp.a", "neither"),
            (r#"mcp.a = { command = "x", url = "https://a.example.com" }"#, "mcp.a", "not both"),
            (r#"mcp.a = { command = "x", token_file = "t" }"#, "mcp.a.token_file", "`env`"),
            (r#"mcp.a = { url = "http://127.0.0.1:1" }"#, "mcp.a.url", "allow_loopback"),
            (r#"mcp.a = { url = "http://a.example.com" }"#, "mcp.a.url", "not https"),
            (r#"mcp.a = { command = "x", calls = 0 }"#, "mcp.a.calls", "1 to 32"),
            (r#"mcp.a = { command = "x", calls = 33 }"#, "mcp.a.calls", "1 to 32"),
            (r#"tools.t = { server = "none" }"#, "tools.t.server", "no `mcp.none`"),
            (r#"tools.t = { tool = "x" }"#, "tools.t.server", "no server"),
            (r#"agents.w = { url = "https://169.254.169.254" }"#, "agents.w.url", "no public address"),
            (r#"agents.w = { token_file = "t" }"#, "agents.w.url", "no address"),
            (r#"mcp.a = { command = "x", oauth = {} }"#, "mcp.a.oauth", "`env`"),
            (
                r#"mcp.a = { url = "https://a.example.com", token_file = "t", oauth = {} }"#,
                "mcp.a",
                "not both",
            ),
            (r#"mcp.a = { url = "https://10.0.0.1", oauth = {} }"#, "mcp.a.url", "no public address"),
            ("mcp.a = {}\ntools.t = { server = \"a\" }", "mcp.a", "neither"),
        ] {
            let wrong = of(text).wrong;
            assert_eq!(wrong.len(), 1, "{wrong:?}");
            assert!(wrong[0].0 == path && wrong[0].1.contains(says), "{wrong:?}");
        }
    }
}
