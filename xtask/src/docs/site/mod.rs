//! `cargo xtask docs site [DIR]`: the pages as a book that can be searched, with pictures in both themes and `llms.txt`.
//!
//! The book has the layout of the repository, so that every link between pages is right in both. `contents` finds the
//! order from the table in README.md, `assets` copies what pages link to, `llms` writes the pages' list for programs,
//! `check` reads the finished HTML, and mdBook makes it.

mod assets;
mod check;
mod contents;
mod llms;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use super::generated;
use crate::output;
use crate::repo::{Finding, Repo};
use contents::Contents;

/// The settings of mdBook, with the style sheet and the folder of pages beside them.
const SETTINGS: &str = "docs/book.toml";
const STYLE: &str = "docs/book.css";
/// Folder of the book.
const FOLDER: &str = "site";
/// The tool, at a version that a hosted job installs as well.
pub(crate) const MDBOOK: &str = "mdbook@0.5.4";

/// Makes the book, and fails if a page is old, a link leads nowhere or a page is missing in it.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let folder = match rest {
        [] => repo.target()?.join(FOLDER),
        [one] => std::path::absolute(one).with_context(|| format!("{one} is no folder"))?,
        other => bail!("unexpected arguments: {other:?}"),
    };
    let book = make(repo, &folder)?;
    output::note(&format!("the book is in {}", book.display()));
    Ok(ExitCode::SUCCESS)
}

/// The step of continuous integration.
pub(crate) fn step(repo: &Repo) -> Result<()> {
    make(repo, &repo.target()?.join(FOLDER)).map(drop)
}

/// Returns a finding for each page that the book would lack. It needs no tool.
pub(super) fn missing(repo: &Repo) -> Result<Vec<Finding>> {
    Ok(Contents::read(repo)?.missing)
}

fn make(repo: &Repo, folder: &Path) -> Result<PathBuf> {
    let mut contents = Contents::read(repo)?;
    let mut wrong = generated::old(repo)?;
    wrong.append(&mut contents.missing);
    mended(&wrong)?;
    let mdbook = mdbook(repo)?;
    if folder.exists() {
        // Only a book is replaced: the folder may be any that somebody named.
        if !folder.join("book.toml").is_file() {
            bail!("{} holds something else than a book: name another folder", folder.display());
        }
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    assets::write(repo, &contents, folder)?;
    let status = repo
        .command(&mdbook.to_string_lossy(), &["build"])
        .arg(folder)
        .status()
        .context("cannot run mdbook")?;
    if !status.success() {
        bail!("mdbook failed");
    }
    let book = folder.join("book");
    llms::write(&contents, &book)?;
    mended(&check::dead(&book)?)?;
    output::note(&format!("book: {} pages, {} parts", contents.pages.len(), contents.parts.len()));
    Ok(book)
}

fn mended(wrong: &[Finding]) -> Result<()> {
    for finding in wrong {
        output::error(&finding.to_string());
    }
    if !wrong.is_empty() {
        bail!("the book: {} to mend", wrong.len());
    }
    Ok(())
}

/// Returns mdBook's program: the installed one, else one that is built into a folder beside cargo's products.
fn mdbook(repo: &Repo) -> Result<PathBuf> {
    let (name, version) = MDBOOK.split_once('@').context("a name and a version")?;
    if repo.output(name, &["--version"]).is_ok_and(|seen| seen.trim().ends_with(version)) {
        return Ok(name.into());
    }
    let root = repo.target()?.join("tools");
    let program = root.join("bin").join(name);
    if program.is_file() {
        return Ok(program);
    }
    output::step(&format!("cargo install {MDBOOK}, once, into {}", root.display()));
    let arguments =
        ["install", MDBOOK, "--locked", "--quiet", "--no-default-features", "--features", "search", "--root"];
    let status = repo.command("cargo", &arguments).arg(&root).status().context("cannot run cargo")?;
    if !status.success() {
        bail!("mdBook cannot be installed; `cargo install {MDBOOK} --locked` says why");
    }
    Ok(program)
}
