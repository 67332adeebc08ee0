//! Findings of `doctor` and of the set-up commands.

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Subject of the check.
    pub what: &'static str,
    /// Verdict.
    pub state: State,
    /// Description of what was found.
    pub found: String,
    /// Suggested remedy.
    pub fix: Option<String>,
}

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Works as intended.
    Ok,
    /// Works, but perhaps not as intended.
    Warning,
    /// Does not work.
    Broken,
}

pub(crate) fn finding(
    what: &'static str,
    state: State,
    found: impl Into<String>,
    fix: Option<&str>,
) -> Finding {
    Finding { what, state, found: found.into(), fix: fix.map(Into::into) }
}
