//! Jira, Cloud and Data Center.
//!
//! Jira promises nothing about a create that is sent twice, so none is: an issue whose answer was lost is found by a label
//! with the id of its effect. Which fields and values a project takes is read from Jira, never set here
//! (`docs/design/0061-jira.md`).
//!
//! `dry_run.rs`, `create.rs`, `bulk.rs`, `change.rs` and `look_up.rs` are the operations; `form.rs` makes fields of a ticket's
//! parts, `field_kind.rs` values of texts, `adf.rs` documents and `wiki.rs` markup of texts; `metadata.rs` is what Jira tells of a project; `client.rs`
//! sends, with a token of `oauth` where a person granted one, and `answer.rs` says what an answer proves.

mod adf;
mod answer;
mod bulk;
mod bulk_answer;
mod change;
mod client;
mod config;
mod create;
mod dry_run;
mod edition;
mod examine;
mod field_kind;
mod form;
mod issue;
mod look_up;
mod metadata;
mod oauth;
mod people;
mod webhook;
mod wiki;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::effect::IssueChange;
use throughline_engine::data::ticket::{Item, ItemType};
use tokio::time::Instant;

use crate::project::ChildLink;
use crate::remote::{Outcome, Site, Sites};
use crate::{BulkCreate, Issue};
use client::Client;
use field_kind::FieldKind;
use metadata::{FieldMeta, TypeMeta};

pub use config::{Credentials, Edition, JiraConfig, JiraProject};
pub use examine::Sign;
pub use oauth::{Grant, Grants, Held, Kept, NotConnected, OAuth, OAuthApp};
pub use webhook::report;

/// The age at which what Jira told of a project is read again.
const FRESH: Duration = Duration::from_secs(60);
/// The property of an issue or comment that holds the id of its effect.
const PROPERTY: &str = "throughline.effect";

/// Jira as a tracker: one site a tenant.
pub type Jira = Sites<JiraSite>;

impl Jira {
    /// Creates the tracker of these sites, by tenant.
    ///
    /// # Errors
    /// An address or credentials that cannot be used; the text is for people.
    pub fn new(sites: impl IntoIterator<Item = (String, JiraConfig)>) -> Result<Self, String> {
        Self::of(sites.into_iter().map(|(tenant, config)| Ok((tenant, JiraSite::new(config)?))))
    }
}

/// Project, type, and true for an item under its epic.
type Asked = (String, ItemType, bool);

/// One site.
pub struct JiraSite {
    config: JiraConfig,
    client: Client,
    /// Types as Jira described them lately.
    screens: Mutex<BTreeMap<Asked, (Instant, Created)>>,
}

/// A type with the fields of its screen.
#[derive(Clone)]
struct Created {
    kind: TypeMeta,
    fields: Vec<FieldMeta>,
    /// The id of our account, where the screen wants a reporter and Jira names none by itself.
    reporter: Option<String>,
}

impl JiraSite {
    fn new(config: JiraConfig) -> Result<Self, String> {
        let client = Client::new(&config)?;
        Ok(Self { config, client, screens: Mutex::default() })
    }

    /// The type as Jira described it lately; of an item under its epic if `child`.
    fn kept(&self, project: &str, item_type: ItemType, child: bool) -> Option<Created> {
        let kept = self.screens.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, created) = kept.get(&(project.to_owned(), item_type, child))?;
        (at.elapsed() < FRESH).then(|| created.clone())
    }

    fn keep(&self, project: &str, item_type: ItemType, child: bool, created: &Created) {
        let mut kept = self.screens.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert((project.to_owned(), item_type, child), (Instant::now(), created.clone()));
    }

    /// The id of the field that holds the epic of an issue, where the project puts issues under epics by one.
    fn epic_link<'a>(&self, project: &str, fields: &'a [FieldMeta]) -> Option<&'a str> {
        let settings = self.config.project(project)?;
        let by_field = self.config.child_link(settings) == ChildLink::EpicLink;
        let field = fields.iter().find(|field| by_field && field.kind == FieldKind::EpicLink);
        field.map(|field| field.id.as_str())
    }
}

#[async_trait]
impl Site for JiraSite {
    async fn check(&self, project: &str, by: Option<&str>, items: &[Item]) -> Outcome<()> {
        self.dry_run(project, by, items).await
    }

    async fn create(
        &self,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Outcome<Issue> {
        self.create_issue(project, effect, item, parent).await
    }

    fn bulk(&self) -> Option<&dyn BulkCreate> {
        self.config.bulk.then_some(self as &dyn BulkCreate)
    }

    async fn update(
        &self,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Outcome<()> {
        self.change(project, by, effect, key, change).await
    }

    async fn seek(&self, project: &str, marker: &EffectId) -> Outcome<Vec<Issue>> {
        self.marked(project, marker).await
    }

    async fn find(&self, project: &str, by: Option<&str>, named: &str) -> Outcome<Issue> {
        self.look_up(project, by, named).await
    }
}

#[cfg(test)]
mod bulk_tests;
#[cfg(test)]
mod tests;
