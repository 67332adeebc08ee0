//! The methods of the Web API: their scopes, arguments, limits and error codes.

mod assistant;
mod chat;
mod conversations;
mod files;
mod oauth;
mod people;
mod reactions;
mod stream;
mod table;
mod views;

use serde_json::{Value, json};

use super::api_error::ApiError;
use super::outbox::Outbox;
use super::state::{Channel, Kind, Message, Team, Token};
use super::{blocks, events};

pub(super) use oauth::access;
pub(super) use people::shown as person;
pub(super) use reactions::changed as reaction;
#[cfg(test)]
pub(super) use table::METHODS;
pub(super) use table::{Method, find};
pub(super) use views::{
    checked as checked_view, created as created_view, pushed as pushed_view, replaced as replaced_view,
};

pub(super) type Answer = Result<Value, ApiError>;

/// A call of a method.
pub(super) struct Ask<'a> {
    pub(super) team: &'a mut Team,
    pub(super) outbox: &'a mut Outbox,
    pub(super) body: &'a Value,
    pub(super) now: i64,
    /// The base URL of the fake.
    pub(super) url: &'a str,
    /// The token.
    pub(super) token: &'a Token,
    /// Things that are accepted, but against the documentation.
    pub(super) wrong: Vec<String>,
}

fn refuse<T>(error: &str) -> Result<T, ApiError> {
    Err(ApiError::new(error))
}

impl Ask<'_> {
    /// Returns an argument as text; empty if there is none.
    fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_default()
    }

    /// Returns a required argument.
    fn required(&self, name: &str) -> Result<String, ApiError> {
        match &self.body[name] {
            Value::String(text) if !text.is_empty() => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => {
                Err(ApiError::with_places("invalid_arguments", &[format!("missing required field: {name}")]))
            }
        }
    }

    fn flag(&self, name: &str) -> bool {
        matches!(&self.body[name], Value::Bool(true)) || matches!(self.text(name), "true" | "1")
    }

    fn number(&self, name: &str) -> Option<usize> {
        let value = &self.body[name];
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
        usize::try_from(number).ok()
    }

    /// Returns a channel that the bot can see.
    fn channel(&mut self, name: &str) -> Result<&mut Channel, ApiError> {
        let id = self.text(name).to_owned();
        let bot = self.team.bot_user.clone();
        let channel = self.team.channels.get_mut(&id).ok_or_else(|| ApiError::new("channel_not_found"))?;
        match channel.kind == Kind::Public || channel.members.contains(&bot) {
            true => Ok(channel),
            false => refuse("channel_not_found"),
        }
    }

    /// Returns the id of a channel that the bot can write to.
    fn writable(&mut self, name: &str) -> Result<String, ApiError> {
        let given = self.text(name).to_owned();
        if given.starts_with(['U', 'W']) && self.team.users.contains_key(&given) {
            return Ok(self.team.im(&given));
        }
        let (bot, anywhere) = (self.team.bot_user.clone(), self.token.scopes.contains("chat:write.public"));
        let channel = self.channel(name)?;
        if channel.archived {
            return refuse("is_archived");
        }
        let open = anywhere && channel.kind == Kind::Public;
        if open || channel.members.contains(&bot) { Ok(channel.id.clone()) } else { refuse("not_in_channel") }
    }

    /// Returns the blocks of a call, checked and with ids.
    fn blocks(&mut self) -> Result<Vec<Value>, ApiError> {
        checked_blocks(self.team, &self.body["blocks"])
    }

    /// Queues an event of the workspace.
    fn event(&mut self, event: Value) {
        events::queue(self.team, self.outbox, event, self.now);
    }

    /// Queues the `message` event of a message that was written.
    fn message_event(&mut self, channel: &str, ts: &str) {
        // An app sees only the channels it is in, even where it may post to others.
        if self.team.channels[channel].members.contains(&self.team.bot_user) {
            let event = events::message(self.team, channel, ts);
            self.event(event);
        }
    }
}

/// Returns blocks, checked and with ids.
pub(super) fn checked_blocks(team: &mut Team, blocks: &Value) -> Result<Vec<Value>, ApiError> {
    if blocks.is_null() {
        return Ok(Vec::new());
    }
    let Some(all) = blocks.as_array() else { return refuse("invalid_blocks_format") };
    let wrong = blocks::check_message(blocks);
    if !wrong.is_empty() {
        return Err(ApiError::with_places("invalid_blocks", &wrong));
    }
    if blocks::too_long(all) {
        return refuse("msg_blocks_too_long");
    }
    Ok(blocks::with_ids(all, || team.id("b")))
}

/// Returns a new message of the app.
pub(super) fn from_bot(team: &Team, channel: &str) -> Message {
    Message {
        channel: channel.into(),
        user: team.bot_user.clone(),
        bot: Some(team.bot.clone()),
        ..Message::default()
    }
}

/// Returns a page of a list, and the cursor of the next one.
fn page(all: Vec<Value>, ask: &Ask<'_>, default: usize) -> Result<(Vec<Value>, String), ApiError> {
    let limit = ask.number("limit").filter(|limit| *limit > 0).unwrap_or(default);
    if limit > 1_000 {
        return refuse("invalid_limit");
    }
    let start = match ask.text("cursor") {
        "" => 0,
        cursor => cursor
            .strip_prefix("next:")
            .and_then(|at| at.trim_end_matches('=').parse().ok())
            .unwrap_or(usize::MAX),
    };
    if start > all.len() {
        return refuse("invalid_cursor");
    }
    let end = (start + limit).min(all.len());
    let next = if end < all.len() { format!("next:{end}=") } else { String::new() };
    Ok((all[start..end].to_vec(), next))
}

fn auth_test(ask: &mut Ask<'_>) -> Answer {
    let team = &ask.team;
    Ok(json!({"url": format!("https://{}.slack.com/", team.domain), "team": team.name, "user": "maro",
        "team_id": team.id, "user_id": team.bot_user, "bot_id": team.bot, "is_enterprise_install": false}))
}
