//! A copy of the store for a command that reads all of it while a server has it.

use std::fs;
use std::path::PathBuf;

use throughline_server::{Config, StoreUrl};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::error::Failure;
use crate::exit::Exit;
use crate::random;

/// A folder with the copy, for its owner alone. Dropping it removes it, and so does an interrupt: it holds words that may
/// be erased from the store a moment later.
pub(crate) struct Copied {
    folder: PathBuf,
}

impl Copied {
    /// Copies the store of a configuration as it is at this moment.
    pub(crate) fn of(config: &Config) -> Result<Self, Failure> {
        let StoreUrl::Sqlite(from) = &config.store else {
            return Err(Failure::new(format!("there is no file to copy of {}", config.store)));
        };
        let folder = std::env::temp_dir().join(random::key("throughline")?);
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder).map_err(|error| {
            Failure::new(format!("cannot make the folder {}", folder.display())).because(&error)
        })?;
        let copied = Self { folder };
        throughline_store::backup(from, &copied.database()).map_err(|error| {
            let code = throughline_server::store_code(&error);
            let what = format!("cannot copy {} while a server has it", config.store);
            Failure::new(what).because(&error).code(code.id()).exit(Exit::Unreachable)
        })?;
        Ok(copied)
    }

    /// Returns the configuration for the copy: the key stays that of the store.
    pub(crate) fn config(&self, of: &Config) -> Config {
        let mut config = of.clone();
        config.instance_key_file = of.key_file();
        config.store = StoreUrl::Sqlite(self.database());
        config
    }

    /// Removes the copy when the process is interrupted while a runtime runs.
    pub(crate) fn goes_with(&self, runtime: &Runtime) {
        let folder = self.folder.clone();
        runtime.spawn(async move {
            let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
            let (Ok(mut interrupted), Ok(mut terminated)) = signals else { return };
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
            let _ = fs::remove_dir_all(folder);
            std::process::exit(i32::from(Exit::Interrupted.code()));
        });
    }

    fn database(&self) -> PathBuf {
        self.folder.join("throughline.db")
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // Nothing else can be done about it, and the system empties this folder in the end.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
