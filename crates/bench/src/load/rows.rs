//! What a turn writes, in bytes: measured on a lane as it is, so that the limit writes as much.

use throughline_engine::lane::{Change, Lane};
use throughline_engine::{Given, LaneKey, Policy, Step, canon, snapshot, step};
use throughline_runtime::Runtime;
use throughline_store::LogRow;

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
        let log = |event: &str| {
            let event = format!("\"event\":\"{event}\"");
            turns.iter().find(|turn| turn.log.row.contains(&event)).map_or(0, |turn| bytes(&turn.log))
        };
        let mut rows = vec![Self::of_step(&lane, &step, event.id.len(), log("message.posted"))];
        if kind == Kind::Settled {
            // `fx:{effect}:{attempt}`; the head is written again, and no record changes.
            let key = step.effects.first().map_or(0, |effect| "fx::1".len() + effect.id.as_str().len());
            let log = log("effect.settled");
            rows.push(Self { key, head: rows[0].head, log, settles: true, ..Self::default() });
        }
        Ok(rows)
    }

    fn of_step(lane: &Lane, step: &Step, key: usize, log: usize) -> Self {
        let mut rows = Self { key, head: snapshot::encode_head(&step.next).len(), log, ..Self::default() };
        for change in &step.changes {
            let Change::Put(record) = change else { continue };
            let of = if lane.records.get(&change.key()).is_some() { &mut rows.again } else { &mut rows.new };
            of.push(snapshot::encode_record(record).len());
        }
        rows.outbox = step.effects.iter().map(|effect| canon::jcs(&effect.body).len()).collect();
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

/// Row, content and hashes; the last two are half as long in the file as in hex.
fn bytes(log: &LogRow) -> usize {
    log.row.len() + log.content.len() + (log.salt.len() + log.hash.len() + log.prev_hash.len()) / 2
}
