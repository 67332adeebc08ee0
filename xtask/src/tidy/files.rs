//! Files that have to be there, by name and in order: scenarios, acceptance rows, migrations, changelog fragments.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Tree;
use crate::release::CATEGORIES;
use crate::repo::Finding;

/// Lists the acceptance rows, one a line.
const ROWS: &str = "xtask/acceptance.txt";
/// The engine's scenarios, in folders by capability.
const SCENARIOS: &str = "crates/engine/tests/scenarios/";
/// A scenario lies in a folder by capability, its file bears its name in kebab case, and no two have one name.
pub(super) fn scenarios(tree: &Tree<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for file in &tree.scenarios {
        let Some(path) = file.path.strip_prefix(SCENARIOS) else { continue };
        let Some(name) = field(&file.text, "scenario") else {
            found.push(Finding::line(&file.path, 1, "begin with `scenario:` and its name"));
            continue;
        };
        let stem = stem(path);
        if !path.contains('/') {
            found.push(Finding::file(&file.path, "move it into the folder of its capability"));
        }
        if is_row(stem) {
            found.push(Finding::file(
                &file.path,
                "name the file for its behaviour, and say the row in `row:`",
            ));
        } else if kebab(name) != stem {
            let what = format!("begin with `scenario: {}`, as the file is called", stem.replace('-', " "));
            found.push(Finding::line(&file.path, 1, what));
        }
        if let Some(other) = seen.insert(name, &file.path) {
            found.push(Finding::line(&file.path, 1, format!("`{name}` is also the name of {other}")));
        }
    }
    found
}

/// The value of a top-level field that is written on one line.
fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(unquoted)
}

/// `W9`, `T10`, `CL1`: capital letters and a number.
fn is_row(stem: &str) -> bool {
    let number = stem.trim_start_matches(|c: char| c.is_ascii_uppercase());
    number.len() < stem.len() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

fn kebab(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(|c| c == '"' || c == '\'')
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// The rows of a list: `W9`, `[W9, W10]`, `W9, W10`.
fn rows(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(|row| row.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .filter(|row| is_row(row))
}

/// Every acceptance row is the `row:` of a scenario or of a test (`// row: W9`), and a scenario's row is on the list.
pub(super) fn acceptance(tree: &Tree<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let Some(list) = tree.repo.read(ROWS) else { return vec![Finding::file(ROWS, "is missing")] };
    let listed: Vec<(usize, &str)> = list
        .lines()
        .enumerate()
        .filter(|(_, row)| !row.is_empty() && !row.starts_with('#'))
        .map(|(n, row)| (n + 1, row))
        .collect();
    let comments = tree.tests().flat_map(str::lines).filter_map(|line| line.trim().strip_prefix("// row:"));
    let mut covered: BTreeSet<&str> = comments.flat_map(rows).collect();
    for file in &tree.scenarios {
        for row in field(&file.text, "row").into_iter().flat_map(rows) {
            covered.insert(row);
            if !listed.iter().any(|(_, listed)| *listed == row) {
                let what = format!("`row: {row}` is not in {ROWS}");
                found.push(Finding::file(&file.path, what));
            }
        }
    }
    for (n, row) in listed {
        let test = format!("fn {}_", row.to_lowercase());
        if !covered.contains(row) && !tree.tests().any(|text| text.contains(&test)) {
            let what = format!("{row} is neither the `row:` of a scenario nor of a test (`// row: {row}`)");
            found.push(Finding::line(ROWS, n, what));
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
