//! Sources of settings: files, environment variables, flags.

use std::path::{Path, PathBuf};

use throughline_engine::Policy;
use toml::{Table, Value};

use super::layer::{Layer, Merged};
use super::{ConfigError, ConfigErrors, Origin, schema};
use crate::codes;

/// Name of the file that is searched for in the working directory and the configuration folders.
const FILE: &str = "throughline.toml";
/// Environment variables with our prefix that are not settings.
const NOT_SETTINGS: [&str; 8] = [
    // Read when the program is built.
    "THROUGHLINE_COMMIT",
    "THROUGHLINE_CONFIG",
    "THROUGHLINE_FAILPOINT",
    "THROUGHLINE_FAILPOINT_TRAIL",
    "THROUGHLINE_LOG",
    "THROUGHLINE_SERVER_URL",
    "THROUGHLINE_TOKEN_FILE",
    "THROUGHLINE_TRACKER_FAULTS",
];
/// Environment variables whose names differ from the path of their setting.
const ALIASES: [(&str, &str); 1] = [("THROUGHLINE_SELECTION_ENABLED", "POLICY__SELECTION__ENABLED")];

/// Sources to read, in the precedence given at the module. [`Sources::default`] reads the defaults alone.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Starts from the demo's defaults, and reads no file unless one is named.
    pub demo: bool,
    /// Folder of the database (`--data DIR`).
    pub data: Option<PathBuf>,
    /// File to read instead of the three that are searched for (`--config FILE`).
    pub file: Option<PathBuf>,
    /// Files to search for, weakest first; missing ones are skipped.
    pub looked_for: Vec<PathBuf>,
    /// Environment variables; those without the prefix `THROUGHLINE_` are ignored.
    pub environment: Vec<(String, String)>,
    /// Flags: path of the setting, value, and name of the flag for messages.
    pub flags: Vec<(String, String, String)>,
}

impl Sources {
    /// Returns the sources of a process on this machine: system file, user's file, `./throughline.toml`, environment.
    #[must_use]
    pub fn of_this_process() -> Self {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let user = variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")));
        let mut looked_for = vec![Path::new("/etc/throughline").join(FILE)];
        looked_for.extend(user.map(|folder| folder.join("throughline").join(FILE)));
        looked_for.push(FILE.into());
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { looked_for, environment, ..Self::default() }
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(mut self, setting: &str, value: impl Into<String>, name: &str) -> Self {
        self.flags.push((setting.into(), value.into(), name.into()));
        self
    }

    /// Reads all sources and merges them.
    pub(super) fn read(&self) -> Result<Merged, ConfigErrors> {
        let schema = schema::settings();
        let mut errors = Vec::new();
        let mut said = Vec::new();
        self.files(&mut said, &mut errors);
        self.variables(&schema, &mut said, &mut errors);
        if let Some(folder) = &self.data {
            let url = format!("sqlite:{}", folder.join("throughline.db").display());
            said.push(Layer::single("store.url", Value::String(url), Origin::Flag("--data".into())));
        }
        for (path, value, name) in &self.flags {
            let origin = Origin::Flag(name.clone());
            said.extend(single(&schema, &path.split('.').collect::<Vec<_>>(), value, origin, &mut errors));
        }
        for layer in &said {
            layer.check(&schema, &mut errors);
        }
        if !errors.is_empty() {
            return Err(ConfigErrors(errors));
        }
        let demo =
            said.iter().rev().find_map(|layer| layer.get(&["server", "demo"]).and_then(Value::as_bool));
        let mut merged = Merged::default();
        for layer in defaults(demo.unwrap_or(self.demo))?.iter().chain(&said) {
            merged.apply(layer);
        }
        Ok(merged)
    }

    fn files(&self, said: &mut Vec<Layer>, errors: &mut Vec<ConfigError>) {
        let looked_for: &[PathBuf] = if self.demo || self.file.is_some() { &[] } else { &self.looked_for };
        for (path, named) in
            looked_for.iter().map(|path| (path, false)).chain(self.file.iter().map(|f| (f, true)))
        {
            let origin = Origin::File { path: path.clone(), line: 0, column: 0 };
            let text = match std::fs::read_to_string(path) {
                Ok(text) => text,
                Err(error) if !named && error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let text = format!("cannot read this configuration file: {error}");
                    errors.push(ConfigError {
                        code: &codes::CONFIG_UNREADABLE,
                        origin: Some(origin),
                        text,
                        suggestion: None,
                    });
                    continue;
                }
            };
            match Layer::parse(&text, origin) {
                Ok(layer) => said.push(layer),
                Err(error) => errors.push(error),
            }
        }
    }

    fn variables(&self, schema: &schema::Schema, said: &mut Vec<Layer>, errors: &mut Vec<ConfigError>) {
        for (name, value) in &self.environment {
            let Some(path) = name.strip_prefix("THROUGHLINE_") else { continue };
            if NOT_SETTINGS.contains(&name.as_str()) {
                continue;
            }
            let path = ALIASES.iter().find(|(alias, _)| alias == name).map_or(path, |(_, path)| path);
            let segments: Vec<&str> = path.split("__").collect();
            said.extend(single(schema, &segments, value, Origin::Environment(name.clone()), errors));
        }
    }
}

/// Makes a layer of one flag or variable.
fn single(
    schema: &schema::Schema,
    segments: &[&str],
    value: &str,
    origin: Origin,
    errors: &mut Vec<ConfigError>,
) -> Option<Layer> {
    let named = segments.join(".").to_lowercase();
    let mut wrong = |code, text, suggestion| {
        errors.push(ConfigError { code, origin: Some(origin.clone()), text, suggestion });
        None
    };
    match schema.find(segments) {
        Ok((path, schema)) => match schema.read(value) {
            Ok(value) => Some(Layer::single(&path, value, origin)),
            Err(why) => {
                wrong(&codes::CONFIG_INVALID, format!("the setting `{path}` cannot be used: {why}"), None)
            }
        },
        Err(nearest) => {
            let text = format!("there is no setting `{named}` in this version");
            wrong(&codes::CONFIG_UNKNOWN_KEY, text, nearest)
        }
    }
}

/// Returns the weakest layers: the built-in defaults, the engine's policy and, for a demo, the demo's defaults.
fn defaults(demo: bool) -> Result<Vec<Layer>, ConfigErrors> {
    let built_in = Origin::Default;
    let mut layers = vec![Layer::parse(include_str!("defaults.toml"), built_in)?];
    let mut policy = Table::try_from(Policy::default()).unwrap_or_default();
    policy.remove("approvers");
    layers.push(Layer::built_in(Table::from_iter([("policy".to_owned(), Value::Table(policy))])));
    if demo {
        layers.push(Layer::parse(include_str!("demo.toml"), Origin::Demo)?);
    }
    Ok(layers)
}
