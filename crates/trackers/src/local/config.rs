//! The configuration of the local tracker: its projects and their rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::data::ticket::{ItemType, Part};

use super::schema::FieldRule;
use crate::project::{ChildLink, Permission, allows};

/// The section of the local tracker in the configuration file. By default one project, `DEMO`.
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

/// One project. By default it accepts anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectConfig {
    /// The display name; the key if empty.
    pub name: String,
    /// The types it offers.
    pub types: Vec<ItemType>,
    /// Types it had before: a refusal names them as switched off.
    pub disabled: Vec<ItemType>,
    /// The parts that are required.
    pub required: Vec<Part>,
    /// The parts that are required for one type, beside these.
    pub required_for: BTreeMap<ItemType, Vec<Part>>,
    /// The parts it has a field for; empty for all of them.
    pub fields: Vec<Part>,
    /// The rules of fields; any text by default.
    pub schema: BTreeMap<Part, FieldRule>,
    /// The kinds of links it knows, as in `blocks: AUTH-3`; empty for any.
    pub links: Vec<String>,
    /// The way stories are linked to their epic.
    pub child_link: ChildLink,
    /// The ways it supports to put one issue under another.
    pub hierarchy: Vec<ChildLink>,
    /// The people who may see it: user ids or principals (`user:ana`); empty for everybody. Likewise the three below.
    pub browse: Vec<String>,
    /// The people who may create issues.
    pub create: Vec<String>,
    /// The people who may change issues, which includes putting a story under its epic.
    pub edit: Vec<String>,
    /// The people who may link issues, which includes naming a dependency.
    pub link: Vec<String>,
    /// True if it takes no new issues.
    pub archived: bool,
    /// True if it does not exist for people who come through a conversation.
    pub hidden: bool,
}

impl Default for ProjectConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            types: vec![ItemType::Bug, ItemType::Story, ItemType::Task, ItemType::Epic],
            disabled: Vec::new(),
            required: vec![Part::Title],
            required_for: BTreeMap::new(),
            fields: Vec::new(),
            schema: BTreeMap::new(),
            links: Vec::new(),
            child_link: ChildLink::default(),
            hierarchy: ChildLink::ALL.into(),
            browse: Vec::new(),
            create: Vec::new(),
            edit: Vec::new(),
            link: Vec::new(),
            archived: false,
            hidden: false,
        }
    }
}

impl ProjectConfig {
    /// The people with a permission; empty for everybody.
    #[must_use]
    pub fn permitted(&self, what: Permission) -> &[String] {
        match what {
            Permission::Browse => &self.browse,
            Permission::Create => &self.create,
            Permission::Edit => &self.edit,
            Permission::Link => &self.link,
        }
    }

    /// True if this person has the permission, by id or by principal.
    #[must_use]
    pub fn allows(&self, what: Permission, by: Option<&str>) -> bool {
        allows(self.permitted(what), by)
    }

    /// True if it has a field for this part. Links to where an issue was asked for always have one: no person wrote
    /// them, so nobody could leave them out.
    #[must_use]
    pub fn has_field(&self, part: Part) -> bool {
        part == Part::Evidence
            || self.fields.is_empty()
            || self.fields.contains(&part)
            || self.required.contains(&part)
    }

    /// True if this part is required for this type.
    #[must_use]
    pub fn requires(&self, part: Part, item_type: ItemType) -> bool {
        let own = self.required_for.get(&item_type);
        self.required.contains(&part) || own.is_some_and(|own| own.contains(&part))
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
}
