//! Commits: a turn is written with one statement for each of its parts.

use super::approvals;
use super::codec::Hex;
use super::delivery_keys::KeyOwner;
use super::error::TxError;
use super::record_key::RecordKey;
use super::writer::Tx;
use super::writer_state::LaneRow;
use super::{
    audit, buttons, delivery_keys, erasure, facts, inbox, lane_index, outbox, records, settle, timers,
    turn_log,
};
use crate::contract::{CommitResult, Direct, LANE_LEASE, RecordOp, TurnCommit};

pub(super) fn commit(tx: &mut Tx<'_, '_>, turn: &TurnCommit) -> Result<CommitResult, TxError> {
    let Some(lane) = tx.state.find_lane(tx.sql, &turn.lane)? else { return Ok(CommitResult::Fenced) };
    let tenant = &turn.lane.tenant;
    let revision = next_revision(turn)?;
    if !facts::revisions_match(tx, turn)? {
        return Ok(CommitResult::RevisionMoved);
    }
    if outbox::any_begun(tx, tenant, &turn.unsent)? {
        return Ok(CommitResult::EffectBegun);
    }
    if let Some(direct) = &turn.direct
        && !store_direct(tx, lane, revision, turn, direct)?
    {
        return Ok(CommitResult::NotDirect);
    }
    let records: Vec<(RecordKey, &RecordOp)> =
        turn.records.iter().map(|r| (tx.state.record_key(&turn.lane, r.kind, &r.key), &r.op)).collect();
    records::note_loaded(tx, turn, &records);
    if !swap_head(tx, lane, turn)? {
        tx.state.forget_lane(&turn.lane);
        let why_not = why_not(tx, lane.n, turn)?;
        // The delivery that came with the turn is written already, and must be undone.
        return if turn.direct.is_some() { Err(TxError::NotCommitted(why_not)) } else { Ok(why_not) };
    }
    tx.state.note_time(tx.sql, tx.now)?;
    if let Some(person) = &turn.participant {
        lane_index::add_participant(tx, lane.n, person)?;
    }
    for change in &turn.approvals {
        approvals::apply(tx, tenant, lane.n, change)?;
    }
    for end in &turn.inbox {
        if !inbox::end(tx, lane.n, end.seq, end.state, revision)? {
            return Err(TxError::Refused(format!(
                "inbox row {} does not wait in lane {}",
                end.seq, turn.lane
            )));
        }
        tx.state.add_waiting(&turn.lane, -1);
    }
    for (key, op) in &records {
        records::write(tx, lane.n, key, op)?;
    }
    facts::write(tx, turn)?;
    for (channel_id, ours) in &turn.message_map {
        records::map_message(tx, lane.n, channel_id, ours)?;
    }
    turn_log::write(tx, lane.n, revision, turn)?;
    outbox::plan(tx, lane, revision, turn)?;
    for effect in &turn.cancel {
        settle::cancel(tx, tenant, effect)?;
    }
    for (effect, outcome) in &turn.adopt {
        settle::adopt(tx, tenant, effect, outcome)?;
    }
    for id in &turn.clear_timers {
        timers::clear(tx, tenant, id)?;
    }
    for timer in &turn.timers {
        timers::set(tx, tenant, lane.n, turn.log.at, timer)?;
    }
    buttons::store(tx, lane.n, revision, &turn.tokens)?;
    for row in &turn.audit {
        audit::append(tx, tenant, row)?;
    }
    for what in &turn.erasures {
        erasure::request(tx, tenant, what)?;
    }
    Ok(CommitResult::Committed)
}

/// Stores the delivery that came with the turn. Returns false, with nothing written, if it is known or must wait.
fn store_direct(
    tx: &mut Tx<'_, '_>,
    lane: LaneRow,
    revision: i64,
    turn: &TurnCommit,
    direct: &Direct,
) -> Result<bool, TxError> {
    if tx.state.waiting(&turn.lane) > 0 {
        return Ok(false);
    }
    let lane_of_event = &direct.identity.lane;
    if *lane_of_event != turn.lane {
        let why = format!("a delivery to lane {lane_of_event} comes with a turn of lane {}", turn.lane);
        return Err(TxError::Refused(why));
    }
    let taker = KeyOwner::Turn(lane.n, revision, direct.state);
    Ok(delivery_keys::take_keys(tx, &direct.identity, taker)?.is_none())
}

fn next_revision(turn: &TurnCommit) -> Result<i64, TxError> {
    let next = turn.expected_revision.checked_add(1).and_then(|next| i64::try_from(next).ok());
    next.ok_or_else(|| TxError::Refused(format!("revision {} is out of range", turn.expected_revision)))
}

/// Compares epoch and revision, and writes the head. The hash chain is compared as well.
fn swap_head(tx: &mut Tx<'_, '_>, lane: LaneRow, turn: &TurnCommit) -> Result<bool, TxError> {
    let swap = "UPDATE lanes SET revision = revision + 1, lease_until = ?5, updated_at = ?6, log_hash = ?7, \
                last_effect = ?8, head = ?9, loaded = coalesce(?12, loaded) \
                WHERE n = ?1 AND tenant = ?2 AND epoch = ?3 AND revision = ?4 AND owner IS NOT NULL \
                AND log_hash = ?10 AND session = ?11";
    let newest_effect = match i64::try_from(turn.outbox.len()) {
        Ok(0) | Err(_) => lane.last_effect,
        Ok(planned) => Some(tx.state.last_effect() + planned),
    };
    // NULL leaves the list of a turn that changes no record as it is.
    let changed = !turn.records.is_empty();
    let loaded = tx.state.loaded(&turn.lane).filter(|_| changed).map(|loaded| loaded.encode());
    let swapped = tx.sql.execute(
        swap,
        (
            lane.n,
            &turn.lane.tenant,
            turn.epoch,
            turn.expected_revision.cast_signed(),
            tx.now.plus(LANE_LEASE).0,
            turn.log.at.0,
            Hex(&turn.log.hash),
            newest_effect,
            &turn.head,
            Hex(&turn.log.prev_hash),
            tx.state.session(),
            loaded,
        ),
    )?;
    Ok(swapped == 1)
}

fn why_not(tx: &Tx<'_, '_>, lane: i64, turn: &TurnCommit) -> Result<CommitResult, TxError> {
    let select = "SELECT epoch = ?2 AND owner IS NOT NULL AND session = ?4, revision = ?3 FROM lanes \
                  WHERE n = ?1";
    let params = (lane, turn.epoch, turn.expected_revision.cast_signed(), tx.state.session());
    let found = tx.sql.first(select, params, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (ours, there): (bool, bool) = found.unwrap_or_default();
    match (ours, there) {
        (false, _) => Ok(CommitResult::Fenced),
        (true, false) => Ok(CommitResult::RevisionMoved),
        (true, true) => {
            let why = format!("the turn's row does not follow the newest row of lane {}", turn.lane);
            Err(TxError::Refused(why))
        }
    }
}
