//! Layers of settings: one source each, merged so that the stronger overrides the weaker.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::ConfigError;
use super::schema::{Mismatch, Schema, join};
use crate::codes;

/// Source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built-in default.
    Default,
    /// Default of the demo.
    Demo,
    /// Configuration file. Line and column count from 1; 0 means the file as a whole.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// Environment variable of that name.
    Environment(String),
    /// Command-line flag of that name.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Demo => f.write_str("demo default"),
            Self::File { path, line: 0, .. } => write!(f, "{}", path.display()),
            Self::File { path, line, column } => write!(f, "{}:{line}:{column}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// Values of one source, with their positions in it.
pub(super) struct Layer {
    table: Table,
    whole: Origin,
    /// Line and column by path.
    places: BTreeMap<String, (usize, usize)>,
}

impl Layer {
    /// Parses the text of a file.
    pub(super) fn parse(text: &str, whole: Origin) -> Result<Self, ConfigError> {
        let spans = DeTable::parse(text).map_err(|error| syntax(text, &whole, &error))?;
        let table = text.parse().map_err(|error| syntax(text, &whole, &error))?;
        let mut places = BTreeMap::new();
        note_table("", spans.get_ref(), text, &mut places);
        Ok(Self { table, whole, places })
    }

    /// Makes a layer of one value at a path.
    pub(super) fn single(path: &str, value: Value, whole: Origin) -> Self {
        let mut value = value;
        let mut names: Vec<&str> = path.split('.').collect();
        let first = names.remove(0);
        for name in names.into_iter().rev() {
            value = Value::Table(Table::from_iter([(name.to_owned(), value)]));
        }
        Self { table: Table::from_iter([(first.to_owned(), value)]), whole, places: BTreeMap::new() }
    }

    /// Makes a layer of built-in values, which have no position.
    pub(super) fn built_in(table: Table) -> Self {
        Self { table, whole: Origin::Default, places: BTreeMap::new() }
    }

    /// Adds an error for everything in the layer that does not match the schema.
    pub(super) fn check(&self, schema: &Schema, errors: &mut Vec<ConfigError>) {
        let mut mismatches = Vec::new();
        schema.mismatches("", &Value::Table(self.table.clone()), &mut mismatches);
        errors.extend(mismatches.into_iter().map(|mismatch| match mismatch {
            Mismatch::Unknown { path, nearest } => ConfigError {
                code: &codes::CONFIG_UNKNOWN_KEY,
                origin: Some(self.place(&path)),
                text: format!("there is no setting `{path}` in this version"),
                suggestion: nearest,
            },
            Mismatch::Invalid { path, why, nearest } => ConfigError {
                code: &codes::CONFIG_INVALID,
                origin: Some(self.place(&path)),
                text: format!("the setting `{path}` cannot be used: {why}"),
                suggestion: nearest,
            },
        }));
    }

    fn place(&self, path: &str) -> Origin {
        match (&self.whole, self.places.get(path)) {
            (Origin::File { path, .. }, Some((line, column))) => {
                Origin::File { path: path.clone(), line: *line, column: *column }
            }
            (whole, _) => whole.clone(),
        }
    }

    pub(super) fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.table.get(*first)?, |value, name| value.get(name))
    }
}

/// Result of merging the layers.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) table: Table,
    pub(super) origins: BTreeMap<String, Origin>,
}

impl Merged {
    /// Merges a stronger layer. Tables are merged; every other value is replaced.
    pub(super) fn apply(&mut self, layer: &Layer) {
        merge("", &mut self.table, &layer.table, &mut |path| {
            let inside = format!("{path}.");
            self.origins.retain(|known, _| known != path && !known.starts_with(&inside));
            self.origins.insert(path.to_owned(), layer.place(path));
        });
    }

    /// Returns the source of the value at a path; for a table, the source of its first value.
    pub(super) fn origin(&self, path: &str) -> Option<Origin> {
        let inside = format!("{path}.");
        let first =
            self.origins.range(inside.clone()..).next().filter(|(known, _)| known.starts_with(&inside));
        self.origins.get(path).or(first.map(|(_, origin)| origin)).cloned()
    }
}

fn merge(path: &str, under: &mut Table, upper: &Table, said: &mut dyn FnMut(&str)) {
    for (name, value) in upper {
        let path = join(path, name);
        match (under.get_mut(name), value) {
            (Some(Value::Table(under)), Value::Table(upper)) => merge(&path, under, upper, said),
            (_, Value::Table(upper)) => {
                let mut fresh = Table::new();
                merge(&path, &mut fresh, upper, said);
                under.insert(name.clone(), Value::Table(fresh));
            }
            _ => {
                under.insert(name.clone(), value.clone());
                said(&path);
            }
        }
    }
}

fn note_table(path: &str, table: &DeTable<'_>, text: &str, places: &mut BTreeMap<String, (usize, usize)>) {
    for (name, value) in table {
        let path = join(path, name.get_ref());
        places.insert(path.clone(), position(text, name.span().start));
        note_value(&path, value, text, places);
    }
}

fn note_value(
    path: &str,
    value: &Spanned<DeValue<'_>>,
    text: &str,
    places: &mut BTreeMap<String, (usize, usize)>,
) {
    match value.get_ref() {
        DeValue::Table(table) => note_table(path, table, text, places),
        DeValue::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let path = join(path, &i.to_string());
                places.insert(path.clone(), position(text, item.span().start));
                note_value(&path, item, text, places);
            }
        }
        _ => {}
    }
}

/// Converts a byte offset to line and column, both from 1. Columns count characters.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

fn syntax(text: &str, whole: &Origin, error: &toml::de::Error) -> ConfigError {
    let origin = match (whole, error.span()) {
        (Origin::File { path, .. }, Some(span)) => {
            let (line, column) = position(text, span.start);
            Origin::File { path: path.clone(), line, column }
        }
        _ => whole.clone(),
    };
    ConfigError {
        code: &codes::CONFIG_SYNTAX,
        origin: Some(origin),
        text: format!("this is not valid TOML: {}", error.message().replace('\n', ", ")),
        suggestion: None,
    }
}
