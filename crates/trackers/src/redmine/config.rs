//! Settings of one Redmine and of the projects that are used there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_net::Key;

use crate::project::{Permission, plain_number};
use crate::remote::{self, ProjectSettings};

/// One Redmine, with the account that we use there.
#[derive(Clone)]
pub struct RedmineConfig {
    /// Address: `https://redmine.acme.example`, with the path below which it runs.
    pub base_url: String,
    /// Allows an `http` address on this machine.
    pub allow_loopback: bool,
    /// API key of the account.
    pub key: Key,
    /// Markup of texts there.
    pub markup: Markup,
    /// True if issues that we create end with a hidden line that holds the id of their effect, by which they are found after
    /// a lost answer.
    pub marker: bool,
    /// Requests at once.
    pub at_once: usize,
    /// Projects by key. Others do not exist for us.
    pub projects: BTreeMap<String, RedmineProject>,
}

/// Markup of texts, which Redmine does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Markup {
    /// Either: only what is the same in both is used.
    #[default]
    Any,
    /// Textile.
    Textile,
    /// Markdown, of either kind.
    Markdown,
}

impl Markup {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Any, Self::Textile, Self::Markdown];

    /// Its name in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Textile => "textile",
            Self::Markdown => "markdown",
        }
    }
}

/// One project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedmineProject {
    /// Identifier there, `web` of `/projects/web`; the key in small letters if not set.
    pub identifier: Option<String>,
    /// Trackers of types, by name or id: `bug = "Defect"`.
    pub type_names: BTreeMap<ItemType, String>,
    /// Custom fields that parts of a ticket go to, by name or id: `risks = "Risk notes"`.
    pub part_fields: BTreeMap<Part, String>,
    /// Values that custom fields get in every issue, by name or id of the field: `"Component" = "Web"`.
    pub values: BTreeMap<String, String>,
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

impl ProjectSettings for RedmineProject {
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

impl RedmineProject {
    /// Its identifier there.
    pub(super) fn identifier(&self, project: &str) -> String {
        self.identifier.clone().unwrap_or_else(|| project.to_lowercase())
    }

    /// The name or id of the tracker of a type. Those that a new Redmine has are known.
    pub(super) fn type_name(&self, item_type: ItemType) -> &str {
        let usual = match item_type {
            ItemType::Bug => "Bug",
            ItemType::Story => "Feature",
            ItemType::Task => "Task",
            ItemType::Epic => "Epic",
        };
        self.type_names.get(&item_type).map_or(usual, String::as_str)
    }
}

impl RedmineConfig {
    /// The project, if it exists for people who come through a conversation.
    pub(super) fn project(&self, key: &str) -> Option<&RedmineProject> {
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

    /// The identifier of the project of an issue's key, and the number, if the project exists for people.
    pub(super) fn place(&self, key: &str) -> Option<(String, u64)> {
        let (project, number) = key.rsplit_once('-')?;
        Some((self.project(project)?.identifier(project), plain_number(number)?))
    }

    /// Checks the settings of projects.
    ///
    /// # Errors
    /// One cannot be used; the text is for people.
    pub(super) fn check(&self) -> Result<(), String> {
        for (key, settings) in &self.projects {
            let identifier = settings.identifier(key);
            if !is_identifier(&identifier) {
                return Err(format!(
                    "the identifier of {key}, “{identifier}”, is none of a project, as web in /projects/web is"
                ));
            }
            if settings.part_fields.contains_key(&Part::Title) {
                return Err(format!(
                    "the title of a ticket in {key} is the subject, and goes to no other field"
                ));
            }
        }
        Ok(())
    }
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(key: &str, project: RedmineProject) -> RedmineConfig {
        RedmineConfig {
            base_url: "https://redmine.acme.example".into(),
            allow_loopback: false,
            key: Key::parse("k").unwrap(),
            markup: Markup::Any,
            marker: true,
            at_once: 1,
            projects: [(key.to_owned(), project)].into(),
        }
    }

    #[test]
    fn a_project_is_known_by_its_key_or_by_an_identifier() {
        let named = |identifier: &str| RedmineProject {
            identifier: Some(identifier.into()),
            ..RedmineProject::default()
        };
        for (key, project, expected) in [
            ("WEB", RedmineProject::default(), Some("web")),
            ("WEB", named("web-site_2"), Some("web-site_2")),
            ("WEB", named(""), None),
            ("WEB", named("we b"), None),
            ("WEB", named("../x"), None),
            ("W?B", RedmineProject::default(), None),
        ] {
            let config = config(key, project);
            assert_eq!(config.check().is_ok(), expected.is_some(), "{key}: {:?}", config.check());
            let Some(expected) = expected else { continue };
            assert_eq!(config.place("WEB-12"), Some((expected.to_owned(), 12)));
            for wrong in ["OPS-12", "WEB-012", "WEB-", "WEB", "-1"] {
                assert_eq!(config.place(wrong), None, "{wrong}");
            }
        }
    }

    #[test]
    fn a_title_has_no_other_field() {
        let project = RedmineProject {
            part_fields: [(Part::Title, "Component".to_owned())].into(),
            ..RedmineProject::default()
        };
        let why = config("WEB", project).check().unwrap_err();
        assert!(why.contains("WEB") && why.contains("subject"), "{why}");
    }
}
