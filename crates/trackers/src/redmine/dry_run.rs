//! The dry run: every mistake that can be known without a create (`docs/design/0020-ticket-drafts-and-batches.md`).

use async_trait::async_trait;
use serde::Deserialize;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};

use super::RedmineSite;
use super::answer::not_ours;
use super::form::{self, Form};
use crate::common_checks::{self, wrong};
use crate::project::{ChildLink, Permission, project_of, rejected};
use crate::remote::{Outcome, Parents, ProjectSettings, no_project, read};

/// A priority of issues.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Priority {
    id: u64,
    name: String,
    #[serde(default = "yes")]
    active: bool,
}

fn yes() -> bool {
    true
}

impl RedmineSite {
    pub(super) async fn dry_run(&self, project: &str, by: Option<&str>, items: &[Item]) -> Outcome<()> {
        let Some(settings) = self.config.project(project) else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        let found = match self.open_project(project, settings).await? {
            Ok(found) => found,
            Err(fault) => return Ok(rejected(vec![fault])),
        };
        let linked = items.iter().any(|item| !self.named(item).is_empty());
        let wanted: Vec<Permission> = Permission::of_items(items, linked).collect();
        let mut faults: Vec<FieldFault> =
            wanted.iter().filter_map(|may| settings.refuses(project, *may, by)).collect();
        let rights = self.rights(&self.account().await?, &found).await?;
        faults.extend(
            wanted.iter().filter(|may| rights.lacks_for(**may)).map(|may| not_ours(may.act(), project)),
        );
        faults.extend(common_checks::batch(items));
        let form = Form { project, settings, found: &found, markup: self.config.markup };
        for item in items {
            faults.extend(self.item(&form, item).await?);
            faults.extend(self.references(by, item).await?);
        }
        faults.extend(common_checks::parents(ChildLink::Parent, &[ChildLink::Parent], project, items));
        faults.extend(self.parents_outside(project, by, items).await?);
        Ok(if faults.is_empty() { Attempt::Applied(()) } else { rejected(faults) })
    }

    /// The mistakes of an item by itself, in its priority and in the person that it names.
    async fn item<T>(&self, form: &Form<'_>, item: &Item) -> Result<Vec<FieldFault>, Attempt<T>> {
        let mut faults = form::faults(item);
        let is_sound = |part: Part| !faults.iter().any(|fault| fault.field == part.as_str());
        let priority = form.priority(item).filter(|_| is_sound(Part::Priority));
        let person = form.person(item).filter(|_| is_sound(Part::Assignee));
        faults.extend(form.fill(item).err().into_iter().flatten());
        if let Some(name) = priority
            && let Err(fault) = self.priority(name).await?
        {
            faults.push(wrong(item, "check.value", Part::Priority.as_str(), fault));
        }
        if let Some(name) = person
            && let Err(fault) = self.person(form.project, form.settings, name).await?
        {
            faults.push(wrong(item, "check.value", Part::Assignee.as_str(), fault));
        }
        Ok(faults)
    }

    /// The id of a priority. Inside, there is none of that name.
    pub(super) async fn priority<T>(&self, name: &str) -> Result<Result<u64, TrackerFault>, Attempt<T>> {
        let mut body = self.client.read("enumerations/issue_priorities.json").await.done()?;
        let mut known: Vec<Priority> = read(body["issue_priorities"].take())?;
        known.retain(|one| one.active);
        let found = known.iter().find(|one| one.name.to_lowercase() == name.to_lowercase());
        Ok(found.map(|one| one.id).ok_or_else(|| {
            let known = known.iter().map(|one| one.name.clone()).collect();
            TrackerFault::NoValue { part: Part::Priority, value: name.into(), known }
        }))
    }
}

#[async_trait]
impl Parents for RedmineSite {
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
