//! What a kind of case comes to: figures, tables, mistakes.

use serde::{Serialize, Serializer};

use super::{Rate, Watched};

/// Everything measured about the cases of one kind.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The kind.
    pub task: &'static str,
    /// How many cases.
    pub cases: usize,
    /// What has to be known to read the figures.
    pub notes: Vec<String>,
    /// The headline figures, by the key of their goal. One without a case is left out of the report.
    pub figures: Vec<(String, Rate)>,
    /// The tables.
    pub tables: Vec<Table>,
    /// What the guardrails watch of these cases, where they watch any.
    pub watched: Option<Watched>,
}

/// Figures of several groups.
#[derive(Clone, Debug)]
pub struct Table {
    /// A stable word, for programs.
    pub name: &'static str,
    /// What it shows, for people.
    pub title: &'static str,
    /// The columns.
    pub head: &'static [&'static str],
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// One field of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// The name of a group.
    Word(String),
    /// How many.
    Count(usize),
    /// A share.
    Rate(Rate),
}

impl Table {
    /// An empty table.
    pub(super) fn new(name: &'static str, title: &'static str, head: &'static [&'static str]) -> Self {
        Self { name, title, head, rows: Vec::new() }
    }

    /// The rows as text, one string a field.
    #[must_use]
    pub fn text(&self) -> Vec<Vec<String>> {
        self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect()
    }
}

impl Cell {
    /// A group's name.
    pub(super) fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    /// As a person reads it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Word(text) => text.clone(),
            Self::Count(n) => n.to_string(),
            Self::Rate(rate) => rate.to_string(),
        }
    }
}

impl From<Rate> for Cell {
    fn from(rate: Rate) -> Self {
        Self::Rate(rate)
    }
}

impl From<usize> for Cell {
    fn from(n: usize) -> Self {
        Self::Count(n)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Word(text.into())
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Word(text) => serializer.serialize_str(text),
            Self::Count(n) => serializer.serialize_u64(*n as u64),
            Self::Rate(rate) => rate.serialize(serializer),
        }
    }
}

/// Rows become objects, by column: what a program reads.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = |row: &Vec<Cell>| -> serde_json::Map<String, serde_json::Value> {
            let field = |(name, cell): (&&str, &Cell)| {
                (name.replace(' ', "_"), serde_json::to_value(cell).unwrap_or_default())
            };
            self.head.iter().zip(row).map(field).collect()
        };
        let rows: Vec<_> = self.rows.iter().map(object).collect();
        serde_json::json!({ "name": self.name, "title": self.title, "rows": rows }).serialize(serializer)
    }
}

/// A case that was decided wrongly, with all that is needed to see why.
#[derive(Clone, Debug, Serialize)]
pub struct Mistake {
    /// Which kind of mistake: one of the task's words.
    pub mistake: &'static str,
    /// The case.
    pub id: String,
    /// Where it is from, and what kind of question it is.
    pub group: String,
    /// What had been asked or said before, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The message.
    pub said: String,
    /// What is right.
    pub gold: String,
    /// What was decided.
    pub decided: String,
    /// Which rung decided, for which reason, and what the rungs above it said.
    pub why: String,
}

/// Groups the cases by a key, in the order of the keys.
pub(super) fn grouped<'r, R, K: Ord>(
    cases: &'r [R],
    key: impl Fn(&'r R) -> K,
) -> std::collections::BTreeMap<K, Vec<&'r R>> {
    let mut groups: std::collections::BTreeMap<K, Vec<&R>> = std::collections::BTreeMap::new();
    for case in cases {
        groups.entry(key(case)).or_default().push(case);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_as_text_and_as_data() {
        let mut table = Table::new("by_source", "By source", &["source", "cases", "hijack rate"]);
        let rate = [Some(true), Some(false)].into_iter().collect::<Rate>();
        table.rows.push(vec!["sgd".into(), 2.into(), rate.into()]);
        assert_eq!(table.text(), [["sgd", "2", "0.500 .09–.91"]]);
        let json = serde_json::to_value(&table).unwrap();
        assert_eq!(json["rows"][0]["hijack_rate"]["hits"], 1);
        assert_eq!((&json["rows"][0]["source"], &json["rows"][0]["cases"]), (&"sgd".into(), &2.into()));
    }
}
