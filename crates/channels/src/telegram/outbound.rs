//! From a message to a call of the Bot API: method and body. Pure.

use serde_json::{Value, json};

use super::inbound::ALLOWED_UPDATES;
use super::render::{Asks, Part};

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The method.
    pub method: &'static str,
    /// Its parameters.
    pub body: Value,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The chat.
    pub chat: i64,
    /// The topic in it; the root has none, and General is the root.
    pub topic: Option<i64>,
    /// The message of the same chat that it answers.
    pub answers: Option<i64>,
}

/// Whether the marks of a text are sent with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// As HTML.
    Html,
    /// Not at all: the unescaped words.
    None,
}

fn words(body: &mut Value, part: &Part, marks: Marks) {
    body["text"] = json!(if marks == Marks::Html { &part.html } else { &part.plain });
    if marks == Marks::Html {
        body["parse_mode"] = json!("HTML");
    }
    body["link_preview_options"] = json!({"is_disabled": true});
    if !part.keys.is_empty() {
        let row = |row: &Vec<super::render::Key>| {
            row.iter().map(|key| json!({"text": key.label, "callback_data": key.data})).collect::<Vec<_>>()
        };
        body["reply_markup"] = json!({"inline_keyboard": part.keys.iter().map(row).collect::<Vec<_>>()});
    }
}

/// A new message.
#[must_use]
pub fn send(to: Target, part: &Part, marks: Marks) -> Call {
    let mut body = json!({"chat_id": to.chat});
    words(&mut body, part, marks);
    if let Some(topic) = to.topic {
        body["message_thread_id"] = json!(topic);
    }
    if let Some(message) = to.answers {
        // A message that is gone never keeps the answer back.
        body["reply_parameters"] = json!({"message_id": message, "allow_sending_without_reply": true});
    }
    if let Some(Asks { hint, words }) = &part.asks {
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

/// A message's new state. Without buttons, those it had are taken away.
#[must_use]
pub fn edit(chat: i64, message: i64, part: &Part, marks: Marks) -> Call {
    let mut body = json!({"chat_id": chat, "message_id": message});
    words(&mut body, part, marks);
    Call { method: "editMessageText", body }
}

/// That it types: shown for five seconds, or until a message comes.
#[must_use]
pub fn typing(chat: i64, topic: Option<i64>) -> Call {
    let mut body = json!({"chat_id": chat, "action": "typing"});
    if let Some(topic) = topic {
        body["message_thread_id"] = json!(topic);
    }
    Call { method: "sendChatAction", body }
}

/// The bot's one reaction to a message.
#[must_use]
pub fn react(chat: i64, message: i64, emoji: &str) -> Call {
    let reaction = json!([{"type": "emoji", "emoji": emoji}]);
    Call {
        method: "setMessageReaction",
        body: json!({"chat_id": chat, "message_id": message, "reaction": reaction}),
    }
}

/// The one answer to a press.
#[must_use]
pub fn answer(query: &str, text: &str, alert: bool) -> Call {
    let mut body = json!({"callback_query_id": query});
    if !text.is_empty() {
        body["text"] = json!(super::render::alert(text));
        body["show_alert"] = json!(alert);
    }
    Call { method: "answerCallbackQuery", body }
}

/// The updates from `offset` on; asking for them forgets all before.
#[must_use]
pub fn get_updates(offset: Option<i64>, seconds: u32) -> Call {
    let mut body = json!({"timeout": seconds, "limit": 100, "allowed_updates": ALLOWED_UPDATES});
    if let Some(offset) = offset {
        body["offset"] = json!(offset);
    }
    Call { method: "getUpdates", body }
}

/// Who we are.
#[must_use]
pub fn get_me() -> Call {
    Call { method: "getMe", body: json!({}) }
}

/// Whether a webhook is set, and how it does.
#[must_use]
pub fn get_webhook_info() -> Call {
    Call { method: "getWebhookInfo", body: json!({}) }
}

/// Have updates delivered there.
#[must_use]
pub fn set_webhook(url: &str, secret: &str) -> Call {
    Call {
        method: "setWebhook",
        body: json!({"url": url, "secret_token": secret, "allowed_updates": ALLOWED_UPDATES}),
    }
}

/// Keep updates for polling. Those that wait are kept.
#[must_use]
pub fn delete_webhook() -> Call {
    Call { method: "deleteWebhook", body: json!({"drop_pending_updates": false}) }
}
