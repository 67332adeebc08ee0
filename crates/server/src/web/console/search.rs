//! Search: by name (an id, an issue's key, a delivery key, a conversation), and where nothing is called so, among people,
//! issues and what people wrote. It looks at the configured people, at 2,000 issues of the default project, and at the
//! newest 2,000 positions of the record.

use std::sync::Arc;

use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_engine::LaneKey;

use super::lanes::turn_href;
use super::operator::{Equivalents, Operator, Section};
use super::turns;
use crate::config::User;
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::routes::tracker;
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
    people: Vec<Person>,
    issues: Vec<Issue>,
    turns: Vec<turns::Row>,
    /// Number of turns that were looked at.
    looked: usize,
    back_to: Option<String>,
}

#[derive(Serialize)]
struct Person {
    id: String,
    name: String,
}

#[derive(Serialize)]
struct Issue {
    key: String,
    title: String,
}

/// Findings of a kind that are shown.
const SHOWN: usize = 10;

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
    let filter = turns::Filter::with_text(&q);
    let said = match q.is_empty() {
        true => turns::Found::default(),
        false => turns::find(&operator, filter, None, SHOWN).await?,
    };
    let page = Page {
        lanes,
        people: people(&operator, &q),
        issues: issues(&operator, &q).await,
        turns: said.rows,
        looked: said.looked,
        back_to: said.back_to,
        q,
    };
    operator.page(Section::Lanes, "console/search.html", twin, &page).await
}

/// Returns the configured people whose id or name contains `q`.
fn people(operator: &Operator, q: &str) -> Vec<Person> {
    let q = q.trim_start_matches('@').to_lowercase();
    let called = |user: &Arc<User>| {
        !q.is_empty() && [&user.id, &user.name].iter().any(|name| name.to_lowercase().contains(&q))
    };
    let people = operator.app.config().users.of(operator.tenant()).into_iter().map(|entry| entry.user);
    let found = people.filter(called).take(SHOWN);
    found.map(|user| Person { id: user.id.clone(), name: user.name.clone() }).collect()
}

/// Returns the issues with these words, if the person may see issues.
async fn issues(operator: &Operator, q: &str) -> Vec<Issue> {
    if q.is_empty() || operator.enter(Section::Issues).is_err() {
        return Vec::new();
    }
    let (app, caller) = (&operator.app, &operator.caller);
    // Without a project of the local tracker there is nothing to look at.
    let Ok((_, project)) = tracker::projects(app, caller, "") else { return Vec::new() };
    let found = tracker::page(app, caller, &project, q, None, SHOWN as u32).await;
    let found = found.map(|(issues, _)| issues).unwrap_or_default();
    found.iter().map(|issue| Issue { key: issue.key.clone(), title: issue.item.title().into() }).collect()
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
