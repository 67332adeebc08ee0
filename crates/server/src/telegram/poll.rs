//! Long polling: one leader by lease, and an offset that never passes an update that is not committed
//! (`docs/design/0035-channels.md`).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use throughline_channels::telegram::{Answer, outbound};
use throughline_engine::{Millis, Timestamp};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::Document;
use tokio::task::JoinSet;

use super::Adapter;

/// Seconds that Telegram holds a poll without updates.
const POLL_SECONDS: u32 = 50;
/// Duration of the leader's lease: one poll, and time to store its updates.
const LEASE: Millis = 90 * Timestamp::SECOND;
/// Time without updates after which Telegram may restart its numbering. The offset is then dropped, and unconfirmed
/// updates come again.
const OFFSET_LIFETIME: Millis = Timestamp::HOUR;
/// Pause before the next attempt after an error; the first one of a row is tried again sooner, because Telegram may still
/// hold the poll of a process that was killed.
const RETRY_PAUSE: Duration = Duration::from_secs(5);
const FIRST_RETRY_PAUSE: Duration = Duration::from_secs(1);

const COLLECTION: &str = "telegram.poll";

/// Document that says who polls.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Leadership {
    owner: String,
    until: i64,
    /// The opening of the store in which the lease was taken ([`throughline_store::Store::session`]).
    #[serde(default)]
    session: Option<u64>,
    /// Last time that Telegram answered.
    heard: i64,
}

/// Result of one poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Polled {
    /// That many updates were stored.
    Updates(usize),
    /// Another process leads until then.
    Standby(Timestamp),
    /// A webhook is set, or another program polls with our token (`TL-3203`, `TL-3204`).
    Conflict(String),
    /// Telegram refuses the token (`TL-3201`).
    Unauthorized,
    /// Telegram cannot be reached, or asks to wait.
    Unreachable(String),
}

/// Poller of one process.
pub struct Poller {
    adapter: Arc<Adapter>,
    runtime: Arc<Runtime>,
    owner: String,
    /// Next update to ask for: one past the last that is committed.
    offset: Option<i64>,
    took_at: Timestamp,
    heard: Option<Timestamp>,
    /// Presses being answered.
    answers: JoinSet<()>,
}

impl Poller {
    /// Makes a poller with a name of its own.
    #[must_use]
    pub fn new(adapter: Arc<Adapter>, runtime: Arc<Runtime>, owner: &str) -> Self {
        let (owner, took_at) = (owner.to_owned(), Timestamp(0));
        Self { adapter, runtime, owner, offset: None, took_at, heard: None, answers: JoinSet::new() }
    }

    /// Polls without end.
    pub(crate) async fn run(&mut self) {
        let (mut told, mut failed) = (None, false);
        loop {
            let polled = self.once(POLL_SECONDS).await;
            let pause = match &polled {
                Ok(Polled::Updates(_)) => Duration::ZERO,
                Ok(Polled::Standby(until)) => {
                    let wait = until.since(self.adapter.store.now()).clamp(100, 5_000);
                    Duration::from_millis(wait.unsigned_abs())
                }
                _ if failed => RETRY_PAUSE,
                _ => FIRST_RETRY_PAUSE,
            };
            failed = !matches!(polled, Ok(Polled::Updates(_) | Polled::Standby(_)));
            let state = polled.map_err(|error| error.to_string());
            if told.as_ref() != Some(&state) {
                match &state {
                    Ok(Polled::Updates(_)) => tracing::info!("polling Telegram"),
                    Ok(Polled::Standby(_)) => {
                        tracing::info!("another process polls Telegram; this one stands by")
                    }
                    Ok(Polled::Conflict(why)) if why.contains("webhook") => {
                        tracing::error!(code = "TL-3203", why, "cannot poll Telegram");
                    }
                    Ok(Polled::Conflict(why)) => {
                        tracing::error!(code = "TL-3204", why, "cannot poll Telegram")
                    }
                    Ok(Polled::Unauthorized) => tracing::error!(code = "TL-3201", "cannot poll Telegram"),
                    Ok(Polled::Unreachable(why)) => {
                        tracing::warn!(why, "cannot reach Telegram; trying again")
                    }
                    Err(error) => {
                        tracing::error!(error, "an update was not taken; Telegram sends it again")
                    }
                }
                told = Some(match state {
                    Ok(Polled::Updates(_)) => Ok(Polled::Updates(0)),
                    Ok(Polled::Standby(_)) => Ok(Polled::Standby(Timestamp(0))),
                    other => other,
                });
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Polls once for at most that many seconds, and stores the updates in order.
    ///
    /// # Errors
    /// The store did not accept an update; that one and all after it will come again.
    pub async fn once(&mut self, seconds: u32) -> Result<Polled, RuntimeError> {
        let heard = match self.lead().await? {
            Ok(heard) => heard,
            Err(until) => {
                // Somebody polls, and what arrives is decided here, too.
                self.adapter.listens.store(true, Ordering::Relaxed);
                return Ok(Polled::Standby(until));
            }
        };
        self.adapter.listens.store(true, Ordering::Relaxed);
        let bot = match self.adapter.bot().await {
            Ok(bot) => bot,
            Err(answer) => return Ok(not_now(answer)),
        };
        let now = self.adapter.store.now();
        if now.since(self.took_at) > OFFSET_LIFETIME {
            self.offset = None;
        }
        let updates = match self.adapter.client().call(&outbound::get_updates(self.offset, seconds)).await {
            Answer::Applied(result) => result.as_array().cloned().unwrap_or_default(),
            answer => return Ok(not_now(answer)),
        };
        let now = self.adapter.store.now();
        self.adapter.after_outage(&self.runtime, heard, now).await?;
        self.heard = Some(now);
        while self.answers.try_join_next().is_some() {}
        for update in &updates {
            let accepted = self.adapter.accept(&self.runtime, &bot, update).await?;
            // The update is committed, so Telegram may drop it.
            if let Some(id) = update["update_id"].as_i64() {
                self.offset = Some(id + 1);
                self.took_at = now;
            }
            let adapter = self.adapter.clone();
            self.answers.spawn(async move { adapter.answer_press(accepted).await });
        }
        Ok(Polled::Updates(updates.len()))
    }

    /// Waits until every press is answered.
    pub async fn answered(&mut self) {
        while self.answers.join_next().await.is_some() {}
    }

    /// Takes or renews the lease. Returns the last time Telegram answered, or until when another process leads.
    async fn lead(&self) -> Result<Result<Timestamp, Timestamp>, RuntimeError> {
        let (store, now) = (&self.adapter.store, self.adapter.store.now());
        let (tenant, key) = (self.adapter.tenant.as_str(), self.adapter.client().bot_id().to_string());
        let found = store.document(tenant, COLLECTION, &key).await?;
        let version = found.as_ref().map_or(0, |found| found.version);
        let lead: Leadership =
            found.and_then(|found| serde_json::from_str(&found.body).ok()).unwrap_or_default();
        let session = store.session();
        // A lease of an earlier session is over, because its process is gone; so is one that ends later than one that
        // begins now, because the clock was set back.
        let gone = session.is_some() && lead.session != session;
        let held = (now.0 + 1..=now.0 + LEASE).contains(&lead.until) && !gone;
        if lead.owner != self.owner && held {
            return Ok(Err(Timestamp(lead.until)));
        }
        let heard = self.heard.map_or(lead.heard, |heard| heard.0);
        let heard = if heard == 0 { now.0 } else { heard };
        let ours = Leadership { owner: self.owner.clone(), until: now.0 + LEASE, session, heard };
        let body = serde_json::to_string(&ours).unwrap_or_default();
        let write = vec![(COLLECTION.to_owned(), Document::new(key, version, body))];
        let won = store.write_documents(tenant, write, None).await?;
        Ok(if won { Ok(Timestamp(heard)) } else { Err(now.plus(LEASE)) })
    }

    /// Gives up the lease, so that another process can lead at once.
    pub async fn resign(&self) {
        let (store, tenant) = (&self.adapter.store, self.adapter.tenant.as_str());
        let key = self.adapter.client().bot_id().to_string();
        let Ok(Some(found)) = store.document(tenant, COLLECTION, &key).await else { return };
        let Ok(lead) = serde_json::from_str::<Leadership>(&found.body) else { return };
        if lead.owner == self.owner {
            let heard = self.heard.map_or(lead.heard, |heard| heard.0);
            let body =
                serde_json::to_string(&Leadership { heard, ..Leadership::default() }).unwrap_or_default();
            let write = vec![(COLLECTION.to_owned(), Document::new(key, found.version, body))];
            if let Err(error) = store.write_documents(tenant, write, None).await {
                tracing::debug!(%error, "the lead was not given up; it runs out by itself");
            }
        }
    }
}

fn not_now(answer: Answer) -> Polled {
    match answer {
        Answer::Conflict(why) => Polled::Conflict(why),
        Answer::Unauthorized(_) => Polled::Unauthorized,
        Answer::Rejected(why) if why.contains("Not Found") => Polled::Unauthorized,
        Answer::NotSent(why) | Answer::Unknown(why) | Answer::Rejected(why) | Answer::Forbidden(why) => {
            Polled::Unreachable(why)
        }
        other => Polled::Unreachable(format!("{other:?}")),
    }
}
