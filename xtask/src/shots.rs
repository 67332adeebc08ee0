//! `cargo xtask shots [DIR]`: screenshots for the documents, made by the harness of the browser tests,
//! `crates/cli/tests/browser`. `cargo xtask shots pages [DIR]`: every page in two themes at three widths.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::output;
use crate::repo::Repo;

/// The folder of the pictures.
const FOLDER: &str = "target/pictures";
/// The pictures that documents show, under equal names.
const SHOWN: &str = "docs/pictures";
/// The folder of the pictures of every page.
const PAGES: &str = "target/pages";

pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    match rest {
        [what, rest @ ..] if what == "pages" => take(repo, &folder(repo, rest, PAGES)?, "every_page::")?,
        _ => {
            let folder = folder(repo, rest, FOLDER)?;
            take(repo, &folder, "shots::pictures")?;
            renew(repo, &folder)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the folder that was named, or the usual one.
fn folder(repo: &Repo, rest: &[String], usual: &str) -> Result<PathBuf> {
    match rest {
        [] => Ok(repo.path(usual)),
        [one] => std::path::absolute(one).with_context(|| format!("{one} is no folder")),
        other => bail!("unexpected arguments: {other:?}"),
    }
}

/// Runs the tests whose names begin so, which write pictures into the folder.
fn take(repo: &Repo, folder: &Path, tests: &str) -> Result<()> {
    let arguments =
        ["test", "-p", "throughline-cli", "--test", "browser", "--locked", "--", "--ignored", tests];
    output::step(&format!("cargo {}", arguments.join(" ")));
    let status = repo
        .command("cargo", &arguments)
        .env("THROUGHLINE_SHOTS", folder)
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("pictures are missing, or a page is not in order");
    }
    output::note(&format!("pictures in {}", folder.display()));
    Ok(())
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
