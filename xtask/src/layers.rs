//! Dependencies between crates and between the engine's modules, and the purity of the engine.
//!
//! An arrow only ever points down, and the edge crates never see one another. The tables here and in [`floors`] are the
//! ones that are checked; `cargo xtask layers --write` renders them into ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::floors;
use crate::repo::{Finding, Repo};

/// Crates of ours that one crate may use.
struct Layer {
    name: &'static str,
    row: &'static str,
    may: &'static [&'static str],
    /// In tests also these.
    tests: &'static [&'static str],
}

/// Also the fakes, which a program that measures needs, and one that ships must not have.
const WITH_FAKES: &[&str] = &[
    "language", "messages", "engine", "testkit", "eval", "store", "channels", "models", "trackers", "tools",
    "runtime", "sim", "server", "fakes",
];

const EVERYTHING: &[&str] = match WITH_FAKES {
    [everything @ .., _] => everything,
    [] => &[],
};

const LAYERS: &[Layer] = &[
    Layer { name: "cli", row: "programs", may: EVERYTHING, tests: &["fakes", "protocols"] },
    Layer { name: "bench", row: "programs", may: WITH_FAKES, tests: &[] },
    Layer {
        name: "server",
        row: "hosts",
        may: &[
            "language", "messages", "engine", "testkit", "eval", "net", "store", "channels", "models",
            "trackers", "tools", "runtime",
        ],
        tests: &["fakes", "protocols"],
    },
    Layer {
        name: "sim",
        row: "hosts",
        may: &["language", "engine", "testkit", "eval", "store", "channels", "models", "trackers", "runtime"],
        tests: &["fakes", "net", "protocols"],
    },
    Layer {
        name: "runtime",
        row: "loop",
        may: &["language", "engine", "store", "channels", "models", "trackers"],
        tests: &[],
    },
    Layer { name: "store", row: "edges", may: &["language", "engine"], tests: &["protocols"] },
    Layer { name: "channels", row: "edges", may: &["language", "messages", "engine", "net"], tests: &[] },
    Layer { name: "models", row: "edges", may: &["language", "engine", "net"], tests: &["fakes"] },
    Layer { name: "trackers", row: "edges", may: &["language", "engine", "net"], tests: &["fakes"] },
    Layer { name: "tools", row: "edges", may: &["language", "engine", "net"], tests: &[] },
    // Under every edge that speaks HTTP: where one may connect, and nothing of ours.
    Layer { name: "net", row: "ground", may: &[], tests: &[] },
    // Stands where a vendor stands: what it knows of us is the vendor's protocol and nothing else.
    Layer { name: "fakes", row: "outside", may: &[], tests: &[] },
    // Models of protocols, which know the functions they stand for by name only.
    Layer { name: "protocols", row: "outside", may: &[], tests: &[] },
    Layer { name: "eval", row: "core", may: &["language", "engine", "testkit"], tests: &[] },
    Layer { name: "testkit", row: "core", may: &["language", "engine"], tests: &[] },
    Layer { name: "engine", row: "core", may: &["language", "messages"], tests: &["testkit"] },
    // Under the engine: what words mean, for anybody.
    Layer { name: "language", row: "ground", may: &[], tests: &[] },
    // What is said, in each language: words only.
    Layer { name: "messages", row: "ground", may: &[], tests: &[] },
];

/// The crates that are pure.
const PURE: [&str; 3] = ["engine", "language", "messages"];

/// Crates that must not be reachable from a pure crate, whatever brings them in.
const IMPURE: &[&str] = &[
    "async-std",
    "chrono",
    "deadpool-postgres",
    "fastrand",
    "getrandom",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "rand",
    "redis",
    "reqwest",
    "rusqlite",
    "socket2",
    "time",
    "tokio",
    "tokio-postgres",
    "tracing",
    "ureq",
];

const DOCUMENT: &str = "ARCHITECTURE.md";

/// Checks the tables and the purity of the engine; `write` renders the tables first.
pub(crate) fn run(repo: &Repo, write: bool) -> Result<Vec<Finding>> {
    let crates = crates(repo)?;
    let engine = repo.files("crates/engine/src", &[".rs"])?;
    let mut found = edges(&crates);
    found.extend(floors::check(&engine));
    found.extend(purity(repo)?);
    found.extend(document(repo, "layers", &table(&crates), write)?);
    found.extend(document(repo, "floors", &floors::table(&engine), write)?);
    Ok(found)
}

/// One crate's own dependencies among ours.
#[derive(Default)]
struct Uses {
    normal: BTreeSet<String>,
    tests: BTreeSet<String>,
}

/// The workspace's crates by folder name.
fn crates(repo: &Repo) -> Result<BTreeMap<String, Uses>> {
    let metadata = repo.output("cargo", &["metadata", "--format-version", "1", "--no-deps", "--locked"])?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata printed something else")?;
    let mut crates = BTreeMap::new();
    for package in metadata["packages"].as_array().context("cargo metadata has packages")? {
        let uses: &mut Uses = crates.entry(short(&package["name"])).or_default();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // Ours have a path; everything from a registry is the licences' and purity's business.
            if dependency["path"].is_null() {
                continue;
            }
            let list = if dependency["kind"] == "dev" { &mut uses.tests } else { &mut uses.normal };
            list.insert(short(&dependency["name"]));
        }
    }
    Ok(crates)
}

fn short(name: &Value) -> String {
    let name = name.as_str().unwrap_or_default();
    name.strip_prefix("throughline-").unwrap_or(name).to_owned()
}

fn edges(crates: &BTreeMap<String, Uses>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, uses) in crates {
        let manifest =
            if name == "xtask" { "xtask/Cargo.toml".into() } else { format!("crates/{name}/Cargo.toml") };
        let layer = LAYERS.iter().find(|layer| layer.name == name);
        if layer.is_none() && name != "xtask" {
            let what = "this crate is not in the table of xtask/src/layers.rs: say there what it may use";
            found.push(Finding::file(&manifest, what));
            continue;
        }
        let may = layer.map_or(&[][..], |layer| layer.may);
        let tests = layer.map_or(&[][..], |layer| layer.tests);
        for used in &uses.normal {
            if !may.contains(&used.as_str()) {
                found.push(Finding::file(&manifest, refused(name, used, may)));
            }
        }
        for used in &uses.tests {
            // A crate may depend on itself in its tests, to turn a feature of its own on.
            if used != name && !may.contains(&used.as_str()) && !tests.contains(&used.as_str()) {
                found.push(Finding::file(&manifest, format!("{} (in its tests)", refused(name, used, may))));
            }
        }
    }
    found
}

fn refused(name: &str, used: &str, may: &[&str]) -> String {
    let may = if may.is_empty() { "nothing of ours".to_owned() } else { may.join(", ") };
    format!("{name} must not use {used}: an arrow only ever points down (it may use {may})")
}

/// The engine and what it reads words with reach no clock, no randomness, no I/O, and are `no_std`.
fn purity(repo: &Repo) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for name in PURE {
        let package = format!("throughline-{name}");
        let manifest = format!("crates/{name}/Cargo.toml");
        let lib = format!("crates/{name}/src/lib.rs");
        let tree = repo.output(
            "cargo",
            &["tree", "-p", &package, "-e", "normal", "--prefix", "none", "--target", "all", "--locked"],
        )?;
        let reached: BTreeSet<&str> =
            tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
        for impure in IMPURE.iter().filter(|name| reached.contains(**name)) {
            let what = format!("{name} reaches {impure}: see `cargo tree -p {package} -i {impure}`");
            found.push(Finding::file(&manifest, what));
        }
        if !repo.read(&lib).is_some_and(|lib| lib.lines().any(|line| line.trim() == "#![no_std]")) {
            found.push(Finding::file(
                &lib,
                format!("{name} must be #![no_std]: no clock, file, thread or environment in reach"),
            ));
        }
    }
    Ok(found)
}

/// Checks that a table of ARCHITECTURE.md, between its two marks, is the rendered one; `write` replaces it.
fn document(repo: &Repo, mark: &str, table: &str, write: bool) -> Result<Vec<Finding>> {
    let Some(text) = repo.read(DOCUMENT) else { return Ok(Vec::new()) };
    let (open, close) = (format!("<!-- {mark} -->"), format!("<!-- /{mark} -->"));
    let (Some(start), Some(end)) = (text.find(&open), text.find(&close)) else {
        return Ok(vec![Finding::file(DOCUMENT, format!("has no {open} … {close} for the table of {mark}"))]);
    };
    let rendered = format!("{open}\n{table}{close}");
    if text.get(start..end + close.len()) == Some(rendered.as_str()) {
        return Ok(Vec::new());
    }
    if !write {
        let what = format!("the table of {mark} is old: run `cargo xtask layers --write`");
        return Ok(vec![Finding::file(DOCUMENT, what)]);
    }
    let fresh = format!("{}{rendered}{}", &text[..start], &text[end + close.len()..]);
    repo.write(DOCUMENT, &fresh)?;
    Ok(Vec::new())
}

/// The table as it is in ARCHITECTURE.md: what each crate may use, and what it does use today.
fn table(crates: &BTreeMap<String, Uses>) -> String {
    let mut out = String::from("| Row | Crate | May use | Uses today |\n| --- | --- | --- | --- |\n");
    for layer in LAYERS {
        let Some(uses) = crates.get(layer.name) else { continue };
        let may = match layer.may {
            [] => "nothing of ours".to_owned(),
            may if may == EVERYTHING => "everything below".to_owned(),
            may if may == WITH_FAKES => "everything below, fakes".to_owned(),
            may => may.join(", "),
        };
        let today: Vec<&str> = uses.normal.iter().map(String::as_str).collect();
        let today = if today.is_empty() { "–".to_owned() } else { today.join(", ") };
        let _ = writeln!(out, "| {} | `{}` | {may} | {today} |", layer.row, layer.name);
    }
    let _ = writeln!(out, "| – | `xtask` | nothing of ours | – |");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, normal: &[&str], tests: &[&str]) -> Vec<String> {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        let crates = BTreeMap::from([(name.to_owned(), Uses { normal: names(normal), tests: names(tests) })]);
        edges(&crates).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_that_points_up_or_sideways_is_found() {
        assert!(one("runtime", &["engine", "store"], &[]).is_empty());
        assert!(one("store", &["channels"], &[])[0].contains("store must not use channels"));
        assert!(one("engine", &["testkit"], &[])[0].contains("engine must not use testkit"));
        assert!(one("language", &["engine"], &[])[0].contains("nothing of ours"));
        assert!(one("xtask", &["engine"], &[])[0].contains("xtask must not use engine"));
        assert!(one("runtime", &["server"], &[])[0].starts_with("crates/runtime/Cargo.toml"));
        assert!(one("gossip", &[], &[])[0].contains("not in the table"));
    }

    #[test]
    fn tests_may_reach_a_little_further() {
        assert!(one("engine", &[], &["testkit", "engine"]).is_empty());
        assert!(one("store", &[], &["runtime"])[0].contains("in its tests"));
    }

    #[test]
    fn every_allowed_edge_points_down() {
        let row = |name: &str| LAYERS.iter().position(|layer| layer.name == name).unwrap();
        for layer in LAYERS {
            for used in layer.may {
                assert!(row(used) > row(layer.name), "{} uses {used}", layer.name);
            }
        }
    }
}
