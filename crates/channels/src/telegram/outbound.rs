//! Builds calls of the Bot API: method and body. Pure.

use serde_json::{Value, json};

use super::inbound::ALLOWED_UPDATES;
use super::render::{AnswerPrompt, Part};

/// A call of the Bot API.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The method.
    pub method: &'static str,
    /// Its parameters.
    pub body: Value,
}

/// The destination of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The chat.
    pub chat: i64,
    /// The topic in it; `None` for the root, which includes General.
    pub topic: Option<i64>,
    /// The message of the same chat that it replies to.
    pub answers: Option<i64>,
}

/// The formatting of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formatting {
    /// HTML.
    Html,
    /// None: the unescaped text.
    Plain,
}

fn words(body: &mut Value, part: &Part, formatting: Formatting) {
    body["text"] = json!(if formatting == Formatting::Html { &part.html } else { &part.plain });
    if formatting == Formatting::Html {
        body["parse_mode"] = json!("HTML");
    }
    body["link_preview_options"] = json!({"is_disabled": true});
    if !part.keys.is_empty() {
        let row = |row: &Vec<super::render::InlineButton>| {
            row.iter().map(|key| json!({"text": key.label, "callback_data": key.data})).collect::<Vec<_>>()
        };
        body["reply_markup"] = json!({"inline_keyboard": part.keys.iter().map(row).collect::<Vec<_>>()});
    }
}

/// Sends a message.
#[must_use]
pub fn send(to: Target, part: &Part, formatting: Formatting) -> Call {
    let mut body = json!({"chat_id": to.chat});
    words(&mut body, part, formatting);
    if let Some(topic) = to.topic {
        body["message_thread_id"] = json!(topic);
    }
    if let Some(message) = to.answers {
        // The answer is sent even if the message it replies to is gone.
        body["reply_parameters"] = json!({"message_id": message, "allow_sending_without_reply": true});
    }
    if let Some(AnswerPrompt { hint, words }) = &part.prompt {
        body["reply_markup"] = match words.as_slice() {
            [] => json!({"force_reply": true, "selective": true}),
            words => {
                let row: Vec<_> = words.iter().map(|word| json!({"text": word})).collect();
                json!({"keyboard": [row], "one_time_keyboard": true, "resize_keyboard": true})
            }
        };
        body["reply_markup"]["input_field_placeholder"] = json!(hint);
    }
    Call { method: "sendMessage", body }
}

/// Edits a message. Without buttons, those it had are removed.
#[must_use]
pub fn edit(chat: i64, message: i64, part: &Part, formatting: Formatting) -> Call {
    let mut body = json!({"chat_id": chat, "message_id": message});
    words(&mut body, part, formatting);
    Call { method: "editMessageText", body }
}

/// Shows that the bot is typing, for five seconds or until a message comes.
#[must_use]
pub fn typing(chat: i64, topic: Option<i64>) -> Call {
    let mut body = json!({"chat_id": chat, "action": "typing"});
    if let Some(topic) = topic {
        body["message_thread_id"] = json!(topic);
    }
    Call { method: "sendChatAction", body }
}

/// Sets the bot's one reaction to a message.
#[must_use]
pub fn react(chat: i64, message: i64, emoji: &str) -> Call {
    let reaction = json!([{"type": "emoji", "emoji": emoji}]);
    Call {
        method: "setMessageReaction",
        body: json!({"chat_id": chat, "message_id": message, "reaction": reaction}),
    }
}

/// Answers a press.
#[must_use]
pub fn answer(query: &str, text: &str, alert: bool) -> Call {
    let mut body = json!({"callback_query_id": query});
    if !text.is_empty() {
        body["text"] = json!(super::render::alert(text));
        body["show_alert"] = json!(alert);
    }
    Call { method: "answerCallbackQuery", body }
}

/// Asks for the updates from `offset` on, which confirms all before.
#[must_use]
pub fn get_updates(offset: Option<i64>, seconds: u32) -> Call {
    let mut body = json!({"timeout": seconds, "limit": 100, "allowed_updates": ALLOWED_UPDATES});
    if let Some(offset) = offset {
        body["offset"] = json!(offset);
    }
    Call { method: "getUpdates", body }
}

/// Asks for the bot's own identity.
#[must_use]
pub fn get_me() -> Call {
    Call { method: "getMe", body: json!({}) }
}

/// Asks for the webhook and its errors.
#[must_use]
pub fn get_webhook_info() -> Call {
    Call { method: "getWebhookInfo", body: json!({}) }
}

/// Sets the webhook.
#[must_use]
pub fn set_webhook(url: &str, secret: &str) -> Call {
    Call {
        method: "setWebhook",
        body: json!({"url": url, "secret_token": secret, "allowed_updates": ALLOWED_UPDATES}),
    }
}

/// Removes the webhook so that updates can be polled. Waiting updates are kept.
#[must_use]
pub fn delete_webhook() -> Call {
    Call { method: "deleteWebhook", body: json!({"drop_pending_updates": false}) }
}
