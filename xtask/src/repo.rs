//! The repository's files, commands in it, and findings of the checks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The checked-out repository.
pub(crate) struct Repo {
    root: PathBuf,
}

/// A file of the repository with its text.
pub(crate) struct File {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

/// Something a check found.
#[derive(Debug)]
pub(crate) struct Finding {
    path: String,
    line: Option<usize>,
    what: String,
}

impl Finding {
    /// A finding about a whole file.
    pub(crate) fn file(path: &str, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, what: what.into() }
    }

    /// A finding about a line, counted from 1.
    pub(crate) fn line(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: Some(line), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.what),
            None => write!(f, "{}: {}", self.path, self.what),
        }
    }
}

impl Repo {
    /// Returns the repository this program was built from.
    pub(crate) fn find() -> Result<Self> {
        let own = std::env::var("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
        let root = Path::new(&own).parent().context("xtask has a parent folder")?.to_owned();
        Ok(Self { root })
    }

    /// Another repository, for tests of the checks.
    #[cfg(test)]
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Returns the full path of a file or folder in it.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Returns a path relative to the root, with `/`.
    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }

    /// Returns the folder cargo builds into.
    pub(crate) fn target(&self) -> Result<PathBuf> {
        let metadata =
            self.output("cargo", &["metadata", "--format-version", "1", "--no-deps", "--locked"])?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        Ok(metadata["target_directory"].as_str().context("cargo metadata says the target directory")?.into())
    }

    /// Returns the text of a file, if it exists.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path(path)).ok()
    }

    /// Writes a file, and makes its folder.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        let full = self.path(path);
        if let Some(folder) = full.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        std::fs::write(&full, text).with_context(|| format!("cannot write {path}"))
    }

    /// Returns the files under `folder` whose names end in one of `endings`, in path order, without build output.
    pub(crate) fn files(&self, folder: &str, endings: &[&str]) -> Result<Vec<File>> {
        let mut paths = Vec::new();
        walk(&self.path(folder), &mut paths)?;
        paths.sort();
        let mut files = Vec::new();
        for path in paths {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !endings.iter().any(|ending| name.ends_with(ending)) {
                continue;
            }
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            files.push(File { path: self.relative(&path), text });
        }
        Ok(files)
    }

    /// Returns a command that runs at the root.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Returns the output of a command; an error if it fails.
    pub(crate) fn output(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let shown = || format!("{program} {}", arguments.join(" "));
        let output =
            self.command(program, arguments).output().with_context(|| format!("cannot run {}", shown()))?;
        if !output.status.success() {
            bail!("`{}` failed: {}", shown(), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// True if a command exists and succeeds.
    pub(crate) fn has(&self, program: &str, arguments: &[&str]) -> bool {
        self.command(program, arguments).output().is_ok_and(|output| output.status.success())
    }
}

/// Collects every file below a folder, without hidden ones and build output.
fn walk(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.')
            && ![".ci", ".config", ".github"].contains(&&*name.to_string_lossy());
        if hidden || name == "target" || name == "node_modules" {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            walk(&path, into)?;
        } else {
            into.push(path);
        }
    }
    Ok(())
}
