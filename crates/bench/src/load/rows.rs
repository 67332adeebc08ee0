//! What a turn writes, in bytes: measured on a lane as it is, so that the limit writes as much.

use throughline_engine::lane::{Change, Lane};
use throughline_engine::{Given, LaneKey, Policy, Step, TurnId, snapshot, step};
use throughline_runtime::Runtime;
use throughline_runtime::record::Turn;
use throughline_store::{LogRow, StoredTurn};

use super::{Kind, messages};

/// The rows of one turn as `spec 09 §1` has it: a delivery key, the lane's head, the records that changed, one log
/// row, the outbox rows. In bytes each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) key: usize,
    pub(crate) head: usize,
    /// Records that were not there before.
    pub(crate) new: Vec<usize>,
    /// Records that are written again.
    pub(crate) again: Vec<usize>,
    /// The turn's row and its content.
    pub(crate) log: usize,
    /// What the store keeps apart because somebody performs it. What the commit itself delivers is in the log row.
    pub(crate) outbox: Vec<usize>,
    /// It ends the newest outbox row of the turn before.
    pub(crate) settles: bool,
}

impl Rows {
    /// The turns that one message of that kind leads to in that lane now: its own, and for what the host delivers
    /// the one that takes the outcome in.
    pub(crate) async fn of(runtime: &Runtime, key: &LaneKey, kind: Kind) -> anyhow::Result<Vec<Self>> {
        let lane = read(runtime, key).await?;
        let mut given = Given::default();
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
            let of = if lane.records.get(&change.key()).is_some() { &mut rows.again } else { &mut rows.new };
            of.push(snapshot::encode_record(record).len());
        }
        rows
    }

    /// All of it together.
    pub(crate) fn bytes(&self) -> usize {
        let records: usize = self.new.iter().chain(&self.again).sum();
        self.key + self.head + records + self.log + self.outbox.iter().sum::<usize>()
    }
}

/// The loaded lane, as the store has it.
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

/// The newest turn of such an event, and what its row takes: the hash of the row before is that row's own, and of the other
/// hashes only the bytes are kept.
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
