//! Changes issues: parent, comment, state, assignee, links.

use reqwest::Method;
use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::{FieldFault, ProjectAct, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::config::GithubProject;
use super::issue::RawIssue;
use super::text::{marker, relation, with_relation};
use super::{ACCOUNT, GithubSite, people};
use crate::common_checks::{self, MAX_BODY};
use crate::project::{project_of, rejected};
use crate::remote::{Outcome, ending, has_line, inert, issue_to_change, not_sent, read};

/// Pages of comments that are looked through.
const PAGES: usize = 20;

/// An issue to change, with its project.
struct Place<'a> {
    project: &'a str,
    settings: &'a GithubProject,
    issue: RawIssue,
}

impl Place<'_> {
    /// The path of the issue, or of something below it.
    fn path(&self, below: &str) -> String {
        format!("repos/{}/issues/{}{below}", self.settings.repository, self.issue.number)
    }
}

impl GithubSite {
    pub(super) async fn change(
        &self,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Outcome<()> {
        let projects = &self.config.projects;
        let (settings, issue) =
            issue_to_change(projects, (project, key), by, change, self.issue(key)).await?;
        let place = Place { project, settings, issue };
        match change {
            IssueChange::Parent(epic) => self.set_parent(&place, epic).await,
            IssueChange::Comment(text) => self.comment(&place, effect, text).await,
            IssueChange::State(state) => self.set_state(&place, *state).await,
            IssueChange::Assignee(name) => self.assign(&place, name).await,
            IssueChange::Link(other) => self.relate(&place, by, key, other).await,
        }?;
        Ok(Attempt::Applied(()))
    }

    async fn set_parent(&self, place: &Place<'_>, epic: &str) -> Result<(), Attempt<()>> {
        let wrong = |fault: TrackerFault| rejected(vec![FieldFault::new("check.parent", "parent", fault)]);
        let above = if project_of(epic) == Some(place.project) { self.issue(epic).await? } else { None };
        let Some(above) = above else {
            return Err(wrong(TrackerFault::NoEpic { key: epic.into() }));
        };
        let kind = |issue: &RawIssue| issue.item_type(place.settings);
        let item = Item::alone(kind(&place.issue), [].into());
        if let Some(fault) = common_checks::level(&item, Some(kind(&above))) {
            return Err(wrong(fault));
        }
        if self.parent(place.project, &place.issue).await?.as_deref() == Some(epic) {
            return Ok(());
        }
        self.add_sub_issue(place.project, place.settings, &above, &place.issue).await
    }

    /// Comments, unless a comment with the id of this effect is there.
    async fn comment(&self, place: &Place<'_>, effect: &EffectId, text: &str) -> Result<(), Attempt<()>> {
        if text.chars().count() > MAX_BODY {
            let fault = TrackerFault::CommentLong { most: MAX_BODY };
            return Err(rejected(vec![FieldFault::new("check.adf", "comment", fault)]));
        }
        let (path, line) = (place.path("/comments"), marker(effect));
        let mut known = false;
        let look = |comments: Vec<Value>| {
            let is_it = |comment: &Value| comment["body"].as_str().is_some_and(|body| has_line(body, &line));
            known = comments.iter().any(is_it);
            known
        };
        self.client.pages(&path, PAGES, look).await.map_err(not_sent)?;
        if known {
            return Ok(());
        }
        let body = json!({"body": ending(&inert(text), &line)});
        self.client.write(Method::POST, &path, &body).await.done().map(drop)
    }

    async fn set_state(&self, place: &Place<'_>, state: IssueState) -> Result<(), Attempt<()>> {
        if place.issue.state() == state {
            return Ok(());
        }
        let change = match state {
            IssueState::Open => json!({"state": "open"}),
            IssueState::Closed => json!({"state": "closed", "state_reason": "completed"}),
        };
        self.edit(place, &change).await.map(drop)
    }

    async fn assign(&self, place: &Place<'_>, name: &str) -> Result<(), Attempt<()>> {
        let login = people::look_up(&self.client, place.settings, name).await?.map_err(|fault| {
            rejected(vec![FieldFault::new("check.value", Part::Assignee.as_str(), fault)])
        })?;
        let changed = self.edit(place, &json!({"assignees": [login]})).await?;
        if changed.is_given_to(&login) {
            return Ok(());
        }
        // GitHub leaves out people without a word where the account may not set them.
        let (act, by, project) = (ProjectAct::Edit, ACCOUNT.into(), place.project.into());
        let fault = TrackerFault::NotPermitted { act, by, project, allowed: Vec::new() };
        Err(rejected(vec![FieldFault::new("check.permission", "project", fault)]))
    }

    /// Names another issue in the text of this one, once. GitHub shows it at both. A change that somebody makes to the text
    /// in the same moment is lost, because GitHub has no condition for changes.
    async fn relate(
        &self,
        place: &Place<'_>,
        by: Option<&str>,
        key: &str,
        other: &str,
    ) -> Result<(), Attempt<()>> {
        let seen = self.config.shows(other, by) && other != key;
        let found = if seen { self.issue(other).await? } else { None };
        let there = project_of(other).and_then(|project| self.config.project(project));
        let Some((there, found)) = there.zip(found) else {
            let fault = TrackerFault::NoOtherIssue { key: other.into() };
            return Err(rejected(vec![FieldFault::new("check.reference", "link", fault)]));
        };
        let line = relation(&place.settings.repository, &there.repository, found.number);
        if has_line(place.issue.body(), &line) {
            return Ok(());
        }
        self.edit(place, &json!({"body": with_relation(place.issue.body(), &line)})).await.map(drop)
    }

    async fn edit(&self, place: &Place<'_>, change: &Value) -> Result<RawIssue, Attempt<()>> {
        read(self.client.write(Method::PATCH, &place.path(""), change).await.done()?)
    }
}
