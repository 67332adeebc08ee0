//! Reads slash commands.

use serde_json::Value;
use throughline_engine::EventKind;
use throughline_engine::data::step_input::Addressing;

use super::{Context, FollowUp, Incoming, Place, event_of, raw_key, text};
use crate::slack::mrkdwn::plain;

pub(super) fn read(payload: &Value, context: &Context<'_>) -> Incoming {
    let key = match text(&payload["trigger_id"]) {
        "" => raw_key(payload),
        trigger => format!("slack:trg:{}:{trigger}", context.id),
    };
    let words = plain(text(&payload["text"]), &context.app.user, context.names);
    // Another name of ours is a command's first word: `/ticket the login fails`.
    let name = text(&payload["command"]).trim_start_matches('/');
    let words = match name.is_empty() || name.eq_ignore_ascii_case(&context.app.command) {
        true => words,
        false => format!("{name} {words}").trim().to_owned(),
    };
    Incoming {
        more_keys: Vec::new(),
        // A command is no message, so it begins no thread.
        place: Place { channel: text(&payload["channel_id"]).into(), ..Place::default() },
        event: event_of(key, text(&payload["user_id"]), EventKind::Command { text: words }),
        addressing: Addressing::default(),
        follow_up: FollowUp::Nothing,
    }
}
