//! A turn in a transaction: what it compares, then what it writes. The writer undoes one that is not committed.

use throughline_engine::LaneKey;
use throughline_engine::data::approval::{Approval, ApprovalChange, CloseReason};

use super::codec::{row_state_number, signed};
use super::error::TxError;
use super::lanes::{LockedLane, find_locked};
use super::session::Tx;
use super::{audit, erasure, facts, inbox, outbox, records, settle, timers};
use crate::contract::{CommitResult, Direct, LANE_LEASE, TokenRow, TurnCommit};
use crate::rules::other_release;

fn encoded<T: serde::Serialize>(value: &T) -> Result<String, TxError> {
    serde_json::to_string(value).map_err(|error| TxError::Value(error.to_string()))
}

/// Writes a turn. Only after [`CommitResult::Committed`] is what was written whole.
pub(super) async fn commit(tx: &Tx, turn: &TurnCommit) -> Result<CommitResult, TxError> {
    let lane = find_locked(tx, &turn.lane).await?;
    if let Some(result) = compare(tx, lane.as_ref(), turn).await? {
        return Ok(result);
    }
    let Some(lane) = lane else { return Ok(CommitResult::Fenced) };
    let revision = lane.revision + 1;
    if turn.log.prev_hash != lane.log_hash {
        let why = format!("the turn's row does not follow the newest row of lane {}", turn.lane);
        return Err(TxError::Refused(why));
    }
    if !facts::write(tx, turn).await? {
        return Ok(CommitResult::RevisionMoved);
    }
    if outbox::any_begun(tx, &turn.unsent).await? {
        return Ok(CommitResult::EffectBegun);
    }
    for change in &turn.approvals {
        if !change_approval(tx, &lane.id, change).await? {
            return Ok(CommitResult::ApprovalLost);
        }
    }
    write_lane(tx, &lane.id, revision, turn).await?;
    outbox::plan(tx, &lane.id, revision, turn).await?;
    for effect in &turn.cancel {
        settle::cancel(tx, effect).await?;
    }
    for (effect, outcome) in &turn.adopt {
        settle::adopt(tx, effect, outcome).await?;
    }
    for id in &turn.clear_timers {
        timers::clear(tx, id).await?;
    }
    for timer in &turn.timers {
        timers::set(tx, turn.log.at, timer).await?;
    }
    for row in &turn.audit {
        audit::append(tx, row).await?;
    }
    for what in &turn.erasures {
        erasure::request(tx, what).await?;
    }
    Ok(CommitResult::Committed)
}

/// Compares the claim and the revision, and takes the keys of a delivery that comes with the turn. Returns why the turn
/// is not committed, if it is not.
async fn compare(
    tx: &Tx,
    lane: Option<&LockedLane>,
    turn: &TurnCommit,
) -> Result<Option<CommitResult>, TxError> {
    let revision = lane.map_or(1, |lane| lane.revision + 1);
    if let Some(direct) = &turn.direct
        && !store_direct(tx, turn, revision, direct).await?
    {
        return Ok(Some(CommitResult::NotDirect));
    }
    let Some(lane) = lane.filter(|lane| lane.owner.is_some() && lane.epoch == turn.epoch) else {
        return Ok(Some(CommitResult::Fenced));
    };
    let moved = lane.revision != signed(turn.expected_revision);
    Ok(moved.then_some(CommitResult::RevisionMoved))
}

async fn store_direct(tx: &Tx, turn: &TurnCommit, revision: i64, direct: &Direct) -> Result<bool, TxError> {
    let lane: &LaneKey = &direct.identity.lane;
    if *lane != turn.lane {
        let why = format!("a delivery to lane {lane} comes with a turn of lane {}", turn.lane);
        return Err(TxError::Refused(why));
    }
    if inbox::waiting_number(tx, lane.id().as_str()).await? > 0
        || inbox::take_keys(tx, &direct.identity).await?.is_some()
    {
        return Ok(false);
    }
    inbox::insert(tx, &direct.identity, direct.state, Some(revision), turn.log.at, None).await?;
    Ok(true)
}

/// Writes what belongs to the lane: its head, the turn's row, ended deliveries, records, messages and buttons.
async fn write_lane(tx: &Tx, lane: &str, revision: i64, turn: &TurnCommit) -> Result<(), TxError> {
    let log = &turn.log;
    let row = "INSERT INTO turns (tenant, lane, revision, turn, decided_at, prev_hash, hash, row, content, salt, \
               checkpoint) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    tx.execute(
        row,
        &[
            &tx.tenant,
            &lane,
            &revision,
            &log.turn.as_str(),
            &log.at.0,
            &log.prev_hash,
            &log.hash,
            &log.row,
            &log.content,
            &log.salt,
            &turn.checkpoint,
        ],
    )
    .await?;
    let head = "UPDATE lanes SET revision = $3, lease_until = $4, updated_at = $5, log_hash = $6, head = $7, \
                latest_turn = nextval('positions') WHERE tenant = $1 AND id = $2";
    let until = tx.now.plus(LANE_LEASE).0;
    tx.execute(head, &[&tx.tenant, &lane, &revision, &until, &log.at.0, &log.hash, &turn.head]).await?;
    for end in &turn.inbox {
        // A dead row keeps its event. From now on the turn's content holds that of the others.
        let update = "UPDATE inbox SET state = $4::bigint, revision = $5, event = CASE WHEN $4::bigint = 4 THEN event END \
                      WHERE tenant = $1 AND lane = $2 AND seq = $3 AND state = 0";
        let state = row_state_number(end.state);
        if tx.execute(update, &[&tx.tenant, &lane, &end.seq, &state, &revision]).await? != 1 {
            let why = format!("inbox row {} does not wait in lane {}", end.seq, turn.lane);
            return Err(TxError::Refused(why));
        }
    }
    if let Some(person) = &turn.participant {
        let enter =
            "INSERT INTO participants (tenant, lane, person) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        tx.execute(enter, &[&tx.tenant, &lane, person]).await?;
    }
    for record in &turn.records {
        records::write(tx, lane, record).await?;
    }
    for (channel_id, ours) in &turn.message_map {
        records::map_message(tx, lane, channel_id, ours).await?;
    }
    for button in &turn.tokens {
        store_button(tx, lane, button).await?;
    }
    Ok(())
}

async fn store_button(tx: &Tx, lane: &str, button: &TokenRow) -> Result<(), TxError> {
    let store = "INSERT INTO buttons (tenant, lane, hash, card, version, item, action) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant, lane, hash) DO UPDATE SET \
                 card = excluded.card, version = excluded.version, item = excluded.item, action = excluded.action";
    let TokenRow { hash, card, version, item, action } = button;
    tx.execute(store, &[&tx.tenant, &lane, hash, &card.as_str(), &i64::from(*version), item, action]).await?;
    Ok(())
}

/// Changes an approval. Returns false if it can no longer be decided.
async fn change_approval(tx: &Tx, lane: &str, change: &ApprovalChange) -> Result<bool, TxError> {
    match change {
        ApprovalChange::Open(approval) => open(tx, lane, approval).await.map(|()| true),
        ApprovalChange::Close { card, version, how } => {
            let state: i64 = match how {
                CloseReason::Expired => 2,
                CloseReason::Superseded => 3,
                CloseReason::Cancelled => 4,
            };
            let close = "UPDATE approvals SET state = $4 WHERE tenant = $1 AND card = $2 AND version = $3 AND state = 0";
            tx.execute(close, &[&tx.tenant, &card.as_str(), &i64::from(*version), &state]).await?;
            Ok(true)
        }
        ApprovalChange::Decide { card, version, action, releases, .. } => {
            let version = i64::from(*version);
            let decide = "UPDATE approvals SET state = 1, change = $4 WHERE tenant = $1 AND card = $2 AND version = $3 \
                          AND state = 0 AND (expires_at IS NULL OR expires_at >= $5) RETURNING approval";
            let encoded = encoded(change)?;
            let row = tx.first(decide, &[&tx.tenant, &card.as_str(), &version, &encoded, &tx.now.0]).await?;
            let Some(row) = row else { return Ok(false) };
            let shown: Approval =
                serde_json::from_str(row.get(0)).map_err(|error| TxError::Value(error.to_string()))?;
            if let Some(why) = other_release(&shown, change) {
                return Err(TxError::Refused(why));
            }
            if action.releases() {
                let consume = "INSERT INTO consumptions (tenant, card, version) VALUES ($1, $2, $3)";
                tx.execute(consume, &[&tx.tenant, &card.as_str(), &version]).await?;
                let list = "INSERT INTO releases (tenant, card, version, payload_sha256) \
                            SELECT DISTINCT $1, $2, $3::bigint, hash FROM unnest($4::text[]) AS hash";
                tx.execute(list, &[&tx.tenant, &card.as_str(), &version, releases]).await?;
            }
            Ok(true)
        }
    }
}

async fn open(tx: &Tx, lane: &str, approval: &Approval) -> Result<(), TxError> {
    let (card, version) = (approval.card.as_str(), i64::from(approval.version));
    let supersede =
        "UPDATE approvals SET state = 3 WHERE tenant = $1 AND card = $2 AND version < $3 AND state = 0";
    tx.execute(supersede, &[&tx.tenant, &card, &version]).await?;
    let insert = "INSERT INTO approvals (tenant, card, version, lane, expires_at, approval) \
                  VALUES ($1, $2, $3, $4, $5, $6)";
    let expires = approval.expires_at.map(|at| at.0);
    tx.execute(insert, &[&tx.tenant, &card, &version, &lane, &expires, &encoded(approval)?]).await?;
    Ok(())
}
