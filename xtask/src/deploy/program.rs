//! Tries every way of starting the program with the program itself: it parses the arguments, and checks the settings.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::starts::Start;
use crate::repo::Finding;

/// Folders in which files say that settings, keys and secrets are.
const FOLDERS: [&str; 2] = ["/etc/throughline", "/data"];
/// The file of settings in the first of them.
const NAME: &str = "throughline.toml";

pub(super) fn check(program: &Path, starts: &[Start]) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for start in starts {
        let home = tempfile::tempdir().context("cannot make a folder")?;
        let here = |text: &str| {
            FOLDERS.iter().fold(text.to_owned(), |text, folder| {
                text.replace(folder, &format!("{}{folder}", home.path().display()))
            })
        };
        for folder in FOLDERS {
            std::fs::create_dir_all(here(folder))?;
        }
        let settings = format!("{}/{NAME}", here(FOLDERS[0]));
        std::fs::write(&settings, start.settings.as_deref().map(here).unwrap_or_default())?;
        let variables: Vec<(&str, String)> =
            start.variables.iter().map(|(name, value)| (name.as_str(), here(value))).collect();
        for (_, file) in variables.iter().filter(|(name, _)| name.ends_with("_FILE")) {
            secret(Path::new(file))?;
        }
        // What stands before the flag is parsed first, so that an argument it does not know is an error.
        let arguments: Vec<String> =
            start.arguments.iter().map(|argument| here(argument)).chain(["--help".into()]).collect();
        let check = ["config", "check", "--config", &settings].map(str::to_owned);
        for arguments in [&arguments[..], &check] {
            let mut run = Command::new(program);
            run.args(arguments)
                .env_clear()
                .current_dir(home.path())
                .envs(variables.iter().map(|(name, value)| (name, value)));
            let output = run.output().with_context(|| format!("cannot run {}", program.display()))?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                found.push(Finding::file(
                    &start.place,
                    format!("`throughline {}`: {}", arguments.join(" "), said.trim()),
                ));
            }
        }
    }
    Ok(found)
}

/// Makes a file that a setting names, as private as a secret is.
fn secret(file: &Path) -> Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, "0123456789abcdef0123456789abcdef")?;
    #[cfg(unix)]
    std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(())
}
