//! `/v1/facts`: list, state and erase facts (`docs/design/0027-facts.md`). Stating and erasing are events, so the
//! engine decides who may and what follows.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use throughline_engine::data::event::FactStated;
use throughline_engine::data::fact::{FactKey, FactScope, FactType};
use throughline_engine::data::record::Record;
use throughline_engine::{Event, EventKind, FactId, LaneKey};
use throughline_runtime::FailPoint;
use utoipa::IntoParams;

use super::json;
use crate::access::Act;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::deliver::{AnswerKind, Delivery, deliver};
use crate::idempotency::KeyedRequest;
use crate::problem::{Pointed, Problem};
use crate::request::{PathParam, QueryParams, caller, parse, read_json, wait};
use crate::routes::lanes;
use crate::wire;
use crate::wire::fact::MAX_TEXT;
use crate::wire::vocabulary::{FactPlace, Given};

const ROUTE: &str = "/v1/facts";

/// Time to wait for the turn if the request names none.
const WAIT: Duration = Duration::from_secs(10);

/// Place whose facts are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FactsQuery {
    /// `thread`, `epic` or `channel`.
    #[param(value_type = FactPlace, inline)]
    scope: String,
    /// For a thread or a channel the id of one of its lanes, `ln_…`; for an epic its issue's key, or `draft:` with
    /// the draft's id.
    #[param(value_type = Given, inline)]
    id: String,
}

/// List facts
///
/// Lists all facts of one place, including those that no longer count.
#[utoipa::path(
    get, path = "/v1/facts", tag = "context", operation_id = "listFacts",
    params(FactsQuery),
    responses((status = 200, description = "The facts, in the order of their ids.", body = wire::Page<wire::Fact>))
)]
pub(crate) async fn list_facts(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(which): QueryParams<FactsQuery>,
) -> Result<Response, Problem> {
    caller.need(Scope::ContextRead)?;
    let scope = scope(&which.scope, "scope")?;
    let key = match scope {
        FactScope::Epic => FactKey::epic(&caller.tenant, &which.id),
        FactScope::Thread => {
            FactKey::thread(&lanes::find(&app, &caller, Act::ReadContext, &which.id).await?.key)
        }
        FactScope::Channel => {
            FactKey::channel(&lanes::find(&app, &caller, Act::ReadContext, &which.id).await?.key)
        }
    };
    let facts = match scope {
        FactScope::Thread => {
            lane_facts(&app, &lanes::find(&app, &caller, Act::ReadContext, &which.id).await?.key).await?
        }
        // A person who sees only their own conversations must not see an epic of others.
        FactScope::Epic if !caller.stands_for_everybody() => return Err(Problem::not_found("epic")),
        FactScope::Epic | FactScope::Channel => app.runtime().facts(&key).await?.facts.clone(),
    };
    let items = facts.iter().map(|fact| wire::Fact::of(&key, fact)).collect();
    Ok(json(&wire::Page { items, next: None }))
}

/// State a fact
///
/// This is the same act as “remember that …” in the conversation, which gets the answer. A known fact is not added
/// again, and a contradiction is resolved by the usual rules.
#[utoipa::path(
    post, path = "/v1/facts", tag = "context", operation_id = "stateFact",
    request_body = wire::StateFact,
    params(
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 if absent"),
    ),
    responses(
        (status = 200, description = "The turn.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; the turn can be read at Location later.", body = wire::Received),
    )
)]
pub(crate) async fn post_fact(State(app): State<Arc<App>>, request: Request) -> Response {
    state(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn state(app: &Arc<App>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let caller = authorise(app, &parts)?;
    let body = read_json(&parts.headers, body).await?;
    let keyed = KeyedRequest::of(&caller, &parts.method, ROUTE, &parts.headers, &body)?;
    let asked: wire::StateFact = parse(&body)?;
    let actor = caller.actor(app, asked.actor.as_ref().map(|actor| actor.id.as_str()))?;
    let kind = FactType::parse(&asked.kind)
        .ok_or_else(|| unknown("/type", "decision, constraint or assumption", &asked.kind))?;
    let scope = asked.scope.as_deref().map_or(Ok(FactScope::Thread), |word| scope(word, "/scope"))?;
    if asked.text.trim().is_empty() || asked.text.chars().count() > MAX_TEXT {
        return Err(wrong("/text", "1 to 4,000 characters".into()));
    }
    let lane = lanes::find(app, &caller, Act::StateFact, &asked.lane).await?.key;
    let fact = FactStated { kind, scope, epic: asked.epic, text: asked.text, subject: asked.subject };
    deliver_fact(app, keyed, lane, actor, EventKind::FactStated(fact), &parts).await
}

/// Place where a fact is erased.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EraseFactQuery {
    /// Conversation, `ln_…`. Required for a fact of a thread, which is not found from elsewhere. For a fact of an
    /// epic or a channel it is the conversation that records the erasure; if absent, the one in which the fact was
    /// stated.
    #[param(value_type = Option<Given>, inline)]
    lane: Option<String>,
}

/// Erase a fact
///
/// Allowed to its author and to every member. The message that stated it will not yield it again.
#[utoipa::path(
    delete, path = "/v1/facts/{fact}", tag = "context", operation_id = "eraseFact",
    params(
        ("fact" = String, Path, description = "f1-…"), EraseFactQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 if absent"),
    ),
    responses(
        (status = 200, description = "The turn; its reason is fact.erased if the fact was erased.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; the turn can be read at Location later.", body = wire::Received),
    )
)]
pub(crate) async fn delete_fact(
    State(app): State<Arc<App>>,
    PathParam(fact): PathParam,
    QueryParams(place): QueryParams<EraseFactQuery>,
    request: Request,
) -> Response {
    erase(&app, FactId(fact), place, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn erase(
    app: &Arc<App>,
    fact: FactId,
    place: EraseFactQuery,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let caller = authorise(app, &parts)?;
    let (key, lane) = find(app, &caller, &fact, place.lane.as_deref()).await?;
    let route = format!("{ROUTE}/{fact}");
    let body = serde_json::json!({ "lane": place.lane });
    let keyed = if parts.headers.contains_key("idempotency-key") {
        KeyedRequest::of(&caller, &parts.method, &route, &parts.headers, body.to_string().as_bytes())?
    } else {
        // Erasing twice has the effect of erasing once, so no key is required.
        KeyedRequest::new(&caller, &parts.method, &route, &crate::random::id()?, &body)
    };
    let actor = caller.actor(app, None)?;
    deliver_fact(app, keyed, lane, actor, EventKind::FactTakenBack { key, fact }, &parts).await
}

/// Returns the place of a fact, and the conversation that records its erasure.
async fn find(
    app: &App,
    caller: &Caller,
    fact: &FactId,
    named: Option<&str>,
) -> Result<(FactKey, LaneKey), Problem> {
    let named = match named {
        Some(id) => Some(lanes::find(app, caller, Act::StateFact, id).await?.key),
        None => None,
    };
    if let Some(lane) = &named
        && lane_facts(app, lane).await?.iter().any(|known| known.canonical_id == *fact)
    {
        return Ok((FactKey::thread(lane), lane.clone()));
    }
    let places = match named {
        Some(_) => "in that conversation, its epics or its channel",
        None => "of an epic or a channel; one of a conversation is found by its lane alone",
    };
    let none = || Problem::new(&codes::NOT_FOUND, format!("there is no fact {fact} {places}"));
    let key = app.store().fact_set_of(&caller.tenant, fact).await?.ok_or_else(none)?;
    let set = app.runtime().facts(&key).await?;
    let known = set.facts.iter().find(|known| known.canonical_id == *fact).ok_or_else(none)?;
    let lane = match named {
        Some(lane) => lane,
        None => {
            let from = known.sources.iter().find_map(|source| source.lane.as_ref()).ok_or_else(none)?;
            lanes::find(app, caller, Act::StateFact, from.as_str()).await.map_err(|_| none())?.key
        }
    };
    let near = key == FactKey::channel(&lane) || caller.stands_for_everybody();
    if near { Ok((key, lane)) } else { Err(none()) }
}

fn authorise(app: &App, parts: &Parts) -> Result<Caller, Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let caller = caller(app, parts)?;
    caller.need(Scope::FactsWrite)?;
    Ok(caller)
}

async fn deliver_fact(
    app: &Arc<App>,
    keyed: KeyedRequest,
    lane: LaneKey,
    actor: String,
    kind: EventKind,
    parts: &Parts,
) -> Result<Response, Problem> {
    app.runtime().fault(FailPoint::Verified)?;
    let event = Event { id: keyed.key.clone(), received_at: app.store().now(), actor, kind };
    let href = keyed.turn_href();
    let wait = Some(wait(&parts.headers).unwrap_or(WAIT));
    deliver(
        app,
        Delivery {
            keyed,
            lane,
            more_keys: Vec::new(),
            event,
            addressed: None,
            wait,
            href,
            answer_kind: AnswerKind::Turn,
        },
    )
    .await
}

/// Returns the facts of a lane.
async fn lane_facts(app: &App, lane: &LaneKey) -> Result<Vec<throughline_engine::data::fact::Fact>, Problem> {
    let lane = app.runtime().lane(lane).await?;
    let facts = lane.records.iter().filter_map(|record| match record {
        Record::Fact(fact) => Some((**fact).clone()),
        _ => None,
    });
    Ok(facts.collect())
}

fn scope(word: &str, pointer: &str) -> Result<FactScope, Problem> {
    FactScope::parse(word).ok_or_else(|| unknown(pointer, "thread, epic or channel", word))
}

fn unknown(pointer: &str, known: &str, word: &str) -> Problem {
    wrong(pointer, format!("{known}, not {word:?}"))
}

fn wrong(pointer: &str, text: String) -> Problem {
    Problem::schema(vec![Pointed { pointer: pointer.into(), text }])
}
