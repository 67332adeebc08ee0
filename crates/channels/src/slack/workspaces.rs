//! Workspaces, and what the channel asks of whoever keeps them.

use std::fmt;

use async_trait::async_trait;
use throughline_engine::LaneKey;
use throughline_net::Key;

use super::names::App;

/// A workspace that the app is installed in.
#[derive(Clone)]
pub struct Workspace {
    /// The tenant whose lanes its conversations are.
    pub tenant: String,
    /// The app, as the workspace knows it.
    pub app: App,
    /// The bot's token.
    pub token: Key,
    /// The address of the workspace, `https://team.slack.com/`. Empty where Slack has not told it.
    pub url: String,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the token.
        f.debug_struct("Workspace")
            .field("tenant", &self.tenant)
            .field("app", &self.app)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// The look-ups of workspaces and people that the channel needs and does not keep itself.
#[async_trait]
pub trait Workspaces: Send + Sync {
    /// The workspace of a lane.
    ///
    /// # Errors
    /// There is none, or it is not known yet.
    fn workspace(&self, lane: &LaneKey) -> Result<Workspace, NoWorkspace>;

    /// The Slack user id of a person, who may be known by the name of their account.
    async fn user(&self, lane: &LaneKey, person: &str) -> Option<String>;

    /// The name of a user group, by its id; `None` if Slack cannot be asked.
    async fn group(&self, lane: &LaneKey, id: &str) -> Option<String> {
        let _ = (lane, id);
        None
    }
}

/// The reason why a lane has no workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWorkspace {
    /// Slack has not said yet which workspaces there are: nothing can be sent now, and may be later.
    NotKnownYet,
    /// The app is not installed there any more.
    NotInstalled,
}
