//! Outgoing webhooks in the console: how each stands, and the events that were given up. One page of them shows 50.

use axum::body::to_bytes;
use axum::http::Method;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;

use super::form::{SentForm, fresh_key};
use super::operator::{Equivalents, Operator, Section};
use crate::codes;
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams};
use crate::routes::lanes::PageQuery;
use crate::routes::webhooks::{self as api, WebhookAct};
use crate::wire;

/// Events per page.
const PAGE: usize = 50;

#[derive(Serialize)]
struct List {
    webhooks: Vec<wire::Webhook>,
}

/// `GET /console/webhooks`.
pub(super) async fn list(operator: Operator) -> Result<Response, Problem> {
    operator.enter(Section::Webhooks)?;
    let list = List { webhooks: api::webhooks(&operator.app, &operator.caller).await? };
    let twin = Equivalents::new("", "GET /v1/webhooks");
    operator.page(Section::Webhooks, "console/webhooks.html", twin, &list).await
}

#[derive(Serialize)]
struct WebhookPage {
    webhook: wire::Webhook,
    dead: Vec<wire::DeadLetter>,
    next: Option<String>,
    key: String,
    came: Option<Came>,
}

/// Outcome of a form.
#[derive(Serialize)]
struct Came {
    good: bool,
    says: String,
}

/// `GET /console/webhooks/{name}`.
pub(super) async fn show(
    operator: Operator,
    PathParam(name): PathParam,
    QueryParams(paging): QueryParams<PageQuery>,
) -> Result<Response, Problem> {
    operator.enter(Section::Webhooks)?;
    page(&operator, &name, paging.place()?, None).await
}

async fn page(
    operator: &Operator,
    name: &str,
    after: Option<String>,
    came: Option<Came>,
) -> Result<Response, Problem> {
    let webhook = api::find(&operator.app, &operator.caller, name)?;
    let wire::Page { items, next } = api::dead_letters(&operator.app, &webhook, after, PAGE).await?;
    let page = WebhookPage {
        webhook: api::standing(&operator.app, &webhook).await?,
        dead: items,
        next,
        key: fresh_key(),
        came,
    };
    let route = format!("/v1/webhooks/{name}");
    let twin = Equivalents::new("", format!("GET {route}/dead"))
        .acts("", format!("POST {route}/dead/EVENT/redeliver"))
        .acts("", format!("POST {route}/dead/EVENT/discard"));
    operator.page(Section::Webhooks, "console/webhook.html", twin, &page).await
}

/// `POST /console/webhooks/{name}`: what the API does with the same request, and the page with its outcome. Sent again, the
/// form has the same outcome.
pub(super) async fn act(PathParam(name): PathParam, sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    operator.enter(Section::Webhooks)?;
    let webhook = api::find(&operator.app, &operator.caller, &name)?;
    let act = read(&sent)?;
    let keyed = sent.keyed(&Method::POST, &act.route(&name), &json!({}))?;
    let answer = api::perform(&operator.app, &operator.caller, &webhook, &act, keyed).await?;
    if !answer.status().is_success() {
        return Ok(answer);
    }
    let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap_or_default();
    page(operator, &name, None, Some(came(&act, &bytes))).await
}

fn read(sent: &SentForm) -> Result<WebhookAct, Problem> {
    let event = || sent.required("event");
    match sent.required("act")?.as_str() {
        "enable" => Ok(WebhookAct::Enable),
        "test" => Ok(WebhookAct::Test),
        "redeliver" => Ok(WebhookAct::Redeliver(event()?)),
        "discard" => Ok(WebhookAct::Discard(event()?)),
        other => Err(Problem::new(
            &codes::BAD_REQUEST,
            format!("a webhook cannot be asked to {other:?}; open the page again"),
        )),
    }
}

fn came(act: &WebhookAct, answer: &[u8]) -> Came {
    let failure = match serde_json::from_slice::<wire::Delivered>(answer) {
        Ok(told) if !told.delivered => Some(told.why.unwrap_or_default()),
        _ => None,
    };
    let says = match (&failure, act) {
        (Some(why), _) => format!("The endpoint did not take it: {why}"),
        (None, WebhookAct::Enable) => "Events are sent again, from where they stopped.".into(),
        (None, WebhookAct::Test) => "The endpoint took the test event.".into(),
        (None, WebhookAct::Redeliver(_)) => "The event was delivered, and is no longer listed.".into(),
        (None, WebhookAct::Discard(_)) => "The event was discarded.".into(),
    };
    Came { good: failure.is_none(), says }
}
