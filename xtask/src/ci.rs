//! What `.ci/run` runs: every check, cheapest first, the tests with their runner's own summary last.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::repo::{Finding, Repo};
use crate::{docs, layers, peers, say, tidy};

/// The crash tests need the fail points. On for everything, so that the workspace is built once.
pub(crate) const FEATURES: &str = "throughline-cli/failpoints";

/// Set where there is no browser and none can be had.
const NO_BROWSER: &str = "THROUGHLINE_NO_BROWSER";

/// Set where nothing can be installed from npm and PyPI.
const NO_PEERS: &str = "THROUGHLINE_NO_PEERS";

/// Vendors' published specifications: calls to the fakes are held against them where they are.
const SPECS: &str = "../shared/data/specs";
/// The variable that says where else.
const SPECS_VARIABLE: &str = "THROUGHLINE_SPECS";

/// Runs all of it.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if !rest.is_empty() {
        bail!("`cargo xtask ci` takes no arguments");
    }
    let cargo = |arguments: &[&str]| cargo(repo, arguments);
    if repo.has("cargo", &["fmt", "--version"]) {
        cargo(&["fmt", "--all", "--check"])?;
    } else {
        skipped("format", "rustfmt is not installed: `rustup component add rustfmt`");
    }
    check("layers", layers::run(repo, false)?)?;
    check("tidy", tidy::run(repo, false)?)?;
    if repo.has("cargo", &["clippy", "--version"]) {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            FEATURES,
            "--locked",
            "--",
            "-D",
            "warnings",
        ])?;
    } else {
        skipped("lints", "clippy is not installed: `rustup component add clippy`");
    }
    if repo.has("cargo", &["deny", "--version"]) {
        cargo(&["deny", "check", "bans", "licenses", "sources"])?;
    } else {
        skipped("licences", "cargo-deny is not installed: `cargo install --locked cargo-deny`");
    }
    wasm(repo)?;
    cargo(&["test", "--workspace", "--doc", "--features", FEATURES, "--locked"])?;
    if std::env::var_os(NO_BROWSER).is_some_and(|value| !value.is_empty()) {
        skipped("browser tests", &format!("{NO_BROWSER} is set"));
    }
    if !specs(repo).is_dir() {
        skipped(
            "vendors' published schemas",
            &format!("none in {SPECS}; {SPECS_VARIABLE} names another folder"),
        );
    }
    // The tests are built, the pages are tried with that very program, and then the tests run: the runner's own
    // summary is the last thing printed.
    let mut tests = if repo.has("cargo", &["nextest", "--version"]) {
        vec!["nextest", "run", "--workspace", "--features", FEATURES, "--locked"]
    } else {
        let targets = ["--lib", "--bins", "--tests", "--examples"];
        [&["test", "--workspace", "--features", FEATURES, "--locked"][..], &targets].concat()
    };
    cargo(&[&tests[..], &["--no-run"]].concat())?;
    say::step("cargo xtask docs");
    docs::check(repo)?;
    if std::env::var_os(NO_PEERS).is_some_and(|value| !value.is_empty()) {
        skipped("tools and sub-agents of other people", &format!("{NO_PEERS} is set"));
    } else {
        peers::tools(repo, &["--workspace", "--features", FEATURES])?;
    }
    tests.push("--no-fail-fast");
    cargo(&tests)?;
    Ok(ExitCode::SUCCESS)
}

fn specs(repo: &Repo) -> PathBuf {
    std::env::var_os(SPECS_VARIABLE).map_or_else(|| repo.path(SPECS), PathBuf::from)
}

/// The engine builds where there is no operating system, if that target is installed.
fn wasm(repo: &Repo) -> Result<()> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let installed = repo
        .output("rustc", &["--print", "sysroot"])
        .is_ok_and(|sysroot| std::path::Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).is_dir());
    if installed {
        return cargo(repo, &["check", "-p", "throughline-engine", "--target", TARGET, "--locked"]);
    }
    skipped("engine without an operating system", "`rustup target add wasm32-unknown-unknown` to check it");
    Ok(())
}

/// Runs cargo and stops at a failure, naming the command that shows it again.
pub(crate) fn cargo(repo: &Repo, arguments: &[&str]) -> Result<()> {
    cargo_with(repo, arguments, &[])
}

/// The same with variables.
pub(crate) fn cargo_with(repo: &Repo, arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let shown = format!("cargo {}", arguments.join(" "));
    say::step(&shown);
    let started = Instant::now();
    let mut command = repo.command("cargo", arguments);
    let status = command.envs(variables.iter().copied()).status();
    let status = status.with_context(|| format!("cannot run `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed");
    }
    // Nothing after the tests: what they say last is the last line.
    if !arguments.contains(&"run") && !arguments.contains(&"--tests") {
        say::note(&format!("    {:.1} s", started.elapsed().as_secs_f64()));
    }
    Ok(())
}

fn check(name: &str, found: Vec<Finding>) -> Result<()> {
    say::step(&format!("cargo xtask {name}"));
    for finding in &found {
        say::error(&finding.to_string());
    }
    if !found.is_empty() {
        bail!("`cargo xtask {name}` found {} to mend", found.len());
    }
    Ok(())
}

fn skipped(what: &str, why: &str) {
    say::step(&format!("{what}: skipped, {why}"));
}
