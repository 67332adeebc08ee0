//! Settings of one GitHub and of the repositories that are used there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::data::ticket::ItemType;
use throughline_net::Key;

use crate::project::{Permission, plain_number};
use crate::remote::{self, Limits, ProjectSettings};

/// One GitHub, with the account that we use there.
#[derive(Clone)]
pub struct GithubConfig {
    /// Address of the API: `https://api.github.com`, or that of a GitHub Enterprise, which ends in `/api/v3`.
    pub base_url: String,
    /// Allows an `http` address on this machine.
    pub allow_loopback: bool,
    /// Token of the account.
    pub token: Key,
    /// True if issues that we create end with a hidden line that holds the id of their effect, by which they are found after
    /// a lost answer.
    pub marker: bool,
    /// Limits of our requests.
    pub limits: Limits,
    /// Projects by key. Others do not exist for us.
    pub projects: BTreeMap<String, GithubProject>,
}

/// One project: a repository with issues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GithubProject {
    /// Owner and name of the repository: `acme/web`.
    pub repository: String,
    /// Labels of types: `bug = "bug"`. An epic is labelled `epic` if nothing is said.
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

impl ProjectSettings for GithubProject {
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

impl GithubProject {
    /// The label of a type, if it has one.
    pub(super) fn type_label(&self, item_type: ItemType) -> Option<&str> {
        let usual = (item_type == ItemType::Epic).then_some("epic");
        self.type_labels.get(&item_type).map(String::as_str).or(usual)
    }

    /// True if this is its repository, however it is spelled.
    pub(super) fn is(&self, repository: &str) -> bool {
        self.repository.eq_ignore_ascii_case(repository)
    }
}

impl GithubConfig {
    /// The project, if it exists for people who come through a conversation.
    pub(super) fn project(&self, key: &str) -> Option<&GithubProject> {
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

    /// The project and number of an issue's key, if the project exists for people.
    pub(super) fn place(&self, key: &str) -> Option<(&GithubProject, u64)> {
        let (project, number) = key.rsplit_once('-')?;
        Some((self.project(project)?, plain_number(number)?))
    }

    /// Checks that each project names a repository.
    ///
    /// # Errors
    /// One does not; the text is for people.
    pub(super) fn check(&self) -> Result<(), String> {
        let wrong = self.projects.iter().find(|(_, project)| !is_repository(&project.repository));
        match wrong {
            Some((key, project)) => Err(format!(
                "the repository of {key}, “{}”, is not of the form owner/name",
                project.repository
            )),
            None => Ok(()),
        }
    }
}

fn is_repository(text: &str) -> bool {
    let name = |part: &str| {
        let allowed = part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        allowed && !matches!(part, "" | "." | "..")
    };
    text.split_once('/').is_some_and(|(owner, repository)| name(owner) && name(repository))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_an_owner_and_a_name() {
        for (text, expected) in [
            ("acme/web", true),
            ("acme/web.site_2-x", true),
            ("acme", false),
            ("acme/", false),
            ("/web", false),
            ("acme/..", false),
            ("acme/web/x", false),
            ("acme/we b", false),
            ("acme/web?x", false),
        ] {
            assert_eq!(is_repository(text), expected, "{text}");
        }
    }
}
