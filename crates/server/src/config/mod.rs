//! Configuration: TOML files, environment variables and flags, checked against one schema.
//!
//! Precedence, strongest first: flags, environment, `./throughline.toml`, the user's file, the system's file,
//! defaults. An unknown key is an error with its line, its column and a suggestion. Every value remembers its source.

mod check;
mod connections;
mod error;
mod layer;
pub(crate) mod mail;
mod models;
mod openid;
mod push;
mod schema;
mod slack;
mod sources;
mod store;
mod tool_oauth;
mod tools;
mod trackers;
mod users;
mod webhooks;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use throughline_engine::Policy;
use throughline_engine::data::effect::EffectClass;
use throughline_engine::data::policy::ApproverRule;
use throughline_engine::data::policy::destination::Destination;
use throughline_store::database_file;
use throughline_trackers::local::LocalConfig;

use crate::auth::{self, Scope, Token};

pub use connections::ConnectionLimits;
pub use error::{ConfigError, ConfigErrors};
pub use layer::Origin;
pub use mail::{MailConfig, MailLogin, MailTls};
pub use models::{ModelConfig, ModelsConfig};
pub use openid::OpenIdConfig;
pub use push::PushConfig;
pub use slack::{SlackConfig, SlackInstall, SlackMode, Stream, ThreadFollow};
pub use sources::Sources;
pub use store::{PostgresUrl, RedisUrl, StoreUrl};
pub use tools::{
    AgentConfig, GrantConfig, KnownAsConfig, OAuthConfig, PlaceConfig, ServerAt, ServerConfig, ToolConfig,
    ToolsConfig,
};
pub use trackers::{GithubSite, JiraAccount, JiraSite, LinearSite, RedmineSite};
pub use users::{AddedUser, ConfiguredZone, Identity, KeptUser, User, UserEntry, Users};
pub use webhooks::WebhookConfig;

/// Configuration of an installation.
#[derive(Clone, Debug)]
pub struct Config {
    /// Port, and who may reach it.
    pub server: Server,
    /// Web pages.
    pub web: Web,
    /// Place of the data.
    pub store: StoreUrl,
    /// Tenant of whatever has no token of its own: the demo, the terminal, the command line.
    pub tenant: String,
    /// App of whatever has no token of its own.
    pub app: String,
    /// Time zone of people without their own; UTC if not set.
    pub zone: Option<ConfiguredZone>,
    /// Language of people without their own, as a BCP 47 code; English if not set.
    pub language: Option<String>,
    /// Limits, lifetimes and approver rules.
    pub policy: Policy,
    /// People.
    pub users: Users,
    /// Provider at which people sign in, if one is configured.
    pub openid: Option<OpenIdConfig>,
    /// Bearer tokens.
    pub tokens: Vec<Token>,
    /// Projects of the local tracker.
    pub tracker: LocalConfig,
    /// Jira sites, by the name of their tracker: `jira.main`.
    pub jira: BTreeMap<String, JiraSite>,
    /// GitHubs, by the name of their tracker: `github.main`.
    pub github: BTreeMap<String, GithubSite>,
    /// Workspaces of Linear, by the name of their tracker: `linear.main`.
    pub linear: BTreeMap<String, LinearSite>,
    /// Redmines, by the name of their tracker: `redmine.main`.
    pub redmine: BTreeMap<String, RedmineSite>,
    /// Effect classes that the host behind the HTTP API performs itself.
    pub delivery_host: Vec<EffectClass>,
    /// Telegram channel, if configured.
    pub telegram: Option<TelegramConfig>,
    /// Slack channel, if configured.
    pub slack: Option<SlackConfig>,
    /// Mail server, if configured.
    pub mail: Option<MailConfig>,
    /// Notifications on devices, if a contact is configured.
    pub push: Option<PushConfig>,
    /// Endpoints that events are sent to.
    pub webhooks: Vec<WebhookConfig>,
    /// Models, by purpose.
    pub models: ModelsConfig,
    /// Tools and sub-agents that have clients in this process.
    pub tools: ToolsConfig,
    /// Log settings.
    pub telemetry: Telemetry,
    /// File of the instance key; beside the database if not set.
    pub instance_key_file: Option<PathBuf>,
    settings: Vec<Setting>,
}

/// Port, and who may reach it.
#[derive(Clone, Debug)]
pub struct Server {
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Address that people see, for links.
    pub public_url: Option<String>,
    /// Host names that are allowed on loopback in addition to the loopback names.
    pub allowed_hosts: Vec<String>,
    /// Demo mode: no token needed, loopback only.
    pub demo: bool,
    /// Limits of the connections to the port.
    pub connections: ConnectionLimits,
    /// Requests a second that are taken of one peer.
    pub rate_per_peer: u32,
    /// Requests a second that are taken in the name of one person.
    pub rate_per_person: u32,
}

impl Server {
    /// Returns true if people reach it over TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.public_url
            .as_deref()
            .and_then(|url| url.get(..8))
            .is_some_and(|url| url.eq_ignore_ascii_case("https://"))
    }
}

/// Web pages.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// Hosts that may show the pages in a frame, as in CSP: `https://app.example.org`. Empty: none.
    #[serde(default)]
    pub frame_ancestors: Vec<String>,
}

/// Telegram channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelegramConfig {
    /// Way in which updates arrive.
    pub mode: TelegramMode,
    /// File that holds the bot's token.
    pub token_file: PathBuf,
    /// Address of the Bot API.
    pub api_base: String,
    /// Allows an `http` address on this machine.
    pub allow_loopback: bool,
}

/// Way in which Telegram's updates arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TelegramMode {
    /// Long polling.
    Poll,
    /// Webhook.
    Webhook {
        /// File that holds the secret which proves the sender.
        secret_file: PathBuf,
    },
}

/// Log settings.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// Level `error`, `warn`, `info`, `debug` or `trace`, or a filter like `info,throughline_runtime=debug`.
    pub level: String,
    /// Format: `text` or `json`.
    pub format: String,
    /// Export of spans.
    pub traces: Traces,
}

/// Collector that spans are sent to.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Traces {
    /// Address of an OTLP receiver over HTTP. Without one nothing is sent.
    pub endpoint: Option<String>,
    /// File of the value of the `Authorization` header.
    pub authorization_file: Option<PathBuf>,
    /// Share of the traces that begin here and are sent, in percent.
    pub percent: u8,
}

/// Setting in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Path: `server.listen`.
    pub path: String,
    /// Value, as TOML.
    pub value: String,
    /// Source of the value.
    pub origin: Origin,
}

impl Config {
    /// Reads and checks every source.
    ///
    /// # Errors
    /// All errors found, not only the first.
    pub fn load(sources: &Sources) -> Result<Self, ConfigErrors> {
        let merged = sources.read()?;
        check::build(merged)
    }

    /// Returns the configuration of a demo on this machine: loopback, no token, a local tracker, data in `data` or
    /// the working directory.
    ///
    /// # Errors
    /// As [`Self::load`]; defaults alone have no errors.
    pub fn demo(data: Option<PathBuf>) -> Result<Self, ConfigErrors> {
        Self::load(&Sources { demo: true, data, ..Sources::default() })
    }

    /// Returns every setting in force with its source, in path order, for `config show`.
    #[must_use]
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// Returns the JSON Schema of the configuration file, for `config schema`.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schema::settings().json_schema("Throughline configuration")
    }

    /// Returns warnings about settings that are valid but probably not intended, one line each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        check::warnings(self)
    }

    /// Returns the user with that id in that tenant.
    #[must_use]
    pub fn user(&self, tenant: &str, id: &str) -> Option<Arc<User>> {
        self.users.get(tenant, id)
    }

    /// Returns the user with that id who may sign in.
    #[must_use]
    pub fn active_user(&self, tenant: &str, id: &str) -> Option<Arc<User>> {
        self.user(tenant, id).filter(|user| !user.is_out())
    }

    /// Returns the token that a bearer token is, unless the person it acts as is out.
    #[must_use]
    pub fn bearer(&self, bearer: &str) -> Option<&Token> {
        auth::token(&self.tokens, bearer).filter(|token| self.counts(token))
    }

    /// Returns the token of that id and hash, unless the person it acts as is out.
    #[must_use]
    pub fn token(&self, id: &str, sha256: &str) -> Option<&Token> {
        let token = self.tokens.iter().find(|token| token.id == id && token.sha256 == sha256);
        token.filter(|token| self.counts(token))
    }

    fn counts(&self, token: &Token) -> bool {
        self.user(&token.tenant, &token.principal).is_none_or(|user| !user.is_out())
    }

    /// Returns every tenant that the configuration names.
    #[must_use]
    pub fn tenants(&self) -> std::collections::BTreeSet<&str> {
        let of_tokens = self.tokens.iter().map(|token| token.tenant.as_str());
        of_tokens.chain([self.tenant.as_str()]).collect()
    }

    /// Returns the file of the instance key, beside the database that symbolic links lead to; `None` for a store in memory, whose key need not outlive the process.
    #[must_use]
    pub fn key_file(&self) -> Option<PathBuf> {
        match (&self.instance_key_file, &self.store) {
            (Some(file), _) => Some(file.clone()),
            (None, StoreUrl::Sqlite(path)) => Some(database_file(path).with_extension("key")),
            // Where the first process makes it; the others need a copy.
            (None, StoreUrl::Postgres(_)) => Some(PathBuf::from("throughline.key")),
            (None, StoreUrl::Memory) => None,
        }
    }
}

/// Configuration file after all layers were merged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    tenant: String,
    app: String,
    zone: Option<ConfiguredZone>,
    language: Option<String>,
    server: RawServer,
    web: Web,
    store: store::RawStore,
    api: RawApi,
    telegram: RawTelegram,
    slack: slack::RawSlack,
    mail: mail::RawMail,
    push: push::RawPush,
    models: models::RawModels,
    telemetry: Telemetry,
    policy: Policy,
    #[serde(default)]
    users: Vec<User>,
    #[serde(default)]
    openid: openid::RawOpenId,
    #[serde(default)]
    tokens: Vec<RawToken>,
    #[serde(default)]
    webhooks: Vec<webhooks::RawWebhook>,
    #[serde(default)]
    approvers: Vec<ApproverRule>,
    projects: BTreeMap<String, trackers::RawProject>,
    #[serde(default)]
    jira: BTreeMap<String, trackers::RawJira>,
    #[serde(default)]
    github: BTreeMap<String, trackers::RawGithub>,
    #[serde(default)]
    linear: BTreeMap<String, trackers::RawLinear>,
    #[serde(default)]
    redmine: BTreeMap<String, trackers::RawRedmine>,
    #[serde(default)]
    destinations: Vec<Destination>,
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
    connections: usize,
    connections_per_peer: usize,
    rate_per_peer: u32,
    rate_per_person: u32,
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

#[cfg(test)]
mod tests;
