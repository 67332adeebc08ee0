//! The dry run: every mistake that GitHub would find, without a create
//! (`docs/design/0020-ticket-drafts-and-batches.md`).

use async_trait::async_trait;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, ProjectAct, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};

use super::config::GithubProject;
use super::issue::RawRepository;
use super::{ACCOUNT, GithubSite, form, people};
use crate::common_checks::{self, wrong};
use crate::project::{ChildLink, Permission, closed, project_of, rejected};
use crate::remote::{Outcome, Parents, ProjectSettings, no_project};

impl GithubSite {
    pub(super) async fn dry_run(&self, project: &str, by: Option<&str>, items: &[Item]) -> Outcome<()> {
        let Some(settings) = self.config.project(project) else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        let Some(repository) = self.repository(settings).await? else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        if let Some(fault) = shut(project, &repository) {
            return Ok(rejected(vec![fault]));
        }
        let linked = items.iter().any(|item| !self.named(item).is_empty());
        let mut faults: Vec<FieldFault> = Permission::of_items(items, linked)
            .filter_map(|may| settings.refuses(project, may, by))
            .collect();
        if faults.is_empty() && !repository.may_sort() {
            faults.extend(account_lacks(project, settings, items));
        }
        faults.extend(common_checks::batch(items));
        for item in items {
            faults.extend(self.item(settings, item).await?);
            faults.extend(self.references(by, item).await?);
        }
        faults.extend(common_checks::parents(ChildLink::Parent, &[ChildLink::Parent], project, items));
        faults.extend(self.parents_outside(project, by, items).await?);
        Ok(if faults.is_empty() { Attempt::Applied(()) } else { rejected(faults) })
    }

    /// The mistakes of an item by itself, and in the people that it names.
    async fn item<T>(&self, settings: &GithubProject, item: &Item) -> Result<Vec<FieldFault>, Attempt<T>> {
        let mut faults = form::faults(item);
        if faults.iter().any(|fault| fault.field == Part::Assignee.as_str()) {
            return Ok(faults);
        }
        for name in form::people(item) {
            if let Err(fault) = people::look_up(&self.client, settings, name).await? {
                faults.push(wrong(item, "check.value", Part::Assignee.as_str(), fault));
            }
        }
        Ok(faults)
    }
}

#[async_trait]
impl Parents for GithubSite {
    fn has_project(&self, key: &str) -> bool {
        self.config.project(key).is_some()
    }

    fn is_shown(&self, key: &str, by: Option<&str>) -> bool {
        self.config.shows(key, by)
    }

    async fn item_type(&self, key: &str) -> Result<Option<ItemType>, Attempt<()>> {
        let (issue, settings) =
            (self.issue(key).await?, project_of(key).and_then(|of| self.config.project(of)));
        Ok(issue.zip(settings).map(|(issue, settings)| issue.item_type(settings)))
    }
}

/// The fault of a repository that takes no issues.
fn shut(project: &str, repository: &RawRepository) -> Option<FieldFault> {
    if repository.archived {
        return Some(closed(TrackerFault::Archived { project: project.into() }));
    }
    (!repository.has_issues).then(|| closed(TrackerFault::IssuesOff { project: project.into() }))
}

/// The fault of an account that only reads. GitHub would leave out labels, people and parents without a word.
fn account_lacks(project: &str, settings: &GithubProject, items: &[Item]) -> Option<FieldFault> {
    let (by, project) = (ACCOUNT.into(), project.into());
    let fault = TrackerFault::NotPermitted { act: ProjectAct::Edit, by, project, allowed: Vec::new() };
    let needed = items.iter().any(|item| form::needs_sorting(item, settings));
    needed.then(|| FieldFault::new("check.permission", "project", fault))
}
