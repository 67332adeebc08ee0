//! Creates issues: one request, sent once, with an id of our own.

use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::answer::Answer;
use super::issue::{RawIssue, succeeded};
use super::{LinearSite, form, id, queries};
use crate::Issue;
use crate::common_checks::wrong;
use crate::project::{project_of, rejected};
use crate::remote::{Outcome, no_project, not_sent, not_told, read};

impl LinearSite {
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
        let team = self.open_team(project, settings).await.map_err(not_sent)?;
        let team = team.map_err(|fault| rejected(vec![fault]))?;
        let above = match parent {
            Some(parent) => Some(self.above(project, parent).await.map_err(not_sent)?),
            None => None,
        };
        let assignee = match form::person(item) {
            Some(name) => Some(self.assignee(item, name).await.map_err(not_sent)?),
            None => None,
        };
        let labels = self.labels(settings, &team, item).await.map_err(not_sent)?;
        let labels = labels.map_err(|fault| rejected(vec![fault]))?;
        let id = id::of("issue", effect);
        let mut input = json!({
            "id": id,
            "teamId": team.id,
            "title": item.title().trim(),
            "description": form::description(item, &labels.left),
            "labelIds": labels.ids,
        });
        // What is not set is not said, so that it is as the team has it.
        let set = [
            ("priority", form::priority(item).map(Value::from)),
            ("assigneeId", assignee.map(Value::from)),
            ("parentId", above.map(|above| above.id.into())),
        ];
        for (name, value) in set {
            if let Some(value) = value {
                input[name] = value;
            }
        }
        let answer = match self.client.ask(&queries::CREATE_ISSUE, json!({"input": input})).await {
            Answer::Refused(refusal) if refusal.is_conflict() => {
                return self.there_already(project, effect, &id, item).await;
            }
            answer => answer.done()?,
        };
        succeeded(&answer, "issueCreate")?;
        // Without an issue, something was created, and Linear does not say what.
        let made: RawIssue = read(answer["issueCreate"]["issue"].clone())?;
        Ok(Attempt::Applied(self.view(project, &made)))
    }

    /// The outcome of a create whose id is there: that issue, if it is the one that was to be created.
    async fn there_already(&self, project: &str, effect: &EffectId, id: &str, item: &Item) -> Outcome<Issue> {
        // What cannot be read is there all the same, so this is not as if nothing was sent.
        let found = self.read_issue(id).await.map_err(not_told)?;
        let Some(issue) = found.and_then(|issue| self.shown(project, &issue)) else {
            return Ok(Attempt::Unknown { why: TrackerFault::Failed { status: 200 }.into() });
        };
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words(&issue.title) != words(item.title()) {
            let fault = TrackerFault::OtherText { effect: effect.clone(), key: issue.key };
            return Ok(rejected(vec![wrong(item, "check.shape", "effect", fault)]));
        }
        Ok(Attempt::Applied(issue))
    }

    /// The issue that a new one is put under.
    async fn above(&self, project: &str, parent: &str) -> Result<RawIssue, Attempt<Issue>> {
        let found = if project_of(parent) == Some(project) { self.issue(parent).await? } else { None };
        found.ok_or_else(|| {
            let fault = TrackerFault::NoEpic { key: parent.into() };
            rejected(vec![FieldFault::new("check.parent", "parent", fault)])
        })
    }

    async fn assignee(&self, item: &Item, name: &str) -> Result<String, Attempt<Issue>> {
        let wrong = |fault| rejected(vec![wrong(item, "check.value", Part::Assignee.as_str(), fault)]);
        self.person(name).await?.map_err(wrong)
    }
}
