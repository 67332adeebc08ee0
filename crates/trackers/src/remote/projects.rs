//! The projects of a site that are used, and the people who may do something in them.

use std::collections::BTreeMap;

use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::fault::FieldFault;

use super::not_sent;
use crate::project::{Permission, allows, no_issue, not_permitted, project_of, rejected};

/// Settings of one project, as far as they are about people.
pub(crate) trait ProjectSettings {
    /// The people with a permission; empty for everybody.
    fn permitted(&self, what: Permission) -> &[String];

    /// True if it does not exist for people who come through a conversation.
    fn is_hidden(&self) -> bool;

    /// True if this person has the permission.
    fn allows(&self, what: Permission, by: Option<&str>) -> bool {
        allows(self.permitted(what), by)
    }

    /// The fault of a person who may not do that in this project.
    fn refuses(&self, project: &str, what: Permission, by: Option<&str>) -> Option<FieldFault> {
        let fault = || not_permitted(project, what, by, self.permitted(what));
        (!self.allows(what, by)).then(fault)
    }
}

/// The project, if it exists for people who come through a conversation.
pub(crate) fn project<'p, P: ProjectSettings>(projects: &'p BTreeMap<String, P>, key: &str) -> Option<&'p P> {
    projects.get(key).filter(|project| !project.is_hidden())
}

/// The keys of the projects that exist for people.
pub(crate) fn known<P: ProjectSettings>(projects: &BTreeMap<String, P>) -> Vec<String> {
    projects.iter().filter(|(_, project)| !project.is_hidden()).map(|(key, _)| key.clone()).collect()
}

/// True if the project of an issue's key exists for this person, and they may see its issues.
pub(crate) fn shows<P: ProjectSettings>(projects: &BTreeMap<String, P>, key: &str, by: Option<&str>) -> bool {
    let of = project_of(key).and_then(|of| project(projects, of));
    of.is_some_and(|project| project.allows(Permission::Browse, by))
}

/// The project and the issue of a change, if this person may make it. `issue` reads the issue; it is not asked where they may
/// not see it. An epic's story is put under it for whoever released them, so that looks at nobody's sight of it.
///
/// # Errors
/// There is no such issue for them, they may not change it so, or it could not be read. Nothing was changed.
pub(crate) async fn issue_to_change<'p, P: ProjectSettings, I>(
    projects: &'p BTreeMap<String, P>,
    (name, key): (&str, &str),
    by: Option<&str>,
    change: &IssueChange,
    issue: impl Future<Output = Result<Option<I>, Attempt<()>>>,
) -> Result<(&'p P, I), Attempt<()>> {
    let ours = project(projects, name).filter(|_| project_of(key) == Some(name));
    let seen = matches!(change, IssueChange::Parent(_)) || shows(projects, key, by);
    let read = if ours.is_some() && seen { issue.await.map_err(not_sent)? } else { None };
    let found = ours.zip(read).ok_or_else(|| rejected(vec![no_issue(name, key)]))?;
    let may = Permission::of_change(change);
    match may.and_then(|may| found.0.refuses(name, may, by)) {
        Some(fault) => Err(rejected(vec![fault])),
        None => Ok(found),
    }
}
