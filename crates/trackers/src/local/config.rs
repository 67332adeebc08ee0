//! What the local tracker is configured with: its projects and what each of them takes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::tickets::{ItemType, Part};

/// The section of the local tracker in the configuration file. Nothing said: one project, `DEMO`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LocalConfig {
    /// The projects, by key.
    pub projects: BTreeMap<String, ProjectConfig>,
}

impl Default for LocalConfig {
    fn default() -> Self {
        let demo = ProjectConfig { name: "Demo".into(), ..ProjectConfig::default() };
        Self { projects: BTreeMap::from([("DEMO".into(), demo)]) }
    }
}

/// One project. What is not said takes anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectConfig {
    /// What people call it; the key when empty.
    pub name: String,
    /// The types it offers.
    pub types: Vec<ItemType>,
    /// The parts that must be written.
    pub required: Vec<Part>,
    /// The parts it has a field for; empty means all of them.
    pub fields: Vec<Part>,
    /// Who may create: user ids or principals (`user:ana`); empty means everybody.
    pub create: Vec<String>,
    /// Closed for new issues.
    pub archived: bool,
}

impl Default for ProjectConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            types: vec![ItemType::Bug, ItemType::Story, ItemType::Task, ItemType::Epic],
            required: vec![Part::Title],
            fields: Vec::new(),
            create: Vec::new(),
            archived: false,
        }
    }
}

impl ProjectConfig {
    /// Whether this person may create here: by id, or by a principal given in its place.
    #[must_use]
    pub fn admits(&self, by: Option<&str>) -> bool {
        let named = |who: &str| {
            let bare = |text: &str| text.strip_prefix("user:").unwrap_or(text).to_owned();
            self.create.iter().any(|entry| bare(entry) == bare(who))
        };
        self.create.is_empty() || by.is_some_and(named)
    }

    /// Whether it has a field for this part.
    #[must_use]
    pub fn has_field(&self, part: Part) -> bool {
        self.fields.is_empty() || self.fields.contains(&part) || self.required.contains(&part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_configuration_file_says() {
        let config: LocalConfig = toml::from_str(
            "[projects.AUTH]\nname = \"Log-in\"\ntypes = [\"bug\"]\nrequired = [\"title\", \"problem\"]\ncreate = [\"user:ana\"]",
        )
        .unwrap();
        let auth = &config.projects["AUTH"];
        assert_eq!((auth.types.as_slice(), auth.archived), ([ItemType::Bug].as_slice(), false));
        assert_eq!(auth.required, [Part::Title, Part::Problem]);
        assert!(!config.projects.contains_key("DEMO"), "projects that are said replace the default");
    }

    #[test]
    fn nothing_said_is_demo_and_a_typo_is_an_error() {
        let config: LocalConfig = toml::from_str("").unwrap();
        assert_eq!(config.projects.keys().collect::<Vec<_>>(), ["DEMO"]);
        let error = toml::from_str::<LocalConfig>("[projects.A]\nrequred = []").unwrap_err().to_string();
        assert!(error.contains("requred"), "{error}");
    }

    #[test]
    fn admits_ids_and_principals() {
        let project = ProjectConfig {
            create: vec!["user:ana".into(), "bob".into(), "role:pm".into()],
            ..Default::default()
        };
        for who in ["ana", "user:ana", "bob", "user:bob", "role:pm"] {
            assert!(project.admits(Some(who)), "{who}");
        }
        assert!(!project.admits(Some("eve")));
        assert!(!project.admits(None), "nobody named is nobody listed");
        assert!(ProjectConfig::default().admits(None));
    }
}
