//! Messages that are written piece by piece.

use serde_json::{Value, json};

use super::super::state::Message;
use super::{Answer, ApiError, Ask, chat, from_bot, refuse};

/// The length of one piece.
const MAX_PIECE: usize = 12_000;
/// The time after which a stream is over, in milliseconds. The number is measured, not documented.
const STREAM_LIFETIME: i64 = 306_000;

/// The piece that a call adds to a message.
struct Piece {
    text: String,
    tasks: Vec<Value>,
}

/// Returns a piece: Markdown, or its chunks.
fn piece(ask: &Ask<'_>) -> Result<Piece, ApiError> {
    let mut piece = Piece { text: ask.text("markdown_text").to_owned(), tasks: Vec::new() };
    for chunk in ask.body["chunks"].as_array().into_iter().flatten() {
        match chunk["type"].as_str() {
            Some("markdown_text") => piece.text.push_str(chunk["text"].as_str().unwrap_or_default()),
            Some("task_update") if is_task(chunk) => piece.tasks.push(chunk.clone()),
            Some("plan_update" | "blocks") => {}
            _ => return refuse("invalid_chunks"),
        }
    }
    if piece.text.chars().count() > MAX_PIECE {
        return refuse("msg_too_long");
    }
    Ok(piece)
}

fn is_task(chunk: &Value) -> bool {
    let said = |name: &str| chunk[name].as_str().is_some_and(|text| !text.is_empty());
    let status = chunk["status"].as_str().unwrap_or_default();
    said("id") && said("title") && ["pending", "in_progress", "complete", "error"].contains(&status)
}

impl Message {
    fn add(&mut self, piece: Piece) {
        self.text.push_str(&piece.text);
        for task in piece.tasks {
            self.tasks.retain(|one| one["id"] != task["id"]);
            self.tasks.push(task);
        }
    }

    /// True while it can be written piece by piece.
    pub(in crate::slack) fn is_streaming(&self, now: i64) -> bool {
        self.streaming && now - self.at <= STREAM_LIFETIME
    }
}

pub(super) fn start(ask: &mut Ask<'_>) -> Answer {
    let channel = ask.writable("channel")?;
    let thread = ask.required("thread_ts")?;
    if !ask.team.channel(&channel).messages.contains_key(&thread) {
        return refuse("thread_not_found");
    }
    let direct = channel.starts_with('D');
    if !direct && ask.text("recipient_user_id").is_empty() {
        return refuse("missing_recipient_user_id");
    }
    if !direct && ask.text("recipient_team_id").is_empty() {
        return refuse("missing_recipient_team_id");
    }
    let piece = piece(ask)?;
    let thread = Some(thread);
    let mut message = Message { thread, streaming: true, ..from_bot(ask.team, &channel) };
    message.add(piece);
    let ts = ask.team.write(message, ask.now);
    ask.message_event(&channel, &ts);
    Ok(json!({"channel": channel, "ts": ts}))
}

/// Returns the message that is being streamed.
fn open<'a>(ask: &'a mut Ask<'_>) -> Result<&'a mut Message, ApiError> {
    let ts = ask.required("ts")?;
    let (bot, now) = (ask.team.bot.clone(), ask.now);
    if ask.team.stopped.contains(&ts) {
        return refuse("stopped_by_user");
    }
    let channel = ask.channel("channel")?;
    let message = channel.messages.get_mut(&ts).ok_or_else(|| ApiError::new("message_not_found"))?;
    if message.bot.as_ref() != Some(&bot) {
        return refuse("message_not_owned_by_app");
    }
    if !message.is_streaming(now) {
        return refuse("message_not_in_streaming_state");
    }
    Ok(message)
}

pub(super) fn append(ask: &mut Ask<'_>) -> Answer {
    let piece = piece(ask)?;
    if piece.text.is_empty() && ask.body["chunks"].is_null() {
        return refuse("no_text");
    }
    let message = open(ask)?;
    message.add(piece);
    let (channel, ts) = (message.channel.clone(), message.ts.clone());
    Ok(json!({"channel": channel, "ts": ts}))
}

pub(super) fn stop(ask: &mut Ask<'_>) -> Answer {
    let piece = piece(ask)?;
    let blocks = ask.blocks()?;
    let metadata = chat::metadata(&ask.body["metadata"])?;
    let message = open(ask)?;
    message.add(piece);
    (message.blocks, message.metadata, message.streaming) = (blocks, metadata, false);
    let message = message.clone();
    Ok(json!({"channel": message.channel, "ts": message.ts, "message": message.json(ask.team)}))
}
