//! The results of one kind of case: figures, tables, mistakes.

use serde::{Serialize, Serializer};

use crate::{GuardCounts, Rate};

/// The results of one kind of case.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The kind of case.
    pub task: &'static str,
    /// The number of cases.
    pub cases: usize,
    /// Notes on how to read the figures.
    pub notes: Vec<String>,
    /// The headline figures, by the key of their goal. A figure without a case is left out of the report.
    pub figures: Vec<(String, Rate)>,
    /// The share of cases that nothing decided, by the beginning of the keys it is about.
    pub rest: Vec<(String, Rate)>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The guardrail counts, if these cases have any.
    pub watched: Option<GuardCounts>,
}

/// Figures of several groups.
#[derive(Clone, Debug)]
pub struct Table {
    /// A stable name, for programs.
    pub name: &'static str,
    /// A title, for people.
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
    Name(String),
    /// A count.
    Count(usize),
    /// A share.
    Rate(Rate),
}

impl Table {
    /// Makes an empty table.
    pub(crate) fn new(name: &'static str, title: &'static str, head: &'static [&'static str]) -> Self {
        Self { name, title, head, rows: Vec::new() }
    }

    /// Returns the rows as text.
    #[must_use]
    pub fn text(&self) -> Vec<Vec<String>> {
        self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect()
    }
}

impl Cell {
    /// Makes a cell with a name.
    pub(crate) fn name(text: impl Into<String>) -> Self {
        Self::Name(text.into())
    }

    /// Formats the cell.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Name(text) => text.clone(),
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
        Self::Name(text.into())
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(text) => serializer.serialize_str(text),
            Self::Count(n) => serializer.serialize_u64(*n as u64),
            Self::Rate(rate) => rate.serialize(serializer),
        }
    }
}

/// Serialises rows as objects, with the columns as keys.
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

/// A case that was decided wrongly, with the details.
#[derive(Clone, Debug, Serialize)]
pub struct Mistake {
    /// The kind of mistake, one of the task's.
    pub mistake: &'static str,
    /// The id of the case.
    pub id: String,
    /// The source of the case and its kind of question.
    pub group: String,
    /// The question or message before, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The message.
    pub said: String,
    /// The right decision.
    pub gold: String,
    /// The actual decision.
    pub decided: String,
    /// The deciding rung and its reason, with the predicates the rungs above failed on.
    pub why: String,
}

/// Groups cases by a key, in the order of the keys.
pub(crate) fn grouped<'r, R, K: Ord>(
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
