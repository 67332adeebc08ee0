//! Search by name: an id, an issue's key, a delivery key, or a conversation.

use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_engine::LaneKey;

use super::lanes::turn_href;
use super::operator::{Equivalents, Operator, Section};
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::wire;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Query {
    q: String,
}

#[derive(Serialize)]
struct Page {
    q: String,
    lanes: Vec<wire::LaneInfo>,
}

/// `GET /console/find?q=`.
pub(super) async fn find(
    operator: Operator,
    QueryParams(Query { q }): QueryParams<Query>,
) -> Result<Response, Problem> {
    operator.enter(Section::Lanes)?;
    let q = q.trim().to_owned();
    if let Some(href) = named(&operator, &q).await? {
        return Ok(Redirect::to(&href).into_response());
    }
    let lanes = conversations(&operator, &q).await?;
    if let [only] = lanes.as_slice() {
        return Ok(Redirect::to(&format!("/console/lanes/{}", only.id)).into_response());
    }
    let twin = Equivalents::new("throughline lanes list", "GET /v1/lanes");
    operator.page(Section::Lanes, "console/search.html", twin, &Page { q, lanes }).await
}

/// Returns the page of an id or a key, if `q` is one.
async fn named(operator: &Operator, q: &str) -> Result<Option<String>, Problem> {
    let plain =
        !q.is_empty() && q.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if plain {
        let screens = [("ln_", "lanes"), ("tn_", "turns"), ("ap_", "approvals"), ("fx_", "effects")];
        if let Some((_, screen)) = screens.iter().find(|(prefix, _)| q.starts_with(prefix)) {
            return Ok(Some(format!("/console/{screen}/{q}")));
        }
        if operator.app.instance.tracker.issue(operator.tenant(), q).await?.is_some() {
            return Ok(Some(format!("/console/issues/{q}")));
        }
    }
    let delivered = operator.app.store().delivery(operator.tenant(), q).await?;
    let Some(row) = delivered else { return Ok(None) };
    let turn = if operator.reads(&row.lane).await? { row.turn } else { None };
    Ok(turn.map(|turn| turn_href(&turn)))
}

/// Returns the lanes of a conversation, optionally with a thread, in every channel. Their ids are derived from these
/// names.
async fn conversations(operator: &Operator, q: &str) -> Result<Vec<wire::LaneInfo>, Problem> {
    let mut found = Vec::new();
    if q.is_empty() {
        return Ok(found);
    }
    let (conversation, thread) = q.split_once(' ').unwrap_or((q, ""));
    for channel in operator.app.runtime().ports().channels.keys() {
        let key = LaneKey::new(operator.tenant(), &operator.caller.app, channel, conversation, thread.trim());
        if !operator.reads(&key).await? {
            continue;
        }
        let lane = operator.app.store().lane(operator.tenant(), &key.id()).await?;
        found.extend(lane.as_ref().map(wire::LaneInfo::from));
    }
    Ok(found)
}
