//! GitHub Issues, of github.com and GitHub Enterprise. A project is a repository.
//!
//! GitHub promises nothing about a create that is sent twice, so none is: an issue whose answer was lost is found by a
//! hidden line of its text that holds the id of its effect. Types are labels, and a story is a sub-issue of its epic.
//!
//! `dry_run.rs`, `create.rs`, `change.rs` and `look_up.rs` are the operations; `form.rs` makes an issue of a ticket's parts,
//! `text.rs` is about the texts; `people.rs` finds whom a name means; `issue.rs` is how GitHub tells things; `client.rs`
//! sends, and `answer.rs` says what an answer proves.

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
mod people;
mod text;

use std::collections::BTreeMap;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Item;
use throughline_engine::retry::Guarantee;

use crate::project::{closed, rejected};
use crate::{Issue, Tracker};
use client::Client;

pub use config::{GithubConfig, GithubProject, Limits};
pub use examine::Sign;

/// The name of our account in faults.
const ACCOUNT: &str = "Throughline";

/// GitHub Issues as a tracker: one site a tenant.
pub struct Github {
    sites: BTreeMap<String, Site>,
}

impl Github {
    /// Creates the tracker of these sites, by tenant.
    ///
    /// # Errors
    /// An address, a token or the name of a repository cannot be used; the text is for people.
    pub fn new(sites: impl IntoIterator<Item = (String, GithubConfig)>) -> Result<Self, String> {
        let opened = sites.into_iter().map(|(tenant, config)| Ok((tenant, Site::new(config)?)));
        Ok(Self { sites: opened.collect::<Result<_, String>>()? })
    }

    /// The tenant's site.
    fn site<T>(&self, tenant: &str, project: &str) -> Result<&Site, Attempt<T>> {
        let none = || rejected(vec![closed(no_project(project, Vec::new()))]);
        self.sites.get(tenant).ok_or_else(none)
    }
}

fn no_project(project: &str, known: Vec<String>) -> TrackerFault {
    TrackerFault::NoProject { project: project.into(), known }
}

/// One GitHub, with our account there.
struct Site {
    config: GithubConfig,
    client: Client,
}

impl Site {
    fn new(config: GithubConfig) -> Result<Self, String> {
        config.check()?;
        let client = Client::new(&config)?;
        Ok(Self { config, client })
    }
}

/// Two outcomes that end an operation in the same way.
fn ended<T>(outcome: Result<Attempt<T>, Attempt<T>>) -> Attempt<T> {
    outcome.unwrap_or_else(|ended| ended)
}

#[async_trait]
impl Tracker for Github {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Nothing
    }

    async fn check(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()> {
        match self.site(tenant, project) {
            Ok(site) => ended(site.check(project, by, items).await),
            Err(ended) => ended,
        }
    }

    async fn create(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue> {
        match self.site(tenant, project) {
            Ok(site) => ended(site.create(project, effect, item, parent).await),
            Err(ended) => ended,
        }
    }

    async fn update(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()> {
        match self.site(tenant, project) {
            Ok(site) => ended(site.change(project, by, effect, key, change).await),
            Err(ended) => ended,
        }
    }

    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>> {
        match self.site(tenant, project) {
            Ok(site) => ended(site.seek(project, marker).await),
            Err(ended) => ended,
        }
    }

    async fn find(&self, tenant: &str, project: &str, by: Option<&str>, key: &str) -> Attempt<Issue> {
        match self.site(tenant, project) {
            Ok(site) => ended(site.find(project, by, key).await),
            Err(ended) => ended,
        }
    }
}

#[cfg(test)]
mod tests;
