//! Records of a lane, and ids of its messages.

use super::error::TxError;
use super::session::Tx;

/// Returns a record by its key; a message also by the channel's id.
pub(super) async fn find(tx: &Tx, lane: &str, kind: &str, key: &str) -> Result<Option<String>, TxError> {
    let select = "SELECT r.body FROM records r WHERE r.tenant = $1 AND r.lane = $2 AND r.kind = $3 AND (r.key = $4 \
                  OR $3 = 'message' AND r.key = (SELECT m.ours FROM messages m WHERE m.tenant = $1 AND m.lane = $2 \
                  AND m.channel_id = $4)) ORDER BY r.key <> $4 LIMIT 1";
    Ok(tx.read_first(select, &[&tx.tenant, &lane, &kind, &key]).await?.map(|row| row.get(0)))
}

/// Returns the records that are there of several, in the order of their keys, as [`find`] does of one.
pub(super) async fn find_all(tx: &Tx, lane: &str, kind: &str, keys: &[&str]) -> Result<Vec<String>, TxError> {
    let select = "SELECT (SELECT r.body FROM records r WHERE r.tenant = $1 AND r.lane = $2 AND r.kind = $3 AND (r.key = k.key \
                  OR $3 = 'message' AND r.key = (SELECT m.ours FROM messages m WHERE m.tenant = $1 AND m.lane = $2 \
                  AND m.channel_id = k.key)) ORDER BY r.key <> k.key LIMIT 1) \
                  FROM unnest($4::text[]) WITH ORDINALITY AS k (key, n) ORDER BY k.n";
    let rows = tx.read(select, &[&tx.tenant, &lane, &kind, &keys]).await?;
    Ok(rows.iter().filter_map(|row| row.get(0)).collect())
}

/// Lists the channel's id of a message that we sent, and maps it: $2 is the lane, $3 the channel's id, $4 ours.
pub(super) const MAP_SENT: &str = "WITH listed AS (INSERT INTO sent (tenant, lane, ours, channel_id, n) \
        VALUES ($1, $2, $4, $3, $5) ON CONFLICT DO NOTHING) \
    INSERT INTO messages (tenant, lane, channel_id, ours) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (tenant, lane, channel_id) DO UPDATE SET ours = excluded.ours";
