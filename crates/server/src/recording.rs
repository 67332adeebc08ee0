//! Recording of a lane's log: as a scenario for `throughline record LANE` and the console, and as cases of an
//! evaluation.

use throughline_engine::Policy;
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::LaneInfo;
use throughline_testkit::{Recorded, RecordedLane};

/// Recorded log of a lane.
pub struct Recording {
    lane: RecordedLane,
    /// Turns that were left out because their content was erased.
    pub erased: usize,
}

impl Recording {
    /// Reads all turns of a lane, calling `seen` with each revision that was read.
    ///
    /// # Errors
    /// As [`turns`].
    pub async fn read(
        runtime: &Runtime,
        policy: &Policy,
        info: &LaneInfo,
        seen: impl FnMut(u64),
    ) -> Result<Self, RuntimeError> {
        let (turns, erased) = turns(runtime, info, seen).await?;
        Ok(Self { lane: RecordedLane { lane: info.key.clone(), turns, policy: policy.clone() }, erased })
    }

    /// Returns true if the lane has no turns with content.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lane.turns.is_empty()
    }

    /// Returns the text of the scenario file.
    #[must_use]
    pub fn to_yaml(&self, name: &str) -> String {
        self.lane.to_yaml(name)
    }
}

/// Reads every turn of a lane in order, and counts those left out because their content was erased. Calls `seen` with
/// each revision that was read.
///
/// # Errors
/// The store did not answer, or holds something this version cannot read.
pub async fn turns(
    runtime: &Runtime,
    info: &LaneInfo,
    mut seen: impl FnMut(u64),
) -> Result<(Vec<Recorded>, usize), RuntimeError> {
    let (mut turns, mut erased, mut revision) = (Vec::new(), 0, 0);
    loop {
        let page = runtime.store().turns(&info.key, revision, 200).await?;
        let Some(last) = page.last() else { return Ok((turns, erased)) };
        revision = last.revision;
        for stored in &page {
            let turn = Turn::read(stored).map_err(|error| RuntimeError::Unreadable {
                what: format!("the turn {}", stored.log.turn),
                why: error.to_string(),
            })?;
            match recorded(&turn) {
                Some(recorded) => turns.push(recorded),
                None => erased += 1,
            }
        }
        seen(revision);
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
