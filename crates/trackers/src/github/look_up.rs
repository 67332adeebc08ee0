//! Finds issues: by key, link or number, and by the id of the effect that created them.

use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};

use super::GithubSite;
use super::answer::is_moved;
use super::config::GithubProject;
use super::issue::{RawIssue, RawRepository};
use super::text::marker;
use crate::Issue;
use crate::project::{Permission, key_in, no_key, plain_number, rejected};
use crate::remote::{Outcome, ProjectSettings, has_line, no_project, read};

/// Pages of the newest issues that are looked through for a marker.
const PAGES: usize = 3;

impl GithubSite {
    /// The issue with that key, or `None` where there is none that we may see.
    pub(super) async fn issue<T>(&self, key: &str) -> Result<Option<RawIssue>, Attempt<T>> {
        match self.config.place(key) {
            Some((settings, number)) => self.numbered(settings, number).await,
            None => Ok(None),
        }
    }

    async fn numbered<T>(
        &self,
        settings: &GithubProject,
        number: u64,
    ) -> Result<Option<RawIssue>, Attempt<T>> {
        let answer = self.client.read(&format!("repos/{}/issues/{number}", settings.repository)).await;
        if is_moved(&answer) {
            // If not the whole repository has moved, the issue has, and is not of this project any more.
            self.repository(settings).await?;
            return Ok(None);
        }
        let found: Option<RawIssue> = answer.found()?.map(read).transpose()?;
        Ok(found.filter(RawIssue::is_issue))
    }

    /// The repository of a project, or `None` where there is none that we may see.
    pub(super) async fn repository<T>(
        &self,
        settings: &GithubProject,
    ) -> Result<Option<RawRepository>, Attempt<T>> {
        let answer = self.client.read(&format!("repos/{}", settings.repository)).await;
        answer.found()?.map(read).transpose()
    }

    /// The key of the issue above this one, if there is one.
    pub(super) async fn parent<T>(
        &self,
        project: &str,
        issue: &RawIssue,
    ) -> Result<Option<String>, Attempt<T>> {
        let Some(settings) = self.config.project(project) else { return Ok(None) };
        let path = format!("repos/{}/issues/{}/parent", settings.repository, issue.number);
        let found: Option<RawIssue> = self.client.read(&path).await.found()?.map(read).transpose()?;
        Ok(found.map(|above| self.key(project, &above)))
    }

    /// The key of an issue: of this project if it is in its repository, else of another, else as GitHub writes it.
    fn key(&self, project: &str, issue: &RawIssue) -> String {
        let (repository, number) = (issue.repository().unwrap_or_default(), issue.number);
        let here = self.config.project(project).is_some_and(|settings| settings.is(repository));
        let other = self.config.projects.iter().find(|(_, settings)| settings.is(repository));
        match other.map(|(key, _)| key.as_str()) {
            _ if here || repository.is_empty() => format!("{project}-{number}"),
            Some(key) => format!("{key}-{number}"),
            None => format!("{repository}#{number}"),
        }
    }

    /// The issue as everybody knows issues.
    pub(super) fn view(project: &str, issue: &RawIssue, parent: Option<String>) -> Issue {
        Issue {
            key: format!("{project}-{}", issue.number),
            url: Some(issue.html_url.clone()),
            title: issue.title.clone(),
            parent,
            state: issue.state(),
            assignee: issue.assignee().map(str::to_owned),
        }
    }

    /// Looks through the newest issues. A list does not lag as a search does, but it ends somewhere.
    pub(super) async fn marked(&self, project: &str, effect: &EffectId) -> Outcome<Vec<Issue>> {
        let Some(settings) = self.config.project(project).filter(|_| self.config.marker) else {
            return Ok(Attempt::Applied(Vec::new()));
        };
        let path = format!("repos/{}/issues?state=all&sort=created&direction=desc", settings.repository);
        let line = marker(effect);
        let mut raw: Vec<RawIssue> = Vec::new();
        let collect = |page: Vec<RawIssue>| {
            raw.extend(page.into_iter().filter(|one| one.is_issue() && has_line(one.body(), &line)));
            false
        };
        self.client.pages(&path, PAGES, collect).await?;
        let mut issues = Vec::new();
        for issue in raw.iter().rev() {
            issues.push(Self::view(project, issue, self.parent(project, issue).await?));
        }
        Ok(Attempt::Applied(issues))
    }

    pub(super) async fn look_up(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue> {
        let settings = self.config.project(project);
        let number = settings.and_then(|settings| number_in(&self.client.web(), settings, named));
        let key = match number {
            Some(number) => format!("{project}-{number}"),
            None => key_in(project, named).ok_or_else(|| rejected(vec![no_key(project, named)]))?,
        };
        let Some(settings) = settings else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        if let Some(fault) = settings.refuses(project, Permission::Browse, by) {
            return Ok(rejected(vec![fault]));
        }
        match self.issue(&key).await? {
            Some(issue) => {
                let parent = self.parent(project, &issue).await?;
                Ok(Attempt::Applied(Self::view(project, &issue, parent)))
            }
            None => {
                let fault = TrackerFault::NoIssue { key };
                Ok(rejected(vec![FieldFault::new("check.reference", "key", fault)]))
            }
        }
    }
}

/// The number of an issue that is named by its link, or as GitHub writes it: `acme/web#12`.
fn number_in(web: &str, settings: &GithubProject, named: &str) -> Option<u64> {
    let named = named.trim();
    let (repository, number) = match named.get(..web.len()).filter(|start| start.eq_ignore_ascii_case(web)) {
        Some(_) => {
            let path = named[web.len()..].strip_prefix('/')?;
            let path = path.split(['?', '#']).next()?.trim_end_matches('/');
            path.rsplit_once("/issues/")?
        }
        None => named.rsplit_once('#')?,
    };
    plain_number(number).filter(|_| settings.is(repository))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_named_by_a_link_or_as_github_writes_it() {
        let settings = GithubProject { repository: "acme/web".into(), ..GithubProject::default() };
        for (named, expected) in [
            (" https://github.com/acme/web/issues/12 ", Some(12)),
            ("https://GitHub.com/Acme/Web/issues/12/", Some(12)),
            ("https://github.com/acme/web/issues/12#issuecomment-7", Some(12)),
            ("https://github.com/acme/web/issues/12?x=1", Some(12)),
            ("https://github.com/acme/web/pull/12", None),
            ("https://github.com/acme/ops/issues/12", None),
            ("https://github.com.evil.example/acme/web/issues/12", None),
            ("https://evil.example/acme/web/issues/12", None),
            ("acme/web#12", Some(12)),
            ("acme/web#012", None),
            ("acme/ops#12", None),
            ("#12", None),
            ("💥", None),
        ] {
            assert_eq!(number_in("https://github.com", &settings, named), expected, "{named}");
        }
    }
}
