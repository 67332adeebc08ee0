//! Delivering an event for a request: durable under the request's key, then watched until its turn is told.
//!
//! The order is what makes it safe: watch, accept, wait. An answer is kept under the key before it is given, so a
//! request that is sent again gets the same one.

use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{HeaderName, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use throughline_channels::api;
use throughline_engine::{Event, LaneKey};
use throughline_runtime::Inbound;
use throughline_store::{Accepted, InboxRow, RowState, StoredResponse};
use tokio::time::Instant;

use crate::app::App;
use crate::codes;
use crate::follow::{self, Chain};
use crate::idempotency::{Keyed, answered, replayed, to_json};
use crate::problem::Problem;
use crate::routes::approvals::decided;
use crate::telling;
use crate::wire;

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// An event on its way in, for a request.
pub(crate) struct Delivery {
    pub(crate) keyed: Keyed,
    pub(crate) lane: LaneKey,
    /// Other identities of the delivery, beside the request's key.
    pub(crate) more_keys: Vec<String>,
    pub(crate) event: Event,
    /// How long the answer may wait for the turn.
    pub(crate) wait: Option<Duration>,
    /// Where the outcome will be found.
    pub(crate) href: String,
    /// What is told of a turn.
    pub(crate) tell: Tell,
}

/// What the answer is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tell {
    /// What was decided, with 200 whatever it was.
    Turn,
    /// A decision on an approval: refusals are problems.
    Decision,
    /// The list of options that the event was about.
    Options,
}

/// Delivers and answers.
pub(crate) async fn deliver(app: &Arc<App>, delivery: Delivery) -> Result<Response, Problem> {
    let Delivery { keyed, lane, more_keys, event, wait, href, tell } = delivery;
    let deadline = Instant::now() + wait.unwrap_or_default();
    let counted = counted(&keyed.tenant, &keyed.key);
    let _running = app.enter(counted);
    let wakes = app.runtime().wakes();
    let told = wait.map(|_| wakes.watch(&keyed.key));
    let inbound = Inbound {
        addressing: api::addressing(&lane.channel),
        lane: lane.clone(),
        keys: std::iter::once(keyed.key.clone()).chain(more_keys).collect(),
        event,
        body_hash: Some(keyed.hash.clone()),
    };
    let waiting = Waiting { app, keyed, href, tell, lane };
    let accepted = app.runtime().accept(inbound).await;
    let told = told.filter(|_| matches!(accepted, Ok(Accepted::New(_))));
    if told.is_none() {
        wakes.unwatch(&waiting.keyed.key);
    }
    match accepted? {
        Accepted::New(_) => {}
        Accepted::Full(_) => {
            ::metrics::counter!("throughline_inbox_refused_total", "why" => "queue_full").increment(1);
            return waiting.refused().await;
        }
        Accepted::Duplicate(row) => {
            ::metrics::counter!("throughline_inbox_duplicates_total", "channel" => "api").increment(1);
            return waiting.again(*row, wait).await;
        }
    }
    let Some(told) = told else { return Ok(waiting.received()) };
    let followed = async {
        let heard = tokio::time::timeout_at(deadline, told).await;
        wakes.unwatch(&waiting.keyed.key);
        match heard {
            Ok(Ok(committed)) => {
                follow::follow(app.runtime(), &waiting.keyed.tenant, &committed.turn, deadline).await
            }
            _ => Ok(None),
        }
    };
    let followed = tokio::select! {
        followed = followed => followed?,
        () = app.grace() => None,
    };
    match followed {
        Some(chain) if !chain.undecided() => waiting.answer(&chain, wait).await,
        _ => Ok(waiting.received()),
    }
}

fn counted(tenant: &str, key: &str) -> String {
    format!("{tenant}\n{key}")
}

/// A request whose event is durable.
struct Waiting<'a> {
    app: &'a Arc<App>,
    keyed: Keyed,
    href: String,
    tell: Tell,
    lane: LaneKey,
}

impl Waiting<'_> {
    /// 202: durable, and its turn will be found there.
    fn received(&self) -> Response {
        let body =
            wire::Received { state: "received".into(), lane: self.lane.id().0, href: self.href.clone() };
        let mut response = answered(StoredResponse { status: 202, body: to_json(&body) });
        if let Ok(href) = HeaderValue::from_str(&self.href) {
            response.headers_mut().insert(LOCATION, href);
        }
        response
    }

    /// The same, for a request that came before.
    fn received_again(&self) -> Response {
        let mut response = self.received();
        response
            .headers_mut()
            .insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
        response
    }

    /// The turn, told, and kept for when the request comes again.
    async fn answer(&self, chain: &Chain, wait: Option<Duration>) -> Result<Response, Problem> {
        let stored = self.told(chain).await?;
        self.keep(&self.keyed.key, &stored).await;
        let mut response = answered(stored);
        if let Some(wait) = wait.filter(|_| response.status() == StatusCode::OK) {
            let applied = format!("wait={}", wait.as_secs());
            if let Ok(applied) = HeaderValue::from_str(&applied) {
                response.headers_mut().insert(PREFERENCE_APPLIED, applied);
            }
        }
        Ok(response)
    }

    async fn told(&self, chain: &Chain) -> Result<StoredResponse, Problem> {
        let runtime = self.app.runtime();
        if self.tell == Tell::Options {
            let lane = runtime.lane(&self.lane).await?;
            let set = telling::options::answered(&lane, &chain.own);
            let set = set.ok_or_else(|| Problem::not_found("list"))?;
            return Ok(StoredResponse { status: 200, body: to_json(&set) });
        }
        let answer = telling::answer(runtime, chain, chain.deciding()).await?;
        match self.tell {
            Tell::Turn | Tell::Options => Ok(StoredResponse { status: 200, body: to_json(&answer) }),
            Tell::Decision => decided(self.app, &self.keyed.tenant, &answer, &self.href).await,
        }
    }

    /// An answer that cannot be kept is given all the same: it can be made again from the turn.
    async fn keep(&self, key: &str, stored: &StoredResponse) {
        if let Err(error) = self.app.store().respond(&self.keyed.tenant, key, stored.clone()).await {
            tracing::warn!(%error, "an answer was not kept for its Idempotency-Key");
        }
    }

    async fn refused(&self) -> Result<Response, Problem> {
        let problem = self.queue_full();
        self.keep(&self.keyed.key, &problem.stored()).await;
        Err(problem)
    }

    fn queue_full(&self) -> Problem {
        let text =
            "too many messages wait in this conversation; this one was not taken, and the user is told so";
        Problem::new(&codes::QUEUE_FULL, text).retry_after(5)
    }

    /// The request, or the event it carries, came before.
    async fn again(&self, row: InboxRow, wait: Option<Duration>) -> Result<Response, Problem> {
        let keyed = &self.keyed;
        let own = row.key == keyed.key;
        if own && row.body_hash.as_deref() != Some(keyed.hash.as_str()) {
            return Err(keyed.reused());
        }
        let others = self.app.count(&counted(&keyed.tenant, &row.key)) - usize::from(own);
        if others > 0 {
            return Err(keyed.in_progress());
        }
        if let Some(stored) = row.response {
            return Ok(replayed(stored));
        }
        match (row.state, row.turn, wait) {
            (RowState::Refused, ..) => Err(self.queue_full()),
            (_, _, None) => Ok(self.received_again()),
            // Durable by a process that is gone, and not handled yet.
            (RowState::Received, ..) | (_, None, _) => Err(keyed.in_progress()),
            (_, Some(turn), Some(wait)) => {
                let deadline = Instant::now() + wait;
                let followed = follow::follow(self.app.runtime(), &keyed.tenant, &turn, deadline).await?;
                let Some(chain) = followed.filter(|chain| !chain.undecided()) else {
                    return Err(keyed.in_progress());
                };
                let stored = self.told(&chain).await?;
                self.keep(&row.key, &stored).await;
                Ok(replayed(stored))
            }
        }
    }
}
