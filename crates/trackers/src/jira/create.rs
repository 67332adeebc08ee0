//! Creates issues: one request, sent once.

use serde_json::json;
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueState};
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::{Item, Part};

use super::answer::of_parent;
use super::dry_run::Direction;
use super::form::label;
use super::{JiraSite, PROPERTY, people};
use crate::Issue;
use crate::common_checks::wrong;
use crate::project::rejected;
use crate::remote::{Outcome, no_project, not_sent};

impl JiraSite {
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
        // What comes before the create is read, so a failure is no attempt.
        let created = self.created(project, item.item_type, parent.is_some()).await.map_err(not_sent)?;
        let Some(created) = created else {
            let (kind, project) = (item.item_type, project.into());
            let fault = TrackerFault::NoType { kind, project, offered: Vec::new() };
            return Ok(rejected(vec![wrong(item, "check.type", "type", fault)]));
        };
        let screen = self.screen(project, settings, &created);
        let named = screen.people(item);
        let people =
            people::look_up(&self.client, self.config.edition, project, named).await.map_err(not_sent)?;
        let mut fields = screen.fill(item, &people).map_err(rejected)?;
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
        let body = json!({"fields": fields, "properties": property});
        let answer = of_parent(self.client.create(&body).await, self.epic_link(project, &created.fields));
        let answer = answer.named(&|id| screen.name(id))?;
        let Some(key) = answer["key"].as_str() else {
            // Something was created, and Jira does not say what.
            return Ok(Attempt::Unknown { why: TrackerFault::Failed { status: 201 }.into() });
        };
        self.after(key, effect, item).await;
        Ok(Attempt::Applied(Issue {
            key: key.into(),
            url: Some(self.client.browse(key)),
            title: item.title().into(),
            parent: parent.map(str::to_owned),
            state: IssueState::Open,
            assignee: None,
        }))
    }

    /// Adds to a new issue what Jira takes in requests of their own: links to the issues it names, and to the messages it
    /// rests on. The description has both, so a failure is logged and nothing else.
    async fn after(&self, key: &str, effect: &EffectId, item: &Item) {
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
        let addresses = evidence.split_whitespace().filter(|word| word.starts_with("https://"));
        for (n, url) in addresses.enumerate() {
            let body = json!({
                "globalId": format!("throughline-{effect}-{n}"),
                "object": {"url": url, "title": "Conversation"},
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
