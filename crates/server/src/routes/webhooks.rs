//! `/v1/webhooks`: how outgoing webhooks stand, and what is done about events that were given up.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use serde_json::{Value as Json, json as value};
use throughline_engine::LaneId;
use throughline_engine::data::canonical_json::jcs;

use super::tenant_events::{self, Kinds, Lanes, Told};
use super::{json, lanes::PageQuery};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::idempotency::{KeyedRequest, run_once};
use crate::problem::Problem;
use crate::random;
use crate::request::{PathParam, QueryParams};
use crate::webhooks::queue::{Dead, Kept, Queue, Writes};
use crate::webhooks::{Attempt, Webhook};
use crate::wire;

fn queue(app: &App, webhook: &Webhook) -> Queue {
    Queue::new(app.instance.store.clone(), &webhook.tenant, &webhook.name)
}

/// Returns the webhook of that name, if it sends events of the caller's tenant.
pub(crate) fn find(app: &App, caller: &Caller, name: &str) -> Result<Arc<Webhook>, Problem> {
    caller.need(Scope::Admin)?;
    let mut all = app.instance.webhooks.iter();
    let found = all.find(|webhook| webhook.name == name && webhook.tenant == caller.tenant);
    found.cloned().ok_or_else(|| Problem::not_found("webhook"))
}

fn changed() -> Problem {
    Problem::new(&codes::IN_PROGRESS, "the webhook was changed just now; send the request again")
        .retry_after(1)
}

/// List webhooks
#[utoipa::path(
    get, path = "/v1/webhooks", tag = "operations", operation_id = "listWebhooks",
    responses((status = 200, description = "The configured webhooks.", body = wire::Page<wire::Webhook>))
)]
pub(crate) async fn list_webhooks(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    Ok(json(&wire::Page { items: webhooks(&app, &caller).await?, next: None }))
}

/// Returns the webhooks of the caller's tenant.
pub(crate) async fn webhooks(app: &App, caller: &Caller) -> Result<Vec<wire::Webhook>, Problem> {
    caller.need(Scope::Admin)?;
    let mut all = Vec::new();
    for webhook in app.instance.webhooks.iter().filter(|webhook| webhook.tenant == caller.tenant) {
        all.push(standing(app, webhook).await?);
    }
    Ok(all)
}

/// Returns how a webhook stands.
pub(crate) async fn standing(app: &App, webhook: &Webhook) -> Result<wire::Webhook, Problem> {
    let queue = queue(app, webhook);
    let disabled = queue.known().await?.and_then(|kept| kept.value.disabled);
    let held = queue.held().await?;
    let held: Vec<_> = held.values().filter_map(|held| held.value.as_ref()).collect();
    let next = held.iter().min_by_key(|held| held.not_before);
    Ok(wire::Webhook {
        name: webhook.name.clone(),
        url: webhook.url.clone(),
        state: if disabled.is_some() { "disabled" } else { "running" }.into(),
        why: disabled.map(|disabled| disabled.why),
        waiting: held.len(),
        failure: next.map(|held| held.why.clone()).filter(|why| !why.is_empty()),
        next_attempt: next.map(|held| held.not_before.rfc3339()),
    })
}

/// List events of a webhook that were given up
#[utoipa::path(
    get, path = "/v1/webhooks/{name}/dead", tag = "operations", operation_id = "listDeadLetters",
    params(("name" = String, Path, description = "Name in the configuration"), PageQuery),
    responses((status = 200, description = "Events in the order of their ids.", body = wire::Page<wire::DeadLetter>))
)]
pub(crate) async fn list_dead(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(name): PathParam,
    QueryParams(paging): QueryParams<PageQuery>,
) -> Result<Response, Problem> {
    let webhook = find(&app, &caller, &name)?;
    Ok(json(&dead_letters(&app, &webhook, paging.place()?, paging.limit()?).await?))
}

/// Returns events that were given up, behind a place in the order of their ids.
pub(crate) async fn dead_letters(
    app: &App,
    webhook: &Webhook,
    after: Option<String>,
    limit: usize,
) -> Result<wire::Page<wire::DeadLetter>, Problem> {
    let mut found = queue(app, webhook).dead(after, limit + 1).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|(id, _)| super::lanes::cursor(id));
    let items = found.into_iter().map(|(id, kept)| to_wire(id, kept.value)).collect();
    Ok(wire::Page { items, next })
}

fn to_wire(id: String, dead: Dead) -> wire::DeadLetter {
    let Dead { lane, turn, kind, attempts, at, why, .. } = dead;
    wire::DeadLetter { id, kind, lane, turn, attempts, at: at.rfc3339(), why }
}

/// Enable a webhook
///
/// Events are sent again to an endpoint that had answered 410, from where it stopped. Recorded in the audit log.
#[utoipa::path(
    post, path = "/v1/webhooks/{name}/enable", tag = "operations", operation_id = "enableWebhook",
    params(
        ("name" = String, Path, description = "Name in the configuration"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
    ),
    responses((status = 200, description = "The webhook after the change.", body = wire::Webhook))
)]
pub(crate) async fn post_enable(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    asked(&app, &caller, &headers, &name, WebhookAct::Enable).await
}

/// Send a test event
///
/// Posts an event of the type `test`, without a lane, once.
#[utoipa::path(
    post, path = "/v1/webhooks/{name}/test", tag = "operations", operation_id = "testWebhook",
    params(
        ("name" = String, Path, description = "Name in the configuration"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
    ),
    responses((status = 200, description = "What the endpoint made of it.", body = wire::Delivered))
)]
pub(crate) async fn post_test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    asked(&app, &caller, &headers, &name, WebhookAct::Test).await
}

/// Send an event again that was given up
///
/// It is sent once, now, and out of its order: later events of its conversation were sent before. One that is taken is
/// no longer listed. Recorded in the audit log.
#[utoipa::path(
    post, path = "/v1/webhooks/{name}/dead/{event}/redeliver", tag = "operations", operation_id = "redeliverDeadLetter",
    params(
        ("name" = String, Path, description = "Name in the configuration"),
        ("event" = String, Path, description = "Id of the event"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
    ),
    responses((status = 200, description = "What the endpoint made of it.", body = wire::Delivered))
)]
pub(crate) async fn post_redeliver(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((name, event)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    asked(&app, &caller, &headers, &name, WebhookAct::Redeliver(event)).await
}

/// Discard an event that was given up
///
/// It is no longer listed. Recorded in the audit log.
#[utoipa::path(
    post, path = "/v1/webhooks/{name}/dead/{event}/discard", tag = "operations", operation_id = "discardDeadLetter",
    params(
        ("name" = String, Path, description = "Name in the configuration"),
        ("event" = String, Path, description = "Id of the event"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
    ),
    responses((status = 200, description = "The event as it was listed.", body = wire::DeadLetter))
)]
pub(crate) async fn post_discard(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((name, event)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    asked(&app, &caller, &headers, &name, WebhookAct::Discard(event)).await
}

/// Act of a person on a webhook.
pub(crate) enum WebhookAct {
    /// Sends events again to an endpoint that had answered 410.
    Enable,
    /// Sends an event of the type `test`.
    Test,
    /// Sends the event with this id again.
    Redeliver(String),
    /// Gives the event with this id up for good.
    Discard(String),
}

impl WebhookAct {
    /// Returns the route whose request this is.
    pub(crate) fn route(&self, webhook: &str) -> String {
        match self {
            Self::Enable => format!("/v1/webhooks/{webhook}/enable"),
            Self::Test => format!("/v1/webhooks/{webhook}/test"),
            Self::Redeliver(event) => format!("/v1/webhooks/{webhook}/dead/{event}/redeliver"),
            Self::Discard(event) => format!("/v1/webhooks/{webhook}/dead/{event}/discard"),
        }
    }
}

async fn asked(
    app: &Arc<App>,
    caller: &Caller,
    headers: &HeaderMap,
    name: &str,
    act: WebhookAct,
) -> Result<Response, Problem> {
    let webhook = find(app, caller, name)?;
    let keyed = KeyedRequest::of(caller, &Method::POST, &act.route(name), headers, b"{}")?;
    perform(app, caller, &webhook, &act, keyed).await
}

/// Does it once for the request's key.
pub(crate) async fn perform(
    app: &Arc<App>,
    caller: &Caller,
    webhook: &Webhook,
    act: &WebhookAct,
    keyed: KeyedRequest,
) -> Result<Response, Problem> {
    run_once(app, keyed, async {
        match act {
            WebhookAct::Enable => enable(app, caller, webhook).await,
            WebhookAct::Test => test(app, webhook).await,
            WebhookAct::Redeliver(event) => redeliver(app, caller, webhook, event).await,
            WebhookAct::Discard(event) => {
                let dead = dead(app, webhook, event).await?;
                end(app, caller, webhook, "webhook.discarded", event, &dead).await?;
                Ok(value!(to_wire(event.clone(), dead.value)))
            }
        }
    })
    .await
}

async fn enable(app: &App, caller: &Caller, webhook: &Webhook) -> Result<Json, Problem> {
    let queue = queue(app, webhook);
    let mut kept = queue.progress().await?;
    if kept.value.disabled.take().is_some() {
        let mut writes = Writes::default();
        queue.set_progress(&mut writes, &kept);
        let audit = audit(app, caller, "webhook.enabled", webhook, None);
        if !queue.write(writes, Some(&audit)).await? {
            return Err(changed());
        }
    }
    Ok(value!(standing(app, webhook).await?))
}

async fn test(app: &App, webhook: &Webhook) -> Result<Json, Problem> {
    let (id, now) = (format!("test-{}", random::id()?), app.store().now());
    let body = value!({ "id": id, "type": "test", "at": now.rfc3339(), "data": {} }).to_string();
    let attempt = webhook.send(&id, body, now).await;
    Ok(value!(told(id, attempt)))
}

async fn redeliver(app: &App, caller: &Caller, webhook: &Webhook, event: &str) -> Result<Json, Problem> {
    let dead = dead(app, webhook, event).await?;
    let attempt = match read(app, webhook, event, &dead.value).await? {
        Some(body) => webhook.send(event, body, app.store().now()).await,
        None => Attempt::Delivered,
    };
    if attempt == Attempt::Delivered {
        end(app, caller, webhook, "webhook.redelivered", event, &dead).await?;
    }
    Ok(value!(told(event.into(), attempt)))
}

async fn dead(app: &App, webhook: &Webhook, event: &str) -> Result<Kept<Dead>, Problem> {
    queue(app, webhook).dead_one(event).await?.ok_or_else(|| Problem::not_found("event that was given up"))
}

/// Makes the event anew, as it is now; `None` if it was erased.
async fn read(app: &App, webhook: &Webhook, event: &str, dead: &Dead) -> Result<Option<String>, Problem> {
    let lane = app.store().lane(&webhook.tenant, &LaneId::from(dead.lane.as_str())).await?;
    let Some(lane) = lane else { return Ok(None) };
    let turns = app.store().turns(&lane.key, dead.revision, 1).await?;
    let Some(turn) = turns.first() else { return Ok(None) };
    let told = tenant_events::of_turn(app, &mut Lanes::default(), turn, dead.slot, &Kinds::default()).await?;
    let one = told.into_iter().find(|Told { cursor, .. }| cursor.to_string() == event);
    Ok(one.map(|told| serde_json::to_string(&told.envelope).unwrap_or_default()))
}

async fn end(
    app: &App,
    caller: &Caller,
    webhook: &Webhook,
    what: &str,
    event: &str,
    dead: &Kept<Dead>,
) -> Result<(), Problem> {
    let (queue, mut writes) = (queue(app, webhook), Writes::default());
    queue.set_dead(&mut writes, event, dead.version, None);
    let audit = audit(app, caller, what, webhook, Some(event));
    if queue.write(writes, Some(&audit)).await? { Ok(()) } else { Err(changed()) }
}

fn audit(app: &App, caller: &Caller, what: &str, webhook: &Webhook, event: Option<&str>) -> String {
    jcs(&value!({
        "what": what, "by": caller.principal, "token": caller.token, "at": app.store().now(),
        "webhook": webhook.name, "event": event,
    }))
}

fn told(id: String, attempt: Attempt) -> wire::Delivered {
    let why = match attempt {
        Attempt::Delivered => None,
        Attempt::Gone => Some("it answered 410".into()),
        Attempt::Failed { why, .. } => Some(why),
    };
    wire::Delivered { id, delivered: why.is_none(), why }
}
