//! Answers to deliveries: a form's errors or its next view, a message that answers a command.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::methods::{checked_blocks, checked_view, created_view, from_bot, pushed_view, replaced_view};
use super::outbox::{Delivery, Sort};
use super::state::{Message, Team, View, World};

/// Does what the answer to a delivery asks for, and notes what is wrong with it.
pub(super) fn apply(world: &mut World, delivery: &Delivery, answer: &Value, now: i64) {
    let id = match delivery.sort {
        Sort::Command => &delivery.payload["team_id"],
        _ => &delivery.payload["team"]["id"],
    };
    let Some(team) = world.teams.get_mut(id.as_str().unwrap_or_default()) else { return };
    let done = match (delivery.sort, delivery.kind()) {
        (Sort::Interaction, "view_submission") => submitted(team, delivery, answer, now),
        (Sort::Command, _) => command(team, delivery, answer, now),
        _ if answer.is_null() => Ok(()),
        (_, kind) => Err(format!("an answer to {kind}, which takes none: {answer}")),
    };
    if let Err(wrong) = done {
        world.wrong.push(wrong);
    }
}

fn command(team: &mut Team, delivery: &Delivery, answer: &Value, now: i64) -> Result<(), String> {
    let body = match answer {
        Value::Null => return Ok(()),
        Value::String(text) => json!({"text": text}),
        body => body.clone(),
    };
    let text = |name: &str| delivery.payload[name].as_str().unwrap_or_default();
    let channel = text("channel_id").to_owned();
    let message = answered(team, &body, &channel)?;
    if body["response_type"] == "in_channel" {
        team.write(message, now);
    } else {
        let (ts, only_for) = (team.ts(now), Some(text("user_id").to_owned()));
        team.ephemerals.push(Message { ts, only_for, at: now, ..message });
    }
    Ok(())
}

/// The fields of an answer to a command, and of a body for a response URL.
const ANSWER_FIELDS: [&str; 14] = [
    "attachments",
    "blocks",
    "delete_original",
    "link_names",
    "metadata",
    "mrkdwn",
    "parse",
    "replace_original",
    "response_type",
    "text",
    "thread_ts",
    "unfurl_links",
    "unfurl_media",
    "username",
];

/// Returns the message of an answer to a command or of a response URL.
pub(super) fn answered(team: &mut Team, body: &Value, channel: &str) -> Result<Message, String> {
    let unknown =
        body.as_object().into_iter().flatten().find(|(name, _)| !ANSWER_FIELDS.contains(&name.as_str()));
    if let Some((name, _)) = unknown {
        return Err(format!("an unknown field {name} in an answer: {body}"));
    }
    let blocks =
        checked_blocks(team, &body["blocks"]).map_err(|error| format!("{}: {body}", error.body()))?;
    let text = body["text"].as_str().unwrap_or_default().to_owned();
    if text.is_empty() && blocks.is_empty() {
        return Err(format!("an answer without text and blocks: {body}"));
    }
    if !matches!(body["response_type"].as_str(), None | Some("ephemeral" | "in_channel")) {
        return Err(format!("an unknown response_type: {body}"));
    }
    let thread = body["thread_ts"].as_str().map(str::to_owned);
    Ok(Message { text, blocks, thread, ..from_bot(team, channel) })
}

fn submitted(team: &mut Team, delivery: &Delivery, answer: &Value, now: i64) -> Result<(), String> {
    let user = delivery.payload["user"]["id"].as_str().unwrap_or_default();
    let id = delivery.payload["view"]["id"].as_str().unwrap_or_default();
    let stack = team.modals.entry(user.into()).or_default();
    let Some(at) = stack.iter().position(|view| view.id == id) else { return Ok(()) };
    let view = stack[at].clone();
    match answer["response_action"].as_str() {
        None if answer.is_null() => stack.truncate(at),
        Some("clear") => stack.clear(),
        Some("errors") => {
            let errors = field_errors(&view, &answer["errors"])?;
            stack[at].errors = errors;
        }
        Some("update") => {
            let body = new_view(team, answer)?;
            replaced_view(team, &view, body, now);
        }
        Some("push") => {
            let body = new_view(team, answer)?;
            let view = created_view(team, body, user, now);
            pushed_view(team, view).map_err(|error| format!("{}: {answer}", error.error))?;
        }
        _ => return Err(format!("an answer to a form that Slack does not know: {answer}")),
    }
    Ok(())
}

fn new_view(team: &mut Team, answer: &Value) -> Result<Value, String> {
    checked_view(team, &answer["view"], "modal").map_err(|error| format!("{}: {answer}", error.body()))
}

/// Returns the errors of fields. Each must belong to an input block of the view.
fn field_errors(view: &View, errors: &Value) -> Result<BTreeMap<String, String>, String> {
    let blocks = view.blocks();
    let is_input = |id: &str| blocks.iter().any(|block| block["block_id"] == id && block["type"] == "input");
    let mut found = BTreeMap::new();
    for (block, text) in errors.as_object().into_iter().flatten() {
        match text.as_str() {
            Some(text) if is_input(block) && !text.is_empty() => found.insert(block.clone(), text.to_owned()),
            _ => return Err(format!("an error of {block}, which is no input block: {errors}")),
        };
    }
    if found.is_empty() { Err(format!("errors without any: {errors}")) } else { Ok(found) }
}
