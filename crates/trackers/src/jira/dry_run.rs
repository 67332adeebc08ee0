//! The dry run: every mistake that Jira would find, without a create (`docs/design/0020-ticket-drafts-and-batches.md`).

use std::collections::BTreeMap;

use async_trait::async_trait;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};

use super::client::encoded;
use super::config::JiraProject;
use super::field_kind::FieldKind;
use super::form::Screen;
use super::issue::{LinkType, RawIssue};
use super::metadata::{FieldMeta, TypeMeta, read};
use super::{Created, JiraSite, people};
use crate::common_checks::{self, wrong};
use crate::links::{self, Link};
use crate::project::{ChildLink, Permission, closed, project_of, rejected};
use crate::remote::{Outcome, Parents, ProjectSettings, no_project};

/// The types that people ask for.
pub(super) const TYPES: [ItemType; 4] = [ItemType::Bug, ItemType::Story, ItemType::Task, ItemType::Epic];

impl JiraSite {
    pub(super) async fn dry_run(&self, project: &str, by: Option<&str>, items: &[Item]) -> Outcome<()> {
        let Some(settings) = self.config.project(project) else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        let meta = self.client.project(project).await?;
        match meta {
            None => return Ok(rejected(vec![no_project(project, self.config.known())])),
            Some(meta) if meta.archived => {
                return Ok(rejected(vec![closed(TrackerFault::Archived { project: project.into() })]));
            }
            Some(_) => {}
        }
        let linked = items.iter().any(|item| !self.named(item).is_empty());
        let mut faults: Vec<FieldFault> = Permission::of_items(items, linked)
            .filter_map(|may| settings.refuses(project, may, by))
            .collect();
        let lacking = self.account_lacks(project, items, linked).await?;
        if !lacking.is_empty() {
            // Jira tells such an account nothing of types and fields.
            return Ok(rejected(if faults.is_empty() { lacking } else { faults }));
        }
        faults.extend(common_checks::batch(items));
        faults.extend(self.items(project, settings, items).await?);
        faults.extend(self.references(by, items).await?);
        faults.extend(self.parents_outside(project, by, items).await?);
        Ok(if faults.is_empty() { Attempt::Applied(()) } else { rejected(faults) })
    }

    /// The permissions that these items need and our account lacks.
    async fn account_lacks<T>(
        &self,
        project: &str,
        items: &[Item],
        linked: bool,
    ) -> Result<Vec<FieldFault>, Attempt<T>> {
        let named = |may: Permission| match may {
            Permission::Browse => "BROWSE_PROJECTS",
            Permission::Create => "CREATE_ISSUES",
            Permission::Edit => "EDIT_ISSUES",
            Permission::Link => "LINK_ISSUES",
        };
        let wanted: Vec<Permission> = Permission::of_items(items, linked).collect();
        let names: Vec<&str> = wanted.iter().map(|may| named(*may)).collect();
        let path = format!(
            "mypermissions?projectKey={}&permissions={}",
            encoded(project),
            encoded(&names.join(","))
        );
        let told = self.client.read(&path).await.done()?;
        let lacks = |may: &Permission| told["permissions"][named(*may)]["havePermission"] != true;
        let fault = |may: Permission| {
            let (act, by, project) = (may.act(), self.config.account().to_owned(), project.to_owned());
            let fault = TrackerFault::NotPermitted { act, by, project, allowed: Vec::new() };
            FieldFault::new("check.permission", "project", fault)
        };
        Ok(wanted.into_iter().filter(lacks).map(fault).collect())
    }

    /// The mistakes of each item by itself, and of the batch as a whole.
    async fn items<T>(
        &self,
        project: &str,
        settings: &JiraProject,
        items: &[Item],
    ) -> Result<Vec<FieldFault>, Attempt<T>> {
        let types = self.client.types(project).await?;
        let mut read: BTreeMap<String, Created> = BTreeMap::new();
        let mut faults = Vec::new();
        let mut ways = Vec::new();
        let subtasks = self.config.child_link(settings) == ChildLink::Subtask;
        for item in items {
            let child = item.parent.is_some();
            let Some(kind) = kind_of(settings, &types, item.item_type, child && subtasks) else {
                let (kind, offered) = (item.item_type, offered(settings, &types));
                let fault = TrackerFault::NoType { kind, project: project.into(), offered };
                faults.push(wrong(item, "check.type", "type", fault));
                continue;
            };
            if !read.contains_key(&kind.id) {
                read.insert(kind.id.clone(), self.describe(project, kind.clone()).await?);
            }
            let created = &read[&kind.id];
            self.keep(project, item.item_type, child, created);
            if child {
                ways = self::ways(&types, &created.fields);
            }
            let screen = self.screen(project, settings, created);
            let (client, edition) = (&self.client, self.config.edition);
            let people = people::look_up(client, edition, project, screen.people(item)).await?;
            let mut found = screen.fill(item, &people).err().unwrap_or_default();
            common_checks::values(item, &mut found);
            common_checks::body(item, &mut found);
            common_checks::title(item, &mut found);
            faults.extend(found);
        }
        let way = self.config.child_link(settings);
        faults.extend(common_checks::parents(way, &ways, project, items));
        Ok(faults)
    }

    /// The issues and kinds of links that these items name, and that there are not.
    async fn references<T>(&self, by: Option<&str>, items: &[Item]) -> Result<Vec<FieldFault>, Attempt<T>> {
        let mut faults = Vec::new();
        let mut kinds: Option<Vec<LinkType>> = None;
        for item in items {
            for link in self.named(item) {
                let there = self.config.shows(&link.key, by) && self.issue(&link.key).await?.is_some();
                if !there {
                    let fault = TrackerFault::NoIssue { key: link.key.clone() };
                    faults.push(wrong(item, "check.reference", Part::Dependencies.as_str(), fault));
                }
                if kinds.is_none() {
                    kinds = Some(self.link_types().await?);
                }
                let known = kinds.as_deref().unwrap_or_default();
                if Direction::of(&link.kind, known).is_none() {
                    let (kind, known) = (link.kind, known.iter().map(|kind| kind.outward.clone()).collect());
                    let project = project_of(&link.key).unwrap_or_default().into();
                    let fault = TrackerFault::NoLinkKind { kind, project, known };
                    faults.push(wrong(item, "check.reference", Part::Dependencies.as_str(), fault));
                }
            }
        }
        Ok(faults)
    }

    /// The type of ours that an issue has. Whatever is not called like one of them is a task.
    pub(super) fn type_of(&self, project: &str, issue: &RawIssue) -> Option<ItemType> {
        let (settings, kind) = (self.config.project(project)?, issue.fields.issuetype.as_ref()?);
        let named = |one: &ItemType| {
            let name = settings.type_name(*one);
            kind.id == name || kind.name.to_lowercase() == name.to_lowercase()
        };
        let epic = kind.hierarchy_level == Some(1);
        TYPES.into_iter().find(named).or(Some(if epic { ItemType::Epic } else { ItemType::Task }))
    }

    /// The issues of our projects that an item names.
    pub(super) fn named(&self, item: &Item) -> Vec<Link> {
        links::named(item, &|project| self.config.project(project).is_some())
    }

    /// The types of links that there are.
    pub(super) async fn link_types<T>(&self) -> Result<Vec<LinkType>, Attempt<T>> {
        let mut body = self.client.read("issueLinkType").await.done()?;
        read(body["issueLinkTypes"].take())
    }

    /// A type with what its screen takes.
    async fn describe<T>(&self, project: &str, kind: TypeMeta) -> Result<Created, Attempt<T>> {
        let fields = self.client.fields(project, &kind.id).await?;
        let asks = |field: &FieldMeta| field.id == "reporter" && field.required && !field.has_default;
        let reporter = if fields.iter().any(asks) { self.own_id().await? } else { None };
        Ok(Created { kind, fields, reporter })
    }

    /// The id of our account.
    async fn own_id<T>(&self) -> Result<Option<String>, Attempt<T>> {
        let myself = self.client.read("myself").await.done()?;
        Ok(myself[self.config.edition.person_id()].as_str().map(str::to_owned))
    }

    /// The screen of a type in a project.
    pub(super) fn screen<'a>(
        &self,
        project: &'a str,
        settings: &'a JiraProject,
        created: &'a Created,
    ) -> Screen<'a> {
        let Created { fields, reporter, .. } = created;
        Screen { project, settings, fields, edition: self.config.edition, reporter: reporter.as_deref() }
    }

    /// The type with its fields; `None` if the project does not offer it.
    pub(super) async fn created<T>(
        &self,
        project: &str,
        item_type: ItemType,
        child: bool,
    ) -> Result<Option<Created>, Attempt<T>> {
        if let Some(kept) = self.kept(project, item_type, child) {
            return Ok(Some(kept));
        }
        let Some(settings) = self.config.project(project) else { return Ok(None) };
        let types = self.client.types(project).await?;
        let subtask = child && self.config.child_link(settings) == ChildLink::Subtask;
        let Some(kind) = kind_of(settings, &types, item_type, subtask).cloned() else { return Ok(None) };
        let created = self.describe(project, kind).await?;
        self.keep(project, item_type, child, &created);
        Ok(Some(created))
    }
}

#[async_trait]
impl Parents for JiraSite {
    fn has_project(&self, key: &str) -> bool {
        self.config.project(key).is_some()
    }

    fn is_shown(&self, key: &str, by: Option<&str>) -> bool {
        self.config.shows(key, by)
    }

    async fn item_type(&self, key: &str) -> Result<Option<ItemType>, Attempt<()>> {
        let issue = self.issue(key).await?;
        Ok(issue.and_then(|issue| self.type_of(project_of(key)?, &issue)))
    }
}

/// The type of Jira's that an item has, among sub-tasks or among the others.
fn kind_of<'a>(
    settings: &JiraProject,
    types: &'a [TypeMeta],
    item_type: ItemType,
    subtask: bool,
) -> Option<&'a TypeMeta> {
    let name = settings.type_name(item_type).to_lowercase();
    let fits = |kind: &&TypeMeta| kind.subtask == subtask;
    let named = types.iter().filter(fits).find(|kind| kind.id == name || kind.name.to_lowercase() == name);
    // The one kind of sub-task, and the one that stands above stories, are known whatever they are called.
    named
        .or_else(|| types.iter().find(|kind| subtask && kind.subtask))
        .or_else(|| types.iter().find(|kind| item_type == ItemType::Epic && kind.hierarchy_level == Some(1)))
}

/// The types of ours that a project offers.
fn offered(settings: &JiraProject, types: &[TypeMeta]) -> Vec<ItemType> {
    TYPES.into_iter().filter(|one| kind_of(settings, types, *one, false).is_some()).collect()
}

/// The ways a project has to put an issue of a type with these fields under another.
fn ways(types: &[TypeMeta], fields: &[FieldMeta]) -> Vec<ChildLink> {
    let has = |way: &ChildLink| match way {
        ChildLink::Parent => fields.iter().any(|field| field.id == "parent"),
        ChildLink::EpicLink => fields.iter().any(|field| field.kind == FieldKind::EpicLink),
        ChildLink::Subtask => types.iter().any(|kind| kind.subtask),
    };
    ChildLink::ALL.into_iter().filter(has).collect()
}

/// A link of a type, and the side on which an issue stands.
pub(super) struct Direction<'a> {
    /// The name of the type.
    pub(super) name: &'a str,
    /// True if the issue that names the other does what the type says: it blocks the other.
    pub(super) outward: bool,
}

impl<'a> Direction<'a> {
    /// The link that people mean by a kind. What depends on another is blocked by it.
    pub(super) fn of(kind: &str, types: &'a [LinkType]) -> Option<Self> {
        let kind = if kind == links::PLAIN { "is blocked by" } else { kind };
        let same = |text: &str| text.to_lowercase() == kind.to_lowercase();
        types.iter().find_map(|one| {
            let outward = same(&one.outward) || same(&one.name);
            (outward || same(&one.inward)).then_some(Direction { name: &one.name, outward })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_link_has_a_side() {
        let blocks =
            LinkType { name: "Blocks".into(), inward: "is blocked by".into(), outward: "blocks".into() };
        let types = [blocks];
        for (kind, expected) in [
            ("blocks", Some(true)),
            ("depends on", Some(false)),
            ("Is blocked by", Some(false)),
            ("likes", None),
        ] {
            assert_eq!(Direction::of(kind, &types).map(|found| found.outward), expected, "{kind}");
        }
    }
}
