//! `cargo xtask api`: the description of the HTTP API. It passes a linter, the program answers generated requests as it says,
//! and it breaks nothing that was released. What that needs is installed from PyPI and npm.

mod breaks;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::clients;
use crate::output;
use crate::peers::{finish, package, python};
use crate::repo::Repo;

/// The description as it is.
const DOCUMENT: &str = "crates/server/openapi.json";
/// The description that was released last.
const RELEASED: &str = "crates/server/openapi.released.json";
/// Settings of both programs, and the packages of one.
const FOLDER: &str = "crates/server/tests/api/description";
/// The linter. It is one package without others, and its recommended rules compare examples with their schemas.
const LINTER: &str = "@redocly/cli@2.77.0";

/// `cargo xtask api [breaks|lint|requests]`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    match rest {
        [] => check(repo)?,
        [only] if only == "breaks" => unbroken(repo)?,
        [only] if only == "lint" => lint(repo)?,
        [only] if only == "requests" => requests(repo)?,
        _ => bail!(
            "`cargo xtask api` takes `breaks`, `lint` or `requests`, which is that one alone, or nothing"
        ),
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks all of it.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    unbroken(repo)?;
    lint(repo)?;
    requests(repo)
}

/// Fails if the description breaks what was released, unless its version says so.
fn unbroken(repo: &Repo) -> Result<()> {
    let (old, new) = (document(repo, RELEASED)?, document(repo, DOCUMENT)?);
    let found = breaks::breaks(&old, &new);
    let (before, now) = (version(&old)?, version(&new)?);
    if found.is_empty() || may_break(before, now) {
        for one in &found {
            output::note(&format!("    breaks: {one}"));
        }
        return Ok(());
    }
    for one in &found {
        output::error(&format!("{DOCUMENT}: {one}"));
    }
    bail!(
        "the API breaks what {RELEASED} describes, in {} places: keep what was there, or say so in the version (docs/release.md)",
        found.len()
    )
}

/// Keeps the description of a release, which later ones are compared with.
pub(crate) fn keep(repo: &Repo, release: &str) -> Result<()> {
    let new = document(repo, DOCUMENT)?;
    let described = new["info"]["version"].as_str().unwrap_or_default();
    ensure!(
        described == release,
        "{DOCUMENT} is of the version {described}: set the version in Cargo.toml first, and make the document anew"
    );
    let text = repo.read(DOCUMENT).with_context(|| format!("there is no {DOCUMENT}"))?;
    repo.write(RELEASED, &text)
}

fn document(repo: &Repo, path: &str) -> Result<Value> {
    let text = repo.read(path).with_context(|| format!("there is no {path}"))?;
    serde_json::from_str(&text).with_context(|| format!("{path} is no JSON"))
}

fn version(document: &Value) -> Result<[u32; 3]> {
    let text = document["info"]["version"].as_str().context("a description says its version")?;
    let numbers: Vec<u32> = text.split('.').map_while(|number| number.parse().ok()).collect();
    numbers.try_into().ok().with_context(|| format!("{text} is no version"))
}

/// Returns true if that version may break what an older one had: the first number rises, or the second one while the first
/// is 0.
fn may_break(old: [u32; 3], new: [u32; 3]) -> bool {
    new[0] > old[0] || (new[0] == 0 && old[0] == 0 && new[1] > old[1])
}

/// Fails if the linter finds an error or a warning.
fn lint(repo: &Repo) -> Result<()> {
    if !repo.has("npm", &["--version"]) {
        bail!("the description cannot be linted: there is no npm (Debian: `apt install npm`)");
    }
    let linter = package(&[LINTER], "redocly", ".bin/redocly")?;
    output::step(&format!("{LINTER} {DOCUMENT}"));
    let config = repo.path(FOLDER).join("redocly.yaml");
    let output = Command::new(linter)
        .args(["lint", "--format", "json", "--config"])
        .arg(config)
        .arg(repo.path(DOCUMENT))
        .envs([("REDOCLY_TELEMETRY", "off"), ("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")])
        .output()
        .context("cannot run the linter")?;
    let told = String::from_utf8_lossy(&output.stdout);
    let told: Value = serde_json::from_str(&told)
        .with_context(|| format!("the linter says {told} {}", String::from_utf8_lossy(&output.stderr)))?;
    let problems = told["problems"].as_array().context("the linter lists what it found")?;
    for problem in problems {
        let place = &problem["location"][0]["pointer"];
        output::error(&format!("{DOCUMENT} {place}: {} ({})", problem["message"], problem["ruleId"]));
    }
    ensure!(problems.is_empty(), "the linter found {} to mend in {DOCUMENT}", problems.len());
    ensure!(output.status.success(), "the linter failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Sends generated requests that the description allows to the program, and compares its answers with the description.
fn requests(repo: &Repo) -> Result<()> {
    if !repo.has("python3", &["-m", "venv", "--help"]) {
        bail!("requests cannot be made: there is no Python with venv (Debian: `apt install python3-venv`)");
    }
    let python = python(repo, &format!("{FOLDER}/requirements.txt"), "schemathesis")?;
    let server = Server::start(&clients::program(repo)?)?;
    output::step(&format!("schemathesis against {}", server.url));
    let folder = repo.path(FOLDER);
    let mut command = Command::new(python.with_file_name("schemathesis"));
    command.arg("--config-file").arg(folder.join("schemathesis.toml")).args(["--no-color", "run"]);
    command.arg(repo.path(DOCUMENT)).args(["--url", &server.url]);
    command.env("THROUGHLINE_URL", &server.url).env("PYTHONDONTWRITEBYTECODE", "1");
    // It looks for its hooks in the folder that it runs in.
    finish(command.current_dir(folder))
}

/// A demo of its own; stopped when dropped.
struct Server {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl Server {
    fn start(program: &Path) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("throughline-api-{}", std::process::id()));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let child = Command::new(program)
            .args(["serve", "--demo", "--json", "--quiet", "--listen", "127.0.0.1:0", "--data"])
            .arg(&folder)
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut server = Self { child, folder, url: String::new() };
        let stdout = server.child.stdout.take().context("the server has an output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let started: Value =
            serde_json::from_str(&line).with_context(|| format!("the server did not start: {line}"))?;
        server.url = started["url"].as_str().with_context(|| format!("no url: {line}"))?.to_owned();
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_breaks_nothing_that_was_released() {
        unbroken(&Repo::find().unwrap()).unwrap();
    }

    #[test]
    fn a_version_says_that_it_breaks() {
        for (old, new, may) in [
            ([0, 1, 0], [0, 1, 1], false),
            ([0, 1, 0], [0, 2, 0], true),
            ([0, 9, 0], [1, 0, 0], true),
            ([1, 2, 0], [1, 3, 0], false),
            ([1, 2, 0], [2, 0, 0], true),
            ([1, 2, 0], [0, 3, 0], false),
        ] {
            assert_eq!(may_break(old, new), may, "{old:?} {new:?}");
        }
        assert!(version(&serde_json::json!({ "info": { "version": "0.x" } })).is_err());
    }
}
