//! Trackers hold issues. This file is the contract; `local` is the embedded tracker; those over the network share `remote`;
//! `conformance` is the suite each tracker passes.
//!
//! A tracker knows issue fields and the rules of projects. It never knows conversations, approvals or storage (the
//! local tracker declares what it needs as [`local::Documents`]).

mod bulk;
mod common_checks;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod github;
pub mod jira;
pub mod linear;
mod links;
pub mod local;
mod project;
pub mod redmine;
mod remote;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::ticket::Item;
use throughline_engine::retry::Guarantee;

pub use bulk::{BulkCreate, BulkRow};
pub use remote::{Limits, Report, Sites};

/// A tracker. One call is one attempt: nothing in here retries.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// The guarantee for a create that is made twice with one effect id.
    fn guarantee(&self) -> Guarantee;

    /// Checks if the tracker would accept all these items from this person. Creates nothing.
    ///
    /// `by` is the channel's user id or a principal (`user:ana`); without one, projects that limit who may create
    /// refuse. An issue in a project that the person may not see counts as missing. A refusal is
    /// [`Attempt::Rejected`] with one `check.…` code for each mistake
    /// (`docs/design/0020-ticket-drafts-and-batches.md`).
    async fn check(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()>;

    /// Creates the issue, under the epic with that key if there is one. Permissions are not checked: the dry run and
    /// the approval have settled them.
    async fn create(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue>;

    /// Returns the way to create several issues of this tenant in one request, where there is one and the configuration
    /// allows it.
    fn bulk(&self, _tenant: &str) -> Option<&dyn BulkCreate> {
        None
    }

    /// Changes the issue with that key. A comment is made once for one effect id; any other change sets what it names, and
    /// setting it again changes nothing.
    ///
    /// `by` is the person who asked, as in [`Tracker::check`]. An issue that they may not see counts as missing, also where
    /// the change only links to it. Setting the epic of an issue belongs to creating it, which is settled by then.
    async fn update(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()>;

    /// Finds the issues with the marker of this effect, oldest first. An empty result proves nothing: a search may
    /// lag.
    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>>;

    /// Finds the issue a person named by key or link. [`Attempt::Rejected`] if this project has none such, in the
    /// same words if the person may not see the project. `by` is as in [`Tracker::check`].
    async fn find(&self, tenant: &str, project: &str, by: Option<&str>, key: &str) -> Attempt<Issue>;
}

/// An issue that exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// `DEMO-1`.
    pub key: String,
    /// The address for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its one-line title.
    pub title: String,
    /// The key of the epic it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its state.
    #[serde(default)]
    pub state: IssueState,
    /// The person it is given to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
}
