//! Finds issues and teams: by key, link or id, and by the effect that created them.

use serde_json::json;
use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};

use super::config::LinearProject;
use super::issue::{List, RawIssue, RawTeam, told};
use super::{LinearSite, id, queries};
use crate::Issue;
use crate::project::{Permission, closed, key_in, no_key, project_of, rejected};
use crate::remote::{Outcome, ProjectSettings, no_project};

/// The part of a link to an issue before its key.
const ISSUE: &str = "/issue/";

impl LinearSite {
    /// The issue with that key, or `None` where there is none that we may see. One that was moved to another team, archived
    /// or thrown away is not there any more.
    pub(super) async fn issue<T>(&self, key: &str) -> Result<Option<RawIssue>, Attempt<T>> {
        let Some(identifier) = self.config.identifier(key) else { return Ok(None) };
        // Linear follows the keys that an issue had before.
        let found = self.read_issue(&identifier).await?;
        Ok(found.filter(|issue| issue.is_there() && issue.identifier == identifier))
    }

    /// The issue with that id or key of Linear's, wherever it is now.
    pub(super) async fn read_issue<T>(&self, id: &str) -> Result<Option<RawIssue>, Attempt<T>> {
        let answer = self.client.ask(&queries::ISSUE, json!({"id": id})).await;
        answer.found()?.map(|data| told(data, "issue")).transpose()
    }

    /// The team of a project, or `None` where there is none that we may see.
    pub(super) async fn team<T>(
        &self,
        project: &str,
        settings: &LinearProject,
    ) -> Result<Option<RawTeam>, Attempt<T>> {
        let variables = json!({"key": settings.team(project)});
        let answer = self.client.ask(&queries::TEAM, variables).await.done()?;
        let found: List<RawTeam> = told(answer, "teams")?;
        Ok(found.nodes.into_iter().next())
    }

    /// The team of a project. Inside, the fault of a project whose team is not there, or takes no issues any more.
    pub(super) async fn open_team<T>(
        &self,
        project: &str,
        settings: &LinearProject,
    ) -> Result<Result<RawTeam, FieldFault>, Attempt<T>> {
        Ok(match self.team(project, settings).await? {
            None => Err(no_project(project, self.config.known())),
            Some(team) if team.is_closed() => Err(closed(TrackerFault::Archived { project: project.into() })),
            Some(team) => Ok(team),
        })
    }

    /// The issue as everybody knows issues.
    pub(super) fn view(&self, project: &str, issue: &RawIssue) -> Issue {
        Issue {
            key: self.config.key(project, &issue.identifier),
            url: Some(issue.url.clone()),
            title: issue.title.clone(),
            parent: issue.parent.as_ref().map(|above| self.config.key(project, &above.identifier)),
            state: issue.state(),
            assignee: issue.assignee.as_ref().map(|person| person.display_name.clone()),
        }
    }

    /// Finds the issue that an effect created, also where somebody has thrown it away since: it was created. Its id tells it,
    /// so there is no search that could lag.
    pub(super) async fn made_by(&self, project: &str, effect: &EffectId) -> Outcome<Vec<Issue>> {
        if self.config.project(project).is_none() {
            return Ok(Attempt::Applied(Vec::new()));
        }
        let found = self.read_issue(&id::of("issue", effect)).await?;
        Ok(Attempt::Applied(found.and_then(|issue| self.shown(project, &issue)).into_iter().collect()))
    }

    /// The issue as everybody knows issues, unless it was moved to where not everybody may see it.
    pub(super) fn shown(&self, project: &str, issue: &RawIssue) -> Option<Issue> {
        let issue = self.view(project, issue);
        let open = project_of(&issue.key) == Some(project) || self.config.shows(&issue.key, None);
        open.then_some(issue)
    }

    pub(super) async fn look_up(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue> {
        let settings = self.config.project(project);
        let link = link(named);
        let name = link.map_or(named, |(_, name)| name);
        let as_linear_writes_it = || {
            let team = settings?.team(project);
            key_in(team, name).map(|identifier| self.config.key(project, &identifier))
        };
        let Some(key) = key_in(project, name).or_else(as_linear_writes_it) else {
            return Ok(rejected(vec![no_key(project, named)]));
        };
        let Some(settings) = settings else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        if let Some(fault) = settings.refuses(project, Permission::Browse, by) {
            return Ok(rejected(vec![fault]));
        }
        let found = self.issue(&key).await?;
        let Some(issue) = found else {
            let fault = TrackerFault::NoIssue { key };
            return Ok(rejected(vec![FieldFault::new("check.reference", "key", fault)]));
        };
        // Keys of teams are short, and other workspaces have the same.
        if link.is_some_and(|(workspace, _)| !issue.url.to_lowercase().starts_with(&workspace.to_lowercase()))
        {
            return Ok(rejected(vec![no_key(project, named)]));
        }
        Ok(Attempt::Applied(self.view(project, &issue)))
    }
}

/// The workspace and the key of a link to an issue: `https://linear.app/acme/issue/` and `ENG-12`.
fn link(named: &str) -> Option<(&str, &str)> {
    let named = named.trim();
    let at = named.find(ISSUE).filter(|_| named.contains("://"))? + ISSUE.len();
    let key = named[at..].split(['/', '?', '#']).next()?;
    Some((&named[..at], key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_a_workspace_and_a_key() {
        let workspace = "https://linear.app/acme/issue/";
        for (named, expected) in [
            (" https://linear.app/acme/issue/ENG-12/log-in ", Some((workspace, "ENG-12"))),
            ("https://linear.app/acme/issue/ENG-12", Some((workspace, "ENG-12"))),
            ("https://linear.app/acme/issue/ENG-12?x=1", Some((workspace, "ENG-12"))),
            ("https://linear.app/acme/issue/ENG-12#comment-7", Some((workspace, "ENG-12"))),
            ("https://linear.app/acme/team/ENG", None),
            ("a/issue/ENG-12", None),
            ("ENG-12", None),
            ("💥", None),
        ] {
            assert_eq!(link(named), expected, "{named}");
        }
    }
}
