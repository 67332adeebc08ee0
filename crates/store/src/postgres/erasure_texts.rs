//! Stored texts that may hold personal words: read with their place, and written back as a redaction decides.

use std::collections::HashMap;

use throughline_engine::data::approval::{Approval, ApprovalChange};
use throughline_engine::data::canonical_json::hex;
use throughline_engine::data::effect::EffectClass;
use throughline_engine::{EffectId, LaneId, LaneKey};
use tokio_postgres::Row;

use super::codec::{class, effect_state, key_hash};
use super::documents::document;
use super::error::TxError;
use super::session::Tx;
use super::settle::cancel_erased;
use crate::contract::{DocumentSubjects, EffectState, TextSource};
use crate::rules::payload_hash;

/// Place of a text.
pub(super) enum Place {
    Content(i64),
    Checkpoint(i64),
    Record(String, String),
    Participant(String),
    Event(i64),
    Payload { id: EffectId, revision: u64, class: EffectClass, state: EffectState, outward: bool },
    Outcome { id: EffectId, revision: u64 },
    Approval { card: String, version: i64 },
    Decision { card: String, version: i64 },
    Response { key: String, turn: Option<(LaneId, u64)> },
    Fact { scope: String, scope_id: String, id: String },
    Document { collection: String, key: String, about: DocumentSubjects },
}

/// A text at its place.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) text: String,
}

impl Place {
    pub(super) fn source(&self) -> TextSource<'_> {
        match self {
            Self::Content(revision) => TextSource::Content { revision: revision.cast_unsigned() },
            Self::Checkpoint(revision) => TextSource::Checkpoint { revision: revision.cast_unsigned() },
            Self::Record(..) => TextSource::Record,
            Self::Participant(_) => TextSource::Participant,
            Self::Event(_) => TextSource::Event,
            Self::Payload { id, revision, class, state, .. } => {
                TextSource::Payload { id, revision: *revision, class: *class, state: *state }
            }
            Self::Outcome { id, revision } => TextSource::Outcome { id, revision: *revision },
            Self::Approval { .. } => TextSource::Approval,
            Self::Decision { .. } => TextSource::Decision,
            Self::Response { turn, .. } => TextSource::Response { turn: turn.clone() },
            Self::Fact { .. } => TextSource::Fact,
            Self::Document { collection, key, about } => TextSource::Document { collection, key, about },
        }
    }
}

fn found(place: Place, text: String) -> Found {
    Found { place, text }
}

fn optional(place: Place, text: Option<String>) -> Option<Found> {
    text.filter(|text| !text.is_empty()).map(|text| Found { place, text })
}

/// Reads the texts of a lane, and locks the lane.
pub(super) async fn of_lane(tx: &Tx, lane: &LaneKey) -> Result<Vec<Found>, TxError> {
    let (id, mut texts) = (lane.id().as_str().to_owned(), Vec::new());
    super::lanes::find_locked(tx, lane).await?;
    let rows = async |sql: &str| tx.rows(sql, &[&tx.tenant, &id]).await;
    let turns =
        "SELECT revision, content, checkpoint FROM turns WHERE tenant = $1 AND lane = $2 ORDER BY revision";
    for row in rows(turns).await? {
        texts.extend(optional(Place::Content(row.get(0)), row.get(1)));
        texts.extend(optional(Place::Checkpoint(row.get(0)), row.get(2)));
    }
    let people = "SELECT person FROM participants WHERE tenant = $1 AND lane = $2 ORDER BY person";
    for row in rows(people).await? {
        let person: String = row.get(0);
        let text = serde_json::to_string(&person).map_err(|error| TxError::Value(error.to_string()))?;
        texts.push(found(Place::Participant(person), text));
    }
    let records = "SELECT kind, key, body FROM records WHERE tenant = $1 AND lane = $2 AND NOT loaded ORDER BY kind, key";
    let events = "SELECT seq, event FROM inbox WHERE tenant = $1 AND lane = $2 AND state > 0 AND event IS NOT NULL \
                  ORDER BY seq";
    texts.extend(rows(records).await?.iter().map(|r| found(Place::Record(r.get(0), r.get(1)), r.get(2))));
    texts.extend(rows(events).await?.iter().map(|r| found(Place::Event(r.get(0)), r.get(1))));
    let approvals = "SELECT card, version, approval, change FROM approvals WHERE tenant = $1 AND lane = $2 ORDER BY n \
                     FOR UPDATE";
    for row in rows(approvals).await? {
        texts.push(found(Place::Approval { card: row.get(0), version: row.get(1) }, row.get(2)));
        texts.extend(optional(Place::Decision { card: row.get(0), version: row.get(1) }, row.get(3)));
    }
    let effects = "SELECT id, revision, class, state, outward, payload, outcome FROM outbox WHERE tenant = $1 \
                   AND lane = $2 ORDER BY n FOR UPDATE";
    for row in rows(effects).await? {
        effect_texts(&row, &mut texts)?;
    }
    Ok(texts)
}

fn effect_texts(row: &Row, texts: &mut Vec<Found>) -> Result<(), TxError> {
    let id = || EffectId(row.get("id"));
    let revision = row.get::<_, i64>("revision").cast_unsigned();
    let (class, state) = (class(row.get("class"))?, effect_state(row.get("state"))?);
    let payload = Place::Payload { id: id(), revision, class, state, outward: row.get("outward") };
    texts.extend(optional(payload, row.get("payload")));
    texts.extend(optional(Place::Outcome { id: id(), revision }, row.get("outcome")));
    Ok(())
}

/// Reads the texts that belong to a tenant and to no lane.
pub(super) async fn of_tenant(tx: &Tx) -> Result<Vec<Found>, TxError> {
    let mut texts = Vec::new();
    let rows = async |sql: &str| tx.rows(sql, &[&tx.tenant]).await;
    let responses = "SELECT key, body FROM requests WHERE tenant = $1 AND body IS NOT NULL ORDER BY key";
    let responses = rows(responses).await?;
    let mut turns = turns_of(tx, &responses).await?;
    for row in &responses {
        let key: String = row.get(0);
        let turn = turns.remove(&key_hash(&tx.tenant, &key));
        texts.push(found(Place::Response { key, turn }, row.get(1)));
    }
    let facts = "SELECT scope, scope_id, id, body FROM facts WHERE tenant = $1 ORDER BY scope, scope_id, id";
    texts.extend(rows(facts).await?.iter().map(|row| {
        found(Place::Fact { scope: row.get(0), scope_id: row.get(1), id: row.get(2) }, row.get(3))
    }));
    let documents = "SELECT collection, key, version, body, people, lane, words FROM documents WHERE tenant = $1 \
                     ORDER BY collection, key FOR UPDATE";
    for row in rows(documents).await? {
        let read = document(&row);
        let place = Place::Document { collection: row.get("collection"), key: read.key, about: read.about };
        texts.push(found(place, read.body));
    }
    Ok(texts)
}

/// Returns the turns that requests led to, by what is stored of their keys.
async fn turns_of(tx: &Tx, requests: &[Row]) -> Result<HashMap<String, (LaneId, u64)>, TxError> {
    let keys: Vec<String> = requests.iter().map(|row| key_hash(&tx.tenant, row.get(0))).collect();
    let select = "SELECT k.key, k.lane, coalesce(k.revision, i.revision) FROM delivery_keys k \
                  LEFT JOIN inbox i ON i.tenant = k.tenant AND i.lane = k.lane AND i.seq = k.seq \
                  WHERE k.tenant = $1 AND k.key = ANY($2)";
    let rows = tx.rows(select, &[&tx.tenant, &keys]).await?;
    let turn = |row: &Row| {
        let revision: i64 = row.get::<_, Option<i64>>(2)?;
        Some((row.get(0), (LaneId(row.get(1)), revision.cast_unsigned())))
    };
    Ok(rows.iter().filter_map(turn).collect())
}

/// Writes a changed text back; `None` erases it.
pub(super) async fn write(tx: &Tx, lane: &str, place: &Place, new: Option<&str>) -> Result<(), TxError> {
    let t = &tx.tenant;
    match place {
        Place::Content(revision) => {
            let erase = "UPDATE turns SET content = NULL, salt = NULL WHERE tenant = $1 AND lane = $2 AND revision = $3";
            tx.execute(erase, &[t, &lane, revision]).await?;
        }
        Place::Checkpoint(revision) => {
            let erase =
                "UPDATE turns SET checkpoint = NULL WHERE tenant = $1 AND lane = $2 AND revision = $3";
            tx.execute(erase, &[t, &lane, revision]).await?;
        }
        Place::Record(kind, key) => {
            let write = match new {
                Some(_) => {
                    "UPDATE records SET body = $5 WHERE tenant = $1 AND lane = $2 AND kind = $3 AND key = $4"
                }
                None => {
                    "DELETE FROM records WHERE tenant = $1 AND lane = $2 AND kind = $3 AND key = $4 AND $5::text IS NULL"
                }
            };
            tx.execute(write, &[t, &lane, kind, key, &new]).await?;
        }
        Place::Participant(person) => {
            let delete = "DELETE FROM participants WHERE tenant = $1 AND lane = $2 AND person = $3";
            tx.execute(delete, &[t, &lane, person]).await?;
        }
        Place::Event(seq) => {
            let update = "UPDATE inbox SET event = $4 WHERE tenant = $1 AND lane = $2 AND seq = $3";
            tx.execute(update, &[t, &lane, seq, &new]).await?;
        }
        Place::Payload { id, state, outward, .. } => write_payload(tx, id, *state, *outward, new).await?,
        Place::Outcome { id, .. } => {
            let update = "UPDATE outbox SET outcome = $3 WHERE tenant = $1 AND id = $2";
            tx.execute(update, &[t, &id.as_str(), &new]).await?;
        }
        Place::Approval { card, version } => {
            let text = checked::<Approval>(new)?;
            let update = "UPDATE approvals SET approval = $4, state = CASE state WHEN 0 THEN 4 ELSE state END \
                          WHERE tenant = $1 AND card = $2 AND version = $3";
            tx.execute(update, &[t, card, version, &text]).await?;
        }
        Place::Decision { card, version } => {
            let text = checked::<ApprovalChange>(new)?;
            let update = "UPDATE approvals SET change = $4 WHERE tenant = $1 AND card = $2 AND version = $3";
            tx.execute(update, &[t, card, version, &text]).await?;
        }
        Place::Response { key, .. } => {
            let update = "UPDATE requests SET body = $3, status = CASE WHEN $3::text IS NULL THEN NULL ELSE status END \
                          WHERE tenant = $1 AND key = $2";
            tx.execute(update, &[t, key, &new]).await?;
        }
        Place::Fact { scope, scope_id, id } => {
            let write = match new {
                Some(_) => {
                    "UPDATE facts SET body = $5 WHERE tenant = $1 AND scope = $2 AND scope_id = $3 AND id = $4"
                }
                None => {
                    "DELETE FROM facts WHERE tenant = $1 AND scope = $2 AND scope_id = $3 AND id = $4 \
                     AND $5::text IS NULL"
                }
            };
            tx.execute(write, &[t, scope, scope_id, id, &new]).await?;
        }
        Place::Document { collection, key, .. } => {
            let write = match new {
                Some(_) => {
                    "UPDATE documents SET body = $4, version = version + 1 \
                     WHERE tenant = $1 AND collection = $2 AND key = $3"
                }
                None => {
                    "DELETE FROM documents WHERE tenant = $1 AND collection = $2 AND key = $3 AND $4::text IS NULL"
                }
            };
            tx.execute(write, &[t, collection, key, &new]).await?;
        }
    }
    Ok(())
}

/// Returns the new text of an approval or a decision, which is rewritten and never erased.
fn checked<T: serde::de::DeserializeOwned>(new: Option<&str>) -> Result<&str, TxError> {
    let text = new.ok_or_else(|| TxError::Refused("an approval is rewritten, never erased".into()))?;
    serde_json::from_str::<T>(text).map(|_| text).map_err(|error| TxError::Refused(error.to_string()))
}

async fn write_payload(
    tx: &Tx,
    id: &EffectId,
    state: EffectState,
    outward: bool,
    new: Option<&str>,
) -> Result<(), TxError> {
    let text = new.unwrap_or_default();
    // An outward effect keeps the hash that was approved; an erased payload keeps the one that was planned.
    let hash = new.filter(|_| !outward).map(|text| hex(&payload_hash(text)));
    let update = "UPDATE outbox SET payload = $3, payload_sha256 = coalesce($4, payload_sha256) \
                  WHERE tenant = $1 AND id = $2";
    tx.execute(update, &[&tx.tenant, &id.as_str(), &text, &hash]).await?;
    let cancelled = match state {
        EffectState::Planned | EffectState::Uncertain => true,
        // An outward request may have arrived: its end is still recorded.
        EffectState::Attempted => !outward,
        EffectState::Done | EffectState::Failed | EffectState::Cancelled => false,
    };
    if new.is_none() && cancelled {
        cancel_erased(tx, id.as_str()).await?;
    }
    Ok(())
}
