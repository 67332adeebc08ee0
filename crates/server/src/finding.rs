//! What `doctor` and the set-up commands report: what was looked at, how it stands, what to do.

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub what: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Well.
    Ok,
    /// It works, perhaps not as meant.
    Odd,
    /// It does not work.
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
