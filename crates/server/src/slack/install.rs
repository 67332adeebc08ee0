//! Installation in further workspaces, and the renewal of their tokens.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use throughline_channels::slack::manifest::{OPTIONAL_SCOPES, SCOPES};
use throughline_channels::slack::outbound::{self, Call};
use throughline_channels::slack::{Answer, App, Workspace};
use throughline_engine::Timestamp;
use throughline_net::Key;
use throughline_runtime::Runtime;
use zeroize::Zeroizing;

use super::Adapter;
use super::workspaces::{Ending, Granted};
use crate::config::SlackInstall;
use crate::start_error::StartError;

/// Time between two looks for tokens that end.
const LOOKS: Duration = Duration::from_secs(60);

/// Settings of installations.
pub(super) struct Installing {
    client_id: String,
    client_secret: Zeroizing<String>,
    /// Address at which people agree.
    authorize: String,
    /// Address to which they come back.
    back: String,
    /// Workspaces that may install it; all, if there are none.
    workspaces: Vec<String>,
}

impl Installing {
    pub(super) fn new(settings: &SlackInstall, public_url: Option<&str>) -> Result<Self, StartError> {
        let wrong = |why: &str| StartError::Slack { why: why.into() };
        let url = public_url.ok_or_else(|| {
            wrong("people come back from Slack to server.public_url, which is not set; it is needed with slack.client_id")
        })?;
        Ok(Self {
            client_id: settings.client_id.clone(),
            client_secret: Zeroizing::new(secret(&settings.client_secret_file)?),
            authorize: settings.authorize_url.clone(),
            back: format!("{}/slack/install/done", url.trim_end_matches('/')),
            workspaces: settings.workspaces.clone(),
        })
    }
}

fn secret(file: &Path) -> Result<String, StartError> {
    let text = super::read(file, "client secret")?;
    let secret = text.trim();
    if secret.is_empty() {
        return Err(StartError::Slack { why: format!("{} holds no client secret", file.display()) });
    }
    Ok(secret.to_owned())
}

/// Reason why the app was not installed, for the person who tried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotInstalled {
    /// Workspaces cannot install the app by themselves here.
    #[error("this installation takes no further workspaces: slack.client_id is not set")]
    NotOffered,
    /// Slack did not exchange the code.
    #[error("Slack did not give a token: {0}")]
    Refused(String),
    /// The workspace is not on the list.
    #[error("{0} is not among the workspaces that may install this app (slack.workspaces)")]
    NotListed(String),
    /// The token was not kept.
    #[error("the token was not kept: {0}")]
    NotKept(String),
}

impl Adapter {
    /// Returns the address at which a person agrees to the installation. `state` comes back with them.
    pub(crate) fn authorize_url(&self, state: &str) -> Option<String> {
        let installing = self.installing.as_ref()?;
        let optional = OPTIONAL_SCOPES.iter().map(|(scope, _)| *scope);
        let scopes: Vec<&str> = SCOPES.into_iter().chain(optional).collect();
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("client_id", &installing.client_id)
            .append_pair("scope", &scopes.join(","))
            .append_pair("state", state)
            .append_pair("redirect_uri", &installing.back)
            .finish();
        Some(format!("{}?{query}", installing.authorize))
    }

    /// Completes an installation with the code that a person came back with. Returns the name of the workspace.
    pub(crate) async fn install(&self, runtime: &Runtime, code: &str) -> Result<String, NotInstalled> {
        let installing = self.installing.as_ref().ok_or(NotInstalled::NotOffered)?;
        let told = match self.client().call_openly(&installing.exchange(code)).await {
            Answer::Applied(told) => told,
            Answer::Rejected(why)
            | Answer::Unauthorized(why)
            | Answer::Unknown(why)
            | Answer::NotSent(why) => {
                return Err(NotInstalled::Refused(why));
            }
            other => return Err(NotInstalled::Refused(format!("{other:?}"))),
        };
        let granted =
            self.granted(&told).ok_or_else(|| NotInstalled::Refused("it named no workspace".into()))?;
        let team = granted.workspace.app.team.clone();
        if !installing.workspaces.is_empty() && !installing.workspaces.contains(&team) {
            return Err(NotInstalled::NotListed(team));
        }
        let granted = self.completed(granted).await;
        self.installed.keep(granted).await.map_err(|error| NotInstalled::NotKept(error.to_string()))?;
        runtime.recover(&team).await.map_err(|error| NotInstalled::NotKept(error.to_string()))?;
        tracing::info!(team, "the app was installed in a workspace");
        let named = [&told["team"]["name"], &told["enterprise"]["name"]];
        Ok(named.into_iter().find_map(Value::as_str).unwrap_or(&team).to_owned())
    }

    /// Adds what the exchange does not say and `auth.test` does.
    async fn completed(&self, mut granted: Granted) -> Granted {
        let workspace = &mut granted.workspace;
        if let Answer::Applied(told) = self.client().call(&workspace.token, &outbound::auth_test()).await {
            let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
            workspace.url = text("url");
            workspace.app.bot = text("bot_id");
        }
        granted
    }

    /// Reads the answer of an exchange. An organisation that installed the app is one tenant.
    fn granted(&self, told: &Value) -> Option<Granted> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let org = told["is_enterprise_install"] == true;
        let team = text(if org { &told["enterprise"]["id"] } else { &told["team"]["id"] });
        let app = App {
            team: team.clone(),
            user: text(&told["bot_user_id"]),
            bot: String::new(),
            id: text(&told["app_id"]),
            command: self.command.clone(),
        };
        let token = Key::parse(told["access_token"].as_str()?)?;
        let refresh = told["refresh_token"].as_str().and_then(Key::parse);
        let ends_at = told["expires_in"].as_i64().map(|seconds| self.now().plus(seconds * Timestamp::SECOND));
        let complete = !team.is_empty() && !app.user.is_empty();
        let workspace = Workspace { tenant: team, app, token, url: String::new() };
        complete.then_some(Granted { workspace, refresh, ends_at })
    }

    /// Renews tokens before they end, without end.
    pub(super) async fn renew_tokens(&self) {
        let Some(installing) = &self.installing else { return std::future::pending().await };
        // A refresh token counts once, so one process at a time renews.
        let lead = self.token_lead();
        loop {
            if lead.leads().await {
                self.renew_ending(installing).await;
            }
            tokio::time::sleep(LOOKS).await;
        }
    }

    async fn renew_ending(&self, installing: &Installing) {
        match self.installed.ending(self.now()).await {
            Ok(ending) => {
                for one in ending {
                    self.renew(installing, one).await;
                }
            }
            Err(error) => tracing::warn!(%error, "cannot look for tokens that end"),
        }
    }

    async fn renew(&self, installing: &Installing, ending: Ending) {
        let Ending { workspace, refresh } = ending;
        let team = workspace.app.team.clone();
        let told = match self.client().call_openly(&installing.renewal(&refresh)).await {
            Answer::Applied(told) => told,
            answer => {
                tracing::error!(code = "TL-3301", team, ?answer, "the token of a workspace was not renewed");
                return;
            }
        };
        let Some(granted) = self.granted(&told) else { return };
        let kept = Workspace { token: granted.workspace.token.clone(), ..workspace };
        if let Err(error) = self.installed.keep(Granted { workspace: kept, ..granted }).await {
            tracing::error!(code = "TL-3301", team, %error, "the renewed token of a workspace was not kept");
        }
    }
}

impl Installing {
    fn exchange(&self, code: &str) -> Call {
        self.access(serde_json::json!({"code": code, "redirect_uri": self.back}))
    }

    fn renewal(&self, refresh: &Key) -> Call {
        self.access(serde_json::json!({"grant_type": "refresh_token", "refresh_token": refresh.as_str()}))
    }

    fn access(&self, mut arguments: Value) -> Call {
        arguments["client_id"] = Value::from(self.client_id.clone());
        arguments["client_secret"] = Value::from(self.client_secret.as_str());
        Call::new("oauth.v2.access", arguments)
    }
}
