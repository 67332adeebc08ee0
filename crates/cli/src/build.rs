//! The build: its version and the commit it was made from, found by the crate's build script.

/// The first digits of the commit; none where nothing told it.
pub(crate) const COMMIT: Option<&str> = option_env!("BUILT_COMMIT");

/// The version, with the commit in brackets where it is known.
pub(crate) const VERSION: &str = env!("BUILT_VERSION");
