//! What an installation says of its tools and sub-agents, with secrets read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use throughline_net::Key;

/// All of it.
#[derive(Clone, Default)]
pub struct Settings {
    /// MCP servers by name.
    pub servers: BTreeMap<String, ServerSetting>,
    /// Tools by the name people call them by.
    pub tools: BTreeMap<String, ToolSetting>,
    /// Sub-agents by name.
    pub agents: BTreeMap<String, AgentSetting>,
    /// How long a part of a call may take.
    pub timeouts: Timeouts,
}

/// An MCP server.
#[derive(Clone)]
pub enum ServerSetting {
    /// A child process that is spoken to over its standard input and output.
    Child {
        /// The program.
        command: PathBuf,
        /// Its arguments.
        args: Vec<String>,
        /// The names of the environment that it is given; nothing else of ours is.
        env: Vec<String>,
    },
    /// A server over HTTP.
    Http(Place),
}

/// Where a far side is.
#[derive(Clone)]
pub struct Place {
    /// Its address.
    pub url: String,
    /// The key it wants.
    pub token: Option<Key>,
    /// It may be of this machine.
    pub allow_loopback: bool,
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSetting {
    /// On which server.
    pub server: String,
    /// Its name there.
    pub tool: String,
    /// The arguments that are asked for.
    pub args: Vec<String>,
    /// A call made twice under one effect id is one call: our word for it, not the server's.
    pub idempotent: bool,
}

/// A sub-agent.
#[derive(Clone)]
pub struct AgentSetting {
    /// Where it is: its card is below that address.
    pub place: Place,
    /// What it is handed twice under one effect id is handed once: our word for it, not the agent's.
    pub idempotent: bool,
}

/// How long a part of a call may take (`spec 06 §4.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection, TLS included.
    pub connect: Duration,
    /// Until the calls before it are over; and then until a server is ready: a process has started, versions are agreed
    /// on, its tools are known. Of an agent, until its card is read.
    pub ready: Duration,
    /// One call, from its first byte to its answer.
    pub call: Duration,
    /// All of that. Less than an effect's lease (`spec 06 §4.6`): else another worker would take this one for gone.
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
