//! Continuous integration as named steps: `cargo xtask ci` takes them in order, `cargo xtask ci lints` takes one.
//!
//! `.ci/run` and the hosted jobs of `.github/workflows/ci.yml` call nothing else, so a step passes in one place exactly
//! when it passes in the other. A step installs the tools it needs ([`tools`]), cheaply and outside of the repository.

pub(crate) mod first_build;
mod msrv;
mod tools;
mod unused;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::repo::{Finding, Repo};
use crate::{api, bench, clients, deploy, docs, layers, output, peers, recipes, tidy};

/// The crash tests need the fail points. On for everything, so that the workspace is built once.
pub(crate) const FEATURES: &str = "throughline-cli/failpoints";

/// Set where there is no browser and none can be had.
const NO_BROWSER: &str = "THROUGHLINE_NO_BROWSER";

/// Set where nothing can be installed from npm and PyPI.
const NO_PEERS: &str = "THROUGHLINE_NO_PEERS";

/// Vendors' published specifications, against which the fakes check the calls they get.
const SPECS: &str = "../shared/data/specs";
/// The variable that names another folder of them.
const SPECS_VARIABLE: &str = "THROUGHLINE_SPECS";

/// One check with a name of its own.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    about: &'static str,
    /// False for a step that runs only when it is named: another step covers it, or it takes a build of its own.
    in_full_run: bool,
    run: fn(&Repo) -> Result<()>,
}

const fn step(name: &'static str, about: &'static str, run: fn(&Repo) -> Result<()>) -> Step {
    Step { name, about, in_full_run: true, run }
}

const fn named_only(name: &'static str, about: &'static str, run: fn(&Repo) -> Result<()>) -> Step {
    Step { name, about, in_full_run: false, run }
}

/// The steps, cheapest first. The tests come last: what their runner prints ends the run.
pub(crate) const STEPS: [Step; 23] = [
    step("fmt", "formatting", fmt),
    step("layers", "dependencies between crates, and the engine's purity", |repo| {
        passed("layers", layers::run(repo, false)?)
    }),
    step("tidy", "rules of the repository that no lint knows", |repo| {
        passed("tidy", tidy::run(repo, false)?)
    }),
    step("typos", "spelling", typos),
    step("unused", "dependencies that no line uses", |repo| passed("ci unused", unused::run(repo)?)),
    step("crates", "the crates a fresh clone's first command compiles", |repo| {
        passed("ci crates", first_build::crates(repo)?)
    }),
    step("deny", "licences, sources, banned crates and advisories", deny),
    step("lints", "clippy, warnings denied", lints),
    step("msrv", "the oldest supported compiler", msrv::run),
    step("wasm", "the pure crates' tests, run as WebAssembly", wasm::run),
    step("doctests", "the examples in doc comments", doctests),
    step("docs", "every command of the pages, against the program", docs_step),
    step("peers", "other people's tools and sub-agents", peers_step),
    step("clients", "our client libraries, against the program", clients_step),
    step("api", "the description of the API: breaks, a linter, and requests to the program", api_step),
    step(
        "deploy",
        "image, compose file, unit, chart and hosted jobs, against the program and their tools",
        deploy_step,
    ),
    step("recipes", "agents of other people's frameworks, killed at every step", recipes_step),
    named_only("site", "the documentation as a book, with every link in it", docs::site::step),
    named_only("rustdoc", "the API documentation, warnings denied", rustdoc),
    named_only("browser", "the browser tests alone; `tests` has them too", browser),
    named_only(
        "count",
        "instructions of a step, against the kept counts and the bound of any message",
        |repo| bench::run(repo, &["count".to_owned()]).map(drop),
    ),
    named_only("first-build", "the time a fresh clone's first command takes", first_build::run),
    step("tests", "every test of the workspace", tests),
];

/// `cargo xtask ci [--list] [STEP …]`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if rest == ["--list"] {
        for step in &STEPS {
            let note = if step.in_full_run { "" } else { " (only when named)" };
            output::out(&format!("{:<12} {}{note}", step.name, step.about));
        }
        return Ok(ExitCode::SUCCESS);
    }
    for step in chosen(rest)? {
        (step.run)(repo)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The named steps in the order they were named, or the full run.
fn chosen(names: &[String]) -> Result<Vec<&'static Step>> {
    if names.is_empty() {
        return Ok(STEPS.iter().filter(|step| step.in_full_run).collect());
    }
    let find = |name: &String| STEPS.iter().find(|step| step.name == name);
    names
        .iter()
        .map(|name| find(name).with_context(|| format!("no step {name}: `cargo xtask ci --list`")))
        .collect()
}

fn fmt(repo: &Repo) -> Result<()> {
    if tools::component(repo, "rustfmt", "fmt")? {
        cargo(repo, &["fmt", "--all", "--check"])?;
    }
    Ok(())
}

fn typos(repo: &Repo) -> Result<()> {
    let Some(typos) = tools::typos(repo)? else { return Ok(()) };
    program(repo, &typos, &["--format", "brief", "--force-exclude", "."])
}

fn deny(repo: &Repo) -> Result<()> {
    if tools::cargo_deny(repo)? {
        cargo(repo, &["deny", "check", "bans", "licenses", "sources"])?;
        advisories(repo)?;
    }
    Ok(())
}

/// Checks for published weaknesses of what is linked. Their database is fetched; without a network the one that is there
/// is used, and without any the check is skipped.
fn advisories(repo: &Repo) -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    if !repo.has("cargo", &["deny", "fetch", "db"]) && !home.is_some_and(|home| holds_a_database(&home)) {
        skipped("advisories", "their database cannot be fetched, and none is there");
        return Ok(());
    }
    cargo(repo, &["deny", "--offline", "check", "advisories"])
}

/// True if a database was fetched before. A fetch that fails leaves the folder of databases, with its lock alone.
fn holds_a_database(cargo_home: &Path) -> bool {
    let databases = std::fs::read_dir(cargo_home.join("advisory-dbs"));
    databases.is_ok_and(|entries| entries.flatten().any(|entry| entry.path().join(".git").exists()))
}

fn lints(repo: &Repo) -> Result<()> {
    if tools::component(repo, "clippy", "clippy")? {
        let all = ["clippy", "--workspace", "--all-targets", "--features", FEATURES, "--locked"];
        cargo(repo, &[&all[..], &["--", "-D", "warnings"]].concat())?;
        built_once(repo, &[&all[..], &["--verbose", "--", "-D", "warnings"]].concat())?;
    }
    Ok(())
}

/// Fails if a command that has just run would compile something again: then every command of everybody does.
fn built_once(repo: &Repo, arguments: &[&str]) -> Result<()> {
    let output = repo.command("cargo", arguments).output().context("cannot run cargo")?;
    let told = String::from_utf8_lossy(&output.stderr);
    let again: Vec<&str> = told.lines().map(str::trim).filter(|line| line.starts_with("Dirty ")).collect();
    if !again.is_empty() {
        bail!("nothing changed, and yet cargo compiles again:\n{}", again.join("\n"));
    }
    Ok(())
}

fn doctests(repo: &Repo) -> Result<()> {
    cargo(repo, &["test", "--workspace", "--doc", "--features", FEATURES, "--locked"])
}

fn rustdoc(repo: &Repo) -> Result<()> {
    let arguments = ["doc", "--workspace", "--no-deps", "--locked"];
    cargo_with(repo, &arguments, &[("RUSTDOCFLAGS", "-D warnings")])
}

/// Builds the tests first: with the same features the pages find their program built, and `tests` builds nothing.
fn docs_step(repo: &Repo) -> Result<()> {
    cargo(repo, &[&test_command(repo)[..], &["--no-run"]].concat())?;
    output::step("cargo xtask docs");
    docs::check(repo)
}

fn peers_step(repo: &Repo) -> Result<()> {
    if is_set(NO_PEERS) {
        skipped("tools and sub-agents of other people", &format!("{NO_PEERS} is set"));
        return Ok(());
    }
    peers::tools(repo)
}

fn clients_step(repo: &Repo) -> Result<()> {
    if is_set(NO_PEERS) {
        skipped("client libraries", &format!("{NO_PEERS} is set"));
        return Ok(());
    }
    clients::check(repo)
}

fn api_step(repo: &Repo) -> Result<()> {
    if is_set(NO_PEERS) {
        skipped("description of the API", &format!("{NO_PEERS} is set"));
        return Ok(());
    }
    api::check(repo)
}

fn deploy_step(repo: &Repo) -> Result<()> {
    if is_set(NO_PEERS) {
        skipped("image, compose file, unit and chart", &format!("{NO_PEERS} is set"));
        return Ok(());
    }
    deploy::check(repo, &build(repo)?.join("throughline"))
}

fn recipes_step(repo: &Repo) -> Result<()> {
    if is_set(NO_PEERS) {
        skipped("agents of other people's frameworks", &format!("{NO_PEERS} is set"));
        return Ok(());
    }
    recipes::check(repo)
}

fn browser(repo: &Repo) -> Result<()> {
    let arguments =
        ["test", "-p", "throughline-cli", "--features", "failpoints", "--test", "browser", "--locked"];
    cargo(repo, &arguments)
}

fn tests(repo: &Repo) -> Result<()> {
    if is_set(NO_BROWSER) {
        skipped("browser tests", &format!("{NO_BROWSER} is set"));
    }
    let specs = std::env::var_os(SPECS_VARIABLE).map_or_else(|| repo.path(SPECS), PathBuf::from);
    if !specs.is_dir() {
        let why = format!("none in {SPECS}; {SPECS_VARIABLE} names another folder");
        skipped("vendors' published schemas", &why);
    }
    cargo(repo, &[&test_command(repo)[..], &["--no-fail-fast"]].concat())
}

/// The tests under nextest where it is installed, else under cargo's own runner.
fn test_command(repo: &Repo) -> Vec<&'static str> {
    if repo.has("cargo", &["nextest", "--version"]) {
        vec!["nextest", "run", "--workspace", "--features", FEATURES, "--locked"]
    } else {
        let targets = ["--lib", "--bins", "--tests", "--examples"];
        [&["test", "--workspace", "--features", FEATURES, "--locked"][..], &targets].concat()
    }
}

/// Builds the program and the examples as the tests build them, and returns the folder that the program is in. A build
/// of one package would compile most of the dependencies again, with fewer features.
pub(crate) fn build(repo: &Repo) -> Result<PathBuf> {
    let all =
        ["build", "--workspace", "--features", FEATURES, "--bin", "throughline", "--examples", "--locked"];
    cargo(repo, &all)?;
    Ok(repo.target()?.join("debug"))
}

/// Runs cargo and stops at a failure, naming the command that shows it again.
pub(crate) fn cargo(repo: &Repo, arguments: &[&str]) -> Result<()> {
    cargo_with(repo, arguments, &[])
}

/// Runs cargo like [`cargo`], with environment variables.
pub(crate) fn cargo_with(repo: &Repo, arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    timed(repo, "cargo", arguments, variables)?;
    Ok(())
}

fn program(repo: &Repo, program: &str, arguments: &[&str]) -> Result<()> {
    timed(repo, program, arguments, &[])
}

fn timed(repo: &Repo, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let shown = format!("{name} {}", arguments.join(" "));
    output::step(&shown);
    let started = Instant::now();
    let status = repo.command(program, arguments).envs(variables.iter().copied()).status();
    let status = status.with_context(|| format!("cannot run `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed");
    }
    // Nothing after the tests: their runner's summary is the last line.
    if !arguments.contains(&"run") && !arguments.contains(&"--tests") {
        output::note(&format!("    {:.1} s", started.elapsed().as_secs_f64()));
    }
    Ok(())
}

/// Fails if a check found anything, after printing it.
fn passed(name: &str, found: Vec<Finding>) -> Result<()> {
    output::step(&format!("cargo xtask {name}"));
    for finding in &found {
        output::error(&finding.to_string());
    }
    if !found.is_empty() {
        bail!("`cargo xtask {name}` found {} to mend", found.len());
    }
    Ok(())
}

fn skipped(what: &str, why: &str) {
    output::step(&format!("{what}: skipped, {why}"));
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The workflow of the hosted jobs, read as text: every `.ci/run` line in it.
    fn hosted() -> String {
        Repo::find().unwrap().read(".github/workflows/ci.yml").unwrap()
    }

    #[test]
    fn hosted_jobs_take_every_step_and_no_other() {
        let workflow = hosted();
        let lines = workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: .ci/run "));
        let mut named: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        named.sort_unstable();
        let mut all: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        all.sort_unstable();
        assert_eq!(named, all);
    }

    #[test]
    fn steps_are_taken_by_name() {
        let names = |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
        let chosen_names = |steps: Vec<&'static Step>| steps.iter().map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(chosen_names(chosen(&names(&["tidy", "fmt"])).unwrap()), ["tidy", "fmt"]);
        assert!(chosen(&names(&["lint"])).is_err());
        let full = chosen_names(chosen(&[]).unwrap());
        assert_eq!(full.last(), Some(&"tests"), "the test runner's summary ends the run");
        assert!(!full.contains(&"browser") && !full.contains(&"first-build"));
    }
}
