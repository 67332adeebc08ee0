//! The hosted job of a release: it builds what dist-workspace.toml names, with the versions that are pinned elsewhere, and
//! calls chores that exist.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use regex::Regex;

use super::{parsed, setting, text};
use crate::HELP;
use crate::docs::site::MDBOOK;
use crate::repo::{Finding, Repo};

const FILE: &str = ".github/workflows/release.yml";
const DIST: &str = "dist-workspace.toml";

pub(super) fn check(repo: &Repo) -> Result<Vec<Finding>> {
    let (workflow, dist) = (text(repo, FILE)?, text(repo, DIST)?);
    let pins = text(repo, super::tools::REQUIREMENTS)?;
    Ok(wrong(&workflow, &dist, &pins)?.into_iter().map(|what| Finding::file(FILE, what)).collect())
}

fn wrong(workflow: &str, dist: &str, pins: &str) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let named = Regex::new(r#"(?m)^    "([a-z0-9_-]+)",$"#)?;
    let wanted: BTreeSet<&str> =
        named.captures_iter(dist).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    let jobs = parsed(FILE, workflow)?;
    let matrix = jobs["jobs"]["archives"]["strategy"]["matrix"]["include"].as_array().context("no matrix")?;
    let built: BTreeSet<&str> = matrix.iter().filter_map(|one| one["target"].as_str()).collect();
    for target in wanted.symmetric_difference(&built) {
        wrong.push(format!("only one of the matrix and {DIST} has {target}"));
    }
    let version = setting(dist, "cargo-dist-version").context("dist has no version")?;
    let (_, mdbook) = MDBOOK.split_once('@').context("a name and a version")?;
    for (tool, version) in [("cargo-dist", version), ("mdbook", mdbook)] {
        let asked = Regex::new(&format!(r"\b{tool}@([0-9.]+)"))?;
        for found in asked.captures_iter(workflow).filter(|found| &found[1] != version) {
            wrong.push(format!("{} is not {version}", &found[0]));
        }
    }
    if !pins.lines().any(|line| line.ends_with(&format!("cargo-dist=={version}"))) {
        wrong.push(format!("{} has another dist than {version}", super::tools::REQUIREMENTS));
    }
    let chore = Regex::new(r"cargo xtask ([a-z-]+)")?;
    for found in chore.captures_iter(workflow).filter(|found| !HELP.contains(&format!("\n  {} ", &found[1])))
    {
        wrong.push(format!("there is no `{}`", &found[0]));
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_a_version_or_a_chore_of_its_own_is_found() {
        let repo = Repo::find().unwrap();
        let read = |path: &str| repo.read(path).unwrap();
        let (workflow, dist, pins) = (read(FILE), read(DIST), read(super::super::tools::REQUIREMENTS));
        assert_eq!(wrong(&workflow, &dist, &pins).unwrap(), Vec::<String>::new());
        for (from, to, found) in [
            ("target: aarch64-apple-darwin", "target: riscv64", "aarch64-apple-darwin"),
            ("mdbook@0.5.4", "mdbook@0.4.0", "mdbook@0.4.0 is not"),
            ("cargo-dist@0.33.0", "cargo-dist@0.30.0", "cargo-dist@0.30.0 is not"),
            ("cargo xtask docs", "cargo xtask book", "there is no `cargo xtask book`"),
        ] {
            assert!(workflow.contains(from), "{from}");
            let seen = wrong(&workflow.replace(from, to), &dist, &pins).unwrap();
            assert!(seen.iter().any(|what| what.contains(found)), "{from}: {seen:?}");
        }
        assert!(!wrong(&workflow, &dist, "").unwrap().is_empty());
    }
}
