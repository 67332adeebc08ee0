//! Settings of the Slack channel.

use std::path::PathBuf;

use serde::Deserialize;

/// Slack channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackConfig {
    /// Way in which deliveries arrive.
    pub mode: SlackMode,
    /// File that holds the bot's token, for the installation's own workspace.
    pub bot_token_file: Option<PathBuf>,
    /// Installation in further workspaces, if they may install the app by themselves.
    pub install: Option<SlackInstall>,
    /// Replies that are read in threads which the app takes part in.
    pub thread_follow: ThreadFollow,
    /// Way in which progress is shown.
    pub stream: Stream,
    /// Address of the Web API.
    pub api_base: String,
    /// Allows an `http` address on this machine.
    pub allow_loopback: bool,
}

/// Installation of the app in further workspaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackInstall {
    /// Client id of the app.
    pub client_id: String,
    /// File that holds the client secret.
    pub client_secret_file: PathBuf,
    /// Address at which people agree.
    pub authorize_url: String,
    /// Workspaces, or organisations, that may install it; all, if there are none.
    pub workspaces: Vec<String>,
}

/// Way in which Slack's deliveries arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlackMode {
    /// Over sockets that we open.
    Socket {
        /// File that holds the app-level token.
        app_token_file: PathBuf,
    },
    /// Over HTTP.
    Http {
        /// File that holds the signing secret, and on a second line the one before while it is replaced.
        signing_secret_file: PathBuf,
    },
}

/// Way in which progress is shown.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// As the thread's status.
    Off,
    /// As a message that becomes the answer.
    On,
}

/// Replies that are read in threads which the app takes part in.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ThreadFollow {
    /// All of them, unless they begin by mentioning somebody else.
    Auto,
    /// Those that mention the app.
    Mention,
}

#[derive(Deserialize)]
pub(super) struct RawSlack {
    mode: String,
    bot_token_file: Option<PathBuf>,
    app_token_file: Option<PathBuf>,
    signing_secret_file: Option<PathBuf>,
    thread_follow: ThreadFollow,
    stream: Stream,
    client_id: Option<String>,
    client_secret_file: Option<PathBuf>,
    workspaces: Vec<String>,
    api_base: String,
    authorize_url: String,
    allow_loopback: bool,
}

/// Returns the channel's settings; `None` if there is neither a bot nor a way to install one.
///
/// # Errors
/// Says what is missing for the configured way.
pub(super) fn checked(raw: RawSlack) -> Result<Option<SlackConfig>, &'static str> {
    let RawSlack { mode, bot_token_file, app_token_file, signing_secret_file, .. } = raw;
    let RawSlack {
        client_id, client_secret_file, workspaces, authorize_url, api_base, allow_loopback, ..
    } = raw;
    let RawSlack { thread_follow, stream, .. } = raw;
    let install = match (client_id, client_secret_file) {
        (Some(client_id), Some(client_secret_file)) => {
            Some(SlackInstall { client_id, client_secret_file, authorize_url, workspaces })
        }
        (None, None) => None,
        _ => return Err("further workspaces need both `slack.client_id` and `slack.client_secret_file`"),
    };
    if bot_token_file.is_none() && install.is_none() {
        return Ok(None);
    }
    let mode = match (mode.as_str(), app_token_file, signing_secret_file) {
        ("http", _, Some(signing_secret_file)) => SlackMode::Http { signing_secret_file },
        ("http", _, None) => {
            return Err("without a signing secret anybody could deliver: name a `slack.signing_secret_file`");
        }
        (_, Some(app_token_file), _) => SlackMode::Socket { app_token_file },
        (_, None, _) => {
            return Err("sockets are opened with the app-level token: name a `slack.app_token_file`");
        }
    };
    Ok(Some(SlackConfig { mode, bot_token_file, install, thread_follow, stream, api_base, allow_loopback }))
}
