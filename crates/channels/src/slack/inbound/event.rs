//! Reads `event_callback`: messages, mentions, edits, deletions, and changes of the workspace.

use serde_json::Value;
use throughline_engine::EventKind;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::event::MessagePosted;
use throughline_engine::data::step_input::Addressing;

use super::{Context, FollowUp, Incoming, Place, event_of, first, ignored, ignored_by, raw_key, text};
use crate::slack::mrkdwn::{first_mentioned, mentioned, plain};
use crate::slack::names::{App, channel_id, is_direct};

/// The subtypes of messages that people write.
const WRITTEN: [&str; 5] = ["", "thread_broadcast", "file_share", "me_message", "bot_message"];

pub(super) fn read(payload: &Value, context: &Context<'_>) -> Incoming {
    let event = &payload["event"];
    let key = match text(&payload["event_id"]) {
        "" => raw_key(payload),
        id => format!("slack:evt:{}:{id}", context.id),
    };
    match text(&event["type"]) {
        "message" | "app_mention" => message(key, payload, context),
        "app_home_opened" if text(&event["tab"]) != "messages" => {
            let follow_up = FollowUp::Home { cleared: None };
            Incoming { follow_up, ..ignored_by(text(&event["user"]), key, "app_home_opened") }
        }
        "app_home_opened" => ignored(key, "app_home_opened"),
        "assistant_thread_started" => {
            let thread = &event["assistant_thread"];
            let place = Place {
                channel: text(&thread["channel_id"]).into(),
                thread: text(&thread["thread_ts"]).into(),
                ..Place::default()
            };
            let ignored = ignored_by(text(&thread["user_id"]), key, "assistant_thread_started");
            Incoming { place, follow_up: FollowUp::Welcome, ..ignored }
        }
        "user_change" | "user_profile_changed" => {
            let ignored = ignored_by(text(&event["user"]["id"]), key, "user_change");
            Incoming { follow_up: FollowUp::Profile, ..ignored }
        }
        "app_uninstalled" | "tokens_revoked" => {
            let name = text(&event["type"]);
            // Tokens of people are none of ours.
            let ours = name == "app_uninstalled" || !matches!(&event["tokens"]["bot"], Value::Null);
            let follow_up = if ours { FollowUp::Removed } else { FollowUp::Nothing };
            Incoming { follow_up, ..ignored(key, name) }
        }
        "" => ignored(key, "not_an_event"),
        other => ignored(key, other),
    }
}

fn message(key: String, payload: &Value, context: &Context<'_>) -> Incoming {
    let event = &payload["event"];
    match text(&event["subtype"]) {
        "message_changed" if text(&event["message"]["subtype"]) == "tombstone" => {
            deleted(key, payload, context)
        }
        "message_changed" => edited(key, payload, context),
        "message_deleted" => deleted(key, payload, context),
        subtype if WRITTEN.contains(&subtype) => posted(key, payload, context),
        other => ignored(key, &format!("message.{other}")),
    }
}

fn posted(key: String, payload: &Value, context: &Context<'_>) -> Incoming {
    let event = &payload["event"];
    let (channel, ts) = (text(&event["channel"]), first(&[&event["ts"], &event["event_ts"]]));
    let files = attached(event);
    let words = plain(text(&event["text"]), &context.app.user, context.names);
    let addressing = facts(event, context.app);
    if channel.is_empty() || (words.is_empty() && files.is_empty() && !addressing.mentioned) {
        return ignored(key, "message.no_text");
    }
    let place = place(channel, text(&event["thread_ts"]), ts, event, context.app);
    let kind = EventKind::MessagePosted(MessagePosted {
        text: words,
        message_id: Some(channel_id(channel, ts)),
        files,
        ..MessagePosted::default()
    });
    Incoming {
        more_keys: vec![format!("slack:msg:{}:{channel}:{ts}", context.id)],
        event: event_of(key, text(&event["user"]), kind),
        place,
        addressing,
        follow_up: FollowUp::Nothing,
    }
}

fn edited(key: String, payload: &Value, context: &Context<'_>) -> Incoming {
    let event = &payload["event"];
    let (message, before) = (&event["message"], &event["previous_message"]);
    let (channel, ts) = (text(&event["channel"]), text(&message["ts"]));
    let when = first(&[&message["edited"]["ts"], &event["event_ts"]]);
    let words = plain(text(&message["text"]), &context.app.user, context.names);
    // Slack sends the same event when a preview, a pin or a reply is added.
    let same = text(&message["text"]) == text(&before["text"]) && !before.is_null();
    let kind = EventKind::MessageEdited {
        message: channel_id(channel, ts),
        text: words,
        metadata_only: same || message["edited"].is_null(),
    };
    Incoming {
        more_keys: vec![format!("slack:msg:{}:{channel}:{ts}:edit:{when}", context.id)],
        place: place(channel, text(&message["thread_ts"]), ts, message, context.app),
        event: event_of(key, text(&message["user"]), kind),
        // Slack lets nobody else edit a person's message.
        addressing: Addressing { vouched: true, ..facts_in(message, channel, context.app) },
        follow_up: FollowUp::Nothing,
    }
}

/// A deletion. The first message of a thread with replies becomes a tombstone, which Slackbot seems to have written.
fn deleted(key: String, payload: &Value, context: &Context<'_>) -> Incoming {
    let event = &payload["event"];
    let (before, tombstone) = (&event["previous_message"], &event["message"]);
    let channel = text(&event["channel"]);
    let ts = first(&[&event["deleted_ts"], &before["ts"], &tombstone["ts"]]);
    let thread = first(&[&before["thread_ts"], &tombstone["thread_ts"]]);
    let facts =
        if before.is_object() { facts_in(before, channel, context.app) } else { Addressing::default() };
    Incoming {
        more_keys: vec![format!("slack:msg:{}:{channel}:{ts}:del", context.id)],
        place: place(channel, thread, ts, before, context.app),
        event: event_of(
            key,
            text(&before["user"]),
            EventKind::MessageDeleted { message: channel_id(channel, ts) },
        ),
        // Its author deleted it, or somebody who may delete anything.
        addressing: Addressing { vouched: true, ..facts },
        follow_up: FollowUp::Nothing,
    }
}

/// The place of a message: its thread; a direct message outside of any thread is the conversation itself; any other
/// is the thread that it may begin.
fn place(channel: &str, thread: &str, ts: &str, message: &Value, app: &App) -> Place {
    let within = !thread.is_empty() && thread != ts;
    let thread = match (within, is_direct(channel)) {
        (true, _) => thread,
        (false, true) => "",
        (false, false) => ts,
    };
    let begun = text(&message["parent_user_id"]) == app.user;
    Place { channel: channel.into(), thread: thread.into(), about: None, joined: within && !begun }
}

/// The facts of how a message was addressed.
fn facts(event: &Value, app: &App) -> Addressing {
    let direct = text(&event["channel_type"]) == "im";
    let facts = facts_in(event, text(&event["channel"]), app);
    Addressing { direct: direct || facts.direct, ..facts }
}

fn facts_in(message: &Value, channel: &str, app: &App) -> Addressing {
    let words = text(&message["text"]);
    let user = text(&message["user"]);
    let (bot, by_app) = (text(&message["bot_id"]), text(&message["app_id"]));
    let own = user == app.user
        || (!bot.is_empty() && bot == app.bot)
        || (!by_app.is_empty() && !app.id.is_empty() && by_app == app.id);
    let program = !bot.is_empty()
        || user.is_empty()
        || user == "USLACKBOT"
        || text(&message["subtype"]) == "bot_message";
    Addressing {
        mentioned: mentioned(words).any(|user| user == app.user),
        direct: is_direct(channel),
        reply_to_us: false,
        thread_ours: text(&message["parent_user_id"]) == app.user,
        to_other: first_mentioned(words).is_some_and(|user| user != app.user),
        bot: program && !own,
        own,
        vouched: false,
        not_to_us: false,
    }
}

fn attached(event: &Value) -> Vec<Attachment> {
    let files = event["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text_of = |value: &Value| value.as_str().map(str::to_owned);
    let read = |file: &Value| Attachment {
        kind: Attachment::kind_of(text(&file["mimetype"])).into(),
        name: text_of(&file["name"]),
        mime: text_of(&file["mimetype"]),
        bytes: file["size"].as_u64(),
        id: None,
        url: text_of(&file["permalink"]).filter(|url| url.starts_with("https://")),
    };
    files.iter().map(read).collect()
}
