//! A turn, written by as few statements as it has parts.

use super::approvals;
use super::codec::Hex;
use super::fault::Fault;
use super::inbox::Taker;
use super::lanes::{map_message, put};
use super::memo::Place;
use super::spot::Spot;
use super::writer::Tx;
use super::{buttons, erasing, facts, inbox, keeping, outbox, settle, turns};
use crate::contract::{Brought, CommitResult, Direct, LANE_LEASE, Settlement, TimerRow, TurnCommit, Write};

pub(super) fn commit(tx: &mut Tx<'_, '_>, turn: &TurnCommit) -> Result<CommitResult, Fault> {
    let Some(lane) = tx.memo.find(tx.sql, &turn.lane)? else { return Ok(CommitResult::Fenced) };
    let tenant = &turn.lane.tenant;
    let revision = next_revision(turn)?;
    if !facts::stand(tx, turn)? {
        return Ok(CommitResult::RevisionMoved);
    }
    if let Some(direct) = &turn.direct
        && !take_in(tx, lane, revision, turn, direct)?
    {
        return Ok(CommitResult::NotDirect);
    }
    let records: Vec<(Spot, &Write)> =
        turn.records.iter().map(|r| (tx.memo.spot(&turn.lane, r.kind, &r.key), &r.write)).collect();
    note_records(tx, turn, &records);
    if !swap_head(tx, lane, turn)? {
        tx.memo.forget_lane(&turn.lane);
        let why_not = why_not(tx, lane.n, turn)?;
        // What was taken in directly is written already.
        return if turn.direct.is_some() { Err(Fault::Lost(why_not)) } else { Ok(why_not) };
    }
    for change in &turn.approvals {
        approvals::apply(tx, tenant, lane.n, change)?;
    }
    for end in &turn.inbox {
        if !inbox::end(tx, lane.n, end.seq, end.state, revision)? {
            return Err(Fault::Refused(format!("inbox row {} does not wait in lane {}", end.seq, turn.lane)));
        }
        tx.memo.wait(&turn.lane, -1);
    }
    for (spot, write) in &records {
        write_record(tx, lane.n, spot, write)?;
    }
    facts::write(tx, turn)?;
    for (channel_id, ours) in &turn.message_map {
        map_message(tx, lane.n, channel_id, ours)?;
    }
    turns::write(tx, lane.n, revision, turn)?;
    outbox::plan(tx, lane, revision, turn)?;
    for effect in &turn.cancel {
        settle::cancel(tx, tenant, effect)?;
    }
    for (effect, outcome) in &turn.adopt {
        settle::adopt(tx, tenant, effect, outcome)?;
    }
    for id in &turn.clear_timers {
        outbox::clear_timer(tx, tenant, id)?;
    }
    for timer in &turn.timers {
        set_timer(tx, tenant, lane.n, timer)?;
    }
    buttons::keep(tx, lane.n, revision, &turn.tokens)?;
    for row in &turn.audit {
        keeping::append_audit(tx, tenant, row)?;
    }
    for what in &turn.erasures {
        erasing::ask(tx, tenant, what)?;
    }
    Ok(CommitResult::Committed)
}

/// Takes in what the turn brings itself. `false`: it cannot be, and nothing was written.
fn take_in(
    tx: &mut Tx<'_, '_>,
    lane: Place,
    revision: i64,
    turn: &TurnCommit,
    direct: &Direct,
) -> Result<bool, Fault> {
    if tx.memo.waiting(&turn.lane) > 0 {
        return Ok(false);
    }
    let taker = Taker::Turn(lane.n, revision, direct.state);
    match &direct.brought {
        Brought::Delivery(delivery) => {
            same_lane(turn, delivery)?;
            Ok(inbox::take_keys(tx, delivery, taker)?.is_none())
        }
        Brought::Settlement(settlement) => {
            let Settlement { event: Some(event), .. } = settlement else {
                return Err(Fault::Refused("a settlement without an event has no turn".into()));
            };
            same_lane(turn, event)?;
            if !settle::end(tx, settlement)? {
                return Ok(false);
            }
            match inbox::take_keys(tx, event, taker)? {
                None => Ok(true),
                Some(_) => Err(Fault::Lost(CommitResult::NotDirect)),
            }
        }
    }
}

fn same_lane(turn: &TurnCommit, delivery: &crate::Delivery) -> Result<(), Fault> {
    if delivery.lane == turn.lane {
        return Ok(());
    }
    Err(Fault::Refused(format!(
        "a delivery to lane {} comes with a turn of lane {}",
        delivery.lane, turn.lane
    )))
}

fn next_revision(turn: &TurnCommit) -> Result<i64, Fault> {
    let next = turn.expected_revision.checked_add(1).and_then(|next| i64::try_from(next).ok());
    next.ok_or_else(|| Fault::Refused(format!("revision {} is out of range", turn.expected_revision)))
}

/// The compare-and-swap. The chain of the log is compared too: a row that does not follow the newest is a bug.
fn swap_head(tx: &mut Tx<'_, '_>, lane: Place, turn: &TurnCommit) -> Result<bool, Fault> {
    let swap = "UPDATE lanes SET revision = revision + 1, lease_until = ?5, updated_at = ?6, log_hash = ?7, \
                last_effect = ?8, head = ?9, loaded = coalesce(?12, loaded) \
                WHERE n = ?1 AND tenant = ?2 AND epoch = ?3 AND revision = ?4 AND owner IS NOT NULL \
                AND log_hash = ?10 AND session = ?11";
    let newest_effect = match i64::try_from(turn.outbox.len()) {
        Ok(0) | Err(_) => lane.last_effect,
        Ok(planned) => Some(tx.memo.last_effect() + planned),
    };
    // A turn that touches no record leaves the list as it is.
    let changed = !turn.records.is_empty();
    let loaded = tx.memo.loaded(&turn.lane).filter(|_| changed).map(|loaded| loaded.encode());
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
            tx.memo.session(),
            loaded,
        ),
    )?;
    Ok(swapped == 1)
}

fn why_not(tx: &Tx<'_, '_>, lane: i64, turn: &TurnCommit) -> Result<CommitResult, Fault> {
    let select = "SELECT epoch = ?2 AND owner IS NOT NULL AND session = ?4, revision = ?3 FROM lanes \
                  WHERE n = ?1";
    let params = (lane, turn.epoch, turn.expected_revision.cast_signed(), tx.memo.session());
    let found = tx.sql.first(select, params, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (ours, there): (bool, bool) = found.unwrap_or_default();
    match (ours, there) {
        (false, _) => Ok(CommitResult::Fenced),
        (true, false) => Ok(CommitResult::RevisionMoved),
        (true, true) => {
            let why = format!("the turn's row does not follow the newest row of lane {}", turn.lane);
            Err(Fault::Refused(why))
        }
    }
}

/// Notes which records are loaded from this turn on.
fn note_records(tx: &mut Tx<'_, '_>, turn: &TurnCommit, records: &[(Spot, &Write)]) {
    let Some(loaded) = tx.memo.loaded(&turn.lane) else { return };
    for (spot, write) in records {
        match write {
            Write::Put(_) => loaded.add(spot),
            Write::Retire | Write::Drop => loaded.remove(spot),
        }
    }
}

fn write_record(tx: &Tx<'_, '_>, lane: i64, spot: &Spot, write: &Write) -> Result<(), Fault> {
    match write {
        Write::Put(body) => put(tx, lane, spot, body),
        Write::Retire => Ok(()),
        Write::Drop => {
            let drop = "DELETE FROM records WHERE lane = ?1 AND at = ?2 AND kind = ?3";
            tx.sql.execute(drop, (lane, &spot.at, &spot.kind))?;
            Ok(())
        }
    }
}

fn set_timer(tx: &Tx<'_, '_>, tenant: &str, lane: i64, timer: &TimerRow) -> Result<(), Fault> {
    let set = "INSERT INTO timers (tenant, id, lane, due, about) VALUES (?1, ?2, ?3, ?4, ?5) \
               ON CONFLICT DO UPDATE SET lane = excluded.lane, due = excluded.due, about = excluded.about";
    tx.sql.execute(set, (tenant, timer.id.as_str(), lane, timer.due.0, &timer.about))?;
    Ok(())
}
