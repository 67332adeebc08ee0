//! Commands beside a process that has the local store (docs/design/0085-commands-find-the-server.md).
//!
//! A server writes its address into the lock file, and whoever finds the store in use asks it there, with tokens made of
//! the instance key. Another command has the store for a moment only, and is waited for.

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use throughline_server::local_token::LocalTokens;
use throughline_server::{Config, StoreUrl};

use super::local::not_started;
use super::remote::Remote;
use super::user;
use crate::error::Failure;

/// Times that a store is tried which another command has, and the pause between them: five seconds.
const TRIES: usize = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// The holder of the store.
pub(crate) enum Held<T> {
    /// This process: it was opened.
    Here(T),
    /// A server, which is asked.
    There(Remote),
}

/// Opens the store, or finds the server that has it.
pub(crate) fn open_or_find<T>(
    config: &Config,
    open: impl Fn() -> Result<T, Failure>,
) -> Result<Held<T>, Failure> {
    let mut tries = 1;
    loop {
        match open() {
            Ok(opened) => return Ok(Held::Here(opened)),
            Err(failure) if !failure.is_store_in_use() => return Err(failure),
            Err(failure) => match owner(config)? {
                Some(remote) => return Ok(Held::There(remote)),
                None if tries == TRIES => return Err(failure),
                None => {
                    tries += 1;
                    sleep(PAUSE);
                }
            },
        }
    }
}

/// Returns a client of the server whose address stands in the lock file. Unless the store is in use, it may be one that
/// was killed.
pub(crate) fn owner(config: &Config) -> Result<Option<Remote>, Failure> {
    let StoreUrl::Sqlite(path) = &config.store else { return Ok(None) };
    let (Some(address), Some(key)) = (throughline_store::owner_address(path), config.key_file()) else {
        return Ok(None);
    };
    let tokens = LocalTokens::new(&key, &user(config)).map_err(|error| not_started(&error))?;
    Ok(Some(Remote::beside(&address, Arc::new(tokens))?))
}
