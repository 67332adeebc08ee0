//! Changes issues: parent, comment, state, assignee, links.

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};

use super::answer::{Answer, of_parent};
use super::dry_run::Direction;
use super::field_kind::Mistake;
use super::issue::{RawIssue, Status};
use super::metadata::read;
use super::{JiraSite, PROPERTY, people};
use crate::common_checks::{self, MAX_BODY};
use crate::links::RELATED;
use crate::project::{project_of, rejected};
use crate::remote::{Outcome, issue_to_change, not_sent};

/// Comments of a page.
const PAGE: usize = 100;
/// Pages of comments that are looked through.
const PAGES: usize = 20;

/// A step that an issue's workflow allows from where it is.
#[derive(Deserialize)]
struct Step {
    id: String,
    to: Status,
}

impl JiraSite {
    pub(super) async fn change(
        &self,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Outcome<()> {
        let projects = &self.config.projects;
        let (_, issue) = issue_to_change(projects, (project, key), by, change, self.issue(key)).await?;
        match change {
            IssueChange::Parent(epic) => self.set_parent(project, &issue, epic).await,
            IssueChange::Comment(text) => self.comment(effect, key, text).await,
            IssueChange::State(state) => self.set_state(&issue, *state).await,
            IssueChange::Assignee(name) => self.assign(project, key, name).await,
            IssueChange::Link(other) => self.relate(by, &issue, other).await,
        }?;
        Ok(Attempt::Applied(()))
    }

    async fn set_parent(&self, project: &str, issue: &RawIssue, epic: &str) -> Result<(), Attempt<()>> {
        let wrong = |fault: TrackerFault| rejected(vec![FieldFault::new("check.parent", "parent", fault)]);
        let ours = project_of(epic) == Some(project);
        let above = if ours { self.issue(epic).await.map_err(not_sent)? } else { None };
        let Some(above) = above else {
            return Err(wrong(TrackerFault::NoEpic { key: epic.into() }));
        };
        let kind = self.type_of(project, issue).unwrap_or(ItemType::Task);
        let level = common_checks::level(&Item::alone(kind, [].into()), self.type_of(project, &above));
        if let Some(fault) = level {
            return Err(wrong(fault));
        }
        let epic_link = self.epic_field(project).await.map_err(not_sent)?;
        if issue.parent(epic_link.as_deref()).as_deref() == Some(epic) {
            return Ok(());
        }
        let fields = match &epic_link {
            Some(field) => json!({field.as_str(): epic}),
            None => json!({"parent": {"key": epic}}),
        };
        of_parent(self.edit(&issue.key, &fields).await, epic_link.as_deref()).done().map(drop)
    }

    /// Comments, unless a comment with the id of this effect is there.
    async fn comment(&self, effect: &EffectId, key: &str, text: &str) -> Result<(), Attempt<()>> {
        if self.config.edition.too_long(text).is_some() {
            let fault = TrackerFault::CommentLong { most: MAX_BODY };
            return Err(rejected(vec![FieldFault::new("check.adf", "comment", fault)]));
        }
        if self.has_comment(effect, key).await.map_err(not_sent)? {
            return Ok(());
        }
        let body = json!({
            "body": self.config.edition.text(text),
            "properties": [{"key": PROPERTY, "value": {"id": effect.as_str()}}],
        });
        self.client.write(Method::POST, &format!("issue/{key}/comment"), key, &body).await.done().map(drop)
    }

    async fn has_comment(&self, effect: &EffectId, key: &str) -> Result<bool, Attempt<()>> {
        let of_effect =
            |property: &Value| property["key"] == PROPERTY && property["value"]["id"] == effect.as_str();
        for page in 0..PAGES {
            let at = page * PAGE;
            let path = format!(
                "issue/{key}/comment?startAt={at}&maxResults={PAGE}&orderBy=-created&expand=properties"
            );
            let mut body = self.client.read(&path).await.done()?;
            let comments: Vec<Value> = read(body["comments"].take())?;
            let properties = comments.iter().filter_map(|comment| comment["properties"].as_array());
            if properties.flatten().any(of_effect) {
                return Ok(true);
            }
            if comments.len() < PAGE {
                break;
            }
        }
        Ok(false)
    }

    /// Takes the step of the workflow that leads to the state. Of several, one to a place where nothing was begun is last.
    async fn set_state(&self, issue: &RawIssue, state: IssueState) -> Result<(), Attempt<()>> {
        if issue.fields.status.as_ref().is_some_and(|status| status.state() == state) {
            return Ok(());
        }
        let key = &issue.key;
        let mut steps = self.steps(key).await.map_err(not_sent)?;
        steps.retain(|step| step.to.state() == state);
        steps.sort_by_key(|step| step.to.status_category.key == "new");
        let Some(step) = steps.first() else {
            let fault = TrackerFault::NoStep { key: key.clone(), state };
            return Err(rejected(vec![FieldFault::new("check.value", "state", fault)]));
        };
        let body = json!({"transition": {"id": step.id}});
        self.client
            .write(Method::POST, &format!("issue/{key}/transitions"), key, &body)
            .await
            .done()
            .map(drop)
    }

    /// The steps that an issue's workflow allows.
    async fn steps(&self, key: &str) -> Result<Vec<Step>, Attempt<()>> {
        let mut body = self.client.read(&format!("issue/{key}/transitions")).await.done()?;
        read(body["transitions"].take())
    }

    async fn assign(&self, project: &str, key: &str, name: &str) -> Result<(), Attempt<()>> {
        let edition = self.config.edition;
        let named = [name.to_owned()].into();
        let mut people = people::look_up(&self.client, edition, project, named).await.map_err(not_sent)?;
        let unknown = || Err(Mistake::Nobody(name.into(), Vec::new()));
        let id = people.remove(name).unwrap_or_else(unknown).map_err(|mistake| {
            let fault = mistake.of_part(Part::Assignee, name, project);
            rejected(vec![FieldFault::new("check.value", "assignee", fault)])
        })?;
        self.edit(key, &json!({"assignee": {edition.person_id(): id}})).await.done().map(drop)
    }

    async fn relate(&self, by: Option<&str>, issue: &RawIssue, other: &str) -> Result<(), Attempt<()>> {
        let seen = self.config.shows(other, by) && other != issue.key;
        if !seen || self.issue(other).await.map_err(not_sent)?.is_none() {
            let fault = TrackerFault::NoOtherIssue { key: other.into() };
            return Err(rejected(vec![FieldFault::new("check.reference", "link", fault)]));
        }
        if issue.fields.issuelinks.iter().any(|link| link.other() == Some(other)) {
            return Ok(());
        }
        let types = self.link_types().await.map_err(not_sent)?;
        // The kind that says least, for sites that have renamed it.
        let direction = Direction::of(RELATED, &types)
            .or_else(|| types.first().map(|first| Direction { name: &first.name, outward: true }));
        let Some(direction) = direction else {
            let project = project_of(&issue.key).unwrap_or_default().into();
            let fault = TrackerFault::NoLinkKind { kind: RELATED.into(), project, known: Vec::new() };
            return Err(rejected(vec![FieldFault::new("check.reference", "link", fault)]));
        };
        self.link(&issue.key, other, &direction).await
    }

    async fn edit(&self, key: &str, fields: &Value) -> Answer {
        let body = json!({"fields": fields});
        self.client.write(Method::PUT, &format!("issue/{key}"), key, &body).await
    }
}
