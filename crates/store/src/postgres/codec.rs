//! Conversion between the values of the contract and columns. States are stored as the position of their variant.

use throughline_engine::data::canonical_json::hex;
use throughline_engine::data::effect::{ApprovalRef, EffectClass};
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{CardId, EffectId, LaneKey, Timestamp};
use tokio_postgres::Row;

use super::error::TxError;
use crate::contract::{EffectState, OutboxRow, Performer, RowState, StoredEffect};
use crate::rules::kept_key;

pub(super) const ROW_STATES: [RowState; 5] =
    [RowState::Received, RowState::Done, RowState::Ignored, RowState::Refused, RowState::Dead];

fn position<T: PartialEq>(all: &[T], value: &T) -> i64 {
    all.iter().position(|each| each == value).and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)
}

fn at<T: Copy>(all: &[T], number: i64) -> Result<T, TxError> {
    let found = usize::try_from(number).ok().and_then(|n| all.get(n)).copied();
    found.ok_or_else(|| TxError::Value(format!("the stored number {number} is unknown")))
}

pub(super) fn row_state_number(state: RowState) -> i64 {
    position(&ROW_STATES, &state)
}

pub(super) fn row_state(number: i64) -> Result<RowState, TxError> {
    at(&ROW_STATES, number)
}

pub(super) fn effect_state_number(state: EffectState) -> i64 {
    position(&EffectState::ALL, &state)
}

pub(super) fn effect_state(number: i64) -> Result<EffectState, TxError> {
    at(&EffectState::ALL, number)
}

pub(super) fn performer_number(performer: Performer) -> i64 {
    position(&[Performer::Us, Performer::Host], &performer)
}

/// Converts a number of the contract to the server's signed one. None comes near the limit.
pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Returns a delivery key as it is stored.
pub(super) fn key_hash(tenant: &str, key: &str) -> String {
    hex(&kept_key(tenant, key))
}

/// Reads a column that holds a small number.
pub(super) fn small(row: &Row, column: &str) -> u32 {
    u32::try_from(row.get::<_, i64>(column)).unwrap_or(u32::MAX)
}

/// Columns that [`lane_key`] reads, from a table called `l`.
macro_rules! lane_parts {
    () => {
        "l.tenant AS lane_tenant, l.app, l.channel, l.conversation, l.thread"
    };
}
pub(super) use lane_parts;

pub(super) fn lane_key(row: &Row) -> LaneKey {
    LaneKey {
        tenant: row.get("lane_tenant"),
        app: row.get("app"),
        channel: row.get("channel"),
        conversation: row.get("conversation"),
        thread: row.get("thread"),
    }
}

/// Columns that [`stored_effect`] reads.
pub(super) const EFFECTS: &str = concat!(
    "SELECT o.n, o.id, o.ordinal, o.class, o.stream, o.payload, o.depends_on, o.card, o.version, o.performer, ",
    "o.deadline, o.revision, o.state, o.attempts, o.created_at, o.not_before, o.outcome, o.payload_sha256, o.fence, ",
    "o.outward, ",
    lane_parts!(),
    " FROM outbox o JOIN lanes l ON l.tenant = o.tenant AND l.id = o.lane WHERE o.tenant = $1 "
);

pub(super) fn class(text: &str) -> Result<EffectClass, TxError> {
    EffectClass::parse(text).ok_or_else(|| TxError::Value(format!("unknown effect class {text}")))
}

pub(super) fn stored_effect(row: &Row) -> Result<StoredEffect, TxError> {
    let lane = lane_key(row);
    let revision = row.get::<_, i64>("revision").cast_unsigned();
    let depends_on: Vec<String> = row.get("depends_on");
    let card: Option<String> = row.get("card");
    let approval = card.map(|card| ApprovalRef { card: CardId(card), version: small(row, "version") });
    Ok(StoredEffect {
        row: OutboxRow {
            id: EffectId(row.get("id")),
            ordinal: small(row, "ordinal"),
            class: class(row.get("class"))?,
            outward: row.get("outward"),
            stream: row.get("stream"),
            payload: row.get("payload"),
            depends_on: depends_on.into_iter().map(EffectId).collect(),
            approval,
            performer: at(&[Performer::Us, Performer::Host], row.get("performer"))?,
            deadline: row.get::<_, Option<i64>>("deadline").map(Timestamp),
        },
        turn: IdGenerator::new(&lane, revision).turn(),
        lane,
        revision,
        state: effect_state(row.get("state"))?,
        attempts: small(row, "attempts"),
        created_at: Timestamp(row.get("created_at")),
        not_before: Timestamp(row.get("not_before")),
        outcome: row.get("outcome"),
        payload_sha256: row.get("payload_sha256"),
    })
}
