//! From a lane's log to a scenario: what `throughline record LANE` writes and the console hands out; and to the cases of
//! an eval.

use throughline_engine::Policy;
use throughline_runtime::record::Turn;
use throughline_runtime::{Runtime, Stop};
use throughline_store::LaneInfo;
use throughline_testkit::{Recorded, RecordedLane};

/// A lane's log, as far as it was kept.
pub struct Recording {
    lane: RecordedLane,
    /// Turns that are left out: what was said in them was erased.
    pub erased: usize,
}

impl Recording {
    /// Reads all of a lane's turns, calling `seen` with each revision that was read.
    ///
    /// # Errors
    /// As [`turns`].
    pub async fn read(
        runtime: &Runtime,
        policy: &Policy,
        info: &LaneInfo,
        seen: impl FnMut(u64),
    ) -> Result<Self, Stop> {
        let (turns, erased) = turns(runtime, info, seen).await?;
        Ok(Self { lane: RecordedLane { lane: info.key.clone(), turns, policy: policy.clone() }, erased })
    }

    /// Nothing happened, or nothing of it was kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lane.turns.is_empty()
    }

    /// The scenario file.
    #[must_use]
    pub fn to_yaml(&self, name: &str) -> String {
        self.lane.to_yaml(name)
    }
}

/// Every turn of a lane in order, and how many are left out because what was said in them was erased. `seen` is told
/// each revision that was read.
///
/// # Errors
/// The store did not answer, or holds something this version cannot read.
pub async fn turns(
    runtime: &Runtime,
    info: &LaneInfo,
    mut seen: impl FnMut(u64),
) -> Result<(Vec<Recorded>, usize), Stop> {
    let (mut turns, mut erased, mut revision) = (Vec::new(), 0, 0);
    loop {
        let page = runtime.store().turns(&info.key, revision, 200).await?;
        let Some(last) = page.last() else { return Ok((turns, erased)) };
        revision = last.revision;
        for stored in &page {
            let turn = Turn::read(stored).map_err(|error| Stop::Unreadable {
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
