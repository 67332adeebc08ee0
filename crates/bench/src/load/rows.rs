//! The bytes that a turn writes, measured on a real lane, so that the limit writes as much.

use throughline_engine::data::lane::Lane;
use throughline_engine::data::record::Change;
use throughline_engine::data::snapshot;
use throughline_engine::{LaneKey, Policy, Step, StepInput, TurnId, step};
use throughline_runtime::Runtime;
use throughline_runtime::turn_log::Turn;
use throughline_store::{LogRow, StoredTurn};

use super::{Kind, messages};

/// The rows of one turn, in bytes each: a delivery key, the lane's head, the changed records, one log row, the outbox rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) key: usize,
    pub(crate) head: usize,
    /// New records.
    pub(crate) new: Vec<usize>,
    /// Changed records.
    pub(crate) again: Vec<usize>,
    /// The turn's row and its content.
    pub(crate) log: usize,
    /// Outbox rows, for effects that somebody performs. Those that the commit delivers are in the log row.
    pub(crate) outbox: Vec<usize>,
    /// True if it ends the newest outbox row of the turn before.
    pub(crate) settles: bool,
}

impl Rows {
    /// Returns the turns that one message of that kind leads to in that lane: its own, and that of the host's settlement.
    pub(crate) async fn of(runtime: &Runtime, key: &LaneKey, kind: Kind) -> anyhow::Result<Vec<Self>> {
        let lane = read(runtime, key).await?;
        let mut given = StepInput::default();
        given.addressing.direct = true;
        let event = messages::posted(&messages::delivery_key(0), 0, kind.text());
        let step = step(&lane, &event, &given, &Policy::default());
        let turns = runtime.store().turns_before(key, u64::MAX, 2).await?;
        let newest = |event: &str| newest(&turns, event);
        let (turn, log) = newest("message.posted")?;
        let planned = runtime.store().effects(&key.tenant, Some(key), None, 8).await?;
        let planned = planned.iter().filter(|effect| effect.turn == turn);
        let mut rows = Self { key: event.id.len(), log, ..Self::of_step(&lane, &step) };
        rows.outbox = planned.map(|effect| effect.row.payload.len()).collect();
        if kind != Kind::Settled {
            return Ok(vec![rows]);
        }
        // `fx:{effect}:{attempt}`; the head is written again, and no record changes.
        let effect = step.effects.first().map_or(0, |effect| effect.id.as_str().len());
        let log = newest("effect.settled")?.1;
        let settled =
            Self { key: "fx::1".len() + effect, head: rows.head, log, settles: true, ..Self::default() };
        Ok(vec![rows, settled])
    }

    /// Head and records.
    fn of_step(lane: &Lane, step: &Step) -> Self {
        let mut rows = Self { head: snapshot::encode_head(&step.next).len(), ..Self::default() };
        for change in &step.changes {
            let Change::Put(record) = change else { continue };
            let of =
                if lane.records.record(&change.key()).is_some() { &mut rows.again } else { &mut rows.new };
            of.push(snapshot::encode_record(record).len());
        }
        rows
    }

    /// Returns the sum.
    pub(crate) fn bytes(&self) -> usize {
        let records: usize = self.new.iter().chain(&self.again).sum();
        self.key + self.head + records + self.log + self.outbox.iter().sum::<usize>()
    }
}

/// Returns the lane as the store has it.
pub(crate) async fn read(runtime: &Runtime, key: &LaneKey) -> anyhow::Result<Lane> {
    let mut lane = Lane::new(key.clone());
    let Some(stored) = runtime.store().load(key).await? else { return Ok(lane) };
    lane.revision = stored.revision;
    lane.head = snapshot::decode_head(&stored.head)?;
    for record in &stored.records {
        lane.records.insert(snapshot::decode_record(record)?);
    }
    Ok(lane)
}

/// Returns the newest turn of such an event with the bytes of its row. The hash of the row before is not counted, because it
/// is kept there; other hashes count as their bytes.
fn newest(turns: &[StoredTurn], event: &str) -> anyhow::Result<(TurnId, usize)> {
    for stored in turns {
        let turn = Turn::read(stored)?;
        if turn.row.event == event {
            let LogRow { row, content, salt, hash, .. } = &stored.log;
            return Ok((turn.row.turn, row.len() + content.len() + (salt.len() + hash.len()) / 2));
        }
    }
    anyhow::bail!("none of the newest turns is of {event}")
}
