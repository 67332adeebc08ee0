//! Creates issues: one request, sent once.

use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueState};
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::{Item, Part};

use super::answer::{Answer, of_parent};
use super::dry_run::Direction;
use super::field_kind::People;
use super::form::label;
use super::{Created, JiraSite, PROPERTY, people};
use crate::common_checks::wrong;
use crate::project::rejected;
use crate::remote::{Outcome, no_project, not_sent};
use crate::{BulkRow, Issue};

/// An issue that is ready to be created.
pub(super) struct ReadyIssue {
    /// The body that creates it.
    pub(super) body: Value,
    created: Created,
}

impl JiraSite {
    pub(super) async fn create_issue(
        &self,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Outcome<Issue> {
        let row = BulkRow { effect, item, parent };
        let ready = self.ready(project, &row, &mut People::new()).await?;
        let answer = self.client.create(&ready.body).await;
        let outcome = self.outcome(project, &row, &ready, answer);
        if let Attempt::Applied(issue) = &outcome {
            self.follow(&issue.key, effect, item).await;
        }
        Ok(outcome)
    }

    /// Gets an issue ready. `people` are those that were looked up before.
    ///
    /// # Errors
    /// It cannot be created so, or Jira does not tell what it takes. Nothing was sent.
    pub(super) async fn ready<T>(
        &self,
        project: &str,
        row: &BulkRow<'_>,
        people: &mut People,
    ) -> Result<ReadyIssue, Attempt<T>> {
        let BulkRow { effect, item, parent } = *row;
        let Some(settings) = self.config.project(project) else {
            return Err(rejected(vec![no_project(project, self.config.known())]));
        };
        // What comes before the create is read, so a failure is no attempt.
        let created = self.created(project, item.item_type, parent.is_some()).await.map_err(not_sent)?;
        let Some(created) = created else {
            let (kind, project) = (item.item_type, project.into());
            let fault = TrackerFault::NoType { kind, project, offered: Vec::new() };
            return Err(rejected(vec![wrong(item, "check.type", "type", fault)]));
        };
        let screen = self.screen(project, settings, &created);
        let mut named = screen.people(item);
        named.retain(|text| !people.contains_key(text));
        let found = people::look_up(&self.client, self.config.edition, project, named).await;
        people.extend(found.map_err(not_sent)?);
        let mut fields = screen.fill(item, people).map_err(rejected)?;
        if self.config.marker {
            label(&mut fields, &screen, Self::label(effect));
        }
        fields.insert("project".into(), json!({"key": project}));
        fields.insert("issuetype".into(), json!({"id": created.kind.id}));
        if let Some(parent) = parent {
            match self.epic_link(project, &created.fields) {
                Some(field) => fields.insert(field.to_owned(), json!(parent)),
                None => fields.insert("parent".into(), json!({"key": parent})),
            };
        }
        let property = json!([{"key": PROPERTY, "value": {"id": effect.as_str()}}]);
        Ok(ReadyIssue { body: json!({"fields": fields, "properties": property}), created })
    }

    /// The outcome of a create that got this answer.
    pub(super) fn outcome(
        &self,
        project: &str,
        row: &BulkRow<'_>,
        ready: &ReadyIssue,
        answer: Answer,
    ) -> Attempt<Issue> {
        let name = |id: &str| match self.config.project(project) {
            Some(settings) => self.screen(project, settings, &ready.created).name(id),
            None => id.to_owned(),
        };
        let answer = of_parent(answer, self.epic_link(project, &ready.created.fields));
        let answer = match answer.named(&name) {
            Ok(answer) => answer,
            Err(ended) => return ended,
        };
        let Some(key) = answer["key"].as_str() else {
            // Something was created, and Jira does not say what.
            return Attempt::Unknown { why: TrackerFault::Failed { status: 201 }.into() };
        };
        Attempt::Applied(Issue {
            key: key.into(),
            url: Some(self.client.browse(key)),
            title: row.item.title().into(),
            parent: row.parent.map(str::to_owned),
            state: IssueState::Open,
            assignee: None,
        })
    }

    /// Adds to a new issue what Jira takes in requests of their own: links to the issues it names, and to the messages it
    /// rests on. The description has both, so a failure is logged and nothing else.
    pub(super) async fn follow(&self, key: &str, effect: &EffectId, item: &Item) {
        let links = self.named(item);
        if !links.is_empty() {
            let types = match self.link_types::<()>().await {
                Ok(types) => types,
                Err(why) => return tracing::warn!(key, ?why, "the links of an issue were not made"),
            };
            for link in links {
                let Some(direction) = Direction::of(&link.kind, &types) else { continue };
                let made = self.link::<()>(key, &link.key, &direction).await;
                if let Err(why) = made {
                    tracing::warn!(key, other = link.key, ?why, "a link of an issue was not made");
                }
            }
        }
        let evidence = item.fields.get(&Part::Evidence).map_or("", String::as_str);
        let addresses = evidence.lines().filter(|line| line.starts_with("https://"));
        for (n, line) in addresses.enumerate() {
            // A file's address has its name behind it.
            let (url, title) = line.split_once(' ').unwrap_or((line, "Conversation"));
            let body = json!({
                "globalId": format!("throughline-{effect}-{n}"),
                "object": {"url": url, "title": title},
            });
            let path = format!("issue/{key}/remotelink");
            let made = self.client.write(reqwest::Method::POST, &path, key, &body).await;
            if let Err(why) = made.done::<()>() {
                tracing::warn!(key, ?why, "the link of an issue to its conversation was not made");
            }
        }
    }

    /// Links an issue to another.
    pub(super) async fn link<T>(
        &self,
        key: &str,
        other: &str,
        direction: &Direction<'_>,
    ) -> Result<(), Attempt<T>> {
        let (inward, outward) = if direction.outward { (key, other) } else { (other, key) };
        let body = json!({
            "type": {"name": direction.name},
            "inwardIssue": {"key": inward},
            "outwardIssue": {"key": outward},
        });
        self.client.write(reqwest::Method::POST, "issueLink", key, &body).await.done().map(drop)
    }
}
