//! The seeded state of a lane, written as a turn that nobody decided.

use std::collections::BTreeMap;

use throughline_engine::data::fact::{FactScope, FactsTouched};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::record::Record;
use throughline_engine::data::{canonical_json, snapshot};
use throughline_engine::{Decision, Event, LaneKey, Reason, Verdict};
use throughline_runtime::turn_log::{ContentRef, GENESIS, LeftOpen, TurnRow, checkpoint, content_hash};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::{Claim, RecordOp, RecordWrite, TurnCommit};
use throughline_testkit::driver::SeedLane;
use throughline_testkit::model::GivenFact;

use crate::facts;

/// The prefix of the delivery key of such a turn.
pub(crate) const SEED: &str = "scenario:given";

/// Writes a lane's seeded history as its first turn.
pub(crate) async fn write_lane(host: &Runtime, key: &LaneKey, given: &SeedLane) -> Result<(), RuntimeError> {
    let mut lane = Lane::new(key.clone());
    lane.head = given.head.clone();
    write(host, lane, &given.records, Vec::new()).await
}

/// Writes seeded facts: those of a lane into it, the others beside a turn of the lane they are seeded in.
pub(crate) async fn write_facts(host: &Runtime, given: &[(LaneKey, GivenFact)]) -> Result<(), RuntimeError> {
    for (key, place, facts) in facts::given(host, given, host.store().now()) {
        let lane = host.lane(&key).await?;
        if place.scope == FactScope::Thread {
            write(host, lane, &facts::records(&facts), Vec::new()).await?;
            continue;
        }
        let revision = host.facts(&place).await?.revision;
        let changes = facts::changes(&facts);
        let touched = FactsTouched { key: place, revision, opened: true, changes, used: Vec::new() };
        write(host, lane, &[], vec![touched]).await?;
    }
    Ok(())
}

/// Writes records into a lane beside its turns, after the host has let go of the lane.
pub(crate) async fn amend(host: &Runtime, key: &LaneKey, records: &[Record]) -> Result<(), RuntimeError> {
    let lane = host.lane(key).await?;
    host.release_idle(true).await?;
    write(host, lane, records, Vec::new()).await
}

/// Commits a turn that nobody decided, with a checkpoint, so that replays start after it.
async fn write(
    host: &Runtime,
    mut lane: Lane,
    records: &[Record],
    facts: Vec<FactsTouched>,
) -> Result<(), RuntimeError> {
    let (store, key) = (host.store(), lane.key.clone());
    let Claim::Ours { epoch, revision } = store.claim(&key, SEED).await? else {
        return Err(RuntimeError::Unreadable { what: format!("lane {key}"), why: "it is held".into() });
    };
    let last = store.turns(&key, revision.saturating_sub(1), 1).await?.pop();
    let prev = last.map_or(GENESIS.into(), |turn| turn.log.hash);
    lane.revision = revision + 1;
    // Like a turn's row, it names the messages that it adds: whoever looks for older ones goes by the rows.
    let new = |record: &&Record| lane.records.record(&record.key()).is_none();
    let messages = records.iter().filter(new).filter_map(|record| match record {
        Record::Message(message) => Some(message.id.clone()),
        _ => None,
    });
    let messages = messages.collect();
    for record in records {
        lane.records.insert(record.clone());
    }
    let now = store.now();
    let key_of = format!("{SEED}:{}", revision + 1);
    let event = Event {
        id: key_of.clone(),
        received_at: now,
        actor: String::new(),
        kind: throughline_engine::data::event::EventKind::Unknown { name: SEED.into() },
    };
    let looked_up = throughline_engine::data::step_input::StepInput::default();
    let shown = BTreeMap::new();
    let left = LeftOpen::of(&lane, now);
    let content = ContentRef {
        key: &key_of,
        event: &event,
        given: &looked_up,
        applied: None,
        shown: &shown,
        left: &left,
    }
    .encode();
    let salt = "00".repeat(16);
    let log = TurnRow {
        turn: throughline_engine::data::id_generator::IdGenerator::new(&key, revision + 1).turn(),
        lane: key.id().0,
        revision: revision + 1,
        at: now,
        key: key_of.clone(),
        event: SEED.into(),
        decision: Decision::new(Verdict::Recorded, Reason::AssistantPosted),
        trace: throughline_engine::data::trace::Trace::default(),
        policy: host.policy().version(),
        engine: env!("CARGO_PKG_VERSION").into(),
        snapshot: snapshot::VERSION,
        before: String::new(),
        after: canonical_json::hex(&lane.state_hash()),
        effects: Vec::new(),
        asked: None,
        messages,
        content: content_hash(&salt, &content),
        retired: Vec::new(),
    }
    .seal(&prev, content, salt);
    let record = |record: &throughline_engine::Record| {
        let key = record.key();
        RecordWrite {
            kind: key.kind.as_str(),
            key: key.key,
            op: RecordOp::Put(snapshot::encode_record(record)),
        }
    };
    let commit = TurnCommit {
        lane: key.clone(),
        expected_revision: revision,
        epoch,
        head: snapshot::encode_head(&lane.head),
        participant: None,
        inbox: Vec::new(),
        direct: None,
        approvals: Vec::new(),
        outbox: Vec::new(),
        cancel: Vec::new(),
        unsent: Vec::new(),
        adopt: Vec::new(),
        timers: Vec::new(),
        clear_timers: Vec::new(),
        records: records.iter().map(record).collect(),
        facts: throughline_runtime::fact_writes(&facts, now),
        message_map: Vec::new(),
        tokens: Vec::new(),
        audit: Vec::new(),
        erasures: Vec::new(),
        checkpoint: Some(checkpoint(&lane)),
        log,
    };
    let result = store.commit(commit).await?;
    debug_assert_eq!(result, throughline_store::CommitResult::Committed);
    let _released = store.release(&key, epoch).await?;
    Ok(())
}
