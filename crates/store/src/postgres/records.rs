//! Records of a lane, and ids of its messages.

use super::error::TxError;
use super::session::Tx;
use crate::contract::{RecordOp, RecordWrite};

pub(super) async fn write(tx: &Tx, lane: &str, record: &RecordWrite) -> Result<(), TxError> {
    let RecordWrite { kind, key, op } = record;
    match op {
        RecordOp::Put(body) => {
            let put = "INSERT INTO records (tenant, lane, kind, key, loaded, body) VALUES ($1, $2, $3, $4, true, $5) \
                       ON CONFLICT (tenant, lane, kind, key) DO UPDATE SET loaded = true, body = excluded.body";
            tx.execute(put, &[&tx.tenant, &lane, kind, key, body]).await?;
        }
        RecordOp::Retire => {
            let retire = "UPDATE records SET loaded = false WHERE tenant = $1 AND lane = $2 AND kind = $3 AND key = $4";
            tx.execute(retire, &[&tx.tenant, &lane, kind, key]).await?;
        }
        RecordOp::Delete => {
            let delete = "DELETE FROM records WHERE tenant = $1 AND lane = $2 AND kind = $3 AND key = $4";
            tx.execute(delete, &[&tx.tenant, &lane, kind, key]).await?;
        }
    }
    Ok(())
}

pub(super) async fn loaded(tx: &Tx, lane: &str) -> Result<Vec<String>, TxError> {
    let select = "SELECT body FROM records WHERE tenant = $1 AND lane = $2 AND loaded ORDER BY kind, key";
    Ok(tx.rows(select, &[&tx.tenant, &lane]).await?.iter().map(|row| row.get(0)).collect())
}

/// Returns a record by its key; a message also by the channel's id.
pub(super) async fn find(tx: &Tx, lane: &str, kind: &str, key: &str) -> Result<Option<String>, TxError> {
    let select = "SELECT r.body FROM records r WHERE r.tenant = $1 AND r.lane = $2 AND r.kind = $3 AND (r.key = $4 \
                  OR $3 = 'message' AND r.key = (SELECT m.ours FROM messages m WHERE m.tenant = $1 AND m.lane = $2 \
                  AND m.channel_id = $4)) ORDER BY r.key <> $4 LIMIT 1";
    Ok(tx.first(select, &[&tx.tenant, &lane, &kind, &key]).await?.map(|row| row.get(0)))
}

/// Maps the channel's id of an incoming message, unless it is mapped already.
pub(super) async fn map_message(tx: &Tx, lane: &str, channel_id: &str, ours: &str) -> Result<(), TxError> {
    let map = "INSERT INTO messages (tenant, lane, channel_id, ours) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    tx.execute(map, &[&tx.tenant, &lane, &channel_id, &ours]).await?;
    Ok(())
}

/// Maps the channel's id of a message that we sent.
pub(super) async fn map_sent(tx: &Tx, lane: &str, channel_id: &str, ours: &str) -> Result<(), TxError> {
    let list =
        "INSERT INTO sent (tenant, lane, ours, channel_id) VALUES ($1, $2, $4, $3) ON CONFLICT DO NOTHING";
    tx.execute(list, &[&tx.tenant, &lane, &channel_id, &ours]).await?;
    let map = "INSERT INTO messages (tenant, lane, channel_id, ours) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (tenant, lane, channel_id) DO UPDATE SET ours = excluded.ours";
    tx.execute(map, &[&tx.tenant, &lane, &channel_id, &ours]).await?;
    Ok(())
}
