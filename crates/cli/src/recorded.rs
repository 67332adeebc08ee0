//! The turns of a stored lane, with what was said in them: what a scenario and the cases of an eval are made of.

use throughline_server::recording;
use throughline_store::LaneInfo;
use throughline_testkit::Recorded;

use crate::api::Local;
use crate::app::App;
use crate::error::Failure;

/// Refuses a running instance: its API does not hand out what was said.
pub(crate) fn beside_the_store(app: &App, what: &str) -> Result<(), Failure> {
    if app.flags.server.is_none() {
        return Ok(());
    }
    Err(Failure::usage(format!("{what} needs what was said, word for word"))
        .why("the HTTP API does not hand that out")
        .hint("run this beside the store, while the instance is stopped, without --server"))
}

/// Every turn of a lane in order, and how many are left out because their words were erased. `at` is told how far it is.
pub(crate) fn turns(
    local: &Local,
    lane: &LaneInfo,
    at: impl FnMut(u64),
) -> Result<(Vec<Recorded>, usize), Failure> {
    local.ask(recording::turns(&local.instance().runtime, lane, at))
}
