//! Workspaces that the app is installed in, in memory.

use std::sync::{PoisonError, RwLock};

use throughline_channels::slack::Workspace;
use throughline_engine::LaneKey;

use crate::config::Config;

/// Workspaces of one process.
pub(super) struct Installed {
    tenant: String,
    known: RwLock<Vec<Workspace>>,
}

impl Installed {
    pub(super) fn new(config: &Config) -> Self {
        Self { tenant: config.tenant.clone(), known: RwLock::default() }
    }

    /// Adds a workspace, in the place of the one with the same team.
    pub(super) fn add(&self, workspace: Workspace) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|other| other.app.team != workspace.app.team);
        known.push(workspace);
    }

    /// Removes a workspace.
    pub(super) fn remove(&self, team: &str) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).retain(|one| one.app.team != team);
    }

    /// Returns the first workspace, which is the one of the configured token.
    pub(super) fn first(&self) -> Option<Workspace> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).first().cloned()
    }

    /// Returns the workspace of a lane.
    pub(super) fn of_lane(&self, lane: &LaneKey) -> Option<Workspace> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let of = |one: &&Workspace| lane.tenant == self.tenant && one.app.user == lane.app;
        known.iter().find(of).cloned()
    }
}
