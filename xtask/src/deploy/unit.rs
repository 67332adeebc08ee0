//! The unit of systemd: what it starts, with which variables, and that it keeps no rights.

use anyhow::{Context, Result};

use super::text;
use crate::repo::{Finding, Repo};

pub(super) const FILE: &str = "deploy/systemd/throughline.service";

/// Lines of a service of its own user, with no rights and nowhere to write but its own folder.
const KEPT: [&str; 6] = [
    "DynamicUser=yes",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "StateDirectoryMode=0700",
];

/// Returns the values of a key.
pub(super) fn values<'t>(unit: &'t str, key: &str) -> Vec<&'t str> {
    unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('=')).collect()
}

/// Returns the arguments that the program is started with.
pub(super) fn command(unit: &str) -> Result<Vec<String>> {
    let start = *values(unit, "ExecStart").first().context("the unit starts nothing")?;
    Ok(start.split_whitespace().skip(1).map(str::to_owned).collect())
}

pub(super) fn check(repo: &Repo) -> Result<Vec<Finding>> {
    let unit = text(repo, FILE)?;
    let lacks = KEPT.iter().filter(|line| !unit.lines().any(|found| found == **line));
    Ok(lacks.map(|line| Finding::file(FILE, format!("lacks {line}"))).collect())
}
