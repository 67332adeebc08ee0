//! Finding scenario files.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The end of a scenario file's name.
const ENDING: &str = ".scenario.yaml";

/// Returns the scenario files in a folder and in the folders below it, sorted by path.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn scenario_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(scenario_files(&path)?);
        } else if path.to_string_lossy().ends_with(ENDING) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
