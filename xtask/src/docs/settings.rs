//! The table of settings, held against the schema that the program prints: each setting has a row, and each row a setting.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::repo::{File, Finding};

const PAGE: &str = "docs/configuration.md";
const TABLE: &str = "| Setting | Meaning |";

/// Returns a finding for each setting without a row, and for each row without a setting.
pub(super) fn strangers(programs: &Path, pages: &[File]) -> Result<Vec<Finding>> {
    let Some(page) = pages.iter().find(|page| page.path == PAGE) else { return Ok(Vec::new()) };
    let printed = Command::new(programs.join("throughline")).args(["config", "schema"]).output();
    let schema = serde_json::from_slice(&printed.context("cannot run the program")?.stdout)
        .context("`throughline config schema` printed no JSON")?;
    Ok(compared(&page.text, &schema)
        .into_iter()
        .map(|(line, what)| Finding::line(PAGE, line, what))
        .collect())
}

fn compared(page: &str, schema: &Value) -> Vec<(usize, String)> {
    let head = page.lines().position(|line| line == TABLE).unwrap_or_default();
    let table = page.lines().enumerate().skip(head).take_while(|(_, line)| line.starts_with('|'));
    let rows: Vec<(usize, &str)> =
        table.flat_map(|(n, line)| names(line).map(move |name| (n + 1, name))).collect();
    let mut found: Vec<(usize, String)> = rows
        .iter()
        .filter(|(_, name)| !exists(schema, name))
        .map(|(n, name)| (*n, format!("there is no setting `{name}`")))
        .collect();
    let named = |path: &str| rows.iter().any(|(_, name)| *name == path);
    for (top, below) in properties(schema) {
        // A table whose names the reader chooses has one row; another has one itself, or one for each setting.
        let open = format!("{top}.NAME");
        if named(top) || named(&open) || named(&format!("{top}.KEY")) {
            continue;
        }
        let mut lacking: Vec<String> =
            properties(below).map(|(name, _)| format!("{top}.{name}")).filter(|path| !named(path)).collect();
        if properties(below).next().is_none() {
            lacking.push(top.to_owned());
        }
        found.extend(lacking.into_iter().map(|path| (head + 1, format!("`{path}` has no row"))));
    }
    found
}

/// Returns the names of a row's first cell.
fn names(row: &str) -> impl Iterator<Item = &str> {
    let cell = row.trim_start_matches('|').split('|').next().unwrap_or_default();
    cell.split('`').skip(1).step_by(2)
}

fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, below)| (name.as_str(), below))
}

/// True if a path leads to a setting; a word in capitals is any name.
fn exists(schema: &Value, path: &str) -> bool {
    let mut at = schema;
    for name in path.split('.') {
        let any = name.bytes().all(|byte| byte.is_ascii_uppercase());
        at = if any { &at["additionalProperties"] } else { &at["properties"][name] };
    }
    !at.is_null()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_setting_without_a_row_and_a_row_without_a_setting_are_found() {
        let schema = json!({"properties": {
            "tenant": {}, "users": {},
            "server": {"properties": {"listen": {}, "demo": {}}},
            "jira": {"additionalProperties": {"properties": {}}},
            "policy": {"properties": {"ask": {"properties": {}}}},
        }});
        let page = |rows: &str| format!("# C\n\n{TABLE}\n| --- | --- |\n{rows}\n\n| `x` | no row of it |\n");
        let whole = page(
            "| `tenant`, `users` | a |\n| `server.listen`, `server.demo` | b |\n| `jira.NAME` | c |\n| `policy` | d |",
        );
        assert_eq!(compared(&whole, &schema), []);
        let found =
            compared(&page("| `tenant` | a |\n| `server.listen` | b |\n| `policy.old` | c |"), &schema);
        let expected = [
            (7, "there is no setting `policy.old`"),
            (3, "`jira` has no row"),
            (3, "`policy.ask` has no row"),
            (3, "`server.demo` has no row"),
            (3, "`users` has no row"),
        ];
        assert_eq!(found, expected.map(|(line, what)| (line, what.to_owned())));
    }
}
