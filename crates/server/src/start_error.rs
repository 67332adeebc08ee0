//! Reasons why an installation does not start, with their error codes.

use std::net::SocketAddr;
use std::path::PathBuf;

use throughline_runtime::RuntimeError;
use throughline_store::StoreError;

use crate::codes::{self, Code};
use crate::config::ConfigErrors;

/// Reason why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration has errors.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The instance key cannot be used.
    #[error("cannot use the instance key {}: {why}; restore it from a backup, or name another with instance_key_file", file.display())]
    Key {
        /// File of the key.
        file: PathBuf,
        /// Cause.
        why: String,
    },
    /// The processes of the installation have different instance keys.
    #[error("cannot use the instance key {}: it is another one than that of the processes that share the store; copy theirs", file.display())]
    OtherKey {
        /// File of the key.
        file: PathBuf,
    },
    /// The password of the database, or of Redis, cannot be read.
    #[error("cannot read the store's password from {}: {why}", file.display())]
    Password {
        /// File of the password.
        file: PathBuf,
        /// Cause.
        why: String,
    },
    /// The folder of the database cannot be created.
    #[error("cannot make the folder {} for the database: {why}", folder.display())]
    Folder {
        /// Path of the folder.
        folder: PathBuf,
        /// Cause.
        why: String,
    },
    /// The Telegram channel cannot be used as configured.
    #[error("cannot use the Telegram channel: {why}")]
    Telegram {
        /// Cause.
        why: String,
    },
    /// The Slack channel cannot be used as configured.
    #[error("cannot use the Slack channel: {why}")]
    Slack {
        /// Cause.
        why: String,
    },
    /// The provider of sign-ins cannot be used as configured.
    #[error("cannot use sign-in by OpenID Connect: {why}")]
    OpenId {
        /// Cause.
        why: String,
    },
    /// A model cannot be used as configured.
    #[error("cannot use the configured models: {why}")]
    Model {
        /// Cause.
        why: String,
    },
    /// A tool or a sub-agent cannot be used as configured.
    #[error("cannot use the configured tools: {why}")]
    Tool {
        /// Cause.
        why: String,
    },
    /// A webhook cannot be used as configured.
    #[error("cannot use the webhook {name}: {why}")]
    Webhook {
        /// Name of the webhook.
        name: String,
        /// Cause.
        why: String,
    },
    /// Mail cannot be sent as configured.
    #[error("cannot send mail: {why}")]
    Mail {
        /// Cause.
        why: String,
    },
    /// Notifications cannot be sent as configured.
    #[error("cannot send notifications: {why}")]
    Push {
        /// Cause.
        why: String,
    },
    /// A tracker cannot be used as configured.
    #[error("cannot use the tracker {name}: {why}")]
    Tracker {
        /// Name of the tracker.
        name: String,
        /// Cause.
        why: String,
    },
    /// Polling is configured, but the bot's updates go to a webhook.
    #[error(
        "cannot poll Telegram: its updates go to the webhook {url}; remove it with `throughline telegram setup`"
    )]
    WebhookSet {
        /// Address of the webhook.
        url: String,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {why}; stop what listens there, or choose another server.listen")]
    Listen {
        /// Configured address.
        address: SocketAddr,
        /// Cause.
        why: String,
    },
    /// The work that waits in the store cannot be resumed.
    #[error("cannot take up what waits in the store: {0}")]
    Recover(RuntimeError),
}

impl StartError {
    /// Returns the error code.
    #[must_use]
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Config(errors) => errors.code(),
            Self::Store(error) | Self::Recover(RuntimeError::Store(error)) => codes::store_error(error),
            Self::Key { .. } | Self::OtherKey { .. } => &codes::INSTANCE_KEY,
            Self::Folder { .. } | Self::Password { .. } => &codes::STORE_OPEN,
            Self::Telegram { .. } => &codes::TELEGRAM_CONFIG,
            Self::Slack { .. } => &codes::SLACK_CONFIG,
            Self::OpenId { .. } => &codes::OPENID_MISCONFIGURED,
            Self::Model { .. } => &codes::MODEL_MISCONFIGURED,
            Self::Tool { .. } => &codes::TOOL_MISCONFIGURED,
            Self::Webhook { .. } => &codes::WEBHOOK_MISCONFIGURED,
            Self::Mail { .. } => &codes::MAIL_CONFIG,
            Self::Push { .. } => &codes::PUSH_CONFIG,
            Self::Tracker { .. } => &codes::TRACKER_MISCONFIGURED,
            Self::WebhookSet { .. } => &codes::TELEGRAM_WEBHOOK_SET,
            Self::Listen { .. } => &codes::LISTEN_FAILED,
            Self::Recover(RuntimeError::Unreadable { .. }) => &codes::UNREADABLE,
            Self::Recover(RuntimeError::Crash(_)) => &codes::INTERNAL,
        }
    }
}
