//! One source of settings, and how the stronger is laid over the weaker.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::ConfigError;
use super::shape::{Misfit, Shape, join};
use crate::codes;

/// Where a value was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere: it is the default.
    Default,
    /// In the demo's defaults.
    Demo,
    /// In a file. Line and column count from 1; 0 when the whole file is meant.
    File {
        /// Which.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// In an environment variable of that name.
    Environment(String),
    /// On the command line, by that flag.
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

/// One source: its values, and where each was said.
pub(super) struct Layer {
    table: Table,
    whole: Origin,
    /// Byte offsets turned into line and column, by path.
    places: BTreeMap<String, (usize, usize)>,
}

impl Layer {
    /// A file's text.
    pub(super) fn parse(text: &str, whole: Origin) -> Result<Self, ConfigError> {
        let spans = DeTable::parse(text).map_err(|error| syntax(text, &whole, &error))?;
        let table = text.parse().map_err(|error| syntax(text, &whole, &error))?;
        let mut places = BTreeMap::new();
        note_table("", spans.get_ref(), text, &mut places);
        Ok(Self { table, whole, places })
    }

    /// One value at a path.
    pub(super) fn single(path: &str, value: Value, whole: Origin) -> Self {
        let mut value = value;
        let mut names: Vec<&str> = path.split('.').collect();
        let first = names.remove(0);
        for name in names.into_iter().rev() {
            value = Value::Table(Table::from_iter([(name.to_owned(), value)]));
        }
        Self { table: Table::from_iter([(first.to_owned(), value)]), whole, places: BTreeMap::new() }
    }

    /// A table that was not written by anybody.
    pub(super) fn built_in(table: Table) -> Self {
        Self { table, whole: Origin::Default, places: BTreeMap::new() }
    }

    /// Everything in it that is not a setting.
    pub(super) fn check(&self, shape: &Shape, errors: &mut Vec<ConfigError>) {
        let mut misfits = Vec::new();
        shape.misfits("", &Value::Table(self.table.clone()), &mut misfits);
        errors.extend(misfits.into_iter().map(|misfit| match misfit {
            Misfit::Unknown { path, nearest } => ConfigError {
                code: &codes::CONFIG_UNKNOWN_KEY,
                origin: Some(self.place(&path)),
                text: format!("there is no setting `{path}` in this version"),
                suggestion: nearest,
            },
            Misfit::Invalid { path, why, nearest } => ConfigError {
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

    pub(super) fn says(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.table.get(*first)?, |value, name| value.get(name))
    }
}

/// The layers laid over one another.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) table: Table,
    pub(super) origins: BTreeMap<String, Origin>,
}

impl Merged {
    /// Lays a stronger layer over what is there. Tables are merged; everything else is replaced.
    pub(super) fn lay(&mut self, layer: &Layer) {
        over("", &mut self.table, &layer.table, &mut |path| {
            let inside = format!("{path}.");
            self.origins.retain(|known, _| known != path && !known.starts_with(&inside));
            self.origins.insert(path.to_owned(), layer.place(path));
        });
    }

    /// Where the value at a path was said; of a table, where the first of its values was.
    pub(super) fn origin(&self, path: &str) -> Option<Origin> {
        let inside = format!("{path}.");
        let first =
            self.origins.range(inside.clone()..).next().filter(|(known, _)| known.starts_with(&inside));
        self.origins.get(path).or(first.map(|(_, origin)| origin)).cloned()
    }
}

fn over(path: &str, under: &mut Table, upper: &Table, said: &mut dyn FnMut(&str)) {
    for (name, value) in upper {
        let path = join(path, name);
        match (under.get_mut(name), value) {
            (Some(Value::Table(under)), Value::Table(upper)) => over(&path, under, upper, said),
            (_, Value::Table(upper)) => {
                let mut fresh = Table::new();
                over(&path, &mut fresh, upper, said);
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

/// Line and column of a byte offset, from 1; columns count characters.
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
