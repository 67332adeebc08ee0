//! Changes issues: parent, comment, state, assignee, links.
//!
//! A change names only what it sets, so nobody's other change is lost. Redmine takes what our account may not set without a
//! word, so it is read back.

use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::{FieldFault, ProjectAct, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::answer::not_ours;
use super::config::RedmineProject;
use super::issue::{Journal, RawIssue};
use super::text::{inert, is_marked, marker};
use super::{RedmineSite, form};
use crate::common_checks::{self, MAX_BODY};
use crate::project::{project_of, rejected};
use crate::remote::{Outcome, ending, issue_to_change, not_sent, not_told};

/// An issue to change, with its project.
struct Place<'a> {
    project: &'a str,
    settings: &'a RedmineProject,
    key: &'a str,
    issue: RawIssue,
}

impl RedmineSite {
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
        let place = Place { project, settings, key, issue };
        match change {
            IssueChange::Parent(epic) => self.set_parent(&place, epic).await,
            IssueChange::Comment(text) => self.comment(&place, effect, text).await,
            IssueChange::State(state) => self.set_state(&place, *state).await,
            IssueChange::Assignee(name) => self.assign(&place, name).await,
            IssueChange::Link(other) => self.relate(&place, by, other).await,
        }?;
        Ok(Attempt::Applied(()))
    }

    async fn set_parent(&self, place: &Place<'_>, epic: &str) -> Result<(), Attempt<()>> {
        let wrong = |fault: TrackerFault| rejected(vec![FieldFault::new("check.parent", "parent", fault)]);
        let ours = project_of(epic) == Some(place.project);
        let above = if ours { self.issue(epic).await.map_err(not_sent)? } else { None };
        let Some(above) = above else {
            return Err(wrong(TrackerFault::NoEpic { key: epic.into() }));
        };
        let kind = |issue: &RawIssue| issue.item_type(place.settings);
        let item = Item::alone(kind(&place.issue), [].into());
        if let Some(fault) = common_checks::level(&item, Some(kind(&above))) {
            return Err(wrong(fault));
        }
        let is_under = |issue: &RawIssue| issue.parent.as_ref().is_some_and(|now| now.id == above.id);
        if is_under(&place.issue) {
            return Ok(());
        }
        self.set(place, json!({"parent_issue_id": above.id}), is_under).await
    }

    /// Comments, unless a comment with the id of this effect is there.
    async fn comment(&self, place: &Place<'_>, effect: &EffectId, text: &str) -> Result<(), Attempt<()>> {
        if text.chars().count() > MAX_BODY {
            let fault = TrackerFault::CommentLong { most: MAX_BODY };
            return Err(rejected(vec![FieldFault::new("check.adf", "comment", fault)]));
        }
        if self.is_commented(place, effect).await.map_err(not_sent)? {
            return Ok(());
        }
        let markup = self.config.markup;
        let notes = ending(&inert(markup, text), &marker(markup, effect));
        self.put(place, json!({"notes": notes})).await?;
        if self.is_commented(place, effect).await.map_err(not_told)? {
            return Ok(());
        }
        Err(rejected(vec![not_ours(ProjectAct::Edit, place.project)]))
    }

    async fn is_commented(&self, place: &Place<'_>, effect: &EffectId) -> Result<bool, Attempt<()>> {
        let around = self.around(place.issue.id, "journals").await?;
        let is_it = |one: &Journal| one.notes.as_deref().is_some_and(|notes| is_marked(notes, effect));
        Ok(around.journals.iter().any(is_it))
    }

    /// Sets the first status of the wanted kind that the workflow leads to.
    async fn set_state(&self, place: &Place<'_>, wanted: IssueState) -> Result<(), Attempt<()>> {
        if place.issue.status.state() == wanted {
            return Ok(());
        }
        let around = self.around(place.issue.id, "allowed_statuses").await.map_err(not_sent)?;
        let Some(to) = around.allowed_statuses.iter().find(|status| status.state() == wanted) else {
            let fault = TrackerFault::NoStep { key: place.key.into(), state: wanted };
            return Err(rejected(vec![FieldFault::new("check.value", "state", fault)]));
        };
        self.set(place, json!({"status_id": to.id}), |issue| issue.status.state() == wanted).await
    }

    async fn assign(&self, place: &Place<'_>, name: &str) -> Result<(), Attempt<()>> {
        let found = self.person(place.project, place.settings, name).await.map_err(not_sent)?;
        let person = found.map_err(|fault| {
            rejected(vec![FieldFault::new("check.value", Part::Assignee.as_str(), fault)])
        })?;
        let is_given = |issue: &RawIssue| issue.assigned_to.as_ref().is_some_and(|now| now.id == person);
        if is_given(&place.issue) {
            return Ok(());
        }
        self.set(place, json!({"assigned_to_id": person}), is_given).await
    }

    /// Relates two issues, unless they are linked already, in either direction.
    async fn relate(&self, place: &Place<'_>, by: Option<&str>, other: &str) -> Result<(), Attempt<()>> {
        let seen = self.config.shows(other, by) && other != place.key;
        let found = if seen { self.issue(other).await.map_err(not_sent)? } else { None };
        let Some(found) = found else {
            let fault = TrackerFault::NoOtherIssue { key: other.into() };
            return Err(rejected(vec![FieldFault::new("check.reference", "link", fault)]));
        };
        let around = self.around(place.issue.id, "relations").await.map_err(not_sent)?;
        if around.relations.iter().any(|one| one.links(found.id)) {
            return Ok(());
        }
        let path = format!("issues/{}/relations.json", place.issue.id);
        let body = json!({"relation": {"issue_to_id": found.id, "relation_type": "relates"}});
        let answer = self.client.create(&path, &body).await;
        answer.written(ProjectAct::Link, place.project, &|_| "link".into()).map(drop)
    }

    /// Sets something, and reads back if it is so.
    async fn set(
        &self,
        place: &Place<'_>,
        change: Value,
        is_so: impl Fn(&RawIssue) -> bool,
    ) -> Result<(), Attempt<()>> {
        self.put(place, change).await?;
        let now = self.issue(place.key).await.map_err(not_told)?;
        if now.as_ref().is_some_and(is_so) {
            return Ok(());
        }
        Err(rejected(vec![not_ours(ProjectAct::Edit, place.project)]))
    }

    async fn put(&self, place: &Place<'_>, change: Value) -> Result<(), Attempt<()>> {
        let name = |text: &str| form::core_name(text).to_owned();
        let path = format!("issues/{}.json", place.issue.id);
        let answer = self.client.change(&path, &json!({"issue": change})).await;
        answer.written(ProjectAct::Edit, place.project, &name).map(drop)
    }
}
