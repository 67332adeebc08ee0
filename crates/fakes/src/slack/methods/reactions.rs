//! Reactions of the bot.

use serde_json::{Value, json};

use super::super::state::Message;
use super::{Answer, ApiError, Ask, refuse};

/// Returns the name of the emoji and the message.
fn target<'a>(ask: &'a mut Ask<'_>) -> Result<(String, &'a mut Message), ApiError> {
    let name = ask.text("name").trim_matches(':').to_owned();
    let known =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '+' | ':' | '\'');
    if name.is_empty() || !name.chars().all(known) {
        return refuse("invalid_name");
    }
    let ts = ask.text("timestamp").to_owned();
    if ts.is_empty() {
        return refuse("no_item_specified");
    }
    let channel = ask.channel("channel")?;
    match channel.messages.get_mut(&ts) {
        Some(message) => Ok((name, message)),
        None => refuse("message_not_found"),
    }
}

pub(super) fn add(ask: &mut Ask<'_>) -> Answer {
    let bot = ask.team.bot_user.clone();
    let (name, message) = target(ask)?;
    let users = message.reactions.entry(name.clone()).or_default();
    if users.contains(&bot) {
        return refuse("already_reacted");
    }
    users.push(bot.clone());
    let event = changed("reaction_added", &bot, &name, message);
    tell(ask, event)
}

pub(super) fn remove(ask: &mut Ask<'_>) -> Answer {
    let bot = ask.team.bot_user.clone();
    let (name, message) = target(ask)?;
    let users = message.reactions.entry(name.clone()).or_default();
    let before = users.len();
    users.retain(|user| *user != bot);
    if users.len() == before {
        return refuse("no_reaction");
    }
    if users.is_empty() {
        message.reactions.remove(&name);
    }
    let event = changed("reaction_removed", &bot, &name, message);
    tell(ask, event)
}

fn tell(ask: &mut Ask<'_>, mut event: Value) -> Answer {
    event["event_ts"] = json!(ask.team.ts(ask.now));
    ask.event(event);
    Ok(json!({}))
}

/// Returns the event of a reaction, without its time.
pub(in crate::slack) fn changed(kind: &str, user: &str, name: &str, message: &Message) -> Value {
    let mut event = json!({"type": kind, "user": user, "reaction": name,
        "item": {"type": "message", "channel": message.channel, "ts": message.ts}});
    if !message.user.is_empty() {
        event["item_user"] = json!(message.user);
    }
    event
}
