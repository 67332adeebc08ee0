//! Redmine. A project is a project.
//!
//! Redmine promises nothing about a create that is sent twice, so none is: an issue whose answer was lost is found by a
//! hidden line of its text that holds the id of its effect. Its lists do not lag. Types are trackers, and a story is a
//! subtask of its epic.
//!
//! Redmine leaves out what an account may not set, and takes another tracker for one that a project does not have, without a
//! word. So what a create needs is looked up before it, and what a change should set is read back after it.
//!
//! `dry_run.rs`, `create.rs`, `change.rs` and `look_up.rs` are the operations; `form.rs` makes an issue of a ticket's parts,
//! `text.rs` is about the texts; `metadata.rs` reads what a project takes, and what our account may do in it; `people.rs`
//! finds whom a name means; `issue.rs` is how Redmine tells things; `client.rs` sends, and `answer.rs` says what an answer
//! proves.

mod answer;
mod change;
mod client;
mod config;
mod create;
mod dry_run;
mod examine;
mod form;
mod issue;
mod look_up;
mod metadata;
mod people;
mod text;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::effect::IssueChange;
use throughline_engine::data::ticket::Item;

use crate::Issue;
use crate::remote::{Outcome, Site, Sites};
use client::Client;

pub use config::{Markup, RedmineConfig, RedmineProject};
pub use examine::Sign;

/// The name of our account in faults.
const ACCOUNT: &str = "Throughline";

/// Redmine as a tracker: one site a tenant.
pub type Redmine = Sites<RedmineSite>;

impl Redmine {
    /// Creates the tracker of these sites, by tenant.
    ///
    /// # Errors
    /// An address, a key or a project cannot be used; the text is for people.
    pub fn new(sites: impl IntoIterator<Item = (String, RedmineConfig)>) -> Result<Self, String> {
        Self::of(sites.into_iter().map(|(tenant, config)| Ok((tenant, RedmineSite::new(config)?))))
    }
}

/// One Redmine, with our account there.
pub struct RedmineSite {
    config: RedmineConfig,
    client: Client,
}

impl RedmineSite {
    fn new(config: RedmineConfig) -> Result<Self, String> {
        config.check()?;
        let client = Client::new(&config)?;
        Ok(Self { config, client })
    }
}

#[async_trait]
impl Site for RedmineSite {
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
        self.marked(project, marker).await
    }

    async fn find(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue> {
        self.look_up(project, by, named).await
    }
}

#[cfg(test)]
mod tests;
