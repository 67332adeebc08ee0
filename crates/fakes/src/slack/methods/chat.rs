//! Messages: posted, changed and deleted.

use serde_json::{Value, json};

use super::super::events;
use super::super::state::Message;
use super::{Answer, ApiError, Ask, from_bot, refuse};

/// The length over which Slack refuses a text.
const MAX_TEXT: usize = 40_000;
/// The length over which Slack refuses the text of an update, and advises against that of a post.
const MAX_UPDATED_TEXT: usize = 4_000;
/// The length of Markdown.
const MAX_MARKDOWN: usize = 12_000;

/// The contents of a message.
struct Contents {
    text: String,
    blocks: Vec<Value>,
    metadata: Option<Value>,
}

fn contents(ask: &mut Ask<'_>, most: usize) -> Result<Contents, ApiError> {
    let blocks = ask.blocks()?;
    let (mut text, markdown) = (ask.text("text").to_owned(), ask.text("markdown_text").to_owned());
    if !markdown.is_empty() {
        if !text.is_empty() || !blocks.is_empty() {
            return refuse("markdown_text_conflict");
        }
        if markdown.chars().count() > MAX_MARKDOWN {
            return refuse("msg_too_long");
        }
        text = markdown;
    }
    if text.is_empty() && blocks.is_empty() && ask.body["attachments"].is_null() {
        return refuse("no_text");
    }
    if text.is_empty() && !blocks.is_empty() {
        ask.wrong.push("blocks without a text for notifications".into());
    }
    let length = text.chars().count();
    if length > most {
        return refuse("msg_too_long");
    }
    if length > MAX_UPDATED_TEXT && ask.text("markdown_text").is_empty() {
        ask.wrong.push(format!("a text of {length} characters"));
    }
    Ok(Contents { text, blocks, metadata: metadata(&ask.body["metadata"])? })
}

/// Returns the metadata, which has a type and a payload and nothing else.
pub(super) fn metadata(given: &Value) -> Result<Option<Value>, ApiError> {
    let Some(fields) = given.as_object() else {
        return if given.is_null() || given == "" { Ok(None) } else { refuse("invalid_metadata_format") };
    };
    if fields.is_empty() {
        return Ok(None);
    }
    let kind = given["event_type"].as_str().unwrap_or_default();
    let known =
        fields.keys().all(|name| matches!(name.as_str(), "event_type" | "event_payload" | "entities"));
    if kind.is_empty() || !given["event_payload"].is_object() || !known {
        return refuse("invalid_metadata_schema");
    }
    if given.to_string().len() > 16_000 {
        return refuse("metadata_too_large");
    }
    Ok(Some(given.clone()))
}

/// Returns the root of the thread that a call names, if it does.
fn thread(ask: &mut Ask<'_>, channel: &str) -> Result<Option<String>, ApiError> {
    let thread = ask.text("thread_ts").to_owned();
    if thread.is_empty() {
        return Ok(None);
    }
    let messages = &ask.team.channel(channel).messages;
    match messages.get(&thread) {
        // A reply names the root of its thread, and Slack answers in that thread.
        Some(message) => Ok(Some(message.thread.clone().unwrap_or(thread))),
        None => refuse("thread_not_found"),
    }
}

pub(super) fn post(ask: &mut Ask<'_>) -> Answer {
    let channel = ask.writable("channel")?;
    let Contents { text, blocks, metadata } = contents(ask, MAX_TEXT)?;
    let thread = thread(ask, &channel)?;
    let broadcast = ask.flag("reply_broadcast");
    let subtype = (broadcast && thread.is_some()).then(|| "thread_broadcast".to_owned());
    let message =
        Message { text, blocks, metadata, thread, broadcast, subtype, ..from_bot(ask.team, &channel) };
    let ts = ask.team.write(message, ask.now);
    ask.message_event(&channel, &ts);
    let message = ask.team.channel(&channel).messages[&ts].clone();
    Ok(json!({"channel": channel, "ts": ts, "message": message.json(ask.team)}))
}

pub(super) fn update(ask: &mut Ask<'_>) -> Answer {
    let channel = ask.channel("channel")?.id.clone();
    let ts = ask.required("ts")?;
    let bot = ask.team.bot.clone();
    let Some(before) = ask.team.channel(&channel).messages.get(&ts).cloned() else {
        return refuse("message_not_found");
    };
    if before.bot.as_ref() != Some(&bot) {
        return refuse("cant_update_message");
    }
    if before.is_streaming(ask.now) {
        return refuse("streaming_state_conflict");
    }
    let Contents { text, mut blocks, metadata } = contents(ask, MAX_UPDATED_TEXT)?;
    // A text without blocks replaces them.
    if ask.body["blocks"].is_null() && ask.text("text").is_empty() {
        blocks.clone_from(&before.blocks);
    }
    let removed = ask.body["metadata"].as_object().is_some_and(serde_json::Map::is_empty);
    let edited = Some(ask.team.ts(ask.now));
    let after = Message {
        text,
        blocks,
        metadata: if removed { None } else { metadata.or_else(|| before.metadata.clone()) },
        edited,
        edits: before.edits + 1,
        streaming: false,
        tasks: Vec::new(),
        ..before.clone()
    };
    ask.team.channel(&channel).messages.insert(ts.clone(), after.clone());
    let event = events::changed(ask.team, &before, &after, ask.now);
    ask.event(event);
    Ok(json!({"channel": channel, "ts": ts, "text": after.text, "message": after.json(ask.team)}))
}

pub(super) fn delete(ask: &mut Ask<'_>) -> Answer {
    let channel = ask.channel("channel")?.id.clone();
    let ts = ask.required("ts")?;
    let bot = ask.team.bot.clone();
    let Some(before) = ask.team.channel(&channel).messages.get(&ts).cloned() else {
        return refuse("message_not_found");
    };
    if before.bot.as_ref() != Some(&bot) {
        return refuse("cant_delete_message");
    }
    let event = events::deleted(ask.team, &before, ask.now);
    ask.event(event);
    Ok(json!({"channel": channel, "ts": ts}))
}

pub(super) fn post_ephemeral(ask: &mut Ask<'_>) -> Answer {
    let channel = ask.writable("channel")?;
    let user = ask.required("user")?;
    if !ask.team.channel(&channel).members.contains(&user) {
        return refuse("user_not_in_channel");
    }
    let Contents { text, blocks, .. } = contents(ask, MAX_TEXT)?;
    let thread = thread(ask, &channel)?;
    let ts = ask.team.ts(ask.now);
    let at = ask.now;
    let only_for = Some(user);
    let message =
        Message { ts: ts.clone(), text, blocks, thread, only_for, at, ..from_bot(ask.team, &channel) };
    ask.team.ephemerals.push(message);
    Ok(json!({"message_ts": ts}))
}

pub(super) fn permalink(ask: &mut Ask<'_>) -> Answer {
    let channel = ask.channel("channel")?.id.clone();
    let ts = ask.required("message_ts")?;
    let Some(message) = ask.team.channel(&channel).messages.get(&ts).cloned() else {
        return refuse("message_not_found");
    };
    let domain = &ask.team.domain;
    let mut link = format!("https://{domain}.slack.com/archives/{channel}/p{}", ts.replace('.', ""));
    if let Some(thread) = message.thread {
        link.push_str(&format!("?thread_ts={thread}&cid={channel}"));
    }
    Ok(json!({"channel": channel, "permalink": link}))
}
