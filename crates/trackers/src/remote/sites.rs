//! A site for each tenant, as one tracker.

use std::collections::BTreeMap;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::ticket::Item;
use throughline_engine::retry::Guarantee;

use super::no_project;
use crate::project::rejected;
use crate::{BulkCreate, Issue, Tracker};

/// The outcome of an operation, which a failed request ends early.
pub(crate) type Outcome<T> = Result<Attempt<T>, Attempt<T>>;

/// One site, with our account there. The operations are those of [`Tracker`], for its tenant.
#[async_trait]
pub trait Site: Send + Sync {
    /// As [`Tracker::check`].
    async fn check(&self, project: &str, by: Option<&str>, items: &[Item]) -> Outcome<()>;

    /// As [`Tracker::create`].
    async fn create(
        &self,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Outcome<Issue>;

    /// As [`Tracker::bulk`].
    fn bulk(&self) -> Option<&dyn BulkCreate> {
        None
    }

    /// As [`Tracker::update`].
    async fn update(
        &self,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Outcome<()>;

    /// As [`Tracker::seek`].
    async fn seek(&self, project: &str, marker: &EffectId) -> Outcome<Vec<Issue>>;

    /// As [`Tracker::find`].
    async fn find(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue>;
}

/// The sites of one tracker, by tenant. A create that is sent twice makes two issues there.
pub struct Sites<S> {
    sites: BTreeMap<String, S>,
}

impl<S> Sites<S> {
    pub(crate) fn of(sites: impl IntoIterator<Item = Result<(String, S), String>>) -> Result<Self, String> {
        Ok(Self { sites: sites.into_iter().collect::<Result<_, _>>()? })
    }

    /// The sites with their tenants.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &S)> {
        self.sites.iter()
    }

    /// The tenant's site.
    fn site<T>(&self, tenant: &str, project: &str) -> Result<&S, Attempt<T>> {
        self.sites.get(tenant).ok_or_else(|| rejected(vec![no_project(project, Vec::new())]))
    }
}

/// Two outcomes that end an operation in the same way.
fn ended<T>(outcome: Outcome<T>) -> Attempt<T> {
    outcome.unwrap_or_else(|ended| ended)
}

#[async_trait]
impl<S: Site> Tracker for Sites<S> {
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

    fn bulk(&self, tenant: &str) -> Option<&dyn BulkCreate> {
        self.sites.get(tenant)?.bulk()
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
            Ok(site) => ended(site.update(project, by, effect, key, change).await),
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
