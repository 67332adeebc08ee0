//! The lines of the report of `throughline doctor`.

use serde::Serialize;

use crate::error::Failure;

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Check {
    pub(super) what: &'static str,
    pub(super) state: State,
    pub(super) found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Ok,
    Warning,
    Failed,
}

impl Check {
    pub(super) fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, state: State::Ok, found: found.into(), fix: None }
    }

    pub(super) fn warning(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what, state: State::Warning, found: found.into(), fix: Some(fix.into()) }
    }

    pub(super) fn failed(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what, state: State::Failed, found: found.into(), fix: Some(fix.into()) }
    }

    /// Creates a check that failed with an error: its cause is the finding, its hint the fix.
    pub(super) fn error(what: &'static str, failure: &Failure) -> Self {
        let (found, fix) = failure.finding_and_fix();
        Self::failed(what, found, fix)
    }
}
