//! Files with what people said: only their owner may read them, whatever the umask.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file that only its owner may read, in place of one that is there.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    create(path)?.write_all(text.as_bytes())
}

/// Creates an empty file that only its owner may read, in place of one that is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // A file that was there keeps its mode when it is opened. A device such as `/dev/stdout` is left as it is.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}
