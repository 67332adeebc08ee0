//! Reads the turns of a stored lane with the content of their messages, for scenarios and eval cases.

use throughline_server::recording;
use throughline_store::LaneInfo;
use throughline_testkit::Recorded;

use crate::api::Local;
use crate::app::App;
use crate::error::Failure;

/// Fails if `--server` is set: the HTTP API does not return the content of messages.
pub(crate) fn require_local_store(app: &App, what: &str) -> Result<(), Failure> {
    if app.flags.server.is_none() {
        return Ok(());
    }
    Err(Failure::usage(format!("{what} needs what was said, word for word"))
        .why("the HTTP API does not hand that out")
        .hint("run this beside the store, without --server"))
}

/// Reads the turns of a lane in order. Returns them and the number of those left out because their content was erased.
/// Calls `at` with each revision it has read.
pub(crate) fn turns(
    local: &Local,
    lane: &LaneInfo,
    at: impl FnMut(u64),
) -> Result<(Vec<Recorded>, usize), Failure> {
    local.block_on(recording::turns(&local.instance().runtime, lane, at))
}
