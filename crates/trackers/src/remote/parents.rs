//! Issues that items name: parents that are no items of their batch (`check.parent`), and dependencies (`check.reference`).

use async_trait::async_trait;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};

use crate::common_checks::{self, above, wrong};
use crate::links::{self, Link};
use crate::project::project_of;

/// A site on which issues can be looked up.
#[async_trait]
pub(crate) trait Parents: Send + Sync {
    /// True if a project exists for people.
    fn has_project(&self, key: &str) -> bool;

    /// True if an issue's project exists for this person, and they may see its issues.
    fn is_shown(&self, key: &str, by: Option<&str>) -> bool;

    /// The type of an issue; `None` if there is no such issue.
    async fn item_type(&self, key: &str) -> Result<Option<ItemType>, Attempt<()>>;

    /// The issues of our projects that an item depends on.
    fn named(&self, item: &Item) -> Vec<Link> {
        links::named(item, &|project| self.has_project(project))
    }

    /// The mistakes in the issues that an item depends on.
    async fn references(&self, by: Option<&str>, item: &Item) -> Result<Vec<FieldFault>, Attempt<()>> {
        let mut faults = Vec::new();
        for Link { key, .. } in self.named(item) {
            let there = self.is_shown(&key, by) && self.item_type(&key).await?.is_some();
            if !there {
                let fault = TrackerFault::NoIssue { key };
                faults.push(wrong(item, "check.reference", Part::Dependencies.as_str(), fault));
            }
        }
        Ok(faults)
    }

    /// The mistakes in the parents that these items name outside of the batch.
    async fn parents_outside(
        &self,
        project: &str,
        by: Option<&str>,
        items: &[Item],
    ) -> Result<Vec<FieldFault>, Attempt<()>> {
        let mut faults = Vec::new();
        for item in items.iter().filter(|item| above(items, item).is_none()) {
            let Some(parent) = &item.parent else { continue };
            let found = if self.is_shown(parent, by) { self.item_type(parent).await? } else { None };
            if let Some(fault) = wrong_parent(project, item, parent, found) {
                faults.push(wrong(item, "check.parent", "parent", fault));
            }
        }
        Ok(faults)
    }
}

/// The mistake in putting an item under an issue that was found, or was not.
fn wrong_parent(project: &str, item: &Item, parent: &str, found: Option<ItemType>) -> Option<TrackerFault> {
    if project_of(parent) != Some(project) {
        let (parent, project) = (parent.into(), project.into());
        return Some(match found {
            Some(_) => TrackerFault::ParentElsewhere { parent, project },
            None => TrackerFault::NoParent { parent, project },
        });
    }
    match found {
        Some(found) => common_checks::level(item, Some(found)),
        None => Some(TrackerFault::NoEpic { key: parent.into() }),
    }
}
