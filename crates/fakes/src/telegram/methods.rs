//! The methods of the Bot API, with its limits and error texts.

use serde_json::{Value, json};

use super::api_error::ApiError;
use super::html;
use super::state::{Message, PressAnswer, Typing, World};

const MAX_TEXT: usize = 4_096;
const MAX_ALERT: usize = 200;
const MAX_COMMANDS: usize = 100;
const MAX_COMMAND_NAME: usize = 32;
const MAX_COMMAND_DESCRIPTION: usize = 256;
/// Some of the reactions that the Bot API allows.
const REACTIONS: [&str; 8] = ["👍", "👎", "❤", "🔥", "🎉", "👌", "👀", "🤝"];
/// In bytes, not characters.
const MAX_CALLBACK_DATA: usize = 64;

/// Calls a method.
pub(super) fn call(world: &mut World, method: &str, body: &Value, now: i64) -> Result<Value, ApiError> {
    match method.to_lowercase().as_str() {
        "getme" => Ok(json!({
            "id": world.bot, "is_bot": true, "first_name": "Maro", "username": world.bot_name,
            "can_join_groups": true, "can_read_all_group_messages": false, "supports_inline_queries": false,
        })),
        "sendmessage" => send(world, body, now),
        "editmessagetext" => edit(world, body),
        "answercallbackquery" => answer(world, body, now),
        "setwebhook" => set_webhook(world, body),
        "deletewebhook" => {
            world.webhook = None;
            if body["drop_pending_updates"] == true {
                world.waiting.clear();
            }
            Ok(json!(true))
        }
        "getwebhookinfo" => {
            let url = world.webhook.as_ref().map(|(url, _)| url.clone()).unwrap_or_default();
            let waiting = world.waiting.len();
            Ok(json!({"url": url, "has_custom_certificate": false, "pending_update_count": waiting}))
        }
        "setmycommands" => set_commands(world, body),
        "getmycommands" => Ok(world.commands.get(language(body)).cloned().unwrap_or_else(|| json!([]))),
        "sendchataction" => chat_action(world, body, now),
        "setmessagereaction" => react(world, body),
        "deletemessage" => delete(world, body),
        _ => Err(ApiError::new(404, "Not Found: method not found")),
    }
}

fn number(body: &Value, name: &str) -> Option<i64> {
    body[name].as_i64().or_else(|| body[name].as_str()?.parse().ok())
}

/// Returns the chat of a call, if the bot may write to it.
fn open_chat(world: &World, body: &Value) -> Result<i64, ApiError> {
    let chat = number(body, "chat_id").ok_or_else(|| ApiError::bad("chat_id is empty"))?;
    let room = world.rooms.get(&chat).ok_or_else(|| ApiError::bad("chat not found"))?;
    if let Some(to) = room.migrated_to {
        return Err(ApiError::migrated(to));
    }
    match room.closed {
        Some(why) => Err(ApiError::new(403, &format!("Forbidden: {why}"))),
        None => Ok(chat),
    }
}

/// Returns the text of a message and its formatting entities.
fn words(body: &Value) -> Result<(String, Vec<Value>), ApiError> {
    let text = body["text"].as_str().unwrap_or_default();
    let (text, entities) = match body["parse_mode"].as_str().unwrap_or_default().to_lowercase().as_str() {
        "" => (text.to_owned(), Vec::new()),
        "html" => {
            let read = html::parse(text)?;
            (read.text, read.entities)
        }
        _ => return Err(ApiError::bad("unsupported parse_mode")),
    };
    if text.trim().is_empty() {
        return Err(ApiError::bad("message text is empty"));
    }
    if html::utf16_len(&text) > MAX_TEXT {
        return Err(ApiError::bad("message is too long"));
    }
    Ok((text, entities))
}

fn keyboard(body: &Value) -> Result<Vec<Vec<(String, String)>>, ApiError> {
    let mut rows = Vec::new();
    for row in body["reply_markup"]["inline_keyboard"].as_array().into_iter().flatten() {
        let mut keys = Vec::new();
        for key in row.as_array().into_iter().flatten() {
            let label = key["text"].as_str().unwrap_or_default();
            if label.is_empty() {
                return Err(ApiError::bad("inline keyboard button text is empty"));
            }
            let data = key["callback_data"].as_str().unwrap_or_default();
            if data.is_empty() && key.get("url").is_none() || data.len() > MAX_CALLBACK_DATA {
                return Err(ApiError::bad("BUTTON_DATA_INVALID"));
            }
            keys.push((label.to_owned(), data.to_owned()));
        }
        if !keys.is_empty() {
            rows.push(keys);
        }
    }
    Ok(rows)
}

fn send(world: &mut World, body: &Value, now: i64) -> Result<Value, ApiError> {
    let chat = open_chat(world, body)?;
    let (text, entities) = words(body)?;
    let keyboard = keyboard(body)?;
    let room = &world.rooms[&chat];
    let topic = number(body, "message_thread_id");
    // The General topic has no id: it is the chat itself.
    if topic.is_some_and(|topic| !room.topics.contains(&topic)) {
        return Err(ApiError::bad("message thread not found"));
    }
    let reply = &body["reply_parameters"];
    let reply_to = number(reply, "message_id").filter(|id| room.messages.contains_key(id));
    if reply.is_object() && reply_to.is_none() && reply["allow_sending_without_reply"] != true {
        return Err(ApiError::bad("message to be replied not found"));
    }
    let markup = &body["reply_markup"];
    let hint = markup["input_field_placeholder"].as_str().unwrap_or_default();
    if html::utf16_len(hint) > 64 {
        return Err(ApiError::bad("input_field_placeholder is too long"));
    }
    let force_reply = (markup["force_reply"] == true).then(|| hint.to_owned());
    let offered = markup["keyboard"].as_array().into_iter().flatten().filter_map(Value::as_array).flatten();
    let words = offered.map(|key| key["text"].as_str().unwrap_or_default().to_owned()).collect();
    let from = world.bot;
    let shown = Message {
        from,
        text,
        entities,
        topic,
        reply_to,
        keyboard,
        words,
        force_reply,
        at: now,
        ..Message::default()
    };
    let id = world.write(chat, shown);
    Ok(world.message(chat, id))
}

fn edit(world: &mut World, body: &Value) -> Result<Value, ApiError> {
    let chat = open_chat(world, body)?;
    let id =
        number(body, "message_id").ok_or_else(|| ApiError::bad("message identifier is not specified"))?;
    let bot = world.bot;
    let room = world.room(chat);
    let gone = || ApiError::bad("message to edit not found");
    let shown = room.messages.get_mut(&id).filter(|shown| shown.from == bot).ok_or_else(gone)?;
    let (text, entities) = words(body)?;
    let keyboard = keyboard(body)?;
    if (&shown.text, &shown.entities, &shown.keyboard) == (&text, &entities, &keyboard) {
        return Err(ApiError::bad(
            "message is not modified: specified new message content and reply markup are exactly the same as a current \
             content and reply markup of the message",
        ));
    }
    (shown.text, shown.entities, shown.keyboard) = (text, entities, keyboard);
    shown.edits += 1;
    Ok(world.message(chat, id))
}

fn answer(world: &mut World, body: &Value, now: i64) -> Result<Value, ApiError> {
    let id = body["callback_query_id"].as_str().unwrap_or_default().to_owned();
    let text = body["text"].as_str().unwrap_or_default().to_owned();
    if html::utf16_len(&text) > MAX_ALERT {
        return Err(ApiError::bad("MESSAGE_TOO_LONG"));
    }
    if !world.query_open(&id, now) {
        return Err(ApiError::bad("query is too old and response timeout expired or query ID is invalid"));
    }
    if let Some(query) = world.queries.get_mut(&id) {
        query.answered = true;
    }
    world.answers.push(PressAnswer { query: id, text, alert: body["show_alert"] == true });
    Ok(json!(true))
}

/// Returns the language of a command menu; empty for the default menu.
fn language(body: &Value) -> &str {
    body["language_code"].as_str().unwrap_or_default()
}

fn set_commands(world: &mut World, body: &Value) -> Result<Value, ApiError> {
    let commands = body["commands"].as_array().cloned().unwrap_or_default();
    if commands.len() > MAX_COMMANDS {
        return Err(ApiError::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    let language = language(body);
    let code = language.len() == 2 && language.chars().all(|c| c.is_ascii_lowercase());
    if !language.is_empty() && !code {
        return Err(ApiError::bad("LANG_CODE_INVALID"));
    }
    for command in &commands {
        let name = command["command"].as_str().unwrap_or_default();
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !(1..=MAX_COMMAND_NAME).contains(&name.len()) || !name.chars().all(allowed) {
            return Err(ApiError::bad("BOT_COMMAND_INVALID"));
        }
        let about = html::utf16_len(command["description"].as_str().unwrap_or_default());
        if !(1..=MAX_COMMAND_DESCRIPTION).contains(&about) {
            return Err(ApiError::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
        }
    }
    world.commands.insert(language.to_owned(), Value::Array(commands));
    Ok(json!(true))
}

fn chat_action(world: &mut World, body: &Value, now: i64) -> Result<Value, ApiError> {
    let chat = open_chat(world, body)?;
    let topic = number(body, "message_thread_id");
    if topic.is_some_and(|topic| !world.rooms[&chat].topics.contains(&topic)) {
        return Err(ApiError::bad("message thread not found"));
    }
    if body["action"] != "typing" {
        return Err(ApiError::bad("wrong parameter action in request"));
    }
    world.typing.push(Typing { chat, topic, at: now });
    Ok(json!(true))
}

/// Sets the bot's reaction to a message, which must be known and allowed in the chat.
fn react(world: &mut World, body: &Value) -> Result<Value, ApiError> {
    let chat = open_chat(world, body)?;
    let id = number(body, "message_id").unwrap_or_default();
    let room = world.room(chat);
    let emoji = body["reaction"][0]["emoji"].as_str().map(str::to_owned);
    let known = |emoji: &String| REACTIONS.contains(&emoji.as_str());
    let allowed = |emoji: &String| room.reactions.as_ref().is_none_or(|allowed| allowed.contains(emoji));
    if emoji.as_ref().is_some_and(|emoji| !known(emoji) || !allowed(emoji)) {
        return Err(ApiError::bad("REACTION_INVALID"));
    }
    let gone = || ApiError::bad("message to react not found");
    room.messages.get_mut(&id).ok_or_else(gone)?.reaction = emoji;
    Ok(json!(true))
}

fn set_webhook(world: &mut World, body: &Value) -> Result<Value, ApiError> {
    let url = body["url"].as_str().unwrap_or_default();
    let secret = body["secret_token"].as_str();
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if secret.is_some_and(|secret| secret.len() > 256) {
        return Err(ApiError::bad("secret token is too long"));
    }
    if secret.is_some_and(|secret| !secret.chars().all(allowed)) {
        return Err(ApiError::bad("secret token contains unallowed characters"));
    }
    if !url.is_empty() && !url.starts_with("https://") {
        return Err(ApiError::bad("bad webhook: An HTTPS URL must be provided for webhook"));
    }
    world.webhook = (!url.is_empty()).then(|| (url.to_owned(), secret.map(Into::into)));
    Ok(json!(true))
}

fn delete(world: &mut World, body: &Value) -> Result<Value, ApiError> {
    let chat = open_chat(world, body)?;
    let id = number(body, "message_id").unwrap_or_default();
    match world.room(chat).messages.remove(&id) {
        Some(_) => Ok(json!(true)),
        None => Err(ApiError::bad("message to delete not found")),
    }
}
