//! Instance key: 32 random bytes in a file that only its owner may read, created at the first start.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_store::{Document, Store};

use crate::start_error::StartError;

/// Loads the key, or creates it if the file does not exist. Returns it with true if it is new. Of several processes that
/// create it at once all return the same.
pub(crate) fn load_or_make(file: &Path) -> Result<([u8; 32], bool), StartError> {
    if file.try_exists().unwrap_or(true) {
        return Ok((load(file)?, false));
    }
    let key = random()?;
    let cannot = |why: String| StartError::Key { file: file.into(), why };
    match write(file, &key) {
        Ok(()) => Ok((key, true)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok((load(file)?, false)),
        Err(error) => Err(cannot(format!("it cannot be written: {error}"))),
    }
}

/// Tenant of what belongs to the installation itself.
const INSTALLATION: &str = "";
/// Collection and key of the document by which the processes of an installation tell that they have the same key.
const DOCUMENT: (&str, &str) = ("instance", "key");

/// Loads the key of a store that processes share. The first process may make one; the others need the same.
pub(crate) async fn shared(file: &Path, store: &dyn Store) -> Result<[u8; 32], StartError> {
    let (collection, name) = DOCUMENT;
    let entered = store.document(INSTALLATION, collection, name).await?;
    let key = match &entered {
        None => load_or_make(file)?.0,
        Some(_) => load(file)?,
    };
    let print = hex(&sha256(&[b"throughline/instance-key/1", &key]));
    let same = match entered {
        Some(found) => found.body == print,
        None => {
            let entry = vec![(collection.to_owned(), Document::new(name, 0, print.clone()))];
            store.write_documents(INSTALLATION, entry, None).await?
                || store.document(INSTALLATION, collection, name).await?.is_some_and(|now| now.body == print)
        }
    };
    if same { Ok(key) } else { Err(StartError::OtherKey { file: file.into() }) }
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

/// Writes the file atomically, so that a crash leaves no truncated key behind. Fails if it is there by now.
fn write(file: &Path, key: &[u8; 32]) -> std::io::Result<()> {
    let beside = file.with_extension(format!("key.{}", random_name()?));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut new = options.open(&beside)?;
    new.write_all(key)?;
    new.sync_all()?;
    // A link and no renaming, which would replace the key that another process has made meanwhile.
    let linked = fs::hard_link(&beside, file);
    fs::remove_file(&beside)?;
    linked?;
    match file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

/// Returns a name that no other process takes, wherever it runs.
fn random_name() -> std::io::Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(hex(&sha256(&[&bytes]))[..16].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_make_it_at_once_have_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("throughline.key");
        let keys: Vec<_> = std::thread::scope(|scope| {
            let made: Vec<_> = (0..8).map(|_| scope.spawn(|| load_or_make(&file).unwrap())).collect();
            made.into_iter().map(|made| made.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|(key, _)| *key == keys[0].0));
        assert_eq!(keys.iter().filter(|(_, new)| *new).count(), 1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

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
