//! Linear. A project is a team.
//!
//! Linear takes the id of a new thing from whoever creates it, and refuses an id that it has. So the id of an issue or a
//! comment is made of the id of its effect: sent twice, it is there once, and an issue whose answer was lost is read by its
//! id. Types are labels that the team has, and a story is a sub-issue of its epic.
//!
//! `dry_run.rs`, `create.rs`, `change.rs` and `look_up.rs` are the operations; `form.rs` makes an issue of a ticket's parts;
//! `labels.rs` and `people.rs` find what names mean, `text.rs` is about the texts; `issue.rs` is how Linear tells things, and `queries.rs` how it is
//! asked; `client.rs` sends, and `answer.rs` says what an answer proves.

mod answer;
mod change;
mod client;
mod config;
mod create;
mod dry_run;
mod examine;
mod form;
mod id;
mod issue;
mod labels;
mod look_up;
mod people;
mod queries;
mod text;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::effect::IssueChange;
use throughline_engine::data::ticket::Item;

use crate::Issue;
use crate::remote::{Outcome, Site, Sites};
use client::Client;

pub use config::{LinearConfig, LinearProject};
pub use examine::Sign;

/// Linear as a tracker: one workspace a tenant.
pub type Linear = Sites<LinearSite>;

impl Linear {
    /// Creates the tracker of these workspaces, by tenant.
    ///
    /// # Errors
    /// An address, a token or the key of a team cannot be used; the text is for people.
    pub fn new(sites: impl IntoIterator<Item = (String, LinearConfig)>) -> Result<Self, String> {
        Self::of(sites.into_iter().map(|(tenant, config)| Ok((tenant, LinearSite::new(config)?))))
    }
}

/// One workspace, with our account there.
pub struct LinearSite {
    config: LinearConfig,
    client: Client,
}

impl LinearSite {
    fn new(config: LinearConfig) -> Result<Self, String> {
        config.check()?;
        let client = Client::new(&config)?;
        Ok(Self { config, client })
    }
}

#[async_trait]
impl Site for LinearSite {
    async fn check(&self, project: &str, by: Option<&str>, items: &[Item]) -> Outcome<()> {
        self.dry_run(project, by, items).await
    }

    async fn create(
        &self,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Outcome<Issue> {
        self.create_issue(project, effect, item, parent).await
    }

    async fn update(
        &self,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Outcome<()> {
        self.change(project, by, effect, key, change).await
    }

    async fn seek(&self, project: &str, marker: &EffectId) -> Outcome<Vec<Issue>> {
        self.made_by(project, marker).await
    }

    async fn find(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue> {
        self.look_up(project, by, named).await
    }
}

#[cfg(test)]
mod tests;
