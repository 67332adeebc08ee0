//! Walk over the turns of a tenant, newest first, in windows of positions. Each window is one read over an index, however
//! many turns there are.

use std::collections::BTreeMap;

use throughline_engine::LaneKey;
use throughline_store::{StoredTurn, TurnSeq};

use super::operator::Operator;
use crate::problem::Problem;

/// Positions of one window.
pub(super) const WINDOW: u32 = 250;
/// Lanes whose access is checked at most; a person who reads all lanes needs no check.
const CHECKED: usize = 200;

/// Walk that goes back from a position.
pub(super) struct Walk<'o> {
    operator: &'o Operator,
    before: TurnSeq,
    may_read: BTreeMap<LaneKey, bool>,
}

impl<'o> Walk<'o> {
    /// Begins below `before`, or with the newest turn.
    pub(super) async fn from(operator: &'o Operator, before: Option<TurnSeq>) -> Result<Self, Problem> {
        let before = match before {
            Some(before) => before,
            None => operator.app.store().turns_end(operator.tenant()).await?.saturating_add(1),
        };
        Ok(Self { operator, before, may_read: BTreeMap::new() })
    }

    /// Returns the position below which it goes on; `None` at the beginning of the record.
    pub(super) fn next(&self) -> Option<TurnSeq> {
        (self.before > 1).then_some(self.before)
    }

    /// Reads the next window: its turns in lanes that the person may read, newest first.
    pub(super) async fn window(&mut self) -> Result<Vec<StoredTurn>, Problem> {
        let Some(before) = self.next() else { return Ok(Vec::new()) };
        let after = (before - 1 - TurnSeq::from(WINDOW)).max(0);
        let page = self.operator.app.store().turns_of_tenant(self.operator.tenant(), after, WINDOW).await?;
        self.before = after + 1;
        let mut turns = Vec::new();
        for turn in page.turns.into_iter().rev().filter(|turn| turn.position < before) {
            if self.reads(&turn.lane).await? {
                turns.push(turn);
            }
        }
        Ok(turns)
    }

    async fn reads(&mut self, lane: &LaneKey) -> Result<bool, Problem> {
        if self.operator.caller.stands_for_everybody() {
            return Ok(true);
        }
        if let Some(known) = self.may_read.get(lane) {
            return Ok(*known);
        }
        let reads = self.may_read.len() < CHECKED && self.operator.reads(lane).await?;
        self.may_read.insert(lane.clone(), reads);
        Ok(reads)
    }
}
