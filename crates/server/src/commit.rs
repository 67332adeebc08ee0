//! The commit that the program is built from. Only the program knows it, so that a commit rebuilds the program alone.

use std::sync::OnceLock;

static COMMIT: OnceLock<&str> = OnceLock::new();

/// Sets the commit that `/version` and the metrics tell, before anything is served. The first one stays.
pub fn built_from(commit: &'static str) {
    COMMIT.get_or_init(|| commit);
}

/// Returns the commit, or `unknown`.
pub(crate) fn commit() -> &'static str {
    COMMIT.get().copied().unwrap_or("unknown")
}
