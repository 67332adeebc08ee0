//! Dependencies that no line of a crate uses.
//!
//! Written here and not taken from cargo-machete because it is shorter than installing that would be: a dependency is
//! used if its name is a word of one of the crate's Rust files.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::repo::{Finding, Repo};

/// Dependencies that are there for what they do to others, with the reason.
const KEPT: [(&str, &str); 0] = [];

/// One finding for each dependency that is never named.
pub(super) fn run(repo: &Repo) -> Result<Vec<Finding>> {
    let metadata = repo.output("cargo", &["metadata", "--format-version", "1", "--no-deps", "--locked"])?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata printed no JSON")?;
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().context("cargo metadata lists packages")? {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let manifest = repo.relative(Path::new(manifest));
        let folder = manifest.trim_end_matches("Cargo.toml");
        let sources = repo.files(folder.trim_end_matches('/'), &[".rs"])?;
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let name = dependency["rename"].as_str().or(dependency["name"].as_str()).unwrap_or_default();
            let word = name.replace('-', "_");
            // Tests may use what the product does not; a build script only what is declared for it.
            let builds = |path: &str| {
                path == format!("{folder}build.rs") || path.starts_with(&format!("{folder}build/"))
            };
            let fits = |path: &str| match dependency["kind"].as_str() {
                Some("build") => builds(path),
                // Tests may have modules of the build script too.
                Some("dev") => true,
                _ => !builds(path),
            };
            let used = sources.iter().any(|file| fits(&file.path) && has_word(&file.text, &word));
            if !used && !KEPT.iter().any(|(kept, _)| *kept == name) {
                found.push(Finding::file(&manifest, format!("no line uses {name}: remove it")));
            }
        }
    }
    Ok(found)
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_as_a_whole_word() {
        assert!(has_word("use serde_json::Value;", "serde_json"));
        assert!(!has_word("use serde_json::Value;", "serde"));
        assert!(has_word("#[serde(rename)]", "serde"));
    }
}
