//! The chart of Helm: it has the version of the program.

use anyhow::Result;

use super::{setting, text, yaml};
use crate::repo::{Finding, Repo};

pub(super) const FOLDER: &str = "deploy/helm/throughline";
/// Values with which everything is rendered that can be switched on.
pub(super) const ALL_ON: &str = "deploy/helm/throughline/ci/shared-values.yaml";

pub(super) fn check(repo: &Repo) -> Result<Vec<Finding>> {
    let file = format!("{FOLDER}/Chart.yaml");
    let chart = yaml(repo, &file)?;
    let manifest = text(repo, "Cargo.toml")?;
    let version = setting(&manifest, "version").unwrap_or_default();
    let other = ["version", "appVersion"].into_iter().filter(|key| chart[*key] != version);
    Ok(other
        .map(|key| Finding::file(&file, format!("{key} is not {version}, that of the program")))
        .collect())
}
