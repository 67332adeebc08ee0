//! Trackers: where issues go. This file is the contract; `local` is the embedded tracker; `conformance` is the
//! suite each tracker passes.
//!
//! A tracker knows issue fields and what a project takes. What it never knows: conversation, approvals, storage
//! (the local tracker declares what it needs as [`local::Documents`]).

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod local;
mod shape;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::EffectId;
use throughline_engine::effect::{Attempt, Guarantee, IssueChange};
use throughline_engine::tickets::Item;

/// A place where issues live. One call is one attempt: nothing in here retries.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// What it promises about a create made twice with one effect id.
    fn guarantee(&self) -> Guarantee;

    /// Would the tracker take these items from this person, all of them? Creates nothing.
    ///
    /// `by` is the channel's user id or a principal (`user:ana`); nobody named passes no project that says who
    /// may create. What an item names in a project they may not see is not there. A refusal is [`Attempt::Rejected`] with one `check.…` code for each thing wrong
    /// (`spec 06 §6.1`).
    async fn check(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()>;

    /// Creates the issue, under the epic of that key when there is one. Who may was settled by the dry run and the
    /// approval before it.
    async fn create(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue>;

    /// Changes the issue of that key. A comment is made once for one effect id.
    async fn update(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()>;

    /// The issues that carry the marker of this effect, oldest first. None found proves nothing: a search may lag.
    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>>;

    /// The issue a person named by key or link; [`Attempt::Rejected`] when this project has none such, and in the same
    /// words whether it has or not when they may not see the project. `by` is as in [`Tracker::check`].
    async fn find(&self, tenant: &str, project: &str, by: Option<&str>, key: &str) -> Attempt<Issue>;
}

/// An issue that exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// `DEMO-1`.
    pub key: String,
    /// Where to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its one-line title.
    pub title: String,
    /// The key of the epic it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}
