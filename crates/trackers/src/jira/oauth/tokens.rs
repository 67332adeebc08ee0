//! The token of a request: one that lasts, renewed by one process at a time.
//!
//! Whoever renews first writes that it does, by compare-and-swap; who comes second waits for what that one got. A process
//! that ends in between loses its turn after [`TURN`]. Nothing of it can be cut off half-way by a request that is given up.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use throughline_engine::{Millis, Timestamp};
use tokio::time::Instant;

use super::exchange::NotRenewed;
use super::grant::{Grant, Held, Kept};
use super::{OAuth, moment};
use crate::jira::answer::Answer;

/// The time before its end in which a token is renewed.
const EARLY: Millis = Timestamp::MINUTE;
/// The age below which a token that is refused is not renewed. Jira refuses a token like an ended one where it lacks a scope;
/// a newer one lacks it, too.
const NEW: Millis = Timestamp::MINUTE;
/// The turn of a process that renews.
const TURN: Millis = 30 * Timestamp::SECOND;
/// The time between two looks at what another process got.
const LOOK: Duration = Duration::from_millis(200);
/// The longest wait for another process: two of which each lost its turn.
const WAIT: Duration = Duration::from_secs(65);
/// Attempts to keep what was got, a second apart. The earlier refresh token is taken no more by then.
const KEEPS: u32 = 20;

/// The way to a site with a token.
pub(in crate::jira) struct Access {
    /// Address of the site at the gateway.
    pub(in crate::jira) base: String,
    /// Header with the token.
    pub(in crate::jira) header: HeaderValue,
}

impl OAuth {
    /// Returns a token that lasts for a request, and is another one than `refused`.
    ///
    /// # Errors
    /// The answer that the request has instead: no token was got, so it was not sent.
    pub(in crate::jira) async fn access(
        self: &Arc<Self>,
        refused: Option<&HeaderValue>,
    ) -> Result<Access, Answer> {
        let seen = self.seen.lock().await.clone();
        if let Some(grant) = seen.filter(|grant| grant.serves(refused)) {
            return self.to(&grant);
        }
        let (this, refused) = (self.clone(), refused.cloned());
        let got = tokio::spawn(async move { this.get(refused.as_ref()).await });
        let grant = got.await.unwrap_or(Err(Answer::NotSent))?;
        self.to(&grant)
    }

    fn to(&self, grant: &Grant) -> Result<Access, Answer> {
        let header = grant.header().ok_or(Answer::Credentials)?;
        Ok(Access { base: format!("{}/ex/jira/{}", self.api.base(), grant.cloud), header })
    }

    async fn get(&self, refused: Option<&HeaderValue>) -> Result<Grant, Answer> {
        // Whoever comes meanwhile waits here, and then finds what was got.
        let mut seen = self.seen.lock().await;
        let began = Instant::now();
        loop {
            if let Some(grant) = seen.as_ref().filter(|grant| grant.serves(refused)) {
                return Ok(grant.clone());
            }
            let Kept { version, held } = self.grants.load().await.map_err(unavailable)?;
            match held {
                Held::Nothing => return Err(Answer::Credentials),
                Held::Ready(grant) | Held::Renewing { grant, .. } if grant.serves(refused) => {
                    *seen = Some(grant);
                }
                Held::Renewing { until, .. } if moment() < until => {
                    if began.elapsed() > WAIT {
                        return Err(Answer::NotSent);
                    }
                    tokio::time::sleep(LOOK).await;
                }
                Held::Ready(grant) | Held::Renewing { grant, .. }
                    if grant.is_refused(refused) && grant.is_new() =>
                {
                    return Err(Answer::Credentials);
                }
                Held::Ready(grant) | Held::Renewing { grant, .. } => {
                    if let Some(grant) = self.renew(version, grant).await? {
                        *seen = Some(grant.clone());
                        return Ok(grant);
                    }
                }
            }
        }
    }

    /// Renews a grant; nothing if another process was first.
    async fn renew(&self, version: u64, grant: Grant) -> Result<Option<Grant>, Answer> {
        let turn = Held::Renewing { grant: grant.clone(), until: moment().plus(TURN) };
        if !self.grants.swap(version, &turn, None).await.map_err(unavailable)? {
            return Ok(None);
        }
        match self.renewed(&grant.refresh).await {
            Ok(exchanged) => {
                let next = exchanged.grant(grant.cloud, moment());
                self.keep(version + 1, &Held::Ready(next.clone())).await;
                Ok(Some(next))
            }
            Err(NotRenewed::Ended) => {
                let site = &self.app.site;
                tracing::error!(
                    code = "TL-5203",
                    site,
                    "Jira takes the grant no more; somebody has to connect again"
                );
                self.keep(version + 1, &Held::Nothing).await;
                Err(Answer::Credentials)
            }
            Err(NotRenewed::Failed(answer)) => {
                self.keep(version + 1, &Held::Ready(grant)).await;
                Err(answer)
            }
        }
    }

    /// Writes the end of a renewal. If somebody connected again meanwhile, theirs stays.
    pub(super) async fn keep(&self, version: u64, held: &Held) {
        for _ in 0..KEEPS {
            match self.grants.swap(version, held, None).await {
                Ok(_) => return,
                Err(why) => tracing::warn!(why, "a grant of Jira is not kept yet"),
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        tracing::error!(code = "TL-5203", site = self.app.site, "a renewed grant of Jira was not kept");
    }
}

impl Grant {
    /// True for a token that lasts, and that was not refused.
    fn serves(&self, refused: Option<&HeaderValue>) -> bool {
        moment().plus(EARLY) < self.ends_at && !self.is_refused(refused)
    }

    fn is_refused(&self, refused: Option<&HeaderValue>) -> bool {
        refused.is_some() && self.header().as_ref() == refused
    }

    fn is_new(&self) -> bool {
        moment() < self.since.plus(NEW)
    }

    fn header(&self) -> Option<HeaderValue> {
        self.access.header("Bearer ")
    }
}

fn unavailable(why: String) -> Answer {
    tracing::warn!(why, "a grant of Jira cannot be read or written");
    Answer::NotSent
}
