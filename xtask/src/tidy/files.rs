//! Files that have to be there, by name and in order: scenarios, acceptance rows, migrations, changelog fragments.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Tree;
use crate::repo::Finding;

/// The acceptance rows that must be covered, one a line.
const ROWS: &str = "xtask/acceptance.txt";
/// The categories of a changelog fragment, in the order of the changelog.
const CATEGORIES: [&str; 6] = ["added", "changed", "deprecated", "removed", "fixed", "security"];

/// The scenario of an acceptance row is called as the row and its file are; no two have one name.
pub(super) fn scenarios(tree: &Tree<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for file in tree.scenarios.iter().filter(|file| file.path.starts_with("crates/engine/tests/scenarios/")) {
        let name = file.text.lines().find_map(|line| line.strip_prefix("scenario:")).map(unquoted);
        let stem = stem(&file.path);
        let Some(name) = name else {
            found.push(Finding::line(&file.path, 1, "begin with `scenario:` and its name"));
            continue;
        };
        if is_row(stem) && name != stem {
            found.push(Finding::line(
                &file.path,
                1,
                format!("begin with `scenario: {stem}`, as the file is called"),
            ));
        }
        if let Some(other) = seen.insert(name, &file.path) {
            found.push(Finding::line(&file.path, 1, format!("`{name}` is also the name of {other}")));
        }
    }
    found
}

/// `W9`, `T10`, `CL1`: capital letters and a number.
fn is_row(stem: &str) -> bool {
    let number = stem.trim_start_matches(|c: char| c.is_ascii_uppercase());
    number.len() < stem.len() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(|c| c == '"' || c == '\'')
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// Every acceptance row of this version is a scenario file of that name, or a test that bears it.
pub(super) fn acceptance(tree: &Tree<'_>) -> Vec<Finding> {
    let Some(rows) = tree.repo.read(ROWS) else { return vec![Finding::file(ROWS, "is missing")] };
    let mut found = Vec::new();
    for (n, row) in rows.lines().enumerate().filter(|(_, row)| !row.is_empty() && !row.starts_with('#')) {
        let scenario = |path: &str| stem(path).split('-').next() == Some(row);
        let test = format!("fn {}_", row.to_lowercase());
        let named = tree.scenarios.iter().any(|file| scenario(&file.path));
        if !named && !tree.tests().any(|text| text.contains(&test)) {
            let what = format!("{row} is neither a scenario `{row}.scenario.yaml` nor a test `{test}…`");
            found.push(Finding::line(ROWS, n + 1, what));
        }
    }
    found
}

/// Migrations are numbered from 1 without gaps, and alike in every SQL backend.
pub(super) fn migrations(tree: &Tree<'_>) -> Result<Vec<Finding>> {
    let mut backends: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut found = Vec::new();
    for file in tree.repo.files("crates", &[".sql"])? {
        let Some((folder, name)) =
            file.path.rsplit_once('/').filter(|(folder, _)| folder.ends_with("/migrations"))
        else {
            continue;
        };
        backends.entry(folder.into()).or_default().insert(name.into());
    }
    for (folder, names) in &backends {
        for (n, name) in names.iter().enumerate() {
            let number = format!("{:04}_", n + 1);
            if !name.starts_with(&number) {
                found.push(Finding::file(
                    &format!("{folder}/{name}"),
                    format!("expected {number}…: no gaps, no doubles"),
                ));
                break;
            }
        }
    }
    let mut all = backends.iter();
    if let Some((first, names)) = all.next() {
        for (folder, _) in all.filter(|(_, others)| *others != names) {
            found.push(Finding::file(
                folder,
                format!("has other migrations than {first}: the same names in each"),
            ));
        }
    }
    Ok(found)
}

/// The first line of a changelog fragment is its category.
pub(super) fn changelog(tree: &Tree<'_>) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for file in
        tree.repo.files("changelog", &[".md"])?.iter().filter(|file| !file.path.ends_with("README.md"))
    {
        let mut lines = file.text.lines();
        let category = lines.next().unwrap_or_default().trim();
        if !CATEGORIES.contains(&category) {
            let what = format!("the first line is the category, one of {}", CATEGORIES.join(", "));
            found.push(Finding::line(&file.path, 1, what));
        } else if lines.all(|line| line.trim().is_empty()) {
            found.push(Finding::line(&file.path, 2, "say after the category what changed for a user"));
        }
    }
    Ok(found)
}
