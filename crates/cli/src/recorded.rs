//! The turns of a stored lane, with what was said in them: what a scenario and the cases of an eval are made of.

use throughline_runtime::record::Turn;
use throughline_store::LaneInfo;
use throughline_testkit::Recorded;

use crate::api::Local;
use crate::app::App;
use crate::error::Failure;

/// So many turns are read at once.
const PAGE: u32 = 200;

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
    at: impl Fn(u64),
) -> Result<(Vec<Recorded>, usize), Failure> {
    let (mut turns, mut erased) = (Vec::new(), 0);
    let mut revision = 0;
    loop {
        let page = local.ask(local.instance().store.turns(&lane.key, revision, PAGE))?;
        let Some(last) = page.last() else { return Ok((turns, erased)) };
        revision = last.revision;
        for stored in &page {
            let turn = Turn::read(stored).map_err(|error| {
                Failure::new(format!("cannot read the turn {}", stored.log.turn)).because(&error)
            })?;
            match recorded(&turn) {
                Some(recorded) => turns.push(recorded),
                None => erased += 1,
            }
        }
        at(revision);
    }
}

fn recorded(turn: &Turn) -> Option<Recorded> {
    let content = turn.content.as_ref()?;
    Some(Recorded {
        revision: turn.row.revision,
        event: content.event.clone(),
        given: content.given.clone(),
        summary: turn.summary(),
        messages: turn.row.messages.clone(),
    })
}
