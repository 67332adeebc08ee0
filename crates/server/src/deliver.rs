//! Delivery of an event for a request: stored under the request's key, then watched until its turn is committed.
//!
//! The order matters: first watch, then store, then wait. An answer is stored under the key before it is sent, so a
//! repeated request gets the same answer.

use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{HeaderName, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use throughline_channels::api;
use throughline_engine::{CardId, Event, LaneKey, Reason, TurnId};
use throughline_runtime::Inbound;
use throughline_store::{Accepted, DeliveryIdentity, InboxRow, RowState, StoredResponse};
use tokio::time::Instant;

use crate::app::App;
use crate::codes::{self, Code};
use crate::idempotency::{KeyedRequest, replayed_response, stored_response, to_json, to_store};
use crate::problem::Problem;
use crate::rates::whole_seconds;
use crate::turn_chain::{self, RECHECK, TurnChain};
use crate::views;
use crate::wire;

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Event to deliver for a request.
pub(crate) struct Delivery {
    pub(crate) keyed: KeyedRequest,
    pub(crate) lane: LaneKey,
    /// Further delivery keys of the event, beside the request's own.
    pub(crate) more_keys: Vec<String>,
    pub(crate) event: Event,
    /// True if a message is meant for the assistant, false if it is not, if its host said so.
    pub(crate) addressed: Option<bool>,
    /// Maximum time to wait for the turn; `None` answers at once.
    pub(crate) wait: Option<Duration>,
    /// Path where the outcome can be read later.
    pub(crate) href: String,
    /// Kind of answer.
    pub(crate) answer_kind: AnswerKind,
}

/// Body of the answer to a delivered event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// Decision of the turn; the status is 200 whatever was decided.
    Turn,
    /// Decision on an approval; a refusal becomes a problem document.
    Decision,
    /// List of options that the event was about.
    Options,
}

/// Stores the event, waits for its turn, and answers.
pub(crate) async fn deliver(app: &Arc<App>, delivery: Delivery) -> Result<Response, Problem> {
    let Delivery { keyed, lane, more_keys, event, addressed, wait, href, answer_kind } = delivery;
    let deadline = Instant::now() + wait.unwrap_or_default();
    let name = running_key(&keyed.tenant, &keyed.key);
    let running = app.enter(name);
    let wakes = app.runtime().wakes();
    let committed = wait.map(|_| wakes.watch(&keyed.key));
    let inbound = inbound(&keyed, &lane, more_keys, event, addressed);
    let request = DurableRequest { app, keyed, href, answer_kind, lane };
    let accepted = app.runtime().accept(inbound).await;
    let committed = committed.filter(|_| matches!(accepted, Ok(Accepted::New)));
    if committed.is_none() {
        wakes.unwatch(&request.keyed.key);
    }
    match accepted? {
        Accepted::New => {}
        Accepted::Full => {
            ::metrics::counter!("throughline_inbox_refused_total", "why" => "queue_full").increment(1);
            return Err(request.queue_full().await?);
        }
        Accepted::Duplicate(row) => {
            ::metrics::counter!("throughline_inbox_duplicates_total", "channel" => "api").increment(1);
            // Whoever repeats a request does not keep others from its answer.
            drop(running);
            return request.duplicate(*row, wait).await;
        }
    }
    let Some(committed) = committed else { return Ok(request.accepted()) };
    let followed = async {
        let heard = tokio::time::timeout_at(deadline, committed).await;
        wakes.unwatch(&request.keyed.key);
        match heard {
            Ok(Ok(done)) => {
                turn_chain::follow(app.runtime(), &request.keyed.tenant, &done.turn, deadline).await
            }
            _ => Ok(None),
        }
    };
    let followed = tokio::select! {
        followed = followed => followed?,
        () = app.grace() => None,
    };
    match followed {
        Some(chain) if !chain.undecided() => request.answer(&chain, wait).await,
        _ => Ok(request.accepted()),
    }
}

/// Stores the event and waits until its turn is committed; `None` if that takes too long. An event that was stored before is
/// not handled again: the answer is its first turn.
pub(crate) async fn turn_of(
    app: &Arc<App>,
    delivery: Delivery,
    deadline: Instant,
) -> Result<Option<TurnId>, Problem> {
    let Delivery { keyed, lane, more_keys, event, addressed, href, answer_kind, .. } = delivery;
    let _running = app.enter(running_key(&keyed.tenant, &keyed.key));
    let wakes = app.runtime().wakes();
    let committed = wakes.watch(&keyed.key);
    let inbound = inbound(&keyed, &lane, more_keys, event, addressed);
    let request = DurableRequest { app, keyed, href, answer_kind, lane };
    let accepted = app.runtime().accept(inbound).await;
    match accepted? {
        Accepted::New => {}
        Accepted::Full => {
            ::metrics::counter!("throughline_inbox_refused_total", "why" => "queue_full").increment(1);
            return Err(request.queue_full().await?);
        }
        Accepted::Duplicate(row) => {
            ::metrics::counter!("throughline_inbox_duplicates_total", "channel" => "api").increment(1);
            return request.turn_of_duplicate(*row, deadline).await;
        }
    }
    let heard = tokio::select! {
        heard = tokio::time::timeout_at(deadline, committed) => heard.ok().and_then(Result::ok),
        () = app.grace() => None,
    };
    wakes.unwatch(&request.keyed.key);
    Ok(heard.map(|done| done.turn))
}

fn inbound(
    keyed: &KeyedRequest,
    lane: &LaneKey,
    more_keys: Vec<String>,
    event: Event,
    addressed: Option<bool>,
) -> Inbound {
    Inbound {
        addressing: api::addressing(&lane.channel, addressed),
        identity: DeliveryIdentity {
            lane: lane.clone(),
            key: keyed.key.clone(),
            more_keys,
            body_hash: Some(keyed.stored_hash().to_owned()),
        },
        event,
    }
}

fn running_key(tenant: &str, key: &str) -> String {
    format!("{tenant}\n{key}")
}

/// Request whose event has been stored.
struct DurableRequest<'a> {
    app: &'a Arc<App>,
    keyed: KeyedRequest,
    href: String,
    answer_kind: AnswerKind,
    lane: LaneKey,
}

impl DurableRequest<'_> {
    /// 202: the event is durable, and its turn can be read at `href`.
    fn accepted(&self) -> Response {
        let body =
            wire::Received { state: "received".into(), lane: self.lane.id().0, href: self.href.clone() };
        let mut response = stored_response(StoredResponse { status: 202, body: to_json(&body) });
        if let Ok(href) = HeaderValue::from_str(&self.href) {
            response.headers_mut().insert(LOCATION, href);
        }
        response
    }

    /// 202 for a request that was sent before.
    fn accepted_before(&self) -> Response {
        let mut response = self.accepted();
        response
            .headers_mut()
            .insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
        response
    }

    /// Answer with the turn. It is stored under the key first.
    async fn answer(&self, chain: &TurnChain, wait: Option<Duration>) -> Result<Response, Problem> {
        let stored = self.answer_body(chain).await?;
        self.keep(&self.keyed.key, &stored).await;
        let mut response = stored_response(stored);
        if let Some(wait) = wait.filter(|_| response.status() == StatusCode::OK) {
            let applied = format!("wait={}", wait.as_secs());
            if let Ok(applied) = HeaderValue::from_str(&applied) {
                response.headers_mut().insert(PREFERENCE_APPLIED, applied);
            }
        }
        Ok(response)
    }

    async fn answer_body(&self, chain: &TurnChain) -> Result<StoredResponse, Problem> {
        let runtime = self.app.runtime();
        if self.answer_kind == AnswerKind::Options {
            let lane = runtime.lane(&self.lane).await?;
            let set = views::options::set_answer(&lane, &chain.own);
            let set = set.ok_or_else(|| Problem::not_found("list"))?;
            return Ok(StoredResponse { status: 200, body: to_json(&set) });
        }
        let answer = views::answer(runtime, chain, chain.deciding()).await?;
        match self.answer_kind {
            AnswerKind::Turn | AnswerKind::Options => {
                Ok(StoredResponse { status: 200, body: to_json(&answer) })
            }
            AnswerKind::Decision => {
                decision_response(self.app, &self.keyed.tenant, &answer, &self.href).await
            }
        }
    }

    /// Stores an answer. A failure is only logged, since the answer can be made again from the turn.
    async fn keep(&self, key: &str, stored: &StoredResponse) {
        if let Err(error) = self.app.store().store_response(&self.keyed.tenant, key, to_store(stored)).await {
            tracing::warn!(%error, "an answer was not kept for its Idempotency-Key");
        }
    }

    /// Problem: the event has no turn yet, because its lane cannot be run, or because that takes its time.
    fn not_handled(&self) -> Problem {
        let failure = self.app.runtime().wakes().failure(&self.lane);
        failure.map_or_else(|| self.keyed.in_progress(), |error| Problem::from(&*error).retry_after(1))
    }

    /// Problem: nothing was taken. It is kept under no key, so the same request may be sent again.
    async fn queue_full(&self) -> Result<Problem, Problem> {
        let text =
            "too many messages wait in this conversation; this one was not taken, and the user is told so";
        let room = self.app.runtime().room_in(&self.lane).await?;
        Ok(Problem::new(&codes::QUEUE_FULL, text).retry_after(whole_seconds(room)))
    }

    /// Waits for the turn of an event that was stored before.
    async fn turn_of_duplicate(
        &self,
        mut row: InboxRow,
        deadline: Instant,
    ) -> Result<Option<TurnId>, Problem> {
        let keyed = &self.keyed;
        if row.key != keyed.key {
            let text = "this runId was used for another message; give every run a runId of its own";
            return Err(Problem::new(&codes::KEY_REUSED, text));
        }
        if !keyed.is_repeated_by(row.body_hash.as_deref()) || row.lane != self.lane {
            return Err(KeyedRequest::event_reused());
        }
        loop {
            match row.state {
                RowState::Refused => return Err(self.queue_full().await?),
                _ if row.turn.is_some() || Instant::now() >= deadline || self.app.draining() => {
                    return Ok(row.turn);
                }
                _ => {}
            }
            let heard = self.app.runtime().wakes().watch(&keyed.key);
            let Some(now) = self.app.store().delivery(&keyed.tenant, &keyed.key).await? else {
                return Ok(None);
            };
            if now.turn.is_none() {
                let _ = tokio::time::timeout_at(deadline.min(Instant::now() + RECHECK), heard).await;
            }
            row = now;
        }
    }

    /// Answers a request whose key, or whose event, was delivered before.
    async fn duplicate(&self, row: InboxRow, wait: Option<Duration>) -> Result<Response, Problem> {
        let keyed = &self.keyed;
        let own = row.key == keyed.key;
        let stored = row.body_hash.as_deref();
        if own && !keyed.is_repeated_by(stored) {
            return Err(keyed.reused());
        }
        // A row under the event's own id may be of any token, and so of anybody and anywhere.
        if !own && (stored != Some(keyed.stored_hash()) || row.lane != self.lane) {
            return Err(KeyedRequest::event_reused());
        }
        if let Some(stored) = row.response {
            return Ok(replayed_response(self.app.runtime().keys(), &keyed.tenant, stored));
        }
        if self.app.count(&running_key(&keyed.tenant, &row.key)) > 0 {
            return Err(self.not_handled());
        }
        match (row.state, row.turn, wait) {
            (RowState::Refused, ..) => Err(self.queue_full().await?),
            (_, _, None) => Ok(self.accepted_before()),
            // Its request gave up waiting or was of a process that has ended, and it is not handled yet.
            (RowState::Received, ..) | (_, None, _) => Err(self.not_handled()),
            (_, Some(turn), Some(wait)) => {
                let deadline = Instant::now() + wait;
                let followed = turn_chain::follow(self.app.runtime(), &keyed.tenant, &turn, deadline).await?;
                let Some(chain) = followed.filter(|chain| !chain.undecided()) else {
                    return Err(keyed.in_progress());
                };
                let stored = self.answer_body(&chain).await?;
                self.keep(&row.key, &stored).await;
                Ok(replayed_response(self.app.runtime().keys(), &keyed.tenant, stored))
            }
        }
    }
}

/// Answer to a decision: the turn if the decision was taken, else a problem with the text that the person was shown.
async fn decision_response(
    app: &App,
    tenant: &str,
    answer: &wire::TurnAnswer,
    href: &str,
) -> Result<StoredResponse, Problem> {
    let Some(code) = refusal_code(&answer.reason) else {
        return Ok(StoredResponse { status: 200, body: to_json(answer) });
    };
    let text = views::notice_texts(&answer.effects);
    let text = if text.is_empty() { code.title.to_owned() } else { text };
    let mut problem = Problem::new(code, text).with_turn(&answer.turn);
    let id = href.rsplit('/').next().unwrap_or_default();
    if code.number == codes::STALE_VERSION.number
        && let Some(row) = app.store().approval(tenant, &CardId::from(id)).await?
    {
        problem = problem.with_current(row.approval.version, href.into());
    }
    Ok(problem.stored())
}

/// Returns the error code for a reason that refuses a press, if it is one.
pub(crate) fn refusal_code(reason: &str) -> Option<&'static Code> {
    Some(match Reason::from_code(reason)? {
        Reason::PressUnknown => &codes::PRESS_UNKNOWN,
        Reason::PressConsumed => &codes::PRESS_CONSUMED,
        Reason::StaleVersion => &codes::STALE_VERSION,
        Reason::StaleStep => &codes::STALE_STEP,
        Reason::FormInvalid => &codes::SCHEMA,
        Reason::PressExpired => &codes::PRESS_EXPIRED,
        Reason::PressForbidden | Reason::PressSelf => &codes::FORBIDDEN,
        Reason::PressNoPolicy => &codes::NO_POLICY,
        Reason::EffectsPaused => &codes::PAUSED,
        Reason::PressTampered => &codes::TAMPERED,
        _ => return None,
    })
}
