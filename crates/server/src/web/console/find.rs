//! Going straight to what has a name: an id, an issue's key, a delivery key, a conversation.

use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_engine::LaneKey;

use super::desk::{Desk, Section, Twin};
use super::lanes::turn_href;
use crate::problem::Problem;
use crate::request::Asked;
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
pub(super) async fn find(desk: Desk, Asked(Query { q }): Asked<Query>) -> Result<Response, Problem> {
    desk.enter(Section::Lanes)?;
    let q = q.trim().to_owned();
    if let Some(href) = named(&desk, &q).await? {
        return Ok(Redirect::to(&href).into_response());
    }
    let lanes = conversations(&desk, &q).await?;
    if let [only] = lanes.as_slice() {
        return Ok(Redirect::to(&format!("/console/lanes/{}", only.id)).into_response());
    }
    let twin = Twin::new("throughline lanes list", "GET /v1/lanes");
    desk.page(Section::Lanes, "console/found.html", twin, &Page { q, lanes }).await
}

/// Where what is called that is shown. Nothing else looks like an id or a key.
async fn named(desk: &Desk, q: &str) -> Result<Option<String>, Problem> {
    let plain =
        !q.is_empty() && q.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if plain {
        let screens = [("ln_", "lanes"), ("tn_", "turns"), ("ap_", "approvals"), ("fx_", "effects")];
        if let Some((_, screen)) = screens.iter().find(|(prefix, _)| q.starts_with(prefix)) {
            return Ok(Some(format!("/console/{screen}/{q}")));
        }
        if desk.app.instance.tracker.issue(desk.tenant(), q).await?.is_some() {
            return Ok(Some(format!("/console/issues/{q}")));
        }
    }
    let delivered = desk.app.store().delivery(desk.tenant(), q).await?;
    let seen = delivered.filter(|row| desk.caller.sees(&row.lane));
    Ok(seen.and_then(|row| row.turn).map(|turn| turn_href(&turn)))
}

/// The lanes of a conversation and maybe a thread, in each channel there is: their ids follow from their names.
async fn conversations(desk: &Desk, q: &str) -> Result<Vec<wire::LaneInfo>, Problem> {
    let mut found = Vec::new();
    if q.is_empty() {
        return Ok(found);
    }
    let (conversation, thread) = q.split_once(' ').unwrap_or((q, ""));
    for channel in desk.app.runtime().ports().channels.keys() {
        let key = LaneKey::new(desk.tenant(), &desk.caller.app, channel, conversation, thread.trim());
        let lane = desk.app.store().lane(desk.tenant(), &key.id()).await?;
        found.extend(lane.filter(|lane| desk.caller.sees(&lane.key)).as_ref().map(wire::LaneInfo::from));
    }
    Ok(found)
}
