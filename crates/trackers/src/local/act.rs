//! What each call does when nothing goes wrong on its way.

use throughline_engine::EffectId;
use throughline_engine::effect::{Attempt, FieldError, Guarantee, IssueChange};
use throughline_engine::tickets::Item;

use super::documents::DocumentsError;
use super::issues::{self, Changed, Comment, Made, New, StoredIssue};
use super::{LocalTracker, May, checks, links};
use crate::Issue;
use crate::shape::{self, wrong};

impl LocalTracker {
    /// The dry run of a batch: everything wrong with it at once.
    pub(super) async fn checked(
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
            Err(error) => return unread(error),
        };
        if let Some(settings) = config.projects.get(project).filter(|project| !project.hidden) {
            errors.extend(checks::permissions(&config, settings, project, by, items));
        }
        if errors.is_empty() { Attempt::Applied(()) } else { rejected(errors) }
    }

    /// Everything wrong with these items, for somebody who `sees` these projects: what is in another is not there.
    async fn problems(
        &self,
        tenant: &str,
        project: &str,
        items: &[Item],
        sees: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<FieldError>, DocumentsError> {
        let config = self.config();
        let settings = match checks::project(&config, project) {
            Ok(settings) => settings,
            Err(error) => return Ok(vec![error]),
        };
        // Of a project they may not see they are told that, and of nothing in it whether it is there.
        let tells = |key: &str| sees(project) || key.rsplit_once('-').is_none_or(|(of, _)| of != project);
        let mut found = shape::batch(items);
        for item in items {
            found.extend(checks::problems(&config, settings, project, item));
            for link in links::named(&config, item).into_iter().filter(|link| tells(&link.key)) {
                if self.seen(tenant, &link.key, sees).await?.is_none() {
                    let text = format!("There is no issue {}", link.key);
                    found.push(wrong(item, "check.reference", "dependencies", text));
                }
            }
        }
        found.extend(checks::parents(settings, project, items));
        for item in items.iter().filter(|item| shape::above(items, item).is_none()) {
            let Some(parent) = item.parent.as_ref().filter(|parent| tells(parent)) else { continue };
            if let Some(text) = self.parent_outside(tenant, project, item, parent, sees).await? {
                found.push(wrong(item, "check.parent", "parent", text));
            }
        }
        Ok(found)
    }

    /// What is wrong with a parent that is no item of the batch: then it is an issue that exists.
    async fn parent_outside(
        &self,
        tenant: &str,
        project: &str,
        item: &Item,
        parent: &str,
        sees: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Option<String>, DocumentsError> {
        let found = self.seen(tenant, parent, sees).await?;
        if parent.rsplit_once('-').is_none_or(|(of, _)| of != project) {
            return Ok(Some(match found {
                Some(_) => format!("{parent} is in another project; a parent is in {project}"),
                None => format!("“{parent}” is no item of the batch and no issue of {project}"),
            }));
        }
        Ok(match found {
            Some(epic) => checks::level(item, Some(epic.item.item_type)),
            None => Some(format!("There is no epic {parent}")),
        })
    }

    /// The issue of that key, when it is in a project that is seen.
    async fn seen(
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
        match issues::of_effect(self.documents.as_ref(), tenant, effect).await {
            Ok(made) => {
                if let Some(made) = made.into_iter().next().filter(|_| once) {
                    return again(made, effect, item);
                }
            }
            Err(error) => return unread(error),
        }
        // Its epic is an issue by now.
        let alone = Item { parent: parent.map(str::to_owned), ..item.clone() };
        match self.problems(tenant, project, std::slice::from_ref(&alone), &|_| true).await {
            Ok(errors) if errors.is_empty() => {}
            Ok(errors) => return rejected(errors),
            Err(error) => return unread(error),
        }
        let links = links::named(&self.config(), item);
        let new = New { project, effect, item, parent, links, once };
        match issues::create(self.documents.as_ref(), tenant, &new).await {
            Ok(Made::New(issue)) => {
                if let Some(faults) = &self.faults {
                    faults.made(effect);
                }
                Attempt::Applied(issue.view())
            }
            Ok(Made::Before(issue)) => again(issue, effect, item),
            Ok(Made::Crowded) => Attempt::NotApplied {
                why: format!("too many issues are being created in {project} at once"),
                hint: None,
            },
            Err(error) => unwritten(error),
        }
    }

    pub(super) async fn change(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()> {
        match self.unchangeable(tenant, project, key, change).await {
            Ok(None) => {}
            Ok(Some(error)) => return rejected(vec![error]),
            Err(error) => return unread(error),
        }
        let apply = |issue: &mut StoredIssue| match change {
            IssueChange::Parent(epic) => issue.parent = Some(epic.clone()),
            IssueChange::Comment(_) if issue.comments.iter().any(|said| said.effect == *effect) => {}
            IssueChange::Comment(text) => {
                issue.comments.push(Comment { effect: effect.clone(), text: text.clone() });
            }
        };
        match issues::change(self.documents.as_ref(), tenant, key, apply).await {
            Ok(Changed::Written) => Attempt::Applied(()),
            Ok(Changed::NoSuch) => rejected(vec![no_such(project, key)]),
            Ok(Changed::Crowded) => {
                Attempt::NotApplied { why: format!("{key} is being changed by too many at once"), hint: None }
            }
            Err(error) => unwritten(error),
        }
    }

    /// Why an issue cannot be changed so.
    async fn unchangeable(
        &self,
        tenant: &str,
        project: &str,
        key: &str,
        change: &IssueChange,
    ) -> Result<Option<FieldError>, DocumentsError> {
        let ours = key.rsplit_once('-').is_some_and(|(of, _)| of == project);
        let issue = if ours { self.issue(tenant, key).await? } else { None };
        let Some(issue) = issue else { return Ok(Some(no_such(project, key))) };
        Ok(match change {
            IssueChange::Parent(epic) => {
                let wrong = self.parent_outside(tenant, project, &issue.item, epic, &|_| true).await?;
                wrong.map(|text| FieldError::new("check.parent", "parent", text))
            }
            IssueChange::Comment(text) if text.chars().count() > shape::MAX_BODY => {
                let text = format!("A comment has at most {} characters", shape::MAX_BODY);
                Some(FieldError::new("check.adf", "comment", text))
            }
            IssueChange::Comment(_) => None,
        })
    }

    pub(super) async fn found(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        named: &str,
    ) -> Attempt<Issue> {
        // A key, or a link that ends in one.
        let last = named.trim().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let none = |text: String| rejected(vec![FieldError::new("check.reference", "key", text)]);
        let number = last.rsplit_once('-').filter(|(of, _)| of.eq_ignore_ascii_case(project));
        let Some((_, number)) = number else {
            return none(format!("“{}” is no key of {project}; give one like {project}-1", named.trim()));
        };
        let key = format!("{project}-{number}");
        // A hidden project is not there for anybody who comes through a conversation.
        let config = self.config();
        match checks::project(&config, project) {
            Ok(settings) if settings.allows(May::Browse, by) => {}
            Ok(settings) => return rejected(vec![checks::may_not(settings, project, May::Browse, by)]),
            Err(error) => return rejected(vec![error]),
        }
        match self.issue(tenant, &key).await {
            Ok(Some(issue)) => Attempt::Applied(issue.view()),
            Ok(None) => none(format!("There is no issue {key}")),
            Err(error) => unread(error),
        }
    }
}

/// The effect made an issue before. The same item: that issue is the answer. Another one is refused, so that
/// nobody is told that a text exists as an issue which does not.
fn again(made: StoredIssue, effect: &EffectId, item: &Item) -> Attempt<Issue> {
    if made.item == *item {
        return Attempt::Applied(made.view());
    }
    let text = format!("{effect} made {} from another text; nothing was created", made.key);
    rejected(vec![wrong(item, "check.shape", "effect", text)])
}

fn no_such(project: &str, key: &str) -> FieldError {
    FieldError::new("check.reference", "key", format!("There is no issue {key} in {project}"))
}

pub(super) fn rejected<T>(errors: Vec<FieldError>) -> Attempt<T> {
    let text = errors.iter().map(|error| error.text.as_str()).collect::<Vec<_>>().join("; ");
    Attempt::Rejected { text, errors }
}

/// A read that failed: nothing of the request was carried out.
pub(super) fn unread<T>(error: DocumentsError) -> Attempt<T> {
    Attempt::NotApplied { why: error.to_string(), hint: None }
}

fn unwritten<T>(error: DocumentsError) -> Attempt<T> {
    match error {
        DocumentsError::Unknown { .. } => Attempt::Unknown { why: error.to_string() },
        DocumentsError::Unavailable { .. } => unread(error),
    }
}
