//! Words that must not be where people read them.

use anyhow::Result;

use super::{Tree, split};
use crate::repo::{File, Finding};

/// Where the words themselves have to be written down.
const OURSELVES: &str = "xtask/src/tidy/words.rs";

/// The product never claims this: the vendors give no key that would make it true (`spec 06 §1`).
pub(super) fn promises(tree: &Tree<'_>) -> Result<Vec<Finding>> {
    let claimed = |line: &str| {
        let line = line.to_lowercase();
        line.contains("exactly once") || line.contains("exactly-once")
    };
    let what = "never claim this: the promises of spec 06 are the wording";
    look(tree, claimed, what)
}

/// A path of the machine it was written on helps nobody else.
pub(super) fn machine_paths(tree: &Tree<'_>) -> Result<Vec<Finding>> {
    let local = |line: &str| ["/work/", "/home/", "/root/", "/Users/"].iter().any(|path| line.contains(path));
    look(tree, local, "a path of one machine: make it relative, or take it from an argument")
}

/// The lines of everything written by people that fit.
fn look(tree: &Tree<'_>, fits: impl Fn(&str) -> bool, what: &str) -> Result<Vec<Finding>> {
    let others = tree
        .repo
        .files("", &[".yaml", ".yml", ".toml", ".html", ".js", ".css", ".sql", ".sh", ".json", "run"])?;
    let all = tree.rust.iter().chain(&tree.documents).chain(&others).filter(|file| file.path != OURSELVES);
    let mut found = Vec::new();
    for file in all {
        found.extend(lines(file, &fits).map(|line| Finding::line(&file.path, line, what)));
    }
    Ok(found)
}

/// The lines that fit, counted from 1. What a test compares with is no claim.
fn lines<'f>(file: &'f File, fits: &'f impl Fn(&str) -> bool) -> impl Iterator<Item = usize> + 'f {
    let text = if file.path.ends_with(".rs") { split(file).0 } else { &file.text };
    text.lines().enumerate().filter(|(_, line)| fits(line)).map(|(n, _)| n + 1)
}
