//! `DELETE /v1/subjects/{id}`, `/v1/lanes/{lane}` and `/v1/tenant`: erasure of a person, a lane, or everything
//! (`docs/design/0028-erasure.md`).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use throughline_engine::LaneId;
use throughline_runtime::{Erased, Subject};
use tokio::sync::oneshot;

use super::json;
use crate::access;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::problem::{Pointed, Problem};
use crate::request::{PathParam, QueryParams};
use crate::wire;

/// Erase a person
///
/// Erases in every lane of the tenant what the person said and what was made from it. Their open approvals are
/// cancelled; of executed ones the ids and issue keys stay. It cannot be undone. Repeating it erases what was added
/// since.
#[utoipa::path(
    delete, path = "/v1/subjects/{id}", tag = "operations", operation_id = "eraseSubject",
    params(("id" = String, Path, description = "The user id, as the person's channel gives it")),
    responses(
        (status = 200, description = "The numbers of erased things.", body = wire::Erasure),
    )
)]
pub(crate) async fn delete_subject(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    let erased = erase(&app, &caller, Subject::Person { id: id.clone() }).await?;
    Ok(to_wire("subject", id, erased))
}

/// Erase a lane
///
/// Erases everything but the lane's ids and the hashes of its turns. It cannot be undone.
#[utoipa::path(
    delete, path = "/v1/lanes/{lane}", tag = "operations", operation_id = "eraseLane",
    params(("lane" = String, Path, description = "ln_…")),
    responses(
        (status = 200, description = "The numbers of erased things.", body = wire::Erasure),
    )
)]
pub(crate) async fn delete_lane(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(lane): PathParam,
) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    let lane = LaneId(lane);
    let found = app.store().lane(&caller.tenant, &lane).await?;
    let found = found.filter(|lane| access::reaches_app(&app, &caller, &lane.key));
    found.ok_or_else(|| Problem::not_found("lane"))?;
    let erased = erase(&app, &caller, Subject::Lane { lane: lane.clone() }).await?;
    Ok(to_wire("lane", lane.0, erased))
}

/// Confirmation of the tenant's name.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Confirmed {
    /// Name of the tenant, so that nobody does this by mistake.
    #[serde(default)]
    #[param(required = true)]
    confirm: String,
}

/// Erase everything
///
/// Erases every lane and every document of the tenant. It cannot be undone.
#[utoipa::path(
    delete, path = "/v1/tenant", tag = "operations", operation_id = "eraseTenant", params(Confirmed),
    responses(
        (status = 200, description = "The numbers of erased things.", body = wire::Erasure),
    )
)]
pub(crate) async fn delete_tenant(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(confirmed): QueryParams<Confirmed>,
) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    if confirmed.confirm != caller.tenant {
        let text = format!("say ?confirm={} to erase everything of it", caller.tenant);
        return Err(Problem::schema(vec![Pointed { pointer: "/confirm".into(), text }]));
    }
    let erased = erase(&app, &caller, Subject::Tenant).await?;
    Ok(to_wire("tenant", caller.tenant.clone(), erased))
}

/// Erases in the background, so that it is finished even if the client goes away.
async fn erase(app: &Arc<App>, caller: &Caller, subject: Subject) -> Result<Erased, Problem> {
    let (runtime, tenant, by) =
        (app.instance.runtime.clone(), caller.tenant.clone(), caller.principal.clone());
    let (done, erased) = oneshot::channel();
    app.runtime().in_background(async move {
        let _client_left = done.send(runtime.erase(&tenant, &subject, &by).await);
    });
    match erased.await {
        Ok(erased) => Ok(erased?),
        Err(_) => Err(Problem::new(&crate::codes::INTERNAL, "erasing failed; it goes on at the next start")),
    }
}

fn to_wire(of: &str, id: String, erased: Erased) -> Response {
    let Erased { lanes, turns, records, checkpoints, effects, approvals, deliveries, facts, documents } =
        erased;
    let of = of.into();
    json(&wire::Erasure {
        of,
        id,
        lanes,
        turns,
        records,
        checkpoints,
        effects,
        approvals,
        deliveries,
        facts,
        documents,
    })
}
