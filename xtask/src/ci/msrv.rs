//! The oldest supported compiler: the `rust-version` of the workspace.
//!
//! With that toolchain in use, clippy has compiled everything with it, and nothing is left to build.
//! Elsewhere the workspace is checked with that toolchain, which rustup installs.

use anyhow::{Context, Result};

use super::tools;
use crate::output;
use crate::repo::Repo;

pub(super) fn run(repo: &Repo) -> Result<()> {
    let manifest = repo.read("Cargo.toml").context("cannot read Cargo.toml")?;
    let oldest = rust_version(&manifest).context("Cargo.toml has no rust-version")?;
    let used = repo.output("rustc", &["--version"])?;
    if used.strip_prefix("rustc ").is_some_and(|version| is_release_of(version, oldest)) {
        output::step(&format!(
            "msrv: {} is Rust {oldest}, with which `lints` compiles everything",
            used.trim()
        ));
        return Ok(());
    }
    if !tools::toolchain(repo, oldest)? {
        return Ok(());
    }
    // By rustup, because the cargo that runs this program belongs to one toolchain and takes no `+1.95`.
    let check = ["run", oldest, "cargo", "check", "--workspace", "--all-targets", "--locked"];
    super::program(repo, "rustup", &[&check[..], &["--target-dir", "target/msrv"]].concat())
}

fn rust_version(manifest: &str) -> Option<&str> {
    let value = manifest.lines().find_map(|line| line.strip_prefix("rust-version"))?;
    Some(value.trim_start_matches([' ', '=']).trim().trim_matches('"'))
}

/// True if `1.95.0 (…)` is a release of `1.95`.
fn is_release_of(version: &str, oldest: &str) -> bool {
    version.strip_prefix(oldest).is_some_and(|rest| rest.starts_with(['.', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_known_by_its_first_two_numbers() {
        assert_eq!(rust_version("[workspace.package]\nrust-version = \"1.95\"\n"), Some("1.95"));
        assert!(is_release_of("1.95.0 (59807616e 2026-04-14)", "1.95"));
        assert!(!is_release_of("1.950.0", "1.95") && !is_release_of("1.96.1", "1.95"));
    }
}
