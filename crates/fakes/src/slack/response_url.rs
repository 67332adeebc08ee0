//! Response URLs: five messages within half an hour, without a token.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response as HttpResponse};
use serde_json::{Value, json};

use super::state::{Message, RESPONSE_LIFETIME, RESPONSE_USES, Response, Team};
use super::{Call, Fault, Shared, acked, events};

/// The name of these calls in the journal.
pub(super) const METHOD: &str = "response_url";

pub(super) async fn handle(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    body: Bytes,
) -> HttpResponse {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (status, text) = match shared.fault(METHOD, &body) {
        Some(Fault::TooMany(_)) => (429, "rate_limited"),
        Some(Fault::Refuse(_) | Fault::Unreadable | Fault::Status(_)) => (500, "server_error"),
        Some(Fault::AppliedThenLost) => {
            respond(&shared, &id, &body);
            (504, "timeout")
        }
        Some(Fault::AppliedThenSilent) => {
            respond(&shared, &id, &body);
            shared.bell.notify_one();
            std::future::pending::<()>().await;
            (504, "timeout")
        }
        None => respond(&shared, &id, &body),
    };
    let at = shared.now();
    let violations = if status == 400 { vec![format!("{METHOD}: {text}: {body}")] } else { Vec::new() };
    shared.journal(Call { at, method: METHOD.into(), body, status, error: None, violations });
    shared.bell.notify_one();
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, text.to_owned()).into_response()
}

fn respond(shared: &Shared, id: &str, body: &Value) -> (u16, &'static str) {
    let mut world = shared.world();
    let now = shared.now();
    let world = &mut *world;
    let known = world.teams.values_mut().find(|team| team.responses.contains_key(id));
    let Some(team) = known else { return (404, "no_such_url") };
    let Some(response) = team.responses.get_mut(id) else { return (404, "no_such_url") };
    if now - response.at > RESPONSE_LIFETIME {
        return (404, "expired_url");
    }
    if response.uses >= RESPONSE_USES {
        return (404, "used_url");
    }
    response.uses += 1;
    let response = response.clone();
    let original = response.message.clone();
    if body["delete_original"] == true {
        if let Some(ts) = original {
            remove(team, &response, &ts);
        }
        return (200, "ok");
    }
    let message = match acked::answered(team, body, &response.channel) {
        Ok(message) => message,
        Err(_) if body["text"].is_null() && body["blocks"].is_null() => return (400, "no_text"),
        Err(_) => return (400, "invalid_payload"),
    };
    let event = match original.filter(|_| body["replace_original"] == true) {
        Some(ts) => replace(team, &response, &ts, message, now),
        None => add(team, &response, body, message, now),
    };
    if let Some(event) = event {
        events::queue(team, &mut world.outbox, event, now);
    }
    (200, "ok")
}

/// Adds a message; without a type, only the person who acted sees it. Returns the event it causes.
fn add(team: &mut Team, response: &Response, body: &Value, message: Message, now: i64) -> Option<Value> {
    let thread = message.thread.clone().or_else(|| response.thread.clone());
    let message = Message { thread, ..message };
    if body["response_type"] == "in_channel" {
        let ts = team.write(message, now);
        return Some(events::message(team, &response.channel, &ts));
    }
    let (ts, only_for) = (team.ts(now), Some(response.user.clone()));
    team.ephemerals.push(Message { ts, only_for, at: now, ..message });
    None
}

fn replace(team: &mut Team, response: &Response, ts: &str, new: Message, now: i64) -> Option<Value> {
    let edited = team.ts(now);
    let change = |message: &mut Message| {
        (message.text, message.blocks) = (new.text, new.blocks);
        (message.edited, message.edits) = (Some(edited), message.edits + 1);
    };
    if let Some(hidden) = team.ephemerals.iter_mut().find(|message| message.ts == ts) {
        change(hidden);
        return None;
    }
    let before = team.channels.get(&response.channel)?.messages.get(ts)?.clone();
    let mut after = before.clone();
    change(&mut after);
    team.channel(&response.channel).messages.insert(ts.into(), after.clone());
    Some(events::changed(team, &before, &after, now))
}

fn remove(team: &mut Team, response: &Response, ts: &str) {
    team.ephemerals.retain(|message| message.ts != ts);
    team.channel(&response.channel).messages.remove(ts);
}

impl super::FakeSlack {
    /// Returns the bodies that response URLs took or refused, in order.
    #[must_use]
    pub fn responses(&self) -> Vec<Value> {
        self.calls_of(METHOD)
            .into_iter()
            .map(|call| json!({"status": call.status, "body": call.body}))
            .collect()
    }
}
