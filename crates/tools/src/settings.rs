//! The settings of tools and sub-agents, with secrets resolved.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use throughline_net::Key;

use crate::OAuthSetting;

/// The settings of all tools and sub-agents.
#[derive(Clone, Default)]
pub struct Settings {
    /// MCP servers by name.
    pub servers: BTreeMap<String, ServerSetting>,
    /// Tools by the name people call them by.
    pub tools: BTreeMap<String, ToolSetting>,
    /// Sub-agents by name.
    pub agents: BTreeMap<String, AgentSetting>,
    /// The time limits of a call's parts.
    pub timeouts: Timeouts,
}

/// An MCP server.
#[derive(Clone)]
pub struct ServerSetting {
    /// Its place.
    pub at: ServerAddress,
    /// The most calls at once.
    pub calls: usize,
}

/// The place of an MCP server.
#[derive(Clone)]
pub enum ServerAddress {
    /// A child process that is reached over its standard input and output.
    Child(ChildSetting),
    /// A server over HTTP.
    Http(RemoteAddress),
    /// A server over HTTP whose tokens are granted.
    Granted(GrantedAddress),
}

/// The address of a server whose tokens are granted.
#[derive(Clone)]
pub struct GrantedAddress {
    /// Its address.
    pub url: String,
    /// The way to a token.
    pub oauth: OAuthSetting,
    /// True if the address may be of this machine.
    pub allow_loopback: bool,
}

/// A child process.
#[derive(Clone)]
pub struct ChildSetting {
    /// The program.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The names of the environment variables it gets; it gets no others.
    pub env: Vec<String>,
}

/// The address of a remote server or agent.
#[derive(Clone)]
pub struct RemoteAddress {
    /// Its address.
    pub url: String,
    /// The access token, if it needs one.
    pub token: Option<Key>,
    /// True if the address may be of this machine.
    pub allow_loopback: bool,
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSetting {
    /// The server's name.
    pub server: String,
    /// Its name there.
    pub tool: String,
    /// The arguments people are asked for.
    pub args: Vec<String>,
    /// True if a call made twice under one effect id is one call. The installation says so, not the server.
    pub idempotent: bool,
}

/// A sub-agent.
#[derive(Clone)]
pub struct AgentSetting {
    /// Its address; its card is below it.
    pub place: RemoteAddress,
    /// True if a message sent twice under one effect id is handled once. The installation says so, not the agent.
    pub idempotent: bool,
}

/// The time limits of a call's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time to connect, TLS included.
    pub connect: Duration,
    /// The time to wait for earlier calls, and then for the server to be ready: its process started, versions agreed
    /// on, its tools known. For an agent, the time to read its card.
    pub ready: Duration,
    /// The time of one call, from its first byte to its answer.
    pub call: Duration,
    /// The time of all of that. Shorter than an effect's lease, or another worker would count this one as gone.
    pub whole: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(3),
            ready: Duration::from_secs(20),
            call: Duration::from_secs(30),
            whole: Duration::from_secs(55),
        }
    }
}
