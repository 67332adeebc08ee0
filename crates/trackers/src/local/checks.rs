//! The checks of the dry run that need no issues: pure, every mistake at once, in a fixed order
//! (`docs/design/0020-ticket-drafts-and-batches.md`).

use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::config::{LocalConfig, ProjectConfig};
use crate::common_checks::{self, wrong};
use crate::links::{self, Link};
use crate::project::{Permission, not_permitted};

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
    let linked = items.iter().any(|item| !named(config, item).is_empty());
    let missing = Permission::of_items(items, linked).filter(|may| !settings.allows(*may, by));
    missing.map(|may| not_permitted(project, may, by, settings.permitted(may))).collect()
}

/// The issues of projects that are not hidden which an item names.
pub(super) fn named(config: &LocalConfig, item: &Item) -> Vec<Link> {
    links::named(item, &|project| config.projects.get(project).is_some_and(|project| !project.hidden))
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
    let mut unknown: Vec<String> = named(config, item).into_iter().map(|link| link.kind).collect();
    unknown.retain(|kind| kind != links::PLAIN && !known(kind));
    unknown.dedup();
    for kind in unknown {
        let fault = TrackerFault::NoLinkKind { kind, project: project.into(), known: settings.links.clone() };
        found.push(wrong(item, "check.reference", Part::Dependencies.as_str(), fault));
    }
}
