//! The contract on PostgreSQL, which several processes share. Reasons: `docs/design/0063-postgresql.md`; the tables and how
//! they distribute: `docs/postgresql.md`.
//!
//! A transaction names its tenant and sees no other (`session`). Turns that wait at once are written by one transaction
//! for each tenant (`writer`).

mod accelerator;
#[cfg(test)]
mod accelerator_tests;
mod approval_changes;
mod approvals;
mod audit;
mod clock;
mod codec;
mod commit;
mod documents;
mod effects;
mod erasure;
mod erasure_texts;
mod error;
mod facts;
mod group_rows;
mod group_state;
mod import;
mod inbox;
mod kill_switch;
mod lane_index;
mod lanes;
mod open;
mod outbox;
mod policies;
mod positions;
mod records;
#[cfg(test)]
mod replica_tests;
mod replicas;
mod requests;
mod server_clock;
mod session;
mod settle;
mod signals;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod test_redis;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod test_server;
#[cfg(test)]
mod tests;
mod timers;
mod tls;
mod turn_log;
#[cfg(test)]
mod turn_order_tests;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use throughline_engine::Timestamp;
use tokio::runtime::{Handle, Runtime};

use crate::clock::Clock;
use crate::contract::{
    Counts, DeliveryIdentity, Document, Documents as _, FAILING, LONGEST_PLAN, News, Store, StoreError,
};
use crate::sqlite::SchemaVersion;
use accelerator::Accelerator;
pub use accelerator::RedisServer;
use error::TxError;
pub(crate) use import::Import;
use server_clock::ServerClock;
use session::{Pool, Tx, transact};
use signals::Signals;

/// Number of connections that one store opens at most, beside those of its writer.
const CONNECTIONS: usize = 10;

/// A server, and how this process connects to it.
#[derive(Clone, Default)]
pub struct PostgresServer {
    /// Its address: `postgres://user@host/database`, or words like `host=… user=… dbname=…`. Several hosts may be named;
    /// the one that takes writes is used.
    pub url: String,
    /// Address for the connection that listens, if transactions go through a pooler.
    pub listen_url: Option<String>,
    /// Password, if no address has it.
    pub password: Option<String>,
    /// A Redis server beside it, which spares it work.
    pub redis: Option<RedisServer>,
}

/// A store on a PostgreSQL server.
pub struct PostgresStore {
    shared: Arc<Shared>,
    writer: writer::Writer,
    /// Drives the connections.
    _driver: Driver,
}

/// Threads of a store. Dropping them waits for nothing, so it may happen in a task, too.
struct Driver(Option<Runtime>);

impl Driver {
    fn start() -> std::io::Result<(Self, Handle)> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let handle = runtime.handle().clone();
        Ok((Self(Some(runtime)), handle))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Everything that a transaction needs.
struct Shared {
    name: String,
    clock: Arc<dyn Clock>,
    last_at: AtomicI64,
    pool: Pool,
    /// This process among those that share the store.
    replica: Arc<str>,
    signals: Arc<Signals>,
    redis: Option<Arc<Accelerator>>,
}

impl PostgresStore {
    /// Connects to a server and brings its schema up to date. Time is the server's.
    ///
    /// # Errors
    /// The server cannot be reached, takes no writes, or is not set up as the store needs it.
    pub async fn connect(server: &PostgresServer) -> Result<Self, StoreError> {
        let clock = Arc::new(ServerClock::new());
        Self::start(server, clock.clone(), Some(clock)).await
    }

    /// Returns the version of a server's schema, and changes nothing.
    ///
    /// # Errors
    /// The server cannot be reached or takes no writes.
    pub async fn schema_version(server: &PostgresServer) -> Result<SchemaVersion, StoreError> {
        let address = open::address(&server.url, server.password.as_deref())?;
        let client = open::connect(&address, &Handle::current()).await?;
        open::schema_version(&client, &open::name_of(&address.config)).await
    }

    /// Like [`Self::connect`], with the time of a clock.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub async fn open(url: &str, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let server = PostgresServer { url: url.into(), ..PostgresServer::default() };
        Self::start(&server, clock, None).await
    }

    async fn start(
        server: &PostgresServer,
        clock: Arc<dyn Clock>,
        server_clock: Option<Arc<ServerClock>>,
    ) -> Result<Self, StoreError> {
        let address = open::address(&server.url, server.password.as_deref())?;
        let listen = server.listen_url.as_deref().unwrap_or(&server.url);
        let listen = open::address(listen, server.password.as_deref())?;
        let name = open::name_of(&address.config);
        let failed = |error: std::io::Error| StoreError::Open { what: name.clone(), why: error.to_string() };
        let (driver, runtime) = Driver::start().map_err(failed)?;
        let client = open::connect(&address, &runtime).await?;
        open::prepare(&client, &name).await?;
        if let Some(clock) = &server_clock {
            replicas::read_clock(&client, clock).await?;
        }
        let replica: Arc<str> = replicas::enter(&client, clock.now()).await?.into();
        let pool = Pool::new(address, runtime.clone(), CONNECTIONS, replica.clone());
        let redis =
            server.redis.as_ref().map(|redis| accelerator::create(redis, runtime.clone())).transpose()?;
        let (redis, connector) = redis.unzip();
        let (signals, outgoing) = Signals::new(replica.clone(), redis.clone(), &runtime);
        let signals = Arc::new(signals);
        let last_at = AtomicI64::new(0);
        let shared =
            Arc::new(Shared { name, clock, last_at, pool, replica, signals: signals.clone(), redis });
        runtime.spawn(signals::run(signals.clone(), listen, outgoing));
        runtime.spawn(replicas::beat(shared.clone(), server_clock));
        let writer = writer::Writer::start(shared.clone(), &runtime);
        let store = Self { shared, writer, _driver: driver };
        store.remember_time().await?;
        if let Some(connector) = connector {
            runtime.spawn(connector.run(store.own_name().await?, signals));
        }
        Ok(store)
    }

    /// Returns the store's own name, which no other store has: the first process that asks makes it.
    async fn own_name(&self) -> Result<String, StoreError> {
        let (collection, key) = ("instance", "store");
        loop {
            if let Some(known) = self.document("", collection, key).await? {
                return Ok(known.body);
            }
            let made = Document::new(key, 0, &*self.shared.replica);
            self.write_documents("", vec![(collection.into(), made)], None).await?;
        }
    }

    /// Notes time and position of each tenant's newest turn. A clock that is behind it was set back since.
    async fn remember_time(&self) -> Result<(), StoreError> {
        let act = "open the database";
        let newest =
            "SELECT decided_at, position FROM turns WHERE tenant = $1 ORDER BY position DESC LIMIT 1";
        let mut last = self.now().0;
        for tenant in self.shared.tenants(act).await? {
            let row = transact!(self, act, &tenant, |tx| tx.read_first(newest, &[&tx.tenant]).await)?;
            let Some(row) = row else { continue };
            last = last.max(row.get(0));
            self.shared.pool.positions.pass(row.get(1));
        }
        self.shared.last_at.fetch_max(last, Ordering::SeqCst);
        Ok(())
    }

    async fn begin(&self, act: &'static str, tenant: &str) -> Result<Tx, StoreError> {
        self.shared.begin(act, tenant).await
    }

    async fn tenants(&self, act: &'static str) -> Result<Vec<String>, StoreError> {
        self.shared.follow_clock(act).await?;
        self.shared.tenants(act).await
    }
}

impl Shared {
    /// Tells Redis, if there is one, that a delivery was accepted.
    fn remember(&self, identity: &DeliveryIdentity) {
        if let Some(redis) = &self.redis {
            redis.remember(codec::key_hash(&identity.lane.tenant, &identity.key));
        }
    }

    async fn begin(&self, act: &'static str, tenant: &str) -> Result<Tx, StoreError> {
        let now = self.follow_clock(act).await?;
        self.pool.begin(act, tenant, now).await
    }

    /// Returns the time; if the clock was set back, what waits for a later time is moved with it first.
    async fn follow_clock(&self, act: &'static str) -> Result<Timestamp, StoreError> {
        let now = self.clock.now();
        let last = Timestamp(self.last_at.fetch_max(now.0, Ordering::SeqCst));
        let Some(by) = crate::rules::set_back_by(last, now) else { return Ok(now) };
        self.last_at.store(now.0, Ordering::SeqCst);
        for tenant in self.tenants(act).await? {
            let tx = self.pool.begin(act, &tenant, now).await?;
            let moved = clock::set_back(&tx, by).await;
            if let session::Ended::Told(Err(error)) | session::Ended::Again(error) =
                tx.finish(act, moved).await
            {
                self.last_at.fetch_max(last.0, Ordering::SeqCst);
                return Err(error);
            }
        }
        Ok(now)
    }

    /// Returns the names of all tenants.
    async fn tenants(&self, act: &'static str) -> Result<Vec<String>, StoreError> {
        let tx = self.pool.begin(act, "", self.clock.now()).await?;
        let rows = tx.read("SELECT tenant FROM directory ORDER BY tenant", &[]).await;
        let names = rows.map(|rows| rows.iter().map(|row| row.get(0)).collect());
        match tx.finish(act, names).await {
            session::Ended::Told(told) => told,
            session::Ended::Again(error) => Err(error),
        }
    }
}

impl Tx {
    /// Enters the tenant of the transaction, if it is new.
    async fn enter_tenant(&self) -> Result<(), TxError> {
        let enter = "WITH named AS (INSERT INTO directory VALUES ($1) ON CONFLICT DO NOTHING) \
                     INSERT INTO tenants (tenant) VALUES ($1) ON CONFLICT DO NOTHING";
        self.execute(enter, &[&self.tenant]).await?;
        Ok(())
    }
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PostgresStore")
    }
}

#[async_trait]
impl Store for PostgresStore {
    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    fn describe(&self) -> String {
        self.shared.name.clone()
    }

    async fn writable(&self) -> Result<(), StoreError> {
        let Some(tenant) = self.tenants("try a write").await?.into_iter().next() else { return Ok(()) };
        transact!(self, "try a write", &tenant, |tx| {
            tx.execute("UPDATE tenants SET tried_at = $2 WHERE tenant = $1", &[&tenant, &tx.now.0]).await?;
            Ok::<_, TxError>(())
        })
    }

    async fn counts(&self) -> Result<Counts, StoreError> {
        let mut all = Counts::default();
        for tenant in self.tenants("count rows").await? {
            let one = transact!(self, "count rows", &tenant, |tx| count(tx).await)?;
            all.waiting += one.waiting;
            all.dead += one.dead;
            all.open_effects += one.open_effects;
            all.uncertain += one.uncertain;
            all.approvals += one.approvals;
            all.lanes += one.lanes;
            all.far_effects += one.far_effects;
            all.failing_lanes += one.failing_lanes;
            all.oldest_due = all.oldest_due.max(one.oldest_due);
            all.oldest_waiting = all.oldest_waiting.max(one.oldest_waiting);
        }
        Ok(all)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn announce(&self, news: News) {
        self.shared.signals.announce(news);
    }

    async fn news(&self) -> Vec<News> {
        self.shared.signals.next().await
    }

    async fn leave(&self) {
        if let Err(error) = replicas::leave(&self.shared).await {
            tracing::warn!(%error, "this process did not say that it ends; what it holds is free in seconds");
        }
    }
}

async fn count(tx: &Tx) -> Result<Counts, TxError> {
    let select = "SELECT \
        (SELECT count(*) FROM inbox WHERE tenant = $1 AND state = 0), \
        (SELECT count(*) FROM inbox WHERE tenant = $1 AND state = 4), \
        (SELECT count(*) FROM outbox WHERE tenant = $1 AND state IN (0, 1)), \
        (SELECT count(*) FROM outbox WHERE tenant = $1 AND state = 4), \
        (SELECT count(*) FROM approvals WHERE tenant = $1 AND state = 0), \
        (SELECT count(*) FROM lanes WHERE tenant = $1), \
        (SELECT count(*) FROM outbox WHERE tenant = $1 AND performer = 0 AND wake > $3), \
        (SELECT count(DISTINCT lane) FROM inbox WHERE tenant = $1 AND state = 0 AND failures >= $4), \
        (SELECT min(not_before) FROM outbox WHERE tenant = $1 AND state = 0 AND not_before <= $2), \
        (SELECT min(received_at) FROM inbox WHERE tenant = $1 AND state = 0)";
    let (far, failing) = (tx.now.plus(LONGEST_PLAN).0, i64::from(FAILING));
    let row = tx.read_first(select, &[&tx.tenant, &tx.now.0, &far, &failing]).await?;
    let Some(row) = row else { return Ok(Counts::default()) };
    let n = |at: usize| row.get::<_, i64>(at).cast_unsigned();
    let age = |at: usize| row.get::<_, Option<i64>>(at).map_or(0, |since| tx.now.since(Timestamp(since)));
    Ok(Counts {
        waiting: n(0),
        dead: n(1),
        open_effects: n(2),
        uncertain: n(3),
        approvals: n(4),
        lanes: n(5),
        far_effects: n(6),
        failing_lanes: n(7),
        oldest_due: age(8),
        oldest_waiting: age(9),
    })
}
