//! Settings of the Slack channel.

use std::path::PathBuf;

use serde::Deserialize;

/// Slack channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackConfig {
    /// Way in which deliveries arrive.
    pub mode: SlackMode,
    /// File that holds the bot's token.
    pub bot_token_file: PathBuf,
    /// Replies that are read in threads which the app takes part in.
    pub thread_follow: ThreadFollow,
    /// Address of the Web API.
    pub api_base: String,
    /// Allows an `http` address on this machine.
    pub allow_loopback: bool,
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
    api_base: String,
    allow_loopback: bool,
}

/// Returns the channel's settings; `None` if no bot is configured.
///
/// # Errors
/// Says what is missing for the configured way.
pub(super) fn checked(raw: RawSlack) -> Result<Option<SlackConfig>, &'static str> {
    let RawSlack {
        mode,
        bot_token_file,
        app_token_file,
        signing_secret_file,
        thread_follow,
        api_base,
        allow_loopback,
    } = raw;
    let Some(bot_token_file) = bot_token_file else { return Ok(None) };
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
    Ok(Some(SlackConfig { mode, bot_token_file, thread_follow, api_base, allow_loopback }))
}
