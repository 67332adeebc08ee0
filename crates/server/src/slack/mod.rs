//! Slack adapter: workspace, intake over sockets or HTTP, and people.
//!
//! Path of a delivery: `socket.rs` or a route → `intake.rs` (lane, inbox row) → the acknowledgement → `follow_up.rs`, which
//! opens what the delivery asked for.

mod earlier;
mod follow_up;
mod home;
mod install;
mod intake;
mod people;
mod setup;
mod socket;
mod streams;
mod workspaces;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use throughline_channels::slack::outbound;
use throughline_channels::slack::signature::Unproven;
use throughline_channels::slack::{
    Answer, App, Client, STREAM_GRACE, SigningSecret, Slack, Workspace, teams,
};
use throughline_engine::{Millis, Timestamp};
use throughline_messages::Language;
use throughline_runtime::Runtime;
use throughline_store::{Store, StoreError};
use tokio::sync::watch;

pub use intake::Accepted;
pub(crate) use people::People;
pub use setup::examine;
pub use throughline_channels::slack::manifest::{OPTIONAL_SCOPES, Ways, manifest};
pub(crate) use workspaces::tenants;

use crate::config::{Config, SlackConfig, SlackMode, Stream, ThreadFollow};
use crate::lead::{self, Lead};
use crate::start_error::StartError;
use install::Installing;
use streams::Recorded;
use throughline_net::Key;
use workspaces::Installed;

/// Time between two attempts to learn which workspace the token is for.
const AGAIN: Duration = Duration::from_secs(5);

/// Slack channel of one process.
pub struct Adapter {
    channel: Arc<Slack>,
    people: Arc<People>,
    installed: Arc<Installed>,
    store: Arc<dyn Store>,
    tenant: String,
    command: String,
    /// Public address of the pages, without a slash at the end.
    pages: Option<String>,
    /// Token of the installation's own workspace, if it has one.
    token: Option<Key>,
    /// Installation in further workspaces, if they may.
    installing: Option<Installing>,
    follow: ThreadFollow,
    /// True if an emulator on this machine may be connected to.
    allow_loopback: bool,
    way: Way,
    /// Records of the messages that show progress, where progress is shown in messages.
    streams: Option<Arc<Recorded>>,
    /// True once deliveries are taken.
    listens: AtomicBool,
    /// Name of this process among those that share the store.
    process: String,
}

/// Way in which deliveries arrive.
enum Way {
    /// Over sockets that this token opens.
    Socket(Key),
    /// Over HTTP, signed with one of these secrets.
    Http(Vec<SigningSecret>),
}

impl Way {
    fn of(mode: &SlackMode) -> Result<Self, StartError> {
        Ok(match mode {
            SlackMode::Socket { app_token_file } => {
                Self::Socket(token(app_token_file, "xapp-", "app-level token")?)
            }
            SlackMode::Http { signing_secret_file } => Self::Http(secrets(signing_secret_file)?),
        })
    }
}

/// Reads the bot's token, if the installation has a workspace of its own.
fn own_token(slack: &SlackConfig) -> Result<Option<Key>, StartError> {
    slack.bot_token_file.as_ref().map(|file| token(file, "xoxb-", "bot's token")).transpose()
}

impl Adapter {
    /// Opens the configured channel; `None` if there is none. Slack is not asked anything yet.
    ///
    /// # Errors
    /// A token, the secret or the address cannot be used.
    pub(crate) fn open(
        config: &Config,
        store: &Arc<dyn Store>,
        key: &[u8; 32],
    ) -> Result<Option<Self>, StartError> {
        let Some(slack) = config.slack.clone() else { return Ok(None) };
        let client = client(&slack)?;
        let token = own_token(&slack)?;
        let public_url = config.server.public_url.as_deref();
        let installing =
            slack.install.as_ref().map(|settings| Installing::new(settings, public_url)).transpose()?;
        let way = Way::of(&slack.mode)?;
        let command = config.policy.command.0.trim_start_matches('/');
        let installed = Arc::new(Installed::new(store.clone(), &config.tenant, key, command));
        let people = Arc::new(People::new(config, client.clone(), installed.clone(), store.clone()));
        let language = config.language.as_deref().and_then(Language::of).unwrap_or_default();
        let streams =
            (slack.stream == Stream::On).then(|| Arc::new(Recorded::new(store.clone(), &config.tenant)));
        let mut channel = Slack::new(client, people.clone(), language, public_url);
        if let Some(streams) = &streams {
            channel = channel.streaming(streams.clone(), STREAM_GRACE);
        }
        Ok(Some(Self {
            channel: Arc::new(channel),
            streams,
            people,
            installed,
            store: store.clone(),
            tenant: config.tenant.clone(),
            command: command.to_owned(),
            pages: public_url.map(|url| url.trim_end_matches('/').to_owned()),
            token,
            installing,
            follow: slack.thread_follow,
            allow_loopback: slack.allow_loopback,
            way,
            listens: AtomicBool::new(false),
            process: lead::process(),
        }))
    }

    /// Returns the channel for the runtime.
    pub(crate) fn channel(&self) -> Arc<Slack> {
        self.channel.clone()
    }

    /// Returns the people.
    pub(crate) fn people(&self) -> Arc<People> {
        self.people.clone()
    }

    /// Returns true once deliveries are taken. Slack may be out of reach: then they come when it is back.
    pub(crate) fn listens(&self) -> bool {
        self.listens.load(Ordering::Relaxed)
    }

    /// Returns true if deliveries come over HTTP.
    pub(crate) fn takes_http(&self) -> bool {
        matches!(self.way, Way::Http(_))
    }

    /// Verifies a request by its headers and raw body.
    ///
    /// # Errors
    /// The request is not Slack's; or deliveries come over sockets, and none is expected here.
    pub(crate) fn verify(
        &self,
        timestamp: Option<&str>,
        signature: Option<&str>,
        body: &[u8],
    ) -> Result<(), Unproven> {
        let Way::Http(secrets) = &self.way else { return Err(Unproven::Missing) };
        throughline_channels::slack::signature::verify(secrets, timestamp, signature, body, self.store.now())
    }

    /// Receives deliveries until told to stop.
    pub(crate) async fn run(self: Arc<Self>, runtime: Arc<Runtime>, mut stop: watch::Receiver<bool>) {
        let receiving = async {
            while let Err(why) = self.ready().await {
                tracing::warn!(code = "TL-3301", why, "the workspaces of the Slack app are not known yet");
                tokio::time::sleep(AGAIN).await;
            }
            match &self.way {
                Way::Socket(token) => self.receive_over_sockets(&runtime, token).await,
                Way::Http(_) => {
                    self.listens.store(true, Ordering::Relaxed);
                    std::future::pending().await
                }
            }
        };
        tokio::select! {
            () = receiving => {}
            () = self.renew_tokens() => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        self.socket_lead().resign().await;
        self.token_lead().resign().await;
    }

    /// Receives over sockets while this process leads. What the leader receives is decided here, too, so a process that
    /// stands by is as ready.
    async fn receive_over_sockets(self: &Arc<Self>, runtime: &Arc<Runtime>, token: &Key) {
        let lead = self.socket_lead();
        loop {
            if self.store.is_shared() {
                self.listens.store(true, Ordering::Relaxed);
            }
            lead.won().await;
            tokio::select! {
                () = socket::run(self, runtime, token) => {}
                () = lead.lost() => {}
            }
        }
    }

    /// Returns the lead of whoever receives over sockets.
    fn socket_lead(&self) -> Lead {
        self.lead("slack.sockets", 6 * Timestamp::SECOND)
    }

    /// Returns the lead of whoever renews tokens. Slack may take half a minute for each.
    fn token_lead(&self) -> Lead {
        self.lead("slack.tokens", 10 * Timestamp::MINUTE)
    }

    fn lead(&self, what: &str, lease: Millis) -> Lead {
        Lead::new(self.store.clone(), &self.tenant, what, &self.process, lease)
    }

    /// Reads again which workspaces there are.
    ///
    /// # Errors
    /// The store did not answer.
    pub(crate) async fn reload(&self) -> Result<(), StoreError> {
        self.installed.load().await
    }

    /// Learns which workspaces there are, once: from the store, and by asking Slack whom the configured token is for.
    /// Deliveries wait for it: without the bot's id a mention of it could not be recognised.
    ///
    /// # Errors
    /// The store or Slack did not say it.
    pub(crate) async fn ready(&self) -> Result<(), String> {
        if self.installed.is_complete() {
            return Ok(());
        }
        if let Some(streams) = &self.streams {
            // While no workspace is known, nothing is sent that one of these messages could become.
            self.channel.resume_streams(streams.left().await.map_err(|error| error.to_string())?);
        }
        self.installed.load().await.map_err(|error| error.to_string())?;
        if let Some(token) = &self.token {
            let own = self.identify(token).await.map_err(|answer| format!("{answer:?}"))?;
            self.installed.add(own);
        }
        self.installed.completed();
        Ok(())
    }

    /// Returns the workspace that a delivery is for, if the app is installed there.
    pub(crate) fn workspace(&self, payload: &Value) -> Option<Workspace> {
        let found = self.installed.of(&teams(payload));
        if found.is_none() {
            tracing::warn!("a delivery is for a workspace that has not installed the app");
        }
        found
    }

    /// Asks Slack which workspace a token is for.
    async fn identify(&self, token: &Key) -> Result<Workspace, Answer> {
        let told = match self.client().call(token, &outbound::auth_test()).await {
            Answer::Applied(told) => told,
            answer => return Err(answer),
        };
        let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
        let (team, user, bot) = (text("team_id"), text("user_id"), text("bot_id"));
        if team.is_empty() || user.is_empty() {
            return Err(Answer::Rejected("auth.test named no workspace and no bot".into()));
        }
        let id = match self.app_of_token() {
            Some(id) => id,
            None => self.app_of_bot(token, &bot).await,
        };
        let app = App { team, user, bot, id, command: self.command.clone() };
        Ok(Workspace { tenant: self.tenant.clone(), app, token: token.clone(), url: text("url") })
    }

    /// Returns the app's id, which an app-level token names: `xapp-1-A111-…`.
    fn app_of_token(&self) -> Option<String> {
        let Way::Socket(token) = &self.way else { return None };
        token.as_str().split('-').nth(2).filter(|id| id.starts_with('A')).map(str::to_owned)
    }

    /// Returns the app's id, as Slack tells it about its bot. Empty where it does not: events name it, too.
    async fn app_of_bot(&self, token: &Key, bot: &str) -> String {
        match self.client().call(token, &outbound::bot(bot)).await {
            Answer::Applied(told) => told["bot"]["app_id"].as_str().unwrap_or_default().to_owned(),
            _ => String::new(),
        }
    }

    /// Returns the language of a person, as far as it is known without asking, else the installation's.
    fn language_of(&self, workspace: &Workspace, member: &str) -> Language {
        self.people.language(workspace, member).unwrap_or_else(|| self.channel.language())
    }

    fn client(&self) -> &Client {
        self.channel.client()
    }

    fn now(&self) -> Timestamp {
        self.store.now()
    }
}

/// Makes a client of the configured address.
fn client(config: &SlackConfig) -> Result<Client, StartError> {
    Client::new(&config.api_base, config.allow_loopback)
        .map_err(|why| StartError::Slack { why: format!("slack.api_base cannot be used: {why}") })
}

fn read(file: &Path, what: &str) -> Result<String, StartError> {
    std::fs::read_to_string(file).map_err(|error| StartError::Slack {
        why: format!("the file of the {what}, {}, cannot be read: {error}", file.display()),
    })
}

/// Reads a token that begins with these letters.
fn token(file: &Path, prefix: &str, what: &str) -> Result<Key, StartError> {
    let found = Key::parse(&read(file, what)?).filter(|key| key.as_str().starts_with(prefix));
    found.ok_or_else(|| StartError::Slack {
        why: format!("{} does not hold a {what}, which begins with {prefix}", file.display()),
    })
}

/// Reads the signing secret, and on a second line the one before it.
fn secrets(file: &Path) -> Result<Vec<SigningSecret>, StartError> {
    let text = read(file, "signing secret")?;
    let found: Vec<SigningSecret> = text.lines().filter_map(SigningSecret::read).take(2).collect();
    if found.is_empty() {
        return Err(StartError::Slack { why: format!("{} holds no signing secret", file.display()) });
    }
    Ok(found)
}
