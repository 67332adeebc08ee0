//! The floors of the engine's modules: a module uses its own floor and those below it, and no two use each other.
//!
//! The table is [`FLOORS`]; `cargo xtask layers` checks it against the sources, and `--write` draws it into
//! ARCHITECTURE.md. Arrows are read from paths that begin with `crate::`, outside of tests and comments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::repo::{File, Finding};

/// One floor, with the modules on it.
struct Floor {
    name: &'static str,
    about: &'static str,
    modules: &'static [&'static str],
}

const fn floor(name: &'static str, about: &'static str, modules: &'static [&'static str]) -> Floor {
    Floor { name, about, modules }
}

/// The engine's floors, from the top.
const FLOORS: [Floor; 7] = [
    floor("routing", "the order in which an event is tried", &["routing", "needs"]),
    floor(
        "capabilities",
        "what a decision does",
        &["calls", "decision_records", "erase", "host", "poll", "review", "selection", "tickets"],
    ),
    floor(
        "conversation",
        "cards, anchors, prompts, questions to a model, what is remembered",
        &["ask", "cards", "context", "focus", "memory", "summary"],
    ),
    floor("turn", "the working copy of one step", &["turn"]),
    floor(
        "rules without a turn",
        "sentences, facts as values, admission, retries",
        &["admit", "facts", "intent", "messages", "pending_match", "retry"],
    ),
    floor("data", "what a lane, an event and a decision are", &["data"]),
    floor("text", "text as it is kept and shown", &["text"]),
];

/// The engine's sources.
const SOURCES: &str = "crates/engine/src/";

/// The face of the crate, which names every module.
const FACE: &str = "lib";

/// Checks the sources of the engine against the table.
pub(crate) fn check(sources: &[File]) -> Vec<Finding> {
    let arrows = arrows(sources);
    let mut found = Vec::new();
    for ((from, to), path) in &arrows {
        match (floor_of(from), floor_of(to)) {
            (None, _) => found.push(Finding::file(
                path,
                format!("the module {from} is on no floor: put it into the table of xtask/src/floors.rs"),
            )),
            (Some(above), Some(below)) if below < above => found.push(Finding::file(
                path,
                format!("{from} must not use {to}: a module uses its own floor and those below it"),
            )),
            _ if from < to && arrows.contains_key(&(to.clone(), from.clone())) => found.push(Finding::file(
                path,
                format!("{from} and {to} use each other: one of them has to give way"),
            )),
            _ => {}
        }
    }
    found
}

/// Draws the floors as a table, with the modules that each uses today.
pub(crate) fn table(sources: &[File]) -> String {
    let arrows = arrows(sources);
    let mut out = String::from("| Floor | Module | Uses today |\n| --- | --- | --- |\n");
    for Floor { name, about, modules } in &FLOORS {
        for module in *modules {
            let mut used: BTreeSet<&str> = BTreeSet::new();
            for (from, to) in arrows.keys() {
                if top(from) == *module && top(to) != *module {
                    used.insert(top(to));
                }
            }
            let used: Vec<&str> = used.into_iter().collect();
            let used = if used.is_empty() { "–".to_owned() } else { used.join(", ") };
            let _ = writeln!(out, "| {name}: {about} | `{module}` | {used} |");
        }
    }
    out
}

/// The index of a module's floor, from the top.
fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.modules.contains(&top(module)))
}

/// The top-level module of `data/card`.
fn top(module: &str) -> &str {
    module.split('/').next().unwrap_or(module)
}

/// Each arrow between two modules, with a file it is drawn in. The files of `data` count as modules of their own.
fn arrows(sources: &[File]) -> BTreeMap<(String, String), String> {
    let files: Vec<(String, &File)> = sources
        .iter()
        .filter(|file| !file.path.contains("/tests/") && !file.path.ends_with("tests.rs"))
        .filter_map(|file| Some((module_of(file.path.strip_prefix(SOURCES)?), file)))
        .collect();
    let known: BTreeSet<&str> = files.iter().map(|(module, _)| module.as_str()).collect();
    let mut arrows = BTreeMap::new();
    for (module, file) in files.iter().filter(|(module, _)| module != FACE) {
        for path in paths(&product(&file.text)) {
            let (first, rest) = path.split_once("::").unwrap_or((&path, ""));
            let second = rest.split("::").next().unwrap_or_default();
            let inner = format!("{first}/{second}");
            let used = if known.contains(inner.as_str()) { inner } else { first.to_owned() };
            let is_module = known.iter().any(|module| top(module) == top(&used));
            if is_module && used != *module {
                arrows.entry((module.clone(), used)).or_insert_with(|| file.path.clone());
            }
        }
    }
    arrows
}

/// The module of a file below `src`: `turn` of `turn/cards.rs`, but `data/card` of `data/card.rs`.
fn module_of(path: &str) -> String {
    let mut parts = path.trim_end_matches(".rs").split('/');
    let first = parts.next().unwrap_or_default();
    match parts.next() {
        Some(second) if first == "data" && second != "mod" => format!("{first}/{second}"),
        _ => first.to_owned(),
    }
}

/// A source without its tests, comments and strings of documentation.
fn product(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let lines = text[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths behind `crate::`, with those of a group one by one.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        expand("", &text[at + "crate::".len()..], &mut found);
    }
    found
}

/// Reads `a::{b::c, d}` as `a::b::c` and `a::d`; returns the length that was read.
fn expand(before: &str, text: &str, found: &mut Vec<String>) -> usize {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let path = format!("{before}{}", &text[..end]);
    if !text[end..].starts_with('{') {
        if !path.is_empty() {
            found.push(path);
        }
        return end;
    }
    let mut at = end + 1;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '}' => return at + 1,
            _ if c.is_alphanumeric() || c == '_' => at += expand(&path, &text[at..], found).max(1),
            _ => at += c.len_utf8(),
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let file =
            |(path, text): &(&str, &str)| File { path: format!("{SOURCES}{path}"), text: (*text).into() };
        let mut all: Vec<File> = files.iter().map(file).collect();
        for module in ["data/lane.rs", "routing/mod.rs", "tickets/mod.rs", "turn.rs", "text/mod.rs"] {
            if !files.iter().any(|(path, _)| *path == module) {
                all.push(file(&(module, "")));
            }
        }
        check(&all).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_that_points_up_is_found() {
        assert!(
            found(&[("tickets/mod.rs", "use crate::turn::Turn;\nuse crate::data::lane::Lane;")]).is_empty()
        );
        assert!(found(&[("turn.rs", "use crate::tickets::batch;")])[0].contains("turn must not use tickets"));
        assert!(found(&[("data/lane.rs", "fn f() { crate::turn::x() }")])[0].contains("data/lane must not"));
        assert!(
            found(&[("turn.rs", "use crate::{data::lane::Lane, routing::{a, b}};")])[0].contains("routing")
        );
    }

    #[test]
    fn two_modules_that_use_each_other_are_found() {
        let pair = [
            ("data/card.rs", "use crate::data::lane::Lane;"),
            ("data/lane.rs", "use crate::data::card::Card;"),
        ];
        assert!(found(&pair)[0].contains("data/card and data/lane use each other"));
    }

    #[test]
    fn tests_and_comments_draw_no_arrow() {
        let tests = "/// See [`crate::routing::x`].\n#[cfg(test)]\nmod tests { use crate::routing::x; }";
        assert!(found(&[("turn.rs", tests)]).is_empty());
    }

    #[test]
    fn a_module_on_no_floor_is_found() {
        assert!(found(&[("gossip.rs", "use crate::turn::Turn;")])[0].contains("on no floor"));
    }
}
