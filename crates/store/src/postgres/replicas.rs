//! Processes that share the store. Each shows that it runs; what one held that no longer does is free at once, long before
//! its leases are over. One that was only paused is fenced like any other that lost its lease.
//!
//! Reasons: `docs/design/0065-replicas.md`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use throughline_engine::{Millis, Timestamp};
use tokio::time::timeout;
use tokio_postgres::Client;

use super::Shared;
use super::error::{TxError, told};
use super::server_clock::ServerClock;
use super::session::{Ended, Tx};
use crate::contract::{News, StoreError};

/// Time between two signs of life.
const BEAT: Duration = Duration::from_millis(400);

/// Silence after which a process counts as gone, in milliseconds.
pub(super) const GONE: Millis = 1_500;

/// Longest wait for a sign of life to be written.
const SILENCE: Duration = Duration::from_millis(GONE.unsigned_abs());

const ACT: &str = "show that this process runs";

/// Enters this process and returns its name among the replicas.
pub(super) async fn enter(client: &Client, now: Timestamp) -> Result<String, StoreError> {
    let enter = "INSERT INTO replicas (id, seen) VALUES (gen_random_uuid()::text, $1) RETURNING id";
    let row = client.query_one(enter, &[&now.0]).await.map_err(|error| told(&error, ACT))?;
    Ok(row.get(0))
}

/// Reads the clock of the server.
pub(super) async fn read_clock(client: &Client, clock: &ServerClock) -> Result<(), StoreError> {
    let asked = Instant::now();
    let ask = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let row = client.query_one(ask, &[]).await.map_err(|error| told(&error, "read the server's clock"))?;
    clock.set(Timestamp(row.get(0)), asked);
    Ok(())
}

/// Shows that this process runs and frees what others held that no longer do, until the store is closed.
pub(super) async fn beat(shared: Arc<Shared>, clock: Option<Arc<ServerClock>>) {
    let mut client = None;
    loop {
        // After that time others believe that this process is gone, so another connection is tried.
        let beaten = timeout(SILENCE, beat_once(&shared, clock.as_deref(), &mut client)).await;
        let why = match beaten {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("the server does not answer".to_owned()),
        };
        if let Some(why) = why {
            tracing::debug!(why, "no sign of life was written; it is tried again");
            client = None;
        }
        tokio::time::sleep(BEAT).await;
    }
}

async fn beat_once(
    shared: &Arc<Shared>,
    clock: Option<&ServerClock>,
    kept: &mut Option<Client>,
) -> Result<(), StoreError> {
    let client = match kept {
        Some(client) => client,
        // Not one of the pool's, which may all be waiting while this process runs.
        None => kept.insert(shared.pool.connect(ACT).await?),
    };
    if let Some(clock) = clock {
        read_clock(client, clock).await?;
    }
    let now = shared.clock.now();
    let beat =
        "INSERT INTO replicas (id, seen) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen";
    client.execute(beat, &[&&*shared.replica, &now.0]).await.map_err(|error| told(&error, ACT))?;
    // Of several that notice, one deletes the row and does the rest.
    let silent = "DELETE FROM replicas WHERE seen < $1 AND id <> $2 RETURNING id";
    let before = now.plus(-GONE).0;
    let rows =
        client.query(silent, &[&before, &&*shared.replica]).await.map_err(|error| told(&error, ACT))?;
    for row in rows {
        // Beside the signs of life, which must not wait for all tenants.
        tokio::spawn(take_over(shared.clone(), row.get(0)));
    }
    Ok(())
}

/// Frees what a process held that is gone, and wakes everybody. If it cannot be freed, its leases end by themselves.
async fn take_over(shared: Arc<Shared>, gone: String) {
    tracing::info!(replica = gone, "a process that shared the store is gone; its lanes are free");
    if let Err(error) = free(&shared, &gone, shared.clock.now()).await {
        tracing::warn!(%error, replica = gone, "effects of a process that is gone wait for the end of their leases");
    }
    shared.signals.tell_all(News::Missed);
}

/// Makes effects due that a process had leased and not begun. One that it had begun may be on the wire: its lease ends by
/// itself.
async fn free(shared: &Shared, gone: &str, now: Timestamp) -> Result<(), StoreError> {
    for tenant in shared.tenants(ACT).await? {
        let tx = shared.pool.begin(ACT, &tenant, now).await?;
        let freed = free_leased(&tx, gone).await;
        if let Ended::Told(Err(error)) | Ended::Again(error) = tx.finish(ACT, freed).await {
            return Err(error);
        }
    }
    Ok(())
}

async fn free_leased(tx: &Tx, gone: &str) -> Result<(), TxError> {
    let free = "UPDATE outbox SET wake = $2 WHERE tenant = $1 AND leased_by = $3 AND state = 0 AND wake > $2";
    tx.execute(free, &[&tx.tenant, &tx.now.0, &gone]).await?;
    Ok(())
}

/// Leaves: what this process holds is free at once.
pub(super) async fn leave(shared: &Shared) -> Result<(), StoreError> {
    free(shared, &shared.replica, shared.clock.now()).await?;
    let client = shared.pool.connect(ACT).await?;
    let remove = "DELETE FROM replicas WHERE id = $1";
    client.execute(remove, &[&&*shared.replica]).await.map_err(|error| told(&error, ACT))?;
    shared.signals.send_now(&shared.pool.runtime, &client, News::Missed).await;
    Ok(())
}
