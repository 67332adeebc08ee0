//! The pages and the suite know every trait of the contract, and the suite runs every case it has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    let path = at(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

/// Returns the Rust files of a folder: name without ending, text.
fn files(folder: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(at(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let stems = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned()));
    stems.map(|stem| (stem.clone(), read(&format!("{folder}/{stem}.rs")))).collect()
}

/// Returns the text between `from` and the next `to`.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("there is no {from:?}"));
    rest.split_once(to).unwrap_or_else(|| panic!("there is no {to:?} after {from:?}")).0
}

/// Returns the traits of the contract, each with the file it is in.
fn traits() -> BTreeMap<String, String> {
    let mut traits = BTreeMap::new();
    for (file, text) in files("src/contract") {
        let file = if file == "mod" { "store".into() } else { file };
        for line in text.lines().filter_map(|line| line.strip_prefix("pub trait ")) {
            let name = line.split([' ', ':', '{']).next().unwrap().to_owned();
            let before = traits.insert(name, file.clone());
            assert_eq!(before, None);
        }
    }
    let files: BTreeSet<_> = traits.values().collect();
    assert_eq!(files.len(), traits.len(), "one trait a file: {traits:?}");
    traits
}

/// Returns the name in the first cell of a table's row.
fn first_cell(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("| `")?.split_once('`').map(|(name, _)| name)
}

#[test]
fn the_recipe_lists_every_trait() {
    let page = read("../../docs/recipes/store.md");
    let mut listed: Vec<&str> = page.lines().filter_map(first_cell).collect();
    listed.sort_unstable();
    assert_eq!(listed, traits().keys().collect::<Vec<_>>());
}

#[test]
fn a_store_is_every_trait() {
    let traits = traits();
    let others: BTreeSet<&str> = traits.keys().map(String::as_str).filter(|name| *name != "Store").collect();
    let contract = read("src/contract/mod.rs");
    let parts = between(&contract, "pub trait Store:\n", "\n{").split('+').map(str::trim);
    let parts: BTreeSet<&str> = parts.filter(|part| !["Send", "Sync"].contains(part)).collect();
    assert_eq!(parts, others);
    let table = between(&contract, "/// The parts:\n", "#[async_trait]").split("[`").skip(1);
    let linked: BTreeSet<&str> = table.filter_map(|rest| Some(rest.split_once("`]")?.0)).collect();
    assert_eq!(linked, others);
}

/// Returns the name of a case, if the line begins one.
fn case(line: &str) -> Option<&str> {
    let (name, parameters) = line.strip_prefix("pub async fn ")?.split_once('(')?;
    let runs = parameters.starts_with("s: &Subject)") || parameters.starts_with("location: &dyn ");
    runs.then_some(name)
}

/// A case that is written but not listed would never run.
#[test]
fn the_suite_runs_every_case_of_every_trait() {
    let suite = files("src/conformance");
    for (name, file) in traits() {
        assert!(suite.contains_key(&file), "{name} has no src/conformance/{file}.rs");
    }
    for (module, text) in suite.iter().filter(|(module, _)| !["mod", "fixture"].contains(&module.as_str())) {
        let written: BTreeSet<&str> = text.lines().filter_map(case).collect();
        let listed = between(&suite["mod"], &format!("                {module}: ["), "]").split(',');
        let listed: BTreeSet<&str> = listed.map(str::trim).filter(|case| !case.is_empty()).collect();
        assert_eq!(written, listed, "src/conformance/{module}.rs");
    }
}
