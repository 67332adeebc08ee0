//! Long polling: one leader by lease, and an offset that never passes what is not committed (`spec 07 §3.1`).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use throughline_channels::telegram::{Answer, outbound};
use throughline_engine::{Millis, Timestamp};
use throughline_runtime::{Runtime, Stop};
use throughline_store::Document;
use tokio::task::JoinSet;

use super::Edge;

/// How long Telegram holds a poll that finds nothing.
const HOLD: u32 = 50;
/// How long the leader leads without saying so again: one poll, and time to take what it brought.
const LEASE: Millis = 90 * Timestamp::SECOND;
/// After so long without updates Telegram may begin to count anew: the offset is forgotten, and what is not confirmed
/// comes.
const QUIET: Millis = Timestamp::HOUR;
/// How long to wait when polling cannot go on just now.
const PAUSE: Duration = Duration::from_secs(5);

const COLLECTION: &str = "telegram.poll";

/// Who polls, as the store knows it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lead {
    owner: String,
    until: i64,
    /// When Telegram was last heard.
    heard: i64,
}

/// How one look went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Polled {
    /// So many updates were taken.
    Took(usize),
    /// Another process leads until then.
    Standby(Timestamp),
    /// A webhook is set, or somebody polls with our token who is none of us (`TL-3203`, `TL-3204`).
    Conflict(String),
    /// Telegram refuses the token (`TL-3201`).
    Unauthorized,
    /// Telegram cannot be reached, or asks to wait.
    Unreachable(String),
}

/// One process's share of polling.
pub struct Poller {
    edge: Arc<Edge>,
    runtime: Arc<Runtime>,
    owner: String,
    /// The next update to ask for: one past the last that is committed.
    offset: Option<i64>,
    took_at: Timestamp,
    heard: Option<Timestamp>,
    /// Presses being answered.
    answers: JoinSet<()>,
}

impl Poller {
    /// A poller under a name of its own.
    #[must_use]
    pub fn new(edge: Arc<Edge>, runtime: Arc<Runtime>, owner: &str) -> Self {
        let (owner, took_at) = (owner.to_owned(), Timestamp(0));
        Self { edge, runtime, owner, offset: None, took_at, heard: None, answers: JoinSet::new() }
    }

    /// Polls for ever.
    pub(crate) async fn run(&mut self) {
        let mut told = None;
        loop {
            let polled = self.once(HOLD).await;
            let pause = match &polled {
                Ok(Polled::Took(_)) => Duration::ZERO,
                Ok(Polled::Standby(until)) => {
                    let wait = until.since(self.edge.store.now()).clamp(100, 5_000);
                    Duration::from_millis(wait.unsigned_abs())
                }
                _ => PAUSE,
            };
            let state = polled.map_err(|error| error.to_string());
            if told.as_ref() != Some(&state) {
                match &state {
                    Ok(Polled::Took(_)) => tracing::info!("polling Telegram"),
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
                    Err(error) => tracing::error!(error, "an update was not taken; Telegram sends it again"),
                }
                told = Some(match state {
                    Ok(Polled::Took(_)) => Ok(Polled::Took(0)),
                    Ok(Polled::Standby(_)) => Ok(Polled::Standby(Timestamp(0))),
                    other => other,
                });
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// One poll of at most so many seconds: asks, and takes what comes in its order.
    ///
    /// # Errors
    /// The store took an update not; it and all behind it come again.
    pub async fn once(&mut self, seconds: u32) -> Result<Polled, Stop> {
        let heard = match self.lead().await? {
            Ok(heard) => heard,
            Err(until) => return Ok(Polled::Standby(until)),
        };
        let bot = match self.edge.bot().await {
            Ok(bot) => bot,
            Err(answer) => return Ok(not_now(answer)),
        };
        let now = self.edge.store.now();
        if now.since(self.took_at) > QUIET {
            self.offset = None;
        }
        let updates = match self.edge.client().call(&outbound::get_updates(self.offset, seconds)).await {
            Answer::Applied(result) => result.as_array().cloned().unwrap_or_default(),
            answer => return Ok(not_now(answer)),
        };
        let now = self.edge.store.now();
        self.edge.after_outage(&self.runtime, heard, now).await?;
        self.heard = Some(now);
        while self.answers.try_join_next().is_some() {}
        for update in &updates {
            let taken = self.edge.take(&self.runtime, &bot, update).await?;
            // Committed: only now may it be forgotten over there.
            if let Some(id) = update["update_id"].as_i64() {
                self.offset = Some(id + 1);
                self.took_at = now;
            }
            let edge = self.edge.clone();
            self.answers.spawn(async move { edge.finish(taken).await });
        }
        Ok(Polled::Took(updates.len()))
    }

    /// Waits until every press that was taken is answered.
    pub async fn answered(&mut self) {
        while self.answers.join_next().await.is_some() {}
    }

    /// Leads, or says until when another does. Says when Telegram was last heard.
    async fn lead(&self) -> Result<Result<Timestamp, Timestamp>, Stop> {
        let (store, now) = (&self.edge.store, self.edge.store.now());
        let (tenant, key) = (self.edge.tenant.as_str(), self.edge.client().bot_id().to_string());
        let found = store.document(tenant, COLLECTION, &key).await?;
        let version = found.as_ref().map_or(0, |found| found.version);
        let lead: Lead = found.and_then(|found| serde_json::from_str(&found.body).ok()).unwrap_or_default();
        if lead.owner != self.owner && lead.until > now.0 {
            return Ok(Err(Timestamp(lead.until)));
        }
        let heard = self.heard.map_or(lead.heard, |heard| heard.0);
        let heard = if heard == 0 { now.0 } else { heard };
        let ours = Lead { owner: self.owner.clone(), until: now.0 + LEASE, heard };
        let body = serde_json::to_string(&ours).unwrap_or_default();
        let write = vec![(COLLECTION.to_owned(), Document { key, version, body })];
        let won = store.write_documents(tenant, write, None).await?;
        Ok(if won { Ok(Timestamp(heard)) } else { Err(now.plus(LEASE)) })
    }

    /// Lets another process lead at once.
    pub async fn resign(&self) {
        let (store, tenant) = (&self.edge.store, self.edge.tenant.as_str());
        let key = self.edge.client().bot_id().to_string();
        let Ok(Some(found)) = store.document(tenant, COLLECTION, &key).await else { return };
        let Ok(lead) = serde_json::from_str::<Lead>(&found.body) else { return };
        if lead.owner == self.owner {
            let heard = self.heard.map_or(lead.heard, |heard| heard.0);
            let body =
                serde_json::to_string(&Lead { owner: String::new(), until: 0, heard }).unwrap_or_default();
            let write = vec![(COLLECTION.to_owned(), Document { key, version: found.version, body })];
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
