//! Finds issues: by key, link or number, and by the id of the effect that created them.

use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};

use super::RedmineSite;
use super::issue::{Around, RawIssue};
use super::text::is_marked;
use crate::Issue;
use crate::project::{Permission, key_in, no_key, plain_number, rejected};
use crate::remote::{Outcome, ProjectSettings, no_project, read};

/// Issues of a page, as many as Redmine gives at most.
const PAGE: usize = 100;
/// Pages of the newest issues that are looked through for a mark.
const PAGES: usize = 3;

impl RedmineSite {
    /// The issue with that key, or `None` where there is none that we may see. One that was moved to another project, or that
    /// is private, is not there for people.
    pub(super) async fn issue<T>(&self, key: &str) -> Result<Option<RawIssue>, Attempt<T>> {
        let Some((identifier, number)) = self.config.place(key) else { return Ok(None) };
        let found = self.listed(&identifier, &format!("issue_id={number}&limit=1")).await?;
        Ok(found.into_iter().find(|issue| issue.id == number && !issue.is_private))
    }

    /// The issues of a project that a filter fits, in whichever state. Numbers of issues are those of the whole Redmine, and an
    /// issue by itself does not tell the identifier of its project.
    async fn listed<T>(&self, identifier: &str, filter: &str) -> Result<Vec<RawIssue>, Attempt<T>> {
        let of = format!("project_id={identifier}&subproject_id=!*&status_id=*");
        match self.client.read(&format!("issues.json?{of}&{filter}")).await.found()? {
            Some(mut body) => read(body["issues"].take()),
            None => Ok(Vec::new()),
        }
    }

    /// The things around an issue that is there: `include` names them.
    pub(super) async fn around<T>(&self, issue: u64, include: &str) -> Result<Around, Attempt<T>> {
        let mut body = self.client.read(&format!("issues/{issue}.json?include={include}")).await.done()?;
        read(body["issue"].take())
    }

    /// The key of the issue above this one, if there is one.
    pub(super) async fn parent<T>(
        &self,
        project: &str,
        issue: &RawIssue,
    ) -> Result<Option<String>, Attempt<T>> {
        let Some(above) = &issue.parent else { return Ok(None) };
        let here = format!("{project}-{}", above.id);
        let there = self.issue(&here).await?.is_some();
        // Redmine may allow parents in other projects, whose keys it does not tell.
        Ok(Some(if there { here } else { format!("#{}", above.id) }))
    }

    /// The issue as everybody knows issues.
    pub(super) fn view(&self, project: &str, issue: &RawIssue, parent: Option<String>) -> Issue {
        Issue {
            key: format!("{project}-{}", issue.id),
            url: Some(format!("{}/issues/{}", self.client.web(), issue.id)),
            title: issue.subject.clone(),
            parent,
            state: issue.status.state(),
            assignee: issue.assigned_to.as_ref().map(|person| person.name.clone()),
        }
    }

    /// Looks for the mark of an effect. Redmine filters by it where it can, and tells the newest first where it cannot; its
    /// lists do not lag.
    pub(super) async fn marked(&self, project: &str, effect: &EffectId) -> Outcome<Vec<Issue>> {
        let Some(settings) = self.config.project(project).filter(|_| self.config.marker) else {
            return Ok(Attempt::Applied(Vec::new()));
        };
        let identifier = settings.identifier(project);
        let mut found: Vec<RawIssue> = Vec::new();
        for page in 0..PAGES {
            let filter =
                format!("description=~{effect}&sort=created_on:desc&limit={PAGE}&offset={}", page * PAGE);
            let listed = self.listed(&identifier, &filter).await?;
            let last = listed.len() < PAGE;
            found.extend(listed.into_iter().filter(|issue| is_marked(issue.description(), effect)));
            if last {
                break;
            }
        }
        found.sort_by_key(|issue| issue.id);
        let mut issues = Vec::new();
        for issue in &found {
            issues.push(self.view(project, issue, self.parent(project, issue).await?));
        }
        Ok(Attempt::Applied(issues))
    }

    pub(super) async fn look_up(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue> {
        let key = match number_in(self.client.web(), named) {
            Some(number) => format!("{project}-{number}"),
            None => key_in(project, named).ok_or_else(|| rejected(vec![no_key(project, named)]))?,
        };
        let Some(settings) = self.config.project(project) else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        if let Some(fault) = settings.refuses(project, Permission::Browse, by) {
            return Ok(rejected(vec![fault]));
        }
        match self.issue(&key).await? {
            Some(issue) => {
                let parent = self.parent(project, &issue).await?;
                Ok(Attempt::Applied(self.view(project, &issue, parent)))
            }
            None => {
                let fault = TrackerFault::NoIssue { key };
                Ok(rejected(vec![FieldFault::new("check.reference", "key", fault)]))
            }
        }
    }
}

/// The number of an issue that is named by its link, or as Redmine writes it: `#12`.
fn number_in(web: &str, named: &str) -> Option<u64> {
    let named = named.trim();
    if let Some(number) = named.strip_prefix('#') {
        return plain_number(number);
    }
    let start = named.get(..web.len()).filter(|start| start.eq_ignore_ascii_case(web))?;
    let path = named[start.len()..].strip_prefix("/issues/")?;
    plain_number(path.split(['?', '#']).next()?.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_named_by_a_link_or_as_redmine_writes_it() {
        for (named, expected) in [
            (" https://acme.example/redmine/issues/12 ", Some(12)),
            ("https://ACME.example/redmine/issues/12/", Some(12)),
            ("https://acme.example/redmine/issues/12#note-3", Some(12)),
            ("https://acme.example/redmine/issues/12?tab=history", Some(12)),
            ("https://acme.example/redmine/projects/web/issues", None),
            ("https://acme.example/issues/12", None),
            ("https://acme.example.evil.example/redmine/issues/12", None),
            ("#12", Some(12)),
            ("#012", None),
            ("12", None),
            ("WEB-12", None),
            ("💥", None),
            ("", None),
        ] {
            assert_eq!(number_in("https://acme.example/redmine", named), expected, "{named}");
        }
    }
}
