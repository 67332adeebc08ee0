//! Creates issues: one request, sent once. An issue under another is put there by a second one.

use reqwest::Method;
use serde_json::json;
use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, HierarchyGap, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::config::GithubProject;
use super::form::Form;
use super::issue::RawIssue;
use super::text::marker;
use super::{GithubSite, form, people};
use crate::Issue;
use crate::common_checks::wrong;
use crate::project::{project_of, rejected};
use crate::remote::{Outcome, ending, no_project, not_sent, read};

impl GithubSite {
    pub(super) async fn create_issue(
        &self,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Outcome<Issue> {
        let Some(settings) = self.config.project(project) else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        let faults = form::faults(item);
        if !faults.is_empty() {
            return Ok(rejected(faults));
        }
        // Until the create everything reads, so a failure is no attempt.
        let above = match parent {
            Some(parent) => Some(self.above(project, parent).await.map_err(not_sent)?),
            None => None,
        };
        let assignees = self.assignees(settings, item).await.map_err(not_sent)?;
        let Form { title, mut body, labels } = form::fill(item, settings);
        if self.config.marker {
            body = ending(&body, &marker(effect));
        }
        let request = json!({"title": title, "body": body, "labels": labels, "assignees": assignees});
        let path = format!("repos/{}/issues", settings.repository);
        let answer = self.client.write(Method::POST, &path, &request).await.done()?;
        // Without a number, something was created, and GitHub does not say what.
        let made: RawIssue = read(answer)?;
        if let Some(lost) = labels.iter().find(|label| !made.has_label(label)) {
            tracing::warn!(number = made.number, label = lost, "GitHub left out a label of a new issue");
        }
        let parent = match parent.zip(above) {
            Some((parent, above)) => self.put_under(project, settings, &made, (parent, &above)).await,
            None => None,
        };
        Ok(Attempt::Applied(Self::view(project, &made, parent)))
    }

    /// The issue that a new one is put under.
    async fn above(&self, project: &str, parent: &str) -> Result<RawIssue, Attempt<Issue>> {
        let found = if project_of(parent) == Some(project) { self.issue(parent).await? } else { None };
        found.ok_or_else(|| {
            let fault = TrackerFault::NoEpic { key: parent.into() };
            rejected(vec![FieldFault::new("check.parent", "parent", fault)])
        })
    }

    async fn assignees(&self, settings: &GithubProject, item: &Item) -> Result<Vec<String>, Attempt<Issue>> {
        let mut found = Vec::new();
        for name in form::people(item) {
            let login = people::look_up(&self.client, settings, name).await?;
            let wrong = |fault| rejected(vec![wrong(item, "check.value", Part::Assignee.as_str(), fault)]);
            found.push(login.map_err(wrong)?);
        }
        Ok(found)
    }

    /// Puts a new issue under another, and returns the parent that it has then. The issue is there in any case, so a failure
    /// is logged; whoever reads the parent back sets it again.
    async fn put_under(
        &self,
        project: &str,
        settings: &GithubProject,
        made: &RawIssue,
        (parent, above): (&str, &RawIssue),
    ) -> Option<String> {
        match self.add_sub_issue::<()>(project, settings, above, made).await {
            Ok(()) => Some(parent.to_owned()),
            Err(why) => {
                tracing::warn!(number = made.number, parent, ?why, "a new issue was not put under its epic");
                None
            }
        }
    }

    /// Puts an issue under another, away from the one that it was under.
    pub(super) async fn add_sub_issue<T>(
        &self,
        project: &str,
        settings: &GithubProject,
        above: &RawIssue,
        issue: &RawIssue,
    ) -> Result<(), Attempt<T>> {
        let path = format!("repos/{}/issues/{}/sub_issues", settings.repository, above.number);
        let body = json!({"sub_issue_id": issue.id, "replace_parent": true});
        // Both issues are there, so what is not found is the call: a GitHub without sub-issues.
        let found = self.client.write(Method::POST, &path, &body).await.found()?;
        found.map(drop).ok_or_else(|| {
            let fault = TrackerFault::NoHierarchy { gap: HierarchyGap::NoParent, project: project.into() };
            rejected(vec![FieldFault::new("check.parent", "parent", fault)])
        })
    }
}
