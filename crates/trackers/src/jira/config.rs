//! Settings of one Jira site and of the projects that are used there.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_net::Key;

use super::oauth::OAuth;
use crate::project::{ChildLink, Permission};
use crate::remote::{self, Limits, ProjectSettings};

/// One Jira site, with the account that we use there.
#[derive(Clone)]
pub struct JiraConfig {
    /// Address of the site: `https://acme.atlassian.net`.
    pub base_url: String,
    /// Allows an `http` address on this machine.
    pub allow_loopback: bool,
    /// Edition that runs there.
    pub edition: Edition,
    /// Proof of who we are.
    pub credentials: Credentials,
    /// True if issues that we create carry a label with the id of their effect, by which they are found after a lost answer.
    pub marker: bool,
    /// True if one request may create several issues that are approved together.
    pub bulk: bool,
    /// Limits of our requests.
    pub limits: Limits,
    /// Projects by key. Others do not exist for us.
    pub projects: BTreeMap<String, JiraProject>,
}

/// Edition of Jira.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edition {
    /// Jira Cloud, REST v3.
    #[default]
    Cloud,
    /// Jira Data Center, REST v2.
    DataCenter,
}

/// Proof of who we are.
#[derive(Clone)]
pub enum Credentials {
    /// Address and API token of an account, as Jira Cloud takes them.
    ApiToken {
        /// Address of the account.
        email: String,
        /// Its token.
        token: Key,
    },
    /// A token by itself: a personal access token of Jira Data Center.
    Bearer(Key),
    /// A person's grant to an app of Jira Cloud.
    OAuth(Arc<OAuth>),
}

/// One project. What it requires and takes is Jira's own to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JiraProject {
    /// Jira's names of types that are called otherwise there: `bug = "Defect"`.
    pub type_names: BTreeMap<ItemType, String>,
    /// Fields that parts of a ticket go to, by id or name: `risks = "Risk notes"`. Others are part of the description.
    pub part_fields: BTreeMap<Part, String>,
    /// Values that fields get in every issue, by id or name of the field: `"Team" = "Payments"`.
    pub values: BTreeMap<String, String>,
    /// The way stories are put under their epic; without one, by the parent in Cloud and by the epic link in Data Center.
    pub child_link: Option<ChildLink>,
    /// The people who may see it: user ids or principals (`user:ana`); empty for everybody. Likewise the three below.
    pub browse: Vec<String>,
    /// The people who may create issues.
    pub create: Vec<String>,
    /// The people who may change issues.
    pub edit: Vec<String>,
    /// The people who may link issues.
    pub link: Vec<String>,
    /// True if it does not exist for people who come through a conversation.
    pub hidden: bool,
}

impl ProjectSettings for JiraProject {
    fn permitted(&self, what: Permission) -> &[String] {
        match what {
            Permission::Browse => &self.browse,
            Permission::Create => &self.create,
            Permission::Edit => &self.edit,
            Permission::Link => &self.link,
        }
    }

    fn is_hidden(&self) -> bool {
        self.hidden
    }
}

impl JiraProject {
    /// Jira's name of a type.
    pub(super) fn type_name(&self, item_type: ItemType) -> &str {
        self.type_names.get(&item_type).map_or(item_type.as_str(), String::as_str)
    }
}

impl JiraConfig {
    /// The account that we use, as people know it.
    pub(super) fn account(&self) -> &str {
        match &self.credentials {
            Credentials::ApiToken { email, .. } => email,
            Credentials::Bearer(_) | Credentials::OAuth(_) => "Throughline",
        }
    }

    /// The project, if it exists for people who come through a conversation.
    pub(super) fn project(&self, key: &str) -> Option<&JiraProject> {
        remote::project(&self.projects, key)
    }

    /// The way stories are put under their epic in a project.
    pub(super) fn child_link(&self, settings: &JiraProject) -> ChildLink {
        settings.child_link.unwrap_or_else(|| self.edition.child_link())
    }

    /// The projects that exist for people.
    pub(super) fn known(&self) -> Vec<String> {
        remote::known(&self.projects)
    }

    /// True if the project of a key exists for this person, and they may see its issues.
    pub(super) fn shows(&self, key: &str, by: Option<&str>) -> bool {
        remote::shows(&self.projects, key, by)
    }
}
