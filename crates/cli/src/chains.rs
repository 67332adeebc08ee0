//! Verifies the hash chain of a lane's turns (docs/design/0030-turn-commit.md). It runs no turn again.

use throughline_runtime::turn_log::{GENESIS, chain, content_fits};
use throughline_store::LaneInfo;

use crate::api::Local;
use crate::error::Failure;

/// The result of verifying the chain of a lane.
pub(crate) struct Verified {
    /// The number of turns that were checked.
    pub(crate) turns: usize,
    /// The breaks that were found, in words.
    pub(crate) broken: Vec<String>,
}

/// Checks each turn of a lane: that it follows the one before, its hash and its content.
pub(crate) fn verify(local: &Local, lane: &LaneInfo) -> Result<Verified, Failure> {
    let mut result = Verified { turns: 0, broken: Vec::new() };
    let mut prev = GENESIS.to_owned();
    let mut revision = 0;
    loop {
        let page = local.block_on(local.instance().store.turns(&lane.key, revision, 200))?;
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
