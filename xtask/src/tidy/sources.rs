//! Checks of source files: a header, a length, the workspace's lints, exceptions with a reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::Tree;
use crate::repo::Finding;

/// The most lines of a file that is not on the list.
const LONG: usize = 600;
/// The list: a ratchet. Files on it may only get shorter.
const LIST: &str = "xtask/long-files.txt";

/// A finding for each file without a first line that describes it.
pub(super) fn headers(tree: &Tree<'_>) -> Vec<Finding> {
    let headless = tree.rust.iter().filter(|file| {
        let first = file.text.lines().find(|line| !line.trim().is_empty());
        !first.is_some_and(|line| line.starts_with("//! ") && line.len() > "//! ".len())
    });
    headless
        .map(|file| Finding::line(&file.path, 1, "begin with a `//!` line that says what this file is"))
        .collect()
}

/// A finding for each crate that does not inherit the workspace's lints.
pub(super) fn lints(tree: &Tree<'_>) -> Result<Vec<Finding>> {
    let mut manifests = tree.repo.files("crates", &["Cargo.toml"])?;
    manifests.extend(tree.repo.files("xtask", &["Cargo.toml"])?);
    let without = manifests.iter().filter(|manifest| {
        let mut lines = manifest.text.lines().map(str::trim).skip_while(|line| *line != "[lints]");
        lines.next();
        lines.find(|line| !line.is_empty()) != Some("workspace = true")
    });
    Ok(without
        .map(|manifest| Finding::file(&manifest.path, "add `[lints]` with `workspace = true`"))
        .collect())
}

/// A finding for each exception from a lint without a reason.
pub(super) fn exceptions(tree: &Tree<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust.iter().filter(|file| !file.path.starts_with("xtask/src/tidy/")) {
        let lines: Vec<&str> = file.text.lines().collect();
        for (n, line) in lines.iter().enumerate() {
            let line = line.trim_start();
            let attributes = ["#[expect(", "#![expect(", "#[allow(", "#![allow("];
            if attributes.iter().any(|attribute| line.starts_with(attribute)) {
                let whole: String = lines[n..].iter().take(8).copied().collect();
                let own = whole.split(")]").next().unwrap_or_default();
                if !own.contains("reason") {
                    found.push(Finding::line(&file.path, n + 1, "an exception from a lint says its reason"));
                }
            }
        }
    }
    found
}

/// A finding for each file past the limit that is not on the list, and for each on the list that grew.
pub(super) fn long_files(tree: &Tree<'_>) -> Vec<Finding> {
    let listed = tree.repo.read(LIST).unwrap_or_default();
    let mut listed: BTreeMap<&str, usize> = listed.lines().filter_map(entry).collect();
    let mut found = Vec::new();
    for (path, lines) in long(tree) {
        match listed.remove(path) {
            None => {
                let what = format!(
                    "{lines} lines: ask what two things this file is (more than {LONG} need a reason)"
                );
                found.push(Finding::file(path, what));
            }
            Some(most) if lines > most => {
                found.push(Finding::file(
                    path,
                    format!("{lines} lines, it had {most}: a long file only gets shorter"),
                ));
            }
            Some(_) => {}
        }
    }
    for path in listed.keys() {
        found.push(Finding::file(LIST, format!("{path} is not long any more: `cargo xtask tidy --write`")));
    }
    found
}

/// Writes the list with lower counts where files got shorter, and without new ones.
pub(super) fn write_long_files(tree: &Tree<'_>) -> Result<()> {
    let Some(text) = tree.repo.read(LIST) else { return Ok(()) };
    let listed: BTreeMap<&str, usize> = text.lines().filter_map(entry).collect();
    let mut out = String::new();
    for comment in text.lines().take_while(|line| line.starts_with('#')) {
        let _ = writeln!(out, "{comment}");
    }
    for (path, lines) in long(tree) {
        if let Some(most) = listed.get(path) {
            let _ = writeln!(out, "{} {path}", lines.min(*most));
        }
    }
    tree.repo.write(LIST, &out)
}

fn long<'t>(tree: &'t Tree<'_>) -> impl Iterator<Item = (&'t str, usize)> {
    let counted = tree.rust.iter().map(|file| (file.path.as_str(), file.text.lines().count()));
    counted.filter(|(_, lines)| *lines > LONG)
}

fn entry(line: &str) -> Option<(&str, usize)> {
    let (lines, path) = line.split_once(' ')?;
    Some((path, lines.parse().ok()?))
}
