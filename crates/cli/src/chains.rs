//! The hash chain of a lane's turns, checked row by row (`spec 06 §3.2`). Nothing is decided again.

use throughline_runtime::record::{GENESIS, chain, content_fits};
use throughline_store::LaneInfo;

use crate::api::Local;
use crate::error::Failure;

/// What became of a lane's chain.
pub(crate) struct Chain {
    /// Rows that were checked.
    pub(crate) turns: usize,
    /// What does not fit, in words.
    pub(crate) broken: Vec<String>,
}

/// Checks every row of a lane: its hash, its place after the one before, its content.
pub(crate) fn verify(local: &Local, lane: &LaneInfo) -> Result<Chain, Failure> {
    let mut result = Chain { turns: 0, broken: Vec::new() };
    let mut prev = GENESIS.to_owned();
    let mut revision = 0;
    loop {
        let page = local.ask(local.instance().store.turns(&lane.key, revision, 200))?;
        if page.is_empty() {
            break;
        }
        for stored in page {
            let log = &stored.log;
            let mut wrong = |what: &str| result.broken.push(format!("{}: {} {what}", lane.id, log.turn));
            if stored.revision != revision + 1 || log.prev_hash != prev {
                wrong("does not follow the turn before it");
            } else if chain(&log.prev_hash, &log.row) != log.hash {
                wrong("was changed");
            } else if !content_fits(log).unwrap_or(false) {
                wrong("has another content than it was recorded with");
            }
            revision = stored.revision;
            prev = stored.log.hash;
            result.turns += 1;
        }
    }
    if revision < lane.revision {
        result
            .broken
            .push(format!("{}: its last turns are missing ({revision} of {})", lane.id, lane.revision));
    }
    Ok(result)
}
