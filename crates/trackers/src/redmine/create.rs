//! Creates issues: one request, sent once. An issue under another is put there by the create itself.

use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, ProjectAct, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::RedmineSite;
use super::form::{self, Form};
use super::issue::RawIssue;
use super::text::marker;
use crate::Issue;
use crate::common_checks::wrong;
use crate::project::{project_of, rejected};
use crate::remote::{Outcome, ending, no_project, not_sent, read};

impl RedmineSite {
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
        let found = self.open_project(project, settings).await.map_err(not_sent)?;
        let found = found.map_err(|fault| rejected(vec![fault]))?;
        let form = Form { project, settings, found: &found, markup: self.config.markup };
        let mut issue = form.fill(item).map_err(rejected)?;
        let above = match parent {
            Some(parent) => Some(self.above(project, parent).await.map_err(not_sent)?),
            None => None,
        };
        let set = [
            ("parent_issue_id", above.as_ref().map(|above| above.id)),
            ("assigned_to_id", self.assignee(&form, item).await.map_err(not_sent)?),
            ("priority_id", self.wanted_priority(&form, item).await.map_err(not_sent)?),
        ];
        // What is not set is not said, so that it is as the project has it.
        issue.extend(set.into_iter().filter_map(|(name, id)| Some((name.to_owned(), id?.into()))));
        if self.config.marker {
            let text = issue["description"].as_str().unwrap_or_default();
            let marked = ending(text, &marker(self.config.markup, effect));
            issue.insert("description".into(), marked.into());
        }
        let request = json!({"issue": issue});
        let answer = self.client.create("issues.json", &request).await;
        let mut answer = answer.written(ProjectAct::Create, project, &|text| form.name(text))?;
        // Without an id, something was created, and Redmine does not say what.
        let made: RawIssue = read(answer["issue"].take())?;
        warn_of_loss(&made, &request["issue"]);
        let under = made.parent.as_ref().zip(above).is_some_and(|(put, above)| put.id == above.id);
        let parent = parent.filter(|_| under).map(str::to_owned);
        Ok(Attempt::Applied(self.view(project, &made, parent)))
    }

    /// The issue that a new one is put under.
    async fn above(&self, project: &str, parent: &str) -> Result<RawIssue, Attempt<Issue>> {
        let found = if project_of(parent) == Some(project) { self.issue(parent).await? } else { None };
        found.ok_or_else(|| {
            let fault = TrackerFault::NoEpic { key: parent.into() };
            rejected(vec![FieldFault::new("check.parent", "parent", fault)])
        })
    }

    async fn assignee(&self, form: &Form<'_>, item: &Item) -> Result<Option<u64>, Attempt<Issue>> {
        let Some(name) = form.person(item) else { return Ok(None) };
        let wrong = |fault| rejected(vec![wrong(item, "check.value", Part::Assignee.as_str(), fault)]);
        self.person(form.project, form.settings, name).await?.map(Some).map_err(wrong)
    }

    async fn wanted_priority(&self, form: &Form<'_>, item: &Item) -> Result<Option<u64>, Attempt<Issue>> {
        let Some(name) = form.priority(item) else { return Ok(None) };
        let wrong = |fault| rejected(vec![wrong(item, "check.value", Part::Priority.as_str(), fault)]);
        self.priority(name).await?.map(Some).map_err(wrong)
    }
}

/// Tells of what Redmine left out of a new issue without a word, or changed. The issue is there in any case.
fn warn_of_loss(made: &RawIssue, asked: &Value) {
    let now = [
        ("tracker_id", Some(made.tracker.id)),
        ("parent_issue_id", made.parent.as_ref().map(|above| above.id)),
        ("assigned_to_id", made.assigned_to.as_ref().map(|person| person.id)),
    ];
    for (field, now) in now {
        if asked[field].as_u64().is_some_and(|asked| Some(asked) != now) {
            tracing::warn!(issue = made.id, field, "Redmine left out a field of a new issue");
        }
    }
}
