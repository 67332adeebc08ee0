//! Parents that are no items of a batch, and so have to be issues (`check.parent`).

use async_trait::async_trait;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType};

use crate::common_checks::{self, above, wrong};
use crate::project::project_of;

/// A site on which issues can be looked up.
#[async_trait]
pub(crate) trait Parents: Send + Sync {
    /// True if an issue's project exists for this person, and they may see its issues.
    fn is_shown(&self, key: &str, by: Option<&str>) -> bool;

    /// The type of an issue; `None` if there is no such issue.
    async fn item_type(&self, key: &str) -> Result<Option<ItemType>, Attempt<()>>;

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
