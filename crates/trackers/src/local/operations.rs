//! The operations of the tracker, without scripted faults.

use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::Item;
use throughline_engine::retry::Guarantee;

use super::documents::DocumentsError;
use super::issues::{self, ChangeResult, Comment, CreateResult, NewIssue, StoredIssue};
use super::outcome::{read_failed, write_failed};
use super::{LocalTracker, checks};
use crate::Issue;
use crate::common_checks::{self, wrong};
use crate::links::{Link, RELATED};
use crate::project::{Permission, closed, key_in, no_issue, no_key, not_permitted, rejected};

impl LocalTracker {
    /// The dry run of a batch: reports every mistake at once.
    pub(super) async fn check_items(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        items: &[Item],
    ) -> Attempt<()> {
        let config = self.config();
        let sees = |project: &str| checks::seen(&config, project, by);
        let mut errors = match self.problems(tenant, project, items, &sees).await {
            Ok(errors) => errors,
            Err(error) => return read_failed(error),
        };
        if let Some(settings) = config.projects.get(project).filter(|project| !project.hidden) {
            errors.extend(checks::permissions(&config, settings, project, by, items));
        }
        if errors.is_empty() { Attempt::Applied(()) } else { rejected(errors) }
    }

    /// Every mistake in these items. `sees` tells which projects the person may see; issues of others count as
    /// missing.
    async fn problems(
        &self,
        tenant: &str,
        project: &str,
        items: &[Item],
        sees: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<FieldFault>, DocumentsError> {
        let config = self.config();
        let settings = match checks::project(&config, project) {
            Ok(settings) => settings,
            Err(fault) => return Ok(vec![closed(fault)]),
        };
        // If they may not see this project, they are told so, and not which of its issues exist.
        let tells = |key: &str| sees(project) || key.rsplit_once('-').is_none_or(|(of, _)| of != project);
        let mut found = common_checks::batch(items);
        for item in items {
            found.extend(checks::problems(&config, settings, project, item));
            for link in checks::named(&config, item).into_iter().filter(|link| tells(&link.key)) {
                if self.visible_issue(tenant, &link.key, sees).await?.is_none() {
                    let fault = TrackerFault::NoIssue { key: link.key };
                    found.push(wrong(item, "check.reference", "dependencies", fault));
                }
            }
        }
        found.extend(common_checks::parents(settings.child_link, &settings.hierarchy, project, items));
        for item in items.iter().filter(|item| common_checks::above(items, item).is_none()) {
            let Some(parent) = item.parent.as_ref().filter(|parent| tells(parent)) else { continue };
            if let Some(fault) = self.parent_outside(tenant, project, item, parent, sees).await? {
                found.push(wrong(item, "check.parent", "parent", fault));
            }
        }
        Ok(found)
    }

    /// The mistake in a parent that is no item of the batch, and so has to be an existing issue.
    async fn parent_outside(
        &self,
        tenant: &str,
        project: &str,
        item: &Item,
        parent: &str,
        sees: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Option<TrackerFault>, DocumentsError> {
        let found = self.visible_issue(tenant, parent, sees).await?;
        if parent.rsplit_once('-').is_none_or(|(of, _)| of != project) {
            let (parent, project) = (parent.into(), project.into());
            return Ok(Some(match found {
                Some(_) => TrackerFault::ParentElsewhere { parent, project },
                None => TrackerFault::NoParent { parent, project },
            }));
        }
        Ok(match found {
            Some(epic) => common_checks::level(item, Some(epic.item.item_type)),
            None => Some(TrackerFault::NoEpic { key: parent.into() }),
        })
    }

    /// The issue with that key, if it is in a project the person may see.
    async fn visible_issue(
        &self,
        tenant: &str,
        key: &str,
        sees: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Option<StoredIssue>, DocumentsError> {
        if key.rsplit_once('-').is_some_and(|(project, _)| sees(project)) {
            self.issue(tenant, key).await
        } else {
            Ok(None)
        }
    }

    pub(super) async fn apply(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue> {
        let once = self.guarantee == Guarantee::Idempotent;
        match issues::created_by(self.documents.as_ref(), tenant, effect).await {
            Ok(made) => {
                if let Some(made) = made.into_iter().next().filter(|_| once) {
                    return again(made, effect, item);
                }
            }
            Err(error) => return read_failed(error),
        }
        // By now the epic exists as an issue.
        let alone = Item { parent: parent.map(str::to_owned), ..item.clone() };
        match self.problems(tenant, project, std::slice::from_ref(&alone), &|_| true).await {
            Ok(errors) if errors.is_empty() => {}
            Ok(errors) => return rejected(errors),
            Err(error) => return read_failed(error),
        }
        let links = checks::named(&self.config(), item);
        let new = NewIssue { project, effect, item, parent, links, once };
        match issues::create(self.documents.as_ref(), tenant, &new).await {
            Ok(CreateResult::New(issue)) => {
                if let Some(faults) = &self.faults {
                    faults.made(effect);
                }
                Attempt::Applied(issue.view())
            }
            Ok(CreateResult::Before(issue)) => again(issue, effect, item),
            Ok(CreateResult::Crowded) => Attempt::NotApplied {
                why: TrackerFault::CreateCrowded { project: project.into() }.into(),
                hint: None,
            },
            Err(error) => write_failed(error),
        }
    }

    pub(super) async fn change(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()> {
        match self.change_error(tenant, project, by, key, change).await {
            Ok(None) => {}
            Ok(Some(error)) => return rejected(vec![error]),
            Err(error) => return read_failed(error),
        }
        let apply = |issue: &mut StoredIssue| match change {
            IssueChange::Parent(epic) => issue.parent = Some(epic.clone()),
            IssueChange::Comment(_) if issue.comments.iter().any(|said| said.effect == *effect) => {}
            IssueChange::Comment(text) => {
                issue.comments.push(Comment { effect: effect.clone(), text: text.clone() });
            }
            IssueChange::State(state) => issue.state = *state,
            IssueChange::Assignee(name) => issue.assignee = Some(name.clone()),
            IssueChange::Link(other) if issue.links.iter().any(|link| link.key == *other) => {}
            IssueChange::Link(other) => {
                issue.links.push(Link { kind: RELATED.into(), key: other.clone() });
            }
        };
        match issues::change(self.documents.as_ref(), tenant, key, apply).await {
            Ok(ChangeResult::Written) => Attempt::Applied(()),
            Ok(ChangeResult::NoSuch) => rejected(vec![no_issue(project, key)]),
            Ok(ChangeResult::Crowded) => {
                let why = TrackerFault::ChangeCrowded { key: key.into() };
                Attempt::NotApplied { why: why.into(), hint: None }
            }
            Err(error) => write_failed(error),
        }
    }

    /// The reason an issue cannot be changed this way.
    async fn change_error(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        key: &str,
        change: &IssueChange,
    ) -> Result<Option<FieldFault>, DocumentsError> {
        let config = self.config();
        let ours = key.rsplit_once('-').is_some_and(|(of, _)| of == project);
        let parent = matches!(change, IssueChange::Parent(_));
        let shown = ours && (parent || checks::shown(&config, project, by));
        let issue = if shown { self.issue(tenant, key).await? } else { None };
        let Some(issue) = issue else { return Ok(Some(no_issue(project, key))) };
        let needs = config.projects.get(project).zip(Permission::of_change(change));
        if let Some((settings, may)) = needs.filter(|(settings, may)| !settings.allows(*may, by)) {
            return Ok(Some(not_permitted(project, may, by, settings.permitted(may))));
        }
        Ok(match change {
            IssueChange::Parent(epic) => {
                let wrong = self.parent_outside(tenant, project, &issue.item, epic, &|_| true).await?;
                wrong.map(|fault| FieldFault::new("check.parent", "parent", fault))
            }
            IssueChange::Comment(text) if text.chars().count() > common_checks::MAX_BODY => {
                let fault = TrackerFault::CommentLong { most: common_checks::MAX_BODY };
                Some(FieldFault::new("check.adf", "comment", fault))
            }
            IssueChange::Link(other) if self.is_hidden_or_gone(tenant, by, key, other).await? => {
                let fault = TrackerFault::NoOtherIssue { key: other.clone() };
                Some(FieldFault::new("check.reference", "link", fault))
            }
            IssueChange::Comment(_)
            | IssueChange::State(_)
            | IssueChange::Assignee(_)
            | IssueChange::Link(_) => None,
        })
    }

    /// True if an issue can have no link to `other`: itself, one of a project that the person may not see, or no issue.
    async fn is_hidden_or_gone(
        &self,
        tenant: &str,
        by: Option<&str>,
        key: &str,
        other: &str,
    ) -> Result<bool, DocumentsError> {
        let project = other.rsplit_once('-').map_or("", |(project, _)| project);
        let seen = checks::shown(&self.config(), project, by);
        Ok(!seen || other == key || self.issue(tenant, other).await?.is_none())
    }

    pub(super) async fn find_issue(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        named: &str,
    ) -> Attempt<Issue> {
        let Some(key) = key_in(project, named) else {
            return rejected(vec![no_key(project, named)]);
        };
        // A hidden project does not exist for people who come through a conversation.
        let config = self.config();
        match checks::project(&config, project) {
            Ok(settings) if settings.allows(Permission::Browse, by) => {}
            Ok(settings) => {
                let (may, allowed) = (Permission::Browse, settings.permitted(Permission::Browse));
                return rejected(vec![not_permitted(project, may, by, allowed)]);
            }
            Err(fault) => return rejected(vec![closed(fault)]),
        }
        match self.issue(tenant, &key).await {
            Ok(Some(issue)) => Attempt::Applied(issue.view()),
            Ok(None) => {
                let fault = TrackerFault::NoIssue { key };
                rejected(vec![FieldFault::new("check.reference", "key", fault)])
            }
            Err(error) => read_failed(error),
        }
    }
}

/// The effect created an issue before. If the item is the same, that issue is the answer; another item is refused, so
/// that nobody is told of an issue with a text that does not exist.
fn again(made: StoredIssue, effect: &EffectId, item: &Item) -> Attempt<Issue> {
    if made.item == *item {
        return Attempt::Applied(made.view());
    }
    let fault = TrackerFault::OtherText { effect: effect.clone(), key: made.key };
    rejected(vec![wrong(item, "check.shape", "effect", fault)])
}
