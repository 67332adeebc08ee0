//! Words that must not be where people read them.

use super::{Tree, split};
use crate::repo::{File, Finding};

/// This file, which has to write the words down.
const OURSELVES: &str = "xtask/src/tidy/words.rs";

/// The product never claims this: no vendor gives a key that would make it true, and what is promised instead is in the
/// README.
pub(super) fn promises(tree: &Tree<'_>) -> Vec<Finding> {
    let claimed = |line: &str| {
        let line = line.to_lowercase();
        line.contains("exactly once") || line.contains("exactly-once")
    };
    let what = "never claim this: README.md says what is promised";
    look(tree, claimed, what)
}

/// A path of the machine it was written on helps nobody else.
pub(super) fn machine_paths(tree: &Tree<'_>) -> Vec<Finding> {
    let local = |line: &str| ["/work/", "/home/", "/root/", "/Users/"].iter().any(|path| line.contains(path));
    look(tree, local, "a path of one machine: make it relative, or take it from an argument")
}

/// A refusal that a tracker's code words itself reads in one language, whoever is told of it. Only the words of a far side are
/// said as they are, and those are read in `answer.rs`.
pub(super) fn said_faults(tree: &Tree<'_>) -> Vec<Finding> {
    let ours =
        |file: &&File| file.path.starts_with("crates/trackers/src/") && !file.path.ends_with("/answer.rs");
    let said = |line: &str| line.contains("::Said") || line.contains("Said(");
    let what = "only `answer.rs` passes on what a tracker said: a reason of ours is a `TrackerFault`";
    within(tree.rust.iter().filter(ours), said, what)
}

/// A task that nobody waits for keeps the store open after the server has ended.
pub(super) fn forgotten_tasks(tree: &Tree<'_>) -> Vec<Finding> {
    let serving = |file: &&File| {
        ["crates/server/src/", "crates/runtime/src/"].iter().any(|floor| file.path.starts_with(floor))
    };
    let spawns = |line: &str| line.contains("tokio::spawn(");
    let what = "nobody waits for this task: `Runtime::in_background`, or a `JoinSet` that is waited for";
    within(tree.rust.iter().filter(serving), spawns, what)
}

/// Everything written by people: code, documents, data, scripts.
pub(super) fn everything<'t>(tree: &'t Tree<'_>) -> impl Iterator<Item = &'t File> {
    tree.rust.iter().chain(&tree.documents).chain(&tree.others)
}

/// The lines that fit, outside of tests.
fn look(tree: &Tree<'_>, fits: impl Fn(&str) -> bool, what: &str) -> Vec<Finding> {
    within(everything(tree).filter(|file| file.path != OURSELVES), fits, what)
}

/// The lines of these files that fit, outside of tests.
fn within<'t>(
    files: impl Iterator<Item = &'t File>,
    fits: impl Fn(&str) -> bool,
    what: &str,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in files {
        found.extend(lines(file, &fits).map(|line| Finding::line(&file.path, line, what)));
    }
    found
}

/// The lines that fit, counted from 1. A text that a test compares with is no claim.
fn lines<'f>(file: &'f File, fits: &'f impl Fn(&str) -> bool) -> impl Iterator<Item = usize> + 'f {
    let text = if file.path.ends_with(".rs") { split(file).0 } else { &file.text };
    text.lines().enumerate().filter(|(_, line)| fits(line)).map(|(n, _)| n + 1)
}
