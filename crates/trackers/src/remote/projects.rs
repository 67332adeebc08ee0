//! The projects of a site that are used, and the people who may do something in them.

use std::collections::BTreeMap;

use throughline_engine::data::fault::FieldFault;

use crate::project::{Permission, allows, not_permitted, project_of};

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
