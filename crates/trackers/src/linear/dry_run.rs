//! The dry run: every mistake that Linear would find, without a create
//! (`docs/design/0020-ticket-drafts-and-batches.md`).

use async_trait::async_trait;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::FieldFault;
use throughline_engine::data::ticket::{Item, ItemType, Part};

use super::config::LinearProject;
use super::issue::RawTeam;
use super::{LinearSite, form};
use crate::common_checks::{self, wrong};
use crate::project::{ChildLink, Permission, project_of, rejected};
use crate::remote::{Outcome, Parents, ProjectSettings, no_project};

impl LinearSite {
    pub(super) async fn dry_run(&self, project: &str, by: Option<&str>, items: &[Item]) -> Outcome<()> {
        let Some(settings) = self.config.project(project) else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        let team = match self.open_team(project, settings).await? {
            Ok(team) => team,
            Err(fault) => return Ok(rejected(vec![fault])),
        };
        let linked = items.iter().any(|item| !self.named(item).is_empty());
        let mut faults: Vec<FieldFault> = Permission::of_items(items, linked)
            .filter_map(|may| settings.refuses(project, may, by))
            .collect();
        faults.extend(common_checks::batch(items));
        for item in items {
            faults.extend(self.item(settings, &team, item).await?);
            faults.extend(self.references(by, item).await?);
        }
        faults.extend(common_checks::parents(ChildLink::Parent, &[ChildLink::Parent], project, items));
        faults.extend(self.parents_outside(project, by, items).await?);
        Ok(if faults.is_empty() { Attempt::Applied(()) } else { rejected(faults) })
    }

    /// The mistakes of an item by itself, in its labels and in the person that it names.
    async fn item<T>(
        &self,
        settings: &LinearProject,
        team: &RawTeam,
        item: &Item,
    ) -> Result<Vec<FieldFault>, Attempt<T>> {
        let mut faults = form::faults(item);
        let is_sound = |part: Part| !faults.iter().any(|fault| fault.field == part.as_str());
        let (labels, person) = (is_sound(Part::Labels), is_sound(Part::Assignee));
        if labels && let Err(fault) = self.labels(settings, team, item).await? {
            faults.push(fault);
        }
        let named = form::person(item).filter(|_| person);
        if let Some(name) = named
            && let Err(fault) = self.person(name).await?
        {
            faults.push(wrong(item, "check.value", Part::Assignee.as_str(), fault));
        }
        Ok(faults)
    }
}

#[async_trait]
impl Parents for LinearSite {
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
