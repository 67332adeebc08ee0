//! `cargo xtask shots [DIR]`: screenshots for the documents, made by the harness of the browser tests,
//! `crates/cli/tests/browser`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::output;
use crate::repo::Repo;

/// The folder of the pictures.
const FOLDER: &str = "target/pictures";
/// The pictures that documents show, under equal names.
const SHOWN: &str = "docs/pictures";

pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let folder = match rest {
        [] => repo.path(FOLDER),
        [one] => std::path::absolute(one).with_context(|| format!("{one} is no folder"))?,
        other => bail!("unexpected arguments: {other:?}"),
    };
    let arguments = [
        "test",
        "-p",
        "throughline-cli",
        "--test",
        "browser",
        "--locked",
        "--",
        "--ignored",
        "shots::pictures",
    ];
    output::step(&format!("cargo {}", arguments.join(" ")));
    let status = repo
        .command("cargo", &arguments)
        .env("THROUGHLINE_SHOTS", &folder)
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("no pictures were made");
    }
    output::note(&format!("pictures in {}", folder.display()));
    renew(repo, &folder)?;
    Ok(ExitCode::SUCCESS)
}

/// Copies each picture that a document shows from the new ones.
fn renew(repo: &Repo, folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(repo.path(SHOWN)).context("cannot list docs/pictures")? {
        let shown = entry.context("cannot list docs/pictures")?.path();
        let new = shown.file_name().map(|name| folder.join(name));
        if let Some(new) = new.filter(|new| new.is_file()) {
            std::fs::copy(&new, &shown).with_context(|| format!("cannot write {}", shown.display()))?;
            output::note(&format!("renewed {}", shown.display()));
        }
    }
    Ok(())
}
