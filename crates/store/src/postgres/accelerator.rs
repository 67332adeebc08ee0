//! Redis beside the database, which it spares work: processes tell one another through it, and a delivery that comes again
//! is looked up instead of written. What it says is a hint that is checked in the database, and what it does not say is found
//! there. So one that is gone, was emptied, is older than the database or lies costs time and nothing else.
//!
//! Reasons: `docs/design/0067-redis.md`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands as _, AsyncConnectionConfig, Client, ConnectionInfo, RedisError};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::timeout;

use super::signals::Signals;
use crate::contract::{News, StoreError};

/// Time that Redis has for an answer that somebody waits for. The database has its own way without it.
const PATIENCE: Duration = Duration::from_millis(20);

/// Time that Redis has for everything else.
const SILENCE: Duration = Duration::from_secs(2);

/// Time without anything to say after which both connections are tried.
const QUIET: Duration = Duration::from_secs(5);

/// Time for which a connection answers before its end is news.
const STEADY: Duration = Duration::from_secs(60);

/// Pause before another connection is tried.
const PAUSE: Duration = Duration::from_secs(1);

/// Time for which a key is remembered, in seconds: two days, as long as senders repeat what they send.
const REMEMBERED: u64 = 2 * 24 * 60 * 60;

/// Things that wait to be told. Beyond that they are dropped: they are hints.
const WAITING: usize = 16_384;

/// A Redis server, and how this process connects to it.
#[derive(Clone)]
pub struct RedisServer {
    /// Its address: `redis://user@host:port/database`, or `rediss://` for an encrypted connection.
    pub url: String,
    /// Its password, which is not in the address.
    pub password: Option<String>,
}

impl RedisServer {
    /// Checks the address.
    ///
    /// # Errors
    /// It is none of a Redis server.
    pub fn check(&self) -> Result<(), StoreError> {
        self.client().map(|_| ())
    }

    /// Asks the server whether it is there.
    ///
    /// # Errors
    /// It is not, does not answer in time, or refuses; or the address is none of a Redis server.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let failed = |why: String| StoreError::Backend { act: "ask Redis", why };
        let client = self.client()?;
        let connection = in_time(client.get_multiplexed_async_connection()).await;
        let mut connection = connection.map_err(failed)?;
        in_time(connection.ping::<()>()).await.map_err(failed)
    }

    fn client(&self) -> Result<Client, StoreError> {
        let unusable = |why: RedisError| StoreError::Open { what: "Redis".into(), why: why.to_string() };
        let info: ConnectionInfo = self.url.parse().map_err(unusable)?;
        let mut settings = info.redis_settings().clone().set_skip_set_lib_name();
        if let Some(password) = &self.password {
            settings = settings.set_password(password.clone());
        }
        Client::open(info.set_redis_settings(settings)).map_err(unusable)
    }
}

/// Something to tell Redis.
enum Told {
    News(News),
    /// A delivery was accepted: the hash of its key.
    Accepted(String),
}

/// A connection that answered lately.
#[derive(Clone)]
struct Link {
    connection: MultiplexedConnection,
    /// Beginning of all names in Redis, which several stores may share.
    prefix: Arc<str>,
    /// Notified when an answer on this connection did not come in time.
    silent: Arc<Notify>,
}

/// This process's end of Redis.
pub(super) struct Accelerator {
    runtime: Handle,
    told: mpsc::Sender<Told>,
    link: watch::Receiver<Option<Link>>,
}

/// The other end: it keeps the connections.
pub(super) struct Connector {
    client: Client,
    told: mpsc::Receiver<Told>,
    link: watch::Sender<Option<Link>>,
}

/// Creates both ends, which are connected once [`Connector::run`] runs.
///
/// # Errors
/// The address is none of a Redis server.
pub(super) fn create(
    server: &RedisServer,
    runtime: Handle,
) -> Result<(Arc<Accelerator>, Connector), StoreError> {
    let client = server.client()?;
    let (tell, told) = mpsc::channel(WAITING);
    let (set_link, link) = watch::channel(None);
    Ok((Arc::new(Accelerator { runtime, told: tell, link }), Connector { client, told, link: set_link }))
}

impl Accelerator {
    /// Announces something to the other processes. Returns false if they have to be told otherwise.
    pub(super) fn announce(&self, news: &News) -> bool {
        let is_hint = matches!(news, News::Work(_) | News::Turn(_));
        is_hint && self.link.borrow().is_some() && self.told.try_send(Told::News(news.clone())).is_ok()
    }

    /// Returns true while Redis answers.
    #[cfg(test)]
    pub(super) fn is_linked(&self) -> bool {
        self.link.borrow().is_some()
    }

    /// Remembers that a delivery was accepted.
    pub(super) fn remember(&self, key_hash: String) {
        let _ = self.told.try_send(Told::Accepted(key_hash));
    }

    /// Returns true if a delivery is said to have been accepted.
    pub(super) async fn remembers(&self, key_hash: &str) -> bool {
        let Some(Link { mut connection, prefix, silent }) = self.link.borrow().clone() else { return false };
        let key = seen(&prefix, key_hash);
        let asked = self.runtime.spawn(async move {
            timeout(PATIENCE, redis::cmd("EXISTS").arg(key).query_async::<bool>(&mut connection)).await
        });
        match asked.await {
            Ok(Ok(Ok(answer))) => answer,
            _ => {
                silent.notify_one();
                false
            }
        }
    }
}

fn seen(prefix: &str, key_hash: &str) -> String {
    format!("{prefix}:seen:{key_hash}")
}

impl Connector {
    /// Keeps the connections until the store is closed. `store` is the store's own name, the same in all its processes.
    pub(super) async fn run(mut self, store: String, signals: Arc<Signals>) {
        let prefix: Arc<str> = format!("throughline:{store}").into();
        let mut is_told = false;
        loop {
            let tried = Instant::now();
            if let Err(why) = self.connected(&prefix, &signals).await {
                // One that is gone, or slow, is not told of each second.
                is_told &= tried.elapsed() < STEADY;
                if !is_told {
                    tracing::warn!(why, "Redis does not answer; everything goes on without it");
                    is_told = true;
                }
            }
            self.link.send_replace(None);
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Says and hears until a connection ends.
    async fn connected(&mut self, prefix: &Arc<str>, signals: &Signals) -> Result<(), String> {
        let channel = format!("{prefix}:news");
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(SILENCE))
            .set_response_timeout(Some(SILENCE));
        let said = |error: RedisError| error.to_string();
        let connection =
            self.client.get_multiplexed_async_connection_with_config(&config).await.map_err(said)?;
        let listening = in_time(self.client.get_async_pubsub()).await?;
        let (mut listener, mut heard) = listening.split();
        in_time(listener.subscribe(&channel)).await?;
        let silent = Arc::new(Notify::new());
        let mut link = Link { connection, prefix: prefix.clone(), silent: silent.clone() };
        self.link.send_replace(Some(link.clone()));
        loop {
            tokio::select! {
                message = heard.next() => {
                    let message = message.ok_or("the connection that listens ended")?;
                    signals.hear_sooner(&message.get_payload::<String>().unwrap_or_default());
                }
                told = self.told.recv() => {
                    let Some(told) = told else { return Ok(()) };
                    let mut all = vec![told];
                    while let Ok(next) = self.told.try_recv() {
                        all.push(next);
                    }
                    link.tell(&channel, all, signals).await.map_err(said)?;
                }
                () = silent.notified() => return Err("an answer did not come in time".into()),
                () = tokio::time::sleep(QUIET) => {
                    link.connection.ping::<()>().await.map_err(said)?;
                    in_time(listener.ping::<()>()).await?;
                }
            }
        }
    }
}

/// Waits for an answer of Redis, for [`SILENCE`] at most.
async fn in_time<T>(answer: impl Future<Output = Result<T, RedisError>>) -> Result<T, String> {
    let answer =
        timeout(SILENCE, answer).await.map_err(|_| format!("no answer for {} s", SILENCE.as_secs()))?;
    answer.map_err(|error| error.to_string())
}

impl Link {
    async fn tell(&mut self, channel: &str, all: Vec<Told>, signals: &Signals) -> Result<(), RedisError> {
        let mut pipeline = redis::pipe();
        let mut news = Vec::new();
        for told in all {
            match told {
                Told::News(one) => news.push(one),
                Told::Accepted(key) => {
                    pipeline.set_ex(seen(&self.prefix, &key), "", REMEMBERED).ignore();
                }
            }
        }
        for text in signals.encode(news) {
            pipeline.publish(channel, text).ignore();
        }
        pipeline.query_async(&mut self.connection).await
    }
}
