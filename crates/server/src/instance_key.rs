//! Instance key: 32 random bytes in a file that only its owner may read, created at the first start.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::start_error::StartError;

/// Loads the key, or creates it if the file does not exist. Returns it with true if it is new.
pub(crate) fn load_or_make(file: &Path) -> Result<([u8; 32], bool), StartError> {
    if file.try_exists().unwrap_or(true) {
        return Ok((load(file)?, false));
    }
    let key = random()?;
    let cannot = |why: String| StartError::Key { file: file.into(), why };
    write(file, &key).map_err(|error| cannot(format!("it cannot be written: {error}")))?;
    Ok((key, true))
}

/// Loads the key.
pub(crate) fn load(file: &Path) -> Result<[u8; 32], StartError> {
    let cannot = |why: String| StartError::Key { file: file.into(), why };
    let bytes = fs::read(file).map_err(|error| cannot(error.to_string()))?;
    let found = bytes.len();
    bytes.try_into().map_err(|_| cannot(format!("it holds {found} bytes, not 32")))
}

/// Makes a key for a store that does not outlive the process.
pub(crate) fn random() -> Result<[u8; 32], StartError> {
    let mut key = [0; 32];
    let cannot =
        |error: getrandom::Error| StartError::Key { file: "a new key".into(), why: error.to_string() };
    getrandom::fill(&mut key).map_err(cannot)?;
    Ok(key)
}

/// Writes the file atomically, so that a crash leaves no truncated key behind.
fn write(file: &Path, key: &[u8; 32]) -> std::io::Result<()> {
    let beside = file.with_extension("key.new");
    let _ = fs::remove_file(&beside);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut new = options.open(&beside)?;
    new.write_all(key)?;
    new.sync_all()?;
    fs::rename(&beside, file)?;
    match file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_made_once_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("throughline.key");
        let (key, new) = load_or_make(&file).unwrap();
        assert!(new);
        assert_eq!(load_or_make(&file).unwrap(), (key, false));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&file, b"short").unwrap();
        let error = load_or_make(&file).unwrap_err();
        assert_eq!(error.code().number, 1102);
        assert!(error.to_string().contains("5 bytes"), "{error}");
    }
}
