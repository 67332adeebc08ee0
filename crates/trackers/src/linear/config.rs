//! Settings of one Linear and of the teams that are used there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::data::ticket::ItemType;
use throughline_net::Key;

use crate::project::{Permission, plain_number};
use crate::remote::{self, ProjectSettings};

/// The label of epics, if nothing is said.
const EPIC: &str = "epic";

/// One workspace of Linear, with the account that we use there.
#[derive(Clone)]
pub struct LinearConfig {
    /// Address of the API: `https://api.linear.app`.
    pub base_url: String,
    /// Allows an `http` address on this machine.
    pub allow_loopback: bool,
    /// Personal API key of the account, or an access token of an app.
    pub token: Key,
    /// Requests at once.
    pub at_once: usize,
    /// Projects by key. Others do not exist for us.
    pub projects: BTreeMap<String, LinearProject>,
}

/// One project: a team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinearProject {
    /// Key of the team, `ENG` of ENG-12; that of the project if not set.
    pub team: Option<String>,
    /// Labels of types: `bug = "Bug"`. The team or the workspace has to have them. An epic is labelled `epic` if nothing is
    /// said.
    pub type_labels: BTreeMap<ItemType, String>,
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

impl ProjectSettings for LinearProject {
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

impl LinearProject {
    /// The label of a type, if it has one.
    pub(super) fn type_label(&self, item_type: ItemType) -> Option<&str> {
        let usual = (item_type == ItemType::Epic).then_some(EPIC);
        self.type_labels.get(&item_type).map(String::as_str).or(usual)
    }

    /// The key of its team.
    pub(super) fn team<'a>(&'a self, project: &'a str) -> &'a str {
        self.team.as_deref().unwrap_or(project)
    }
}

impl LinearConfig {
    /// The project, if it exists for people who come through a conversation.
    pub(super) fn project(&self, key: &str) -> Option<&LinearProject> {
        remote::project(&self.projects, key)
    }

    /// The projects that exist for people.
    pub(super) fn known(&self) -> Vec<String> {
        remote::known(&self.projects)
    }

    /// True if the project of a key exists for this person, and they may see its issues.
    pub(super) fn shows(&self, key: &str, by: Option<&str>) -> bool {
        remote::shows(&self.projects, key, by)
    }

    /// The key of an issue as Linear writes it, if the project exists for people: `ENG-12` for WEB-12.
    pub(super) fn identifier(&self, key: &str) -> Option<String> {
        let (project, number) = key.rsplit_once('-')?;
        let team = self.project(project)?.team(project);
        Some(format!("{team}-{}", plain_number(number)?))
    }

    /// The key of an issue as people say it, from that which Linear writes: of this project if it is in its team, else of
    /// another one, else as Linear writes it.
    pub(super) fn key(&self, project: &str, identifier: &str) -> String {
        let Some((team, number)) = identifier.rsplit_once('-') else { return identifier.to_owned() };
        let has = |key: &str| self.projects.get(key).is_some_and(|settings| settings.team(key) == team);
        let other = || self.projects.keys().map(String::as_str).find(|key| has(key));
        let of = if has(project) { Some(project) } else { other() };
        format!("{}-{number}", of.unwrap_or(team))
    }

    /// Checks that each project has a team.
    ///
    /// # Errors
    /// One does not; the text is for people.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_team = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric());
        let wrong = self.projects.iter().find(|(key, settings)| !is_team(settings.team(key)));
        match wrong {
            Some((key, settings)) => Err(format!(
                "the team of {key}, “{}”, is no key of a team, as ENG of ENG-12 is",
                settings.team(key)
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_teams_or_others() {
        let of = |team: &str| LinearProject { team: Some(team.into()), ..LinearProject::default() };
        let config = LinearConfig {
            base_url: "https://api.linear.app".into(),
            allow_loopback: false,
            token: Key::parse("t").unwrap(),
            at_once: 1,
            projects: [("ENG".to_owned(), LinearProject::default()), ("WEB".to_owned(), of("W2"))].into(),
        };
        assert_eq!(config.check(), Ok(()));
        for (key, identifier) in [("ENG-12", "ENG-12"), ("WEB-7", "W2-7")] {
            assert_eq!(config.identifier(key).as_deref(), Some(identifier), "{key}");
            assert_eq!(config.key("ENG", identifier), key);
        }
        for key in ["OPS-1", "W2-7", "ENG-012", "ENG-", "ENG", "-1", ""] {
            assert_eq!(config.identifier(key), None, "{key}");
        }
        assert_eq!(config.key("ENG", "OPS-3"), "OPS-3");
    }
}
