//! Configuration: TOML files, environment and flags, checked against one table of settings (`spec 07 §10`).
//!
//! Strongest first: flags, environment, `./throughline.toml`, the user's file, the system's file, defaults. A key
//! that does not exist is an error with its line, its column and a suggestion. Every value knows where it is from.

mod check;
mod error;
mod layer;
mod models;
mod shape;
mod sources;
mod tools;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;
use throughline_engine::effect::EffectClass;
use throughline_engine::policy::ApproverRule;
use throughline_engine::{Policy, Timestamp};
use throughline_runtime::Zone;
use throughline_trackers::local::{LocalConfig, ProjectConfig};

use crate::auth::{Scope, Token};

pub use error::{ConfigError, ConfigErrors};
pub use layer::Origin;
pub use models::{ModelConfig, ModelsConfig};
pub use sources::Sources;
pub use tools::{AgentConfig, PlaceConfig, ServerConfig, ToolConfig, ToolsConfig};

/// Everything an installation may say.
#[derive(Clone, Debug)]
pub struct Config {
    /// The port and who may reach it.
    pub server: Server,
    /// The pages.
    pub web: Web,
    /// Where the data is.
    pub store: StoreUrl,
    /// The tenant of what has no token of its own: the demo, the terminal, the command line.
    pub tenant: String,
    /// The app of the same.
    pub app: String,
    /// The time zone of who has none of their own; UTC when nobody says.
    pub zone: Option<ConfiguredZone>,
    /// The language of who has none of their own, as a BCP 47 code; English when nobody says.
    pub language: Option<String>,
    /// Limits, lifetimes and approver rules.
    pub policy: Policy,
    /// The people.
    pub users: Vec<User>,
    /// The bearer tokens.
    pub tokens: Vec<Token>,
    /// The local tracker's projects.
    pub tracker: LocalConfig,
    /// Effect classes that the host behind the HTTP API performs itself.
    pub delivery_host: Vec<EffectClass>,
    /// The Telegram channel, if there is one.
    pub telegram: Option<TelegramConfig>,
    /// The models, by purpose.
    pub models: ModelsConfig,
    /// The tools and sub-agents that have clients here.
    pub tools: ToolsConfig,
    /// The log.
    pub telemetry: Telemetry,
    /// The file of the instance key; beside the database when nobody says.
    pub instance_key_file: Option<PathBuf>,
    settings: Vec<Setting>,
}

/// The port and who may reach it.
#[derive(Clone, Debug)]
pub struct Server {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The address people see, for links.
    pub public_url: Option<String>,
    /// Host names that may be used on loopback beside the loopback names.
    pub allowed_hosts: Vec<String>,
    /// No token needed, loopback only.
    pub demo: bool,
}

/// The pages.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// Who may show them in a frame, as CSP has it: `https://app.example.org`. Nobody when empty.
    #[serde(default)]
    pub frame_ancestors: Vec<String>,
}

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// In memory: gone with the process.
    Memory,
    /// In an SQLite file.
    Sqlite(PathBuf),
}

/// A person.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The id that channels and tokens name.
    pub id: String,
    /// Whose person this is; the configured tenant's when nobody says.
    #[serde(default)]
    pub tenant: Option<String>,
    /// What to call them; the id when empty.
    #[serde(default)]
    pub name: String,
    /// Roles, for approver rules: `role:pm`.
    #[serde(default)]
    pub roles: Vec<String>,
    /// Groups, for approver rules: `group:backend`.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Their Telegram number.
    #[serde(default)]
    pub telegram: Option<String>,
    /// Deactivated, a bot or a guest: may not approve unless listed one by one. The text says which.
    #[serde(default)]
    pub barred: Option<String>,
    /// Their time zone: what "tomorrow" and "at 5" are counted in.
    #[serde(default)]
    pub zone: Option<ConfiguredZone>,
    /// The language they write in, as a BCP 47 code: its words are tried first.
    #[serde(default)]
    pub language: Option<String>,
}

/// A time zone as it was written.
#[derive(Clone, Debug)]
pub struct ConfiguredZone {
    name: String,
    zone: Option<Zone>,
}

impl ConfiguredZone {
    /// How far clocks there are ahead of UTC at that moment, in seconds.
    #[must_use]
    pub fn offset_s(&self, at: Timestamp) -> i32 {
        self.zone.as_ref().map_or(0, |zone| zone.offset_s(at))
    }
}

impl PartialEq for ConfiguredZone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ConfiguredZone {}

impl<'de> Deserialize<'de> for ConfiguredZone {
    /// Takes any name: an unknown one is told with all else that is wrong.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let zone = name.parse().ok();
        Ok(Self { name, zone })
    }
}

/// The Telegram channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelegramConfig {
    /// How updates come.
    pub mode: TelegramMode,
    /// The file of the bot's token.
    pub token_file: PathBuf,
    /// The Bot API.
    pub api_base: String,
    /// It may be `http` on this machine.
    pub allow_loopback: bool,
}

/// How Telegram's updates come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TelegramMode {
    /// We ask for them.
    Poll,
    /// They are delivered.
    Webhook {
        /// The file of the secret that proves it.
        secret_file: PathBuf,
    },
}

/// The log.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// `error`, `warn`, `info`, `debug`, `trace`, or a filter like `info,throughline_runtime=debug`.
    pub level: String,
    /// `text` or `json`.
    pub format: String,
}

/// One setting as it is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `server.listen`.
    pub path: String,
    /// Its value, as TOML.
    pub value: String,
    /// Where it is from.
    pub origin: Origin,
}

impl Config {
    /// Reads and checks every source.
    ///
    /// # Errors
    /// Everything that is wrong, not only the first thing.
    pub fn load(sources: &Sources) -> Result<Self, ConfigErrors> {
        let merged = sources.read()?;
        check::typed(merged)
    }

    /// The demo on this machine: loopback, no token, a local tracker, its data in `data` or here.
    ///
    /// # Errors
    /// As [`Self::load`]; with no other source nothing can be wrong.
    pub fn demo(data: Option<PathBuf>) -> Result<Self, ConfigErrors> {
        Self::load(&Sources { demo: true, data, ..Sources::default() })
    }

    /// Every setting in force with its origin, in path order: what `config show` prints.
    #[must_use]
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The JSON Schema of the configuration file: what `config schema` prints.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        shape::settings().json_schema("Throughline configuration")
    }

    /// What is valid but probably not meant: one line each, for `config check` and `doctor`.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        check::warnings(self)
    }

    /// The user of that id in that tenant.
    #[must_use]
    pub fn user(&self, tenant: &str, id: &str) -> Option<&User> {
        let of = |user: &User| user.tenant.as_deref().unwrap_or(&self.tenant) == tenant;
        self.users.iter().find(|user| user.id == id && of(user))
    }

    /// Every tenant that is named.
    #[must_use]
    pub fn tenants(&self) -> std::collections::BTreeSet<&str> {
        let of_tokens = self.tokens.iter().map(|token| token.tenant.as_str());
        of_tokens.chain([self.tenant.as_str()]).collect()
    }

    /// Where the instance key is kept; `None` for a store in memory, whose key need not outlive it.
    #[must_use]
    pub fn key_file(&self) -> Option<PathBuf> {
        match (&self.instance_key_file, &self.store) {
            (Some(file), _) => Some(file.clone()),
            (None, StoreUrl::Sqlite(database)) => Some(database.with_extension("key")),
            (None, StoreUrl::Memory) => None,
        }
    }
}

impl std::fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory => f.write_str("memory:"),
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
        }
    }
}

/// The file's form, after every layer was merged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    tenant: String,
    app: String,
    zone: Option<ConfiguredZone>,
    language: Option<String>,
    server: RawServer,
    web: Web,
    store: RawStore,
    api: RawApi,
    telegram: RawTelegram,
    models: models::RawModels,
    telemetry: Telemetry,
    policy: Policy,
    #[serde(default)]
    users: Vec<User>,
    #[serde(default)]
    tokens: Vec<RawToken>,
    #[serde(default)]
    approvers: Vec<ApproverRule>,
    projects: BTreeMap<String, RawProject>,
    instance_key_file: Option<PathBuf>,
    #[serde(default)]
    mcp: BTreeMap<String, tools::RawServer>,
    #[serde(default)]
    tools: BTreeMap<String, tools::RawTool>,
    #[serde(default)]
    agents: BTreeMap<String, tools::RawAgent>,
}

#[derive(Deserialize)]
struct RawServer {
    listen: String,
    public_url: Option<String>,
    allowed_hosts: Vec<String>,
    demo: bool,
}

#[derive(Deserialize)]
struct RawStore {
    url: String,
}

#[derive(Deserialize)]
struct RawApi {
    delivery_host: Vec<EffectClass>,
}

#[derive(Deserialize)]
struct RawTelegram {
    mode: String,
    token_file: Option<PathBuf>,
    secret_file: Option<PathBuf>,
    api_base: String,
    allow_loopback: bool,
}

#[derive(Deserialize)]
struct RawToken {
    id: String,
    sha256: String,
    tenant: Option<String>,
    app: Option<String>,
    #[serde(default)]
    scopes: Vec<Scope>,
    principal: String,
}

/// Which keys there are, `shape.rs` says.
#[derive(Deserialize)]
struct RawProject {
    #[serde(rename = "tracker")]
    _tracker: Option<String>,
    #[serde(flatten)]
    project: ProjectConfig,
}

#[cfg(test)]
mod tests;
