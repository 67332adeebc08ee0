//! Finds issues: by key, and by the id of the effect that created them.

use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};

use super::JiraSite;
use super::client::encoded;
use super::issue::{FIELDS, RawIssue};
use super::metadata::read;
use crate::Issue;
use crate::project::{ChildLink, Permission, key_in, no_key, rejected};
use crate::remote::{Outcome, ProjectSettings, no_project};

/// Issues of one effect that are read at most. More than one is a mistake that somebody has to see.
const MOST: usize = 10;

impl JiraSite {
    /// The label of the issue that an effect creates.
    pub(super) fn label(effect: &EffectId) -> String {
        format!("throughline-{effect}")
    }

    /// The issue with that key, or `None` where there is none that we may see.
    pub(super) async fn issue<T>(&self, key: &str) -> Result<Option<RawIssue>, Attempt<T>> {
        let fields = self.read_fields(key).await?.join(",");
        let path = format!("issue/{}?fields={}", encoded(key), encoded(&fields));
        let found = self.client.read(&path).await.found()?;
        found.map(|body| read(body)).transpose()
    }

    /// The fields that are read of an issue of this key's project: with that of its epic link, if it has one.
    async fn read_fields<T>(&self, key: &str) -> Result<Vec<String>, Attempt<T>> {
        let mut fields: Vec<String> = FIELDS.map(str::to_owned).into();
        let project = crate::project::project_of(key).unwrap_or_default();
        let by_field = |project| self.config.child_link(project) == ChildLink::EpicLink;
        if self.config.project(project).is_some_and(by_field) {
            fields.extend(self.epic_field(project).await?);
        }
        Ok(fields)
    }

    /// The id of the field of epic links in a project whose stories have one.
    pub(super) async fn epic_field<T>(&self, project: &str) -> Result<Option<String>, Attempt<T>> {
        let Some(settings) = self.config.project(project) else { return Ok(None) };
        if self.config.child_link(settings) != ChildLink::EpicLink {
            return Ok(None);
        }
        let story = self.created(project, throughline_engine::data::ticket::ItemType::Story, true).await?;
        Ok(story.and_then(|story| self.epic_link(project, &story.fields).map(str::to_owned)))
    }

    pub(super) async fn view<T>(&self, project: &str, issue: &RawIssue) -> Result<Issue, Attempt<T>> {
        let epic_link = self.epic_field(project).await?;
        Ok(issue.view(self.client.browse(&issue.key), epic_link.as_deref()))
    }

    pub(super) async fn marked(&self, project: &str, marker: &EffectId) -> Outcome<Vec<Issue>> {
        if !self.config.marker || self.config.project(project).is_none() {
            return Ok(Attempt::Applied(Vec::new()));
        }
        let jql = format!(
            "project = {} AND labels = {} ORDER BY created ASC",
            quoted(project),
            quoted(&Self::label(marker))
        );
        let fields = self.read_fields(&format!("{project}-1")).await?;
        let body = json!({"jql": jql, "fields": fields, "maxResults": MOST});
        let mut found: Value = self.client.search(&body).await.done()?;
        let raw: Vec<RawIssue> = read(found["issues"].take())?;
        let mut issues = Vec::new();
        for issue in &raw {
            issues.push(self.view(project, issue).await?);
        }
        Ok(Attempt::Applied(issues))
    }

    pub(super) async fn look_up(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue> {
        let key = key_in(project, named).ok_or_else(|| rejected(vec![no_key(project, named)]))?;
        let Some(settings) = self.config.project(project) else {
            return Ok(rejected(vec![no_project(project, self.config.known())]));
        };
        if let Some(fault) = settings.refuses(project, Permission::Browse, by) {
            return Ok(rejected(vec![fault]));
        }
        let number = key.rsplit_once('-').map_or("", |(_, number)| number);
        let plain =
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
        let issue = if plain { self.issue(&key).await? } else { None };
        match issue {
            // One that was moved to another project is not of this one any more.
            Some(issue) if crate::project::project_of(&issue.key) == Some(project) => {
                Ok(Attempt::Applied(self.view(project, &issue).await?))
            }
            _ => {
                let fault = TrackerFault::NoIssue { key };
                Ok(rejected(vec![FieldFault::new("check.reference", "key", fault)]))
            }
        }
    }
}

/// A text as a literal of JQL.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
