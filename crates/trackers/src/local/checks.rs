//! The checks of the dry run that need no issues: pure, every mistake at once, in a fixed order
//! (`docs/design/0020-ticket-drafts-and-batches.md`).

use throughline_engine::data::effect::IssueChange;
use throughline_engine::data::fault::{FieldFault, HierarchyGap, ProjectAct, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};

use super::config::{ChildLink, LocalConfig, Permission, ProjectConfig};
use super::links;
use crate::common_checks::{self, wrong};

/// The project, for somebody who wants to create in it.
///
/// # Errors
/// It does not exist for them, or is archived.
pub(super) fn project<'c>(config: &'c LocalConfig, key: &str) -> Result<&'c ProjectConfig, TrackerFault> {
    match config.projects.get(key).filter(|project| !project.hidden) {
        Some(project) if project.archived => Err(TrackerFault::Archived { project: key.into() }),
        Some(project) => Ok(project),
        None => {
            let shown = config.projects.iter().filter(|(_, project)| !project.hidden);
            let known = shown.map(|(key, _)| key.clone()).collect();
            Err(TrackerFault::NoProject { project: key.into(), known })
        }
    }
}

/// The fault of a project that takes no issues.
pub(super) fn closed(fault: TrackerFault) -> FieldFault {
    FieldFault::new("check.project", "project", fault)
}

/// The mistakes in one item for this project. Issues it names are not looked up.
pub(super) fn problems(
    config: &LocalConfig,
    settings: &ProjectConfig,
    project: &str,
    item: &Item,
) -> Vec<FieldFault> {
    let mut found = Vec::new();
    item_type(settings, project, item, &mut found);
    required(settings, item, &mut found);
    fields(settings, project, item, &mut found);
    common_checks::values(item, &mut found);
    values(settings, item, &mut found);
    common_checks::body(item, &mut found);
    link_types(config, settings, project, item, &mut found);
    common_checks::title(item, &mut found);
    found
}

/// The permissions that these items need and the person lacks.
pub(super) fn permissions(
    config: &LocalConfig,
    settings: &ProjectConfig,
    project: &str,
    by: Option<&str>,
    items: &[Item],
) -> Vec<FieldFault> {
    let child = items.iter().any(|item| item.parent.is_some());
    let linked = items.iter().any(|item| !links::named(config, item).is_empty());
    let wanted = [
        (Permission::Browse, true),
        (Permission::Create, true),
        (Permission::Edit, child),
        (Permission::Link, linked),
    ];
    let missing = wanted.into_iter().filter(|(may, used)| *used && !settings.allows(*may, by));
    missing.map(|(may, _)| not_permitted(settings, project, may, by)).collect()
}

/// The error for a missing permission.
pub(super) fn not_permitted(
    settings: &ProjectConfig,
    project: &str,
    may: Permission,
    by: Option<&str>,
) -> FieldFault {
    let act = match may {
        Permission::Browse => ProjectAct::See,
        Permission::Create => ProjectAct::Create,
        Permission::Edit => ProjectAct::Edit,
        Permission::Link => ProjectAct::Link,
    };
    let (project, allowed) = (project.into(), settings.permitted(may).to_vec());
    let fault = match by.filter(|by| !by.is_empty()) {
        Some(by) => TrackerFault::NotPermitted { act, by: by.into(), project, allowed },
        None => TrackerFault::NobodyNamed { act, project, allowed },
    };
    FieldFault::new("check.permission", "project", fault)
}

/// True if this person may see the issues of a project.
pub(super) fn seen(config: &LocalConfig, project: &str, by: Option<&str>) -> bool {
    config.projects.get(project).is_none_or(|project| project.allows(Permission::Browse, by))
}

/// True if a project exists for this person: it is not hidden, and they may see its issues.
pub(super) fn shown(config: &LocalConfig, project: &str, by: Option<&str>) -> bool {
    let settings = config.projects.get(project).filter(|project| !project.hidden);
    settings.is_some_and(|project| project.allows(Permission::Browse, by))
}

/// The permission that a change of an issue needs and the person lacks. Who may see an issue may comment on it.
pub(super) fn lacks(settings: &ProjectConfig, change: &IssueChange, by: Option<&str>) -> Option<Permission> {
    let needs = match change {
        IssueChange::State(_) | IssueChange::Assignee(_) => Permission::Edit,
        IssueChange::Link(_) => Permission::Link,
        IssueChange::Comment(_) | IssueChange::Parent(_) => return None,
    };
    (!settings.allows(needs, by)).then_some(needs)
}

/// Checks parents (`check.parent`) as far as the batch tells: the project's way of linking stories to epics, and the
/// types.
pub(super) fn parents(settings: &ProjectConfig, project: &str, items: &[Item]) -> Vec<FieldFault> {
    let mut found = Vec::new();
    if items.iter().any(|item| item.parent.is_some()) && !settings.hierarchy.contains(&settings.child_link) {
        found.push(FieldFault::new("check.parent", "parent", no_way(settings, project)));
    }
    for item in items.iter().filter(|item| item.parent.is_some()) {
        if let Some(fault) = level(item, common_checks::above(items, item).map(|epic| epic.item_type)) {
            found.push(wrong(item, "check.parent", "parent", fault));
        }
    }
    found
}

/// The mistake in putting this item under an issue of that type, if the type is known.
pub(super) fn level(item: &Item, above: Option<ItemType>) -> Option<TrackerFault> {
    if item.item_type == ItemType::Epic {
        return Some(TrackerFault::EpicUnder);
    }
    let above = above.filter(|above| *above != ItemType::Epic)?;
    Some(TrackerFault::WrongLevel { kind: item.item_type, above })
}

fn no_way(settings: &ProjectConfig, project: &str) -> TrackerFault {
    let gap = match settings.child_link {
        ChildLink::Parent => HierarchyGap::NoParent,
        ChildLink::EpicLink => HierarchyGap::NoEpicLink,
        ChildLink::Subtask => HierarchyGap::NoSubtasks,
    };
    let project = project.into();
    match settings.hierarchy.first() {
        Some(other) => TrackerFault::OtherHierarchy { gap, project, setting: other.as_str().into() },
        None => TrackerFault::NoHierarchy { gap, project },
    }
}

fn item_type(settings: &ProjectConfig, project: &str, item: &Item, found: &mut Vec<FieldFault>) {
    let (kind, project) = (item.item_type, project.into());
    let offered = settings.types.iter().filter(|t| !settings.disabled.contains(t)).copied().collect();
    let fault = if settings.disabled.contains(&kind) {
        TrackerFault::TypeOff { kind, project, offered }
    } else if settings.types.contains(&kind) {
        return;
    } else {
        TrackerFault::NoType { kind, project, offered }
    };
    found.push(wrong(item, "check.type", "type", fault));
}

fn required(settings: &ProjectConfig, item: &Item, found: &mut Vec<FieldFault>) {
    for part in Part::ALL.into_iter().filter(|part| settings.requires(*part, item.item_type)) {
        if item.fields.get(&part).is_none_or(|text| text.trim().is_empty()) {
            found.push(wrong(item, "check.required", part.as_str(), TrackerFault::Required { part }));
        }
    }
}

fn fields(settings: &ProjectConfig, project: &str, item: &Item, found: &mut Vec<FieldFault>) {
    let lacks = |part: &&Part| !settings.has_field(**part) && !settings.requires(**part, item.item_type);
    for part in item.fields.keys().filter(lacks) {
        let fault = TrackerFault::NoField { part: *part, project: project.into() };
        found.push(wrong(item, "check.field", part.as_str(), fault));
    }
}

fn values(settings: &ProjectConfig, item: &Item, found: &mut Vec<FieldFault>) {
    for (part, text) in &item.fields {
        let rule = settings.schema.get(part);
        if let Some(fault) = rule.and_then(|rule| rule.wrong(*part, text)) {
            found.push(wrong(item, "check.value", part.as_str(), fault));
        }
    }
}

fn link_types(
    config: &LocalConfig,
    settings: &ProjectConfig,
    project: &str,
    item: &Item,
    found: &mut Vec<FieldFault>,
) {
    if settings.links.is_empty() {
        return;
    }
    let known = |kind: &str| settings.links.iter().any(|link| link.eq_ignore_ascii_case(kind));
    let mut unknown: Vec<String> = links::named(config, item).into_iter().map(|link| link.kind).collect();
    unknown.retain(|kind| kind != links::PLAIN && !known(kind));
    unknown.dedup();
    for kind in unknown {
        let fault = TrackerFault::NoLinkKind { kind, project: project.into(), known: settings.links.clone() };
        found.push(wrong(item, "check.reference", Part::Dependencies.as_str(), fault));
    }
}
